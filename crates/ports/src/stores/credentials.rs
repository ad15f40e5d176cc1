//! Stored sign-ins of agents at model vendors. Secrets are sealed at rest; only `list` opens them.

use std::collections::BTreeMap;

use async_trait::async_trait;
use openclaw_types::{AgentId, AuthProfileId, ProviderId, Secret, UnixMillis};
use serde_json::{Map, Value};

use super::StoreError;

/// Keeps the sign-ins of agents.
#[async_trait]
pub trait ProfileStore: Send + Sync {
    /// Reads the profiles of an agent, ordered by id. Always what is on disk: another process may have changed it.
    async fn list(&self, agent: &AgentId) -> Result<Vec<StoredProfile>, StoreError>;

    /// Adds or replaces a profile, durable on return.
    async fn put(&self, agent: &AgentId, profile: StoredProfile) -> Result<(), StoreError>;

    /// Forgets a profile; says whether it was there.
    async fn remove(&self, agent: &AgentId, profile: &AuthProfileId) -> Result<bool, StoreError>;

    /// The order in which a person wants an agent's profiles tried, by vendor.
    async fn order(&self, agent: &AgentId) -> Result<BTreeMap<ProviderId, Vec<AuthProfileId>>, StoreError>;

    /// Sets that order for one vendor; an empty one is forgotten.
    async fn set_order(
        &self,
        agent: &AgentId,
        provider: &ProviderId,
        order: Vec<AuthProfileId>,
    ) -> Result<(), StoreError>;

    /// Which agents have profiles or an order.
    async fn agents(&self) -> Result<Vec<AgentId>, StoreError>;
}

/// One sign-in.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredProfile {
    /// Its name, `<provider>:<account>` as a rule.
    pub id: AuthProfileId,
    /// The vendor.
    pub provider: ProviderId,
    /// The account, for people.
    pub email: Option<String>,
    /// What signs in.
    pub credential: StoredCredential,
    /// What else the original's file said, so that it can be written back. Never secret.
    pub extra: Map<String, Value>,
}

/// What signs in.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredCredential {
    /// A key.
    ApiKey {
        /// The key, or where it is.
        key: StoredSecret,
    },
    /// A fixed token.
    Token {
        /// The token, or where it is.
        token: StoredSecret,
        /// When it runs out.
        expires: Option<UnixMillis>,
    },
    /// A sign-in that is renewed.
    Oauth(OauthTokens),
}

/// A secret, or where to look for it at the moment of use.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredSecret {
    /// The secret itself.
    Text(Secret<String>),
    /// A reference in the form of the configuration file. What it leads to is never stored.
    Reference(Value),
}

/// The tokens of a sign-in.
#[derive(Debug, Clone, PartialEq)]
pub struct OauthTokens {
    /// Opens calls.
    pub access: Secret<String>,
    /// Gets a new `access`. Some vendors give none.
    pub refresh: Option<Secret<String>>,
    /// When `access` runs out.
    pub expires: UnixMillis,
    /// The account at the vendor, where calls must name it.
    pub account_id: Option<String>,
    /// The project at the vendor, where calls must name it.
    pub project_id: Option<String>,
    /// The vendor's address for this account's company.
    pub enterprise_url: Option<String>,
    /// The program the sign-in was made with, where renewing must name it.
    pub client_id: Option<String>,
}
