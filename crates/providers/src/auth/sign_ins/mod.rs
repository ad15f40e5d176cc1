//! The sign_ins where credentials are asked for: lists what there is, and unlocks one for the call that needs it.
//!
//! `known` lists, `unlock` hands out, `renew` renews under a lock of all processes, `flight` joins callers that want
//! the same, `lent` remembers tokens that are good for a while, `shape` says what a vendor needs beside the token.

mod flight;
mod known;
mod lent;
mod lock;
mod renew;
mod shape;
mod unlock;

#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use async_trait::async_trait;
use openclaw_config::{Config, Environment, SecretResolver};
use openclaw_ports::model::{CallCredential, Credentials, ModelCatalog, ModelFault, ProfileFacts};
use openclaw_ports::stores::{ProfileStore, StoreError, StoredProfile};
use openclaw_ports::{Clock, TaskScope};
use openclaw_types::{AgentId, AuthProfileId, ProviderId};

pub(super) use shape::{RESOURCE_URL, chatgpt_account};

use super::SignInVendors;
use crate::transport::Transport;

/// Knows the credentials of all agents. Cloning is cheap, clones share everything.
#[derive(Clone)]
pub struct SignIns {
    sign_ins: Arc<SignInsInner>,
}

/// What the sign_ins is made of.
pub struct SignInsParts {
    /// Keeps the sign-ins.
    pub store: Arc<dyn ProfileStore>,
    /// Finds secrets that are referred to.
    pub secrets: Arc<SecretResolver>,
    /// Makes calls to vendors.
    pub transport: Transport,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Renewals run here, so that a caller that gives up does not lose a token that was just handed out.
    pub scope: TaskScope,
    /// Where processes that share the store keep their locks.
    pub lock_dir: PathBuf,
    /// How people sign in where.
    pub vendors: SignInVendors,
    /// The configuration, variables and models of the moment.
    pub surroundings: Arc<dyn Fn() -> SignInInputs + Send + Sync>,
}

/// What the sign_ins looks at besides the store, at one moment.
#[derive(Clone)]
pub struct SignInInputs {
    /// The variables, with those of the configuration's `env` section.
    pub environment: Environment,
    /// The configuration.
    pub config: Arc<Config>,
    /// The models and their vendors.
    pub catalog: Arc<ModelCatalog>,
}

struct SignInsInner {
    parts: SignInsParts,
    flights: Arc<flight::Flights>,
    lent: lent::Lent,
    refusals: lent::Refusals,
    unsaved: renew::Unsaved,
    /// Whether it was said that the store cannot be read; said again only after it could be.
    unread: AtomicBool,
}

impl SignIns {
    /// Opens the sign_ins.
    #[must_use]
    pub fn new(parts: SignInsParts) -> Self {
        let sign_ins = SignInsInner {
            parts,
            flights: Arc::default(),
            lent: lent::Lent::default(),
            refusals: lent::Refusals::default(),
            unsaved: renew::Unsaved::default(),
            unread: AtomicBool::new(false),
        };
        Self { sign_ins: Arc::new(sign_ins) }
    }

    /// Stores a new sign-in, as a login gave it. Waits for a renewal of the same profile to end, so that neither
    /// overwrites the other.
    ///
    /// # Errors
    /// The store's, or `Busy` when another process holds the profile for too long.
    pub async fn keep(&self, agent: &AgentId, profile: StoredProfile) -> Result<(), StoreError> {
        self.sign_ins.keep(agent, profile).await
    }

    /// Removes a sign-in; says whether it was there. Waits for a renewal of it to end, so that the renewal does not
    /// bring it back.
    ///
    /// # Errors
    /// The store's, or `Busy` when another process holds the profile for too long.
    pub async fn forget(&self, agent: &AgentId, profile: &AuthProfileId) -> Result<bool, StoreError> {
        self.sign_ins.forget(agent, profile).await
    }

    /// Forgets what is remembered from secret sources and vendors, so that the next use looks again.
    pub fn reload(&self) {
        self.sign_ins.parts.secrets.clear();
        self.sign_ins.lent.clear();
    }

    /// The vendors people can sign in at.
    #[must_use]
    pub fn vendors(&self) -> &SignInVendors {
        &self.sign_ins.parts.vendors
    }
}

#[async_trait]
impl Credentials for SignIns {
    async fn profiles(
        &self,
        agent: &AgentId,
        provider: &ProviderId,
    ) -> Result<Vec<ProfileFacts>, StoreError> {
        self.sign_ins.known(agent, provider).await
    }

    async fn unlock(&self, agent: &AgentId, profile: &ProfileFacts) -> Result<CallCredential, ModelFault> {
        unlock::unlock(&self.sign_ins, agent, profile).await
    }

    async fn refused(&self, agent: &AgentId, profile: &ProfileFacts, access: &CallCredential) {
        self.sign_ins.refusals.refused(access);
        self.sign_ins.lent.refused(&lent::key(agent, &profile.id), access);
        unlock::forget_secret(&self.sign_ins, agent, profile, access).await;
    }
}

impl fmt::Debug for SignIns {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("SignIns").finish_non_exhaustive()
    }
}

impl SignInsInner {
    fn surroundings(&self) -> SignInInputs {
        (self.parts.surroundings)()
    }
}
