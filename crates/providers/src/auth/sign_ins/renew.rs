//! Renews a sign-in: once, whoever asks, in whichever process.
//!
//! Callers in this process share one flight. The flight takes a lock that other processes respect, reads the store
//! again, and renews only if nobody did so meanwhile. New tokens are stored before anybody gets to use them: a vendor
//! that hands out a new renewal token takes the old one back.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_ports::model::{CallCredential, ModelFault};
use openclaw_ports::stores::{OauthTokens, StoreError, StoredCredential, StoredProfile};
use openclaw_types::{AgentId, AuthProfileId, Secret, UnixMillis};
use serde_json::json;

use super::lent::{Fingerprint, fingerprint, key};
use super::lock::{self, Held, NotHeld};
use super::shape::{self, RESOURCE_URL};
use super::{SignInsInner, unlock};
use crate::auth::oauth::{Granted, read_grant};
use crate::auth::vendors::{ClientName, Renewal, SignInVendor, gemini_client};
use crate::auth::{fault, web};

/// A sign-in is renewed so long before it runs out.
const RENEW_BEFORE: Duration = Duration::from_secs(2 * 60);
/// How often storing new tokens is tried, and how long is waited in between.
const STORE_TRIES: u32 = 4;
const STORE_PAUSE: Duration = Duration::from_millis(100);

/// Tokens that were renewed but could not be stored. Better kept in memory than lost; each use tries again.
#[derive(Default)]
pub(super) struct Unsaved(Mutex<HashMap<String, Kept>>);

struct Kept {
    profile: StoredProfile,
    /// What was stored when it was renewed. As soon as something else is, somebody signed in or renewed since.
    over: Mark,
}

/// Tells the tokens of stored profiles apart.
type Mark = Option<(Fingerprint, Option<Fingerprint>)>;

fn mark(profile: &StoredProfile) -> Mark {
    match &profile.credential {
        StoredCredential::Oauth(tokens) => {
            Some((fingerprint(&tokens.access), tokens.refresh.as_ref().map(fingerprint)))
        }
        _ => None,
    }
}

impl Unsaved {
    /// What takes the place of a stored profile, as long as that is what it was renewed from.
    pub(super) fn over(&self, owner: &AgentId, stored: &StoredProfile) -> Option<StoredProfile> {
        let kept = self.lock();
        let kept = kept.get(&key(owner, &stored.id))?;
        (kept.over == mark(stored)).then(|| kept.profile.clone())
    }

    fn is_empty(&self, owner: &AgentId, profile: &AuthProfileId) -> bool {
        !self.lock().contains_key(&key(owner, profile))
    }

    fn put(&self, owner: &AgentId, profile: StoredProfile, over: Mark) {
        let name = key(owner, &profile.id);
        self.lock().insert(name, Kept { profile, over });
    }

    fn forget(&self, owner: &AgentId, profile: &AuthProfileId) {
        self.lock().remove(&key(owner, profile));
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Kept>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether tokens can be used as they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// They are good.
    Good,
    /// They are good, but not for long.
    Ending,
    /// They ran out, or the vendor refused them.
    Spent,
}

/// The access of a sign-in, renewed where needed.
pub(super) async fn fresh(
    sign_ins: &Arc<SignInsInner>,
    owner: AgentId,
    profile: StoredProfile,
) -> Result<CallCredential, ModelFault> {
    let saved = sign_ins.unsaved.is_empty(&owner, &profile.id);
    if let StoredCredential::Oauth(tokens) = &profile.credential
        && saved
        && state(sign_ins, tokens) == State::Good
    {
        return Ok(shape::access(&profile, tokens));
    }
    let name = key(&owner, &profile.id);
    let work = {
        let (sign_ins, name) = (Arc::clone(sign_ins), name.clone());
        async move { under_lock(&sign_ins, &owner, &profile, &name).await }
    };
    sign_ins.flights.join(&sign_ins.parts.scope, &name, work).await
}

impl SignInsInner {
    /// Stores a profile while nobody renews it.
    pub(super) async fn keep(&self, agent: &AgentId, profile: StoredProfile) -> Result<(), StoreError> {
        let id = profile.id.clone();
        let _held = self.held(agent, &id).await?;
        self.parts.store.put(agent, profile).await?;
        self.unsaved.forget(agent, &id);
        self.lent.forget(&key(agent, &id));
        Ok(())
    }

    /// Removes a profile while nobody renews it.
    pub(super) async fn forget(&self, agent: &AgentId, profile: &AuthProfileId) -> Result<bool, StoreError> {
        let _held = self.held(agent, profile).await?;
        let was_there = self.parts.store.remove(agent, profile).await?;
        self.unsaved.forget(agent, profile);
        self.lent.forget(&key(agent, profile));
        Ok(was_there)
    }

