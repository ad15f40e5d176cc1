//! What signs us in at vendors: known by name, unlocked only for the call that needs it.

use std::collections::BTreeMap;

use async_trait::async_trait;
use openclaw_types::{AgentId, AuthProfileId, ProviderId, Secret, UnixMillis};

use super::{AwsKeys, ModelFault};
use crate::stores::StoreError;

/// Knows the credentials of agents.
#[async_trait]
pub trait Credentials: Send + Sync {
    /// What an agent could sign in with at a vendor, in no particular order: stored profiles, then what the
    /// environment and the configuration hold. Unlocks nothing.
    async fn profiles(&self, agent: &AgentId, provider: &ProviderId)
    -> Result<Vec<ProfileFacts>, StoreError>;

    /// What goes into a call. Renews a sign-in that ran out, once for all callers that wait for it.
    ///
    /// # Errors
    /// Reason `Auth` when the credential is gone, empty or cannot be renewed; `Network` or `Timeout` when renewing
    /// failed on the way; `Unknown` when something on this machine is in the way, which is nobody's fault.
    async fn unlock(&self, agent: &AgentId, profile: &ProfileFacts) -> Result<CallCredential, ModelFault>;

    /// Says that a vendor refused this access, which `unlock` gave out, so that it is renewed before it is given out
    /// again. What was renewed since is left alone.
    async fn refused(&self, agent: &AgentId, profile: &ProfileFacts, access: &CallCredential);
}

/// One credential, without its secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileFacts {
    /// Its name. What comes from elsewhere than the store is named `env:<VARIABLE>`, `config:<provider>` and so on.
    pub id: AuthProfileId,
    /// The vendor it is for.
    pub provider: ProviderId,
    /// How it signs in.
    pub kind: CredentialKind,
    /// Where it comes from.
    pub origin: CredentialOrigin,
    /// The account, for people.
    pub email: Option<String>,
    /// When it runs out. A sign-in that renews itself may have run out and still be good.
    pub expires: Option<UnixMillis>,
}

/// How a credential signs in. Ordered: the first is tried first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CredentialKind {
    /// In the browser, renewed by itself.
    Oauth,
    /// With a fixed token.
    Token,
    /// With a key.
    ApiKey,
    /// With AWS keys.
    Aws,
    /// Not at all: the server asks for nothing.
    Nothing,
}

impl CredentialKind {
    /// The kind as stores and clients write it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Oauth => "oauth",
            Self::Token => "token",
            Self::ApiKey => "api_key",
            Self::Aws => "aws-sdk",
            Self::Nothing => "none",
        }
    }
}

/// Where a credential comes from. Ordered: the first is tried first.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum CredentialOrigin {
    /// Our own store.
    Stored,
    /// A variable of this name.
    Environment(String),
    /// The configuration file.
    Configuration,
    /// A file or program of the vendor, named for people.
    Vendor(String),
    /// Nothing is needed.
    NotNeeded,
}

/// What goes into a call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallCredential {
    /// The key or token.
    pub secret: Option<Secret<String>>,
    /// What signs the call instead.
    pub aws: Option<AwsKeys>,
    /// Where this account is served, when not at the vendor's usual address.
    pub base_url: Option<String>,
    /// Headers this account needs.
    pub headers: BTreeMap<String, Secret<String>>,
    /// What `secret` was traded for, at vendors that hand out tokens for tokens; they want it for questions about the
    /// account.
    pub traded_for: Option<Secret<String>>,
}
