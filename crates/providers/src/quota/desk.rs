//! Asks all vendors at once, each within its time, and keeps what they said for a while.
//!
//! Polling clients share one round of questions: whoever comes while it is under way waits for it, and whoever comes
//! soon after gets its answers.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, Shared, join_all};
use openclaw_ports::model::{
    CallCredential, Credentials, FaultReason, ModelCatalog, ModelFault, ProviderQuota, Quotas, ServerReach,
};
use openclaw_ports::{Clock, Deadline};
use openclaw_types::{AgentId, ProviderId};
use serde_json::Value;

use super::VENDORS;
use super::vendor::{QuotaVendor, Told};
use crate::apis::Secrets;
use crate::{JsonCall, Transport};

/// How long answers are good for.
const FRESH: Duration = Duration::from_secs(30);
/// The time for a call.
const CALL: Duration = Duration::from_secs(5);
/// The time for a vendor, renewing a sign-in included.
const VENDOR: Duration = Duration::from_secs(6);
/// The most letters of a vendor's words that are passed on.
const WORDS: usize = 200;
/// What stands for a vendor that did not answer in time.
const TOO_LATE: &str = "Timeout";

/// Asks vendors about their allowances. Cloning is cheap, clones share their answers.
#[derive(Clone)]
pub struct VendorQuotas {
    desk: Arc<Desk>,
    round: Arc<Mutex<Option<Round>>>,
}

/// What is needed to ask.
pub struct QuotaParts {
    /// Makes the calls.
    pub transport: Transport,
    /// Signs in.
    pub credentials: Arc<dyn Credentials>,
    /// Every model there is, as of now: it says whose servers a credential is for.
    pub catalog: Arc<dyn Fn() -> Arc<ModelCatalog> + Send + Sync>,
    /// Whose credentials are used, as of now.
    pub agent: Arc<dyn Fn() -> AgentId + Send + Sync>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
}

struct Desk {
    parts: QuotaParts,
    /// Vendors that are asked elsewhere than usual, which may be anywhere.
    elsewhere: BTreeMap<&'static str, String>,
}

/// One round of questions, under way or answered.
struct Round {
    began: Duration,
    answers: Shared<BoxFuture<'static, Vec<ProviderQuota>>>,
}

impl VendorQuotas {
    /// Asks vendors at their own addresses.
    #[must_use]
    pub fn new(parts: QuotaParts) -> Self {
        Self::at(parts, BTreeMap::new())
    }

    /// Asks some vendors elsewhere.
    pub(super) fn at(parts: QuotaParts, elsewhere: BTreeMap<&'static str, String>) -> Self {
        Self { desk: Arc::new(Desk { parts, elsewhere }), round: Arc::default() }
    }
}

impl std::fmt::Debug for VendorQuotas {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("VendorQuotas").finish_non_exhaustive()
    }
}

#[async_trait]
impl Quotas for VendorQuotas {
    async fn report(&self) -> Vec<ProviderQuota> {
        let now = self.desk.parts.clock.elapsed();
        let answers = {
            let mut round = self.round.lock().unwrap_or_else(PoisonError::into_inner);
            let fresh = round.as_ref().filter(|round| now.saturating_sub(round.began) < FRESH);
            match fresh {
                Some(round) => round.answers.clone(),
                None => {
                    let answers = ask_all(self.desk.clone()).boxed().shared();
                    *round = Some(Round { began: now, answers: answers.clone() });
                    answers
                }
            }
        };
        answers.await
    }
}

async fn ask_all(desk: Arc<Desk>) -> Vec<ProviderQuota> {
    let agent = (desk.parts.agent)();
    let asked = VENDORS.iter().map(|vendor| async {
        let clock = desk.parts.clock.as_ref();
        let asking = desk.ask(&agent, vendor);
        let told = match Deadline::after(clock, VENDOR).bound(clock, asking).await {
            Ok(told) => told?,
            Err(openclaw_ports::TimedOut) => Err(TOO_LATE.to_owned()),
        };
        quota(vendor, told)
    });
    join_all(asked).await.into_iter().flatten().collect()
}

fn quota(vendor: &QuotaVendor, told: Result<Told, String>) -> Option<ProviderQuota> {
    let (told, error) = match told {
        Ok(told) => (told, None),
        Err(error) => (Told::default(), Some(error)),
    };
    Some(ProviderQuota {
        provider: ProviderId::new(vendor.provider).ok()?,
        display_name: vendor.name.to_owned(),
        windows: told.windows,
        plan: told.plan,
        error,
    })
}

impl Desk {
    /// What a vendor says; nothing when there is no credential to ask with, or only one for a server elsewhere.
    async fn ask(&self, agent: &AgentId, vendor: &QuotaVendor) -> Option<Result<Told, String>> {
        let provider = ProviderId::new(vendor.provider).ok()?;
        if !vendor.is_itself((self.parts.catalog)().provider(&provider)) {
            tracing::debug!(%provider, "a vendor is not asked: its credential is for a server elsewhere");
            return None;
        }
        let mut profiles = match self.parts.credentials.profiles(agent, &provider).await {
            Ok(profiles) => profiles,
            Err(error) => return Some(Err(format!("credentials could not be read: {error}"))),
        };
        profiles.retain(|profile| vendor.kinds.contains(&profile.kind));
        profiles.sort_by(|one, other| {
            (one.kind, &one.origin, &one.id).cmp(&(other.kind, &other.origin, &other.id))
        });
        let mut refusal = None;
        for profile in &profiles {
            match self.parts.credentials.unlock(agent, profile).await {
                Ok(access) => return Some(self.call(vendor, &access).await),
                Err(fault) => refusal = refusal.or(Some(fault)),
            }
        }
        refusal.map(|fault| Err(fault.message))
    }

    async fn call(&self, vendor: &QuotaVendor, access: &CallCredential) -> Result<Told, String> {
        let ask = (vendor.ask)(access).ok_or("the credential holds no token")?;
        let (url, reach) = match self.elsewhere.get(vendor.provider) {
            Some(url) => (url.clone(), ServerReach::Anywhere),
            None => (vendor.address.to_owned(), ServerReach::Public),
        };
        let headers = ask.headers.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let call = JsonCall { method: ask.method, url, headers, body: ask.body, reach, deadline: CALL };
        let answer = self.parts.transport.json(call).await.map_err(|fault| without_answer(&fault))?;
        let body = serde_json::from_slice::<Value>(&answer.body);
        if !answer.is_success() {
            let words = (vendor.explain)(answer.status, &body.unwrap_or_default());
            return Err(presentable(&words, access));
        }
        let body = body.map_err(|_unreadable| "Invalid JSON".to_owned())?;
        (vendor.read)(&body).map_err(|words| presentable(&words, access))
    }
}

fn without_answer(fault: &ModelFault) -> String {
    match fault.reason {
        FaultReason::Timeout => TOO_LATE.to_owned(),
        _ => fault.message.clone(),
    }
}

/// A vendor's words without what we sent it, and not too many of them.
fn presentable(words: &str, access: &CallCredential) -> String {
    let secrets = access.secret.iter().chain(&access.traded_for).cloned();
    let headers = access.headers.values().flat_map(Secrets::of_header);
    let hidden = Secrets::new(secrets.chain(headers)).conceal(words);
    match hidden.char_indices().nth(WORDS) {
        Some((end, _)) => format!("{}…", hidden.get(..end).unwrap_or_default()),
        None => hidden,
    }
}