    async fn held(&self, agent: &AgentId, profile: &AuthProfileId) -> Result<Held, StoreError> {
        let name = key(agent, profile);
        let held = lock::take(self.parts.clock.as_ref(), &self.parts.lock_dir, &name).await;
        held.map_err(|error| match error {
            NotHeld::Busy => StoreError::Busy,
            NotHeld::Failed { .. } => {
                StoreError::Failed { action: "lock the sign-in", source: Box::new(error) }
            }
        })
    }
}

fn state(sign_ins: &SignInsInner, tokens: &OauthTokens) -> State {
    let now = sign_ins.parts.clock.now();
    if tokens.access.reveal().trim().is_empty() || sign_ins.refusals.was_refused(&tokens.access) {
        return State::Spent;
    }
    judge(tokens.expires, now)
}

fn judge(expires: UnixMillis, now: UnixMillis) -> State {
    if now >= expires {
        State::Spent
    } else if now.plus(RENEW_BEFORE) >= expires {
        State::Ending
    } else {
        State::Good
    }
}

async fn under_lock(
    sign_ins: &SignInsInner,
    owner: &AgentId,
    profile: &StoredProfile,
    name: &str,
) -> Result<CallCredential, ModelFault> {
    let held = lock::take(sign_ins.parts.clock.as_ref(), &sign_ins.parts.lock_dir, name).await;
    let _held = held.map_err(|error| match error {
        NotHeld::Busy => fault::local(format!("{error}; try again in a moment")),
        NotHeld::Failed { .. } => fault::local(error.to_string()),
    })?;
    let found = again(sign_ins, owner, profile).await?;
    let over = mark(&found);
    let stored = match sign_ins.unsaved.over(owner, &found) {
        Some(unsaved) => save(sign_ins, owner, unsaved, over).await?,
        None => {
            sign_ins.unsaved.forget(owner, &profile.id);
            found
        }
    };
    let over = if sign_ins.unsaved.is_empty(owner, &profile.id) { mark(&stored) } else { over };
    let StoredCredential::Oauth(tokens) = &stored.credential else {
        // A person replaced the sign-in by a key meanwhile. The next call finds it.
        return Err(fault::gone(&profile.id));
    };
    let state = state(sign_ins, tokens);
    if state == State::Good {
        return Ok(shape::access(&stored, tokens));
    }
    match renewed(sign_ins, &stored, tokens).await {
        Ok(renewed) => {
            let renewed = save(sign_ins, owner, renewed, over).await?;
            match &renewed.credential {
                StoredCredential::Oauth(tokens) => Ok(shape::access(&renewed, tokens)),
                _ => Err(fault::gone(&profile.id)),
            }
        }
        // What has not run out yet is good enough when the vendor cannot be asked.
        Err(trouble) if state == State::Ending => {
            tracing::warn!(profile = %stored.id, %trouble, "a sign-in could not be renewed yet");
            Ok(shape::access(&stored, tokens))
        }
        Err(trouble) => Err(trouble),
    }
}

/// The profile as it is now that nobody else can change it.
async fn again(
    sign_ins: &SignInsInner,
    owner: &AgentId,
    profile: &StoredProfile,
) -> Result<StoredProfile, ModelFault> {
    let stored = sign_ins.parts.store.list(owner).await.map_err(|error| fault::store(&error))?;
    stored.into_iter().find(|stored| stored.id == profile.id).ok_or_else(|| fault::gone(&profile.id))
}

/// Stores renewed tokens. When that fails they are kept in memory and the caller may use them all the same: the
/// vendor has taken the old ones back, and refusing to work would not bring them back.
///
/// A profile that was removed meanwhile is not brought back, and one that somebody else stored is not overwritten.
async fn save(
    sign_ins: &SignInsInner,
    owner: &AgentId,
    profile: StoredProfile,
    over: Mark,
) -> Result<StoredProfile, ModelFault> {
    for attempt in 1..=STORE_TRIES {
        match replace(sign_ins, owner, &profile, over).await {
            Ok(outcome) => {
                sign_ins.unsaved.forget(owner, &profile.id);
                return match outcome {
                    Replaced::Yes => Ok(profile),
                    Replaced::ByAnother(other) => Ok(*other),
                    Replaced::Removed => Err(fault::gone(&profile.id)),
                };
            }
            Err(error) => {
                tracing::error!(profile = %profile.id, attempt, %error, "renewed tokens could not be stored");
            }
        }
        if attempt < STORE_TRIES {
            sign_ins.parts.clock.sleep(STORE_PAUSE * attempt).await;
        }
    }
    sign_ins.unsaved.put(owner, profile.clone(), over);
    Ok(profile)
}

/// What became of a stored profile.
enum Replaced {
    /// The new one is in its place.
    Yes,
    /// Another one had been put in its place.
    ByAnother(Box<StoredProfile>),
    /// It had been removed.
    Removed,
}

/// Puts a profile in the place of the stored one, as long as that is what it was renewed from.
async fn replace(
    sign_ins: &SignInsInner,
    owner: &AgentId,
    profile: &StoredProfile,
    over: Mark,
) -> Result<Replaced, StoreError> {
    let stored = sign_ins.parts.store.list(owner).await?;
    match stored.into_iter().find(|stored| stored.id == profile.id) {
        None => Ok(Replaced::Removed),
        Some(stored) if mark(&stored) != over => Ok(Replaced::ByAnother(Box::new(stored))),
        Some(_) => {
            sign_ins.parts.store.put(owner, profile.clone()).await?;
            Ok(Replaced::Yes)
        }
    }
}

/// The profile with new tokens from its vendor.
async fn renewed(
    sign_ins: &SignInsInner,
    profile: &StoredProfile,
    tokens: &OauthTokens,
) -> Result<StoredProfile, ModelFault> {
    let Some(vendor) = sign_ins.parts.vendors.get(&profile.provider) else {
        return Err(fault::auth(format!(
            "the sign-in {} has run out, and signing in at {} is not known here; use a key instead",
            profile.id, profile.provider
        )));
    };
    let Some(refresh) = tokens.refresh.as_ref().filter(|token| !token.reveal().trim().is_empty()) else {
        return Err(fault::sign_in_again(
            &profile.provider,
            "the sign-in has ended and holds nothing to renew it with",
        ));
    };
    if vendor.renewal == Renewal::CopilotExchange {
        let token = unlock::exchange(sign_ins, tokens.enterprise_url.as_deref(), refresh).await?;
        let tokens = OauthTokens { access: token.token, expires: token.expires_at, ..tokens.clone() };
        return Ok(StoredProfile { credential: StoredCredential::Oauth(tokens), ..profile.clone() });
    }
    let granted = ask(sign_ins, vendor, tokens, refresh, profile).await?;
    Ok(with_grant(profile, tokens, granted, sign_ins.parts.clock.now()))
}

async fn ask(
    sign_ins: &SignInsInner,
    vendor: &SignInVendor,
    tokens: &OauthTokens,
    refresh: &Secret<String>,
    profile: &StoredProfile,
) -> Result<Granted, ModelFault> {
    let (client, secret) = match (vendor.client, &tokens.client_id) {
        (ClientName::GeminiCli, _) => gemini_client(&sign_ins.surroundings().environment)?,
        (ClientName::Public(_), Some(client)) => (client.clone(), None),
        (ClientName::Public(client), None) => (client.to_owned(), None),
    };
    let call = match vendor.renewal {
        Renewal::Json => web::json(
            &vendor.urls.token,
            vendor.urls.reach,
            json!({ "grant_type": "refresh_token", "client_id": client, "refresh_token": refresh.reveal() }),
        ),
        Renewal::Form | Renewal::CopilotExchange => {
            let mut fields = vec![
                ("grant_type", web::open("refresh_token")),
                ("refresh_token", refresh.clone()),
                ("client_id", web::open(client)),
            ];
            fields.extend(secret.map(|secret| ("client_secret", secret)));
            web::form(&vendor.urls.token, vendor.urls.reach, fields)
        }
    };
    let answer = sign_ins.parts.transport.json(call).await?;
    read_grant(&answer).map_err(|denied| fault::denied(&profile.provider, &denied))
}

/// What a vendor does not say again stays as it was.
fn with_grant(
    profile: &StoredProfile,
    old: &OauthTokens,
    granted: Granted,
    now: UnixMillis,
) -> StoredProfile {
    let expires = granted.expires(now);
    let mut renewed = profile.clone();
    if let Some(resource) = granted.resource_url {
        renewed.extra.insert(RESOURCE_URL.to_owned(), resource.into());
    }
    let account = match profile.provider.as_str() {
        "openai-codex" => shape::chatgpt_account(&granted.access),
        _ => None,
    };
    renewed.credential = StoredCredential::Oauth(OauthTokens {
        access: granted.access,
        refresh: granted.refresh.or_else(|| old.refresh.clone()),
        expires,
        account_id: account.or_else(|| old.account_id.clone()),
        ..old.clone()
    });
    renewed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_is_renewed_two_minutes_before_it_runs_out() {
        let now = UnixMillis(1_000_000);
        let rows = [
            (-1, State::Spent),
            (0, State::Spent),
            (1, State::Ending),
            (120_000, State::Ending),
            (120_001, State::Good),
        ];
        for (left, expected) in rows {
            assert_eq!(judge(UnixMillis(now.0 + left), now), expected, "{left} ms left");
        }
    }
}
