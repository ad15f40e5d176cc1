//! Strangers who asked to talk to us, and those who were let in by a code.

use async_trait::async_trait;
use openclaw_types::{AccountId, ChannelId, UnixMillis};
use serde::{Deserialize, Serialize};

use super::StoreError;

/// Keeps requests of strangers and the lists of those who were let in.
#[async_trait]
pub trait SenderStore: Send + Sync {
    /// The requests of a platform, oldest first; of all platforms without one.
    async fn requests(&self, channel: Option<&ChannelId>) -> Result<Vec<SenderRequest>, StoreError>;

    /// Changes the requests of a platform in one step: reads, decides, writes. Durable on return.
    async fn change_requests(&self, channel: &ChannelId, change: RequestChange) -> Result<(), StoreError>;

    /// Those who were let in to an account, by id.
    async fn allowed(&self, channel: &ChannelId, account: &AccountId) -> Result<Vec<String>, StoreError>;

    /// Lets somebody in; says whether they were not before.
    async fn allow(&self, channel: &ChannelId, account: &AccountId, sender: &str)
    -> Result<bool, StoreError>;

    /// Puts somebody out; says whether they were in.
    async fn disallow(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        sender: &str,
    ) -> Result<bool, StoreError>;
}

/// A request of a stranger.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SenderRequest {
    /// The platform.
    pub channel: ChannelId,
    /// Our login there.
    pub account: AccountId,
    /// Who, by id.
    pub sender: String,
    /// The code they were given.
    pub code: String,
    /// When they came.
    pub created_at: UnixMillis,
    /// When they wrote last.
    pub seen_at: UnixMillis,
    /// Where they can be told that they were let in.
    pub to: String,
    /// What they call themselves, and other facts for people.
    #[serde(default)]
    pub facts: Vec<(String, String)>,
}

/// A change of requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RequestChange {
    /// Puts a request in, in the place of one of the same sender and account.
    Put(SenderRequest),
    /// Takes a request out.
    Remove {
        /// Our login.
        account: AccountId,
        /// Who.
        sender: String,
    },
    /// Takes out what came before a moment.
    Expire {
        /// The moment.
        before: UnixMillis,
    },
}
