//! Permissions for commands that a person gave once and for longer.
//!
//! A grant is as narrow as the person made it: which executable, with which arguments, in which folder, in which
//! session, until when. Matching is the business of `exec`.

use async_trait::async_trait;
use openclaw_types::{AgentId, SessionKey, UnixMillis};
use serde::{Deserialize, Serialize};

use super::StoreError;

/// Keeps grants.
#[async_trait]
pub trait GrantStore: Send + Sync {
    /// Adds a grant. Durable on return.
    async fn add(&self, grant: &Grant) -> Result<(), StoreError>;

    /// Every grant, oldest first; also those that have expired.
    async fn all(&self) -> Result<Vec<Grant>, StoreError>;

    /// Notes that a grant was used.
    async fn used(&self, id: &str, at: UnixMillis) -> Result<(), StoreError>;

    /// Takes a grant back, and says whether there was one.
    async fn revoke(&self, id: &str) -> Result<bool, StoreError>;
}

/// A permission for commands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Grant {
    /// Names it.
    pub id: String,
    /// For whom.
    pub agent: AgentId,
    /// The executable, as a full path.
    pub executable: String,
    /// What the arguments must be.
    pub arguments: ArgumentPattern,
    /// The variables that the call must add; none that matters when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variables: Option<GrantedVariables>,
    /// The folder it must run in or below; any when absent.
    pub directory: Option<String>,
    /// The session it holds in; every one of the agent when absent.
    pub session: Option<SessionKey>,
    /// When it was given.
    pub created_at: UnixMillis,
    /// Who gave it.
    pub granted_by: String,
    /// Until when it holds; until it is taken back when absent.
    pub expires_at: Option<UnixMillis>,
    /// When it was last used.
    pub last_used_at: Option<UnixMillis>,
}

/// The variables that a granted call adds: all that matter, with their values. A value may be a secret, so only a digest of
/// them is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GrantedVariables {
    /// Their names, in order.
    pub names: Vec<String>,
    /// The digest of names and values, in hex.
    pub digest: String,
}

/// What the arguments of a granted command must be.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", content = "words", rename_all = "lowercase")]
pub enum ArgumentPattern {
    /// Exactly these.
    Exact(Vec<String>),
    /// These first, then whatever.
    Prefix(Vec<String>),
    /// Whatever.
    Any,
}
