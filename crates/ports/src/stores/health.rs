//! How credentials fared: remembered so that a restart does not run into the same wall again.

use async_trait::async_trait;
use openclaw_types::{AgentId, AuthProfileId, UnixMillis};

use super::StoreError;

/// Keeps what failover learned.
#[async_trait]
pub trait HealthStore: Send + Sync {
    /// Reads everything, ordered by agent, profile and model: called once, at start.
    async fn load(&self) -> Result<Vec<HealthRecord>, StoreError>;

    /// Reads what is known of one agent's credentials, ordered by profile and model. Another process may have changed it.
    async fn load_agent(&self, agent: &AgentId) -> Result<Vec<HealthRecord>, StoreError>;

    /// Adds or replaces records, all or none, durable on return.
    async fn put(&self, records: Vec<HealthRecord>) -> Result<(), StoreError>;

    /// Forgets what is known of a profile, or of all profiles of an agent.
    async fn forget(&self, agent: &AgentId, profile: Option<&AuthProfileId>) -> Result<(), StoreError>;
}

/// What a record is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HealthKey {
    /// Whose credential.
    pub agent: AgentId,
    /// Which credential.
    pub profile: AuthProfileId,
    /// With which model; nothing for what concerns the credential as a whole.
    pub model: Option<String>,
}

/// How a credential fared, with one model or as a whole.
#[derive(Debug, Clone, PartialEq)]
pub struct HealthRecord {
    /// What this is about.
    pub key: HealthKey,
    /// When it was last sent.
    pub last_used: Option<UnixMillis>,
    /// When it last gave an answer.
    pub last_good: Option<UnixMillis>,
    /// When it last failed.
    pub last_failure: Option<UnixMillis>,
    /// The reason of that, as `FaultReason` writes it.
    pub reason: Option<String>,
    /// Failures in a row that led to pauses.
    pub failures: u32,
    /// Failures in a row over money.
    pub billing_failures: u32,
    /// Until when it is left alone.
    pub paused_until: Option<UnixMillis>,
    /// Until when it is switched off, which a person should look at.
    pub disabled_until: Option<UnixMillis>,
}

impl HealthRecord {
    /// Nothing is known yet.
    #[must_use]
    pub fn new(key: HealthKey) -> Self {
        Self {
            key,
            last_used: None,
            last_good: None,
            last_failure: None,
            reason: None,
            failures: 0,
            billing_failures: 0,
            paused_until: None,
            disabled_until: None,
        }
    }
}
