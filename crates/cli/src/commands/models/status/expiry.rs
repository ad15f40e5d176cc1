//! When sign-ins run out, and what that means for a vendor. Pure.

use openclaw_ports::stores::{StoredCredential, StoredProfile};
use openclaw_types::{AuthProfileId, ProviderId, UnixMillis};
use serde::Serialize;

/// A sign-in that runs out within this time is worth a warning, in milliseconds.
pub(super) const WARN_AFTER_MS: i64 = 24 * 60 * 60 * 1000;

/// How a sign-in stands in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Expiry {
    /// Good for a while, or renewed by itself.
    Ok,
    /// Runs out within a day.
    Expiring,
    /// Ran out.
    Expired,
    /// There is none.
    Missing,
    /// Does not run out.
    Static,
}

/// One stored sign-in.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProfileExpiry {
    pub(super) profile_id: AuthProfileId,
    pub(super) provider: ProviderId,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) status: Expiry,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expires_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remaining_ms: Option<i64>,
    pub(super) source: &'static str,
    pub(super) label: String,
}

/// The stored sign-ins of a vendor together.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProviderExpiry {
    pub(super) provider: ProviderId,
    pub(super) status: Expiry,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) expires_at: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) remaining_ms: Option<i64>,
    pub(super) profiles: Vec<ProfileExpiry>,
}

impl ProfileExpiry {
    /// Judges a sign-in at a moment.
    pub(super) fn judge(profile: &StoredProfile, now: UnixMillis) -> Self {
        let (kind, expires, renews) = match &profile.credential {
            StoredCredential::ApiKey { .. } => ("api_key", None, false),
            StoredCredential::Token { expires, .. } => ("token", *expires, false),
            StoredCredential::Oauth(tokens) => ("oauth", Some(tokens.expires), tokens.refresh.is_some()),
        };
        let expires = expires.map(|at| at.0).filter(|at| *at > 0);
        let remaining = expires.map(|at| at.saturating_sub(now.0));
        let status = match (kind, remaining) {
            ("oauth", None) if !renews => Expiry::Missing,
            ("oauth", _) if renews => Expiry::Ok,
            (_, None) => Expiry::Static,
            (_, Some(left)) if left <= 0 => Expiry::Expired,
            (_, Some(left)) if left <= WARN_AFTER_MS => Expiry::Expiring,
            (_, Some(_)) => Expiry::Ok,
        };
        let label = match &profile.email {
            Some(email) => format!("{} ({email})", profile.id),
            None => profile.id.to_string(),
        };
        Self {
            profile_id: profile.id.clone(),
            provider: profile.provider.clone(),
            kind,
            status,
            expires_at: expires,
            remaining_ms: remaining,
            source: "store",
            label,
        }
    }

    /// Whether it is one that can run out.
    pub(super) fn can_expire(&self) -> bool {
        self.kind != "api_key"
    }
}

impl ProviderExpiry {
    /// Judges a vendor by its sign-ins.
    pub(super) fn of(provider: ProviderId, profiles: Vec<ProfileExpiry>) -> Self {
        let mut expirable = profiles.iter().filter(|profile| profile.can_expire()).peekable();
        let status = if profiles.is_empty() {
            Expiry::Missing
        } else if expirable.peek().is_none() {
            Expiry::Static
        } else {
            expirable.fold(Expiry::Ok, |worst, profile| match (worst, profile.status) {
                (Expiry::Expired, _) | (_, Expiry::Expired | Expiry::Missing) => Expiry::Expired,
                (Expiry::Expiring, _) | (_, Expiry::Expiring) => Expiry::Expiring,
                _ => Expiry::Ok,
            })
        };
        let first = profiles.iter().filter(|profile| profile.can_expire());
        let first = first.filter_map(|profile| profile.expires_at.zip(profile.remaining_ms)).min();
        Self {
            provider,
            status,
            expires_at: first.map(|(at, _)| at),
            remaining_ms: first.map(|(_, left)| left),
            profiles,
        }
    }
}

#[cfg(test)]
mod tests {
    use openclaw_ports::stores::{OauthTokens, StoredSecret};
    use openclaw_types::Secret;
    use serde_json::Map;

    use super::*;

    const NOW: UnixMillis = UnixMillis(1_000_000_000);

    fn profile(credential: StoredCredential) -> StoredProfile {
        StoredProfile {
            id: AuthProfileId::new("alpha:a").unwrap(),
            provider: ProviderId::new("alpha").unwrap(),
            email: None,
            credential,
            extra: Map::new(),
        }
    }

    fn token(expires: Option<i64>) -> StoredCredential {
        let token = StoredSecret::Text(Secret::new("secret".to_owned()));
        StoredCredential::Token { token, expires: expires.map(UnixMillis) }
    }

    fn oauth(expires: i64, refresh: Option<&str>) -> StoredCredential {
        StoredCredential::Oauth(OauthTokens {
            access: Secret::new("a".to_owned()),
            refresh: refresh.map(|text| Secret::new(text.to_owned())),
            expires: UnixMillis(expires),
            account_id: None,
            project_id: None,
            enterprise_url: None,
            client_id: None,
        })
    }

    #[test]
    fn a_sign_in_that_renews_itself_does_not_run_out() {
        let key = StoredSecret::Text(Secret::new("k".to_owned()));
        let rows = [
            (StoredCredential::ApiKey { key }, Expiry::Static),
            (token(None), Expiry::Static),
            (token(Some(NOW.0 - 1)), Expiry::Expired),
            (token(Some(NOW.0 + WARN_AFTER_MS)), Expiry::Expiring),
            (token(Some(NOW.0 + WARN_AFTER_MS + 1)), Expiry::Ok),
            (oauth(NOW.0 - 1, Some("r")), Expiry::Ok),
            (oauth(NOW.0 - 1, None), Expiry::Expired),
            (oauth(0, None), Expiry::Missing),
        ];
        for (credential, expected) in rows {
            assert_eq!(
                ProfileExpiry::judge(&profile(credential.clone()), NOW).status,
                expected,
                "{credential:?}"
            );
        }
    }

    #[test]
    fn a_vendor_is_as_bad_as_its_worst_sign_in() {
        let judged = |all: Vec<StoredCredential>| {
            let profiles = all.into_iter().map(|one| ProfileExpiry::judge(&profile(one), NOW)).collect();
            ProviderExpiry::of(ProviderId::new("alpha").unwrap(), profiles).status
        };
        assert_eq!(judged(Vec::new()), Expiry::Missing);
        assert_eq!(judged(vec![token(None)]), Expiry::Ok);
        assert_eq!(judged(vec![token(None), token(Some(NOW.0 + 5))]), Expiry::Expiring);
        assert_eq!(judged(vec![token(Some(NOW.0 - 5)), token(Some(NOW.0 + 5))]), Expiry::Expired);
    }
}
