//! Questions about people and rooms on a platform, and about what an account can do there.

use openclaw_ports::channel::{ChannelError, DirectoryEntry, DirectoryKind};
use openclaw_types::{AccountId, ChannelId};

use super::Accounts;

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Look {
    /// Who we are there.
    Me,
    /// People or rooms whose name holds the words; all without words.
    Search {
        /// What to look for.
        kind: DirectoryKind,
        /// The words.
        words: String,
        /// Maximum number of entries.
        limit: usize,
    },
    /// The members of a room.
    Members {
        /// Which room.
        room: String,
        /// Maximum number of entries.
        limit: usize,
    },
}

/// Why a question was not answered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LookupFault {
    /// The line of the account is not up.
    #[error("the account is not connected; `openclaw channels status` says why")]
    Down,
    /// The platform has no directory.
    #[error("this channel cannot look people and rooms up; use their ids")]
    NoDirectory,
    /// The platform did not answer well.
    #[error(transparent)]
    Platform(#[from] ChannelError),
}

impl Accounts {
    /// Looks people and rooms up.
    ///
    /// # Errors
    /// The account is not up, its platform has no directory, or did not answer well.
    pub async fn look(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        look: Look,
    ) -> Result<Vec<DirectoryEntry>, LookupFault> {
        let slots = self.surface(channel, account).ok_or(LookupFault::Down)?;
        let directory = slots.directory.clone().ok_or(LookupFault::NoDirectory)?;
        Ok(match look {
            Look::Me => vec![directory.me().await?],
            Look::Search { kind, words, limit } => directory.search(kind, &words, limit).await?,
            Look::Members { room, limit } => directory.members(&room, limit).await?,
        })
    }

    /// The things of the platform's own kind that an account can do now.
    #[must_use]
    pub fn action_names(&self, channel: &ChannelId, account: &AccountId) -> Vec<&'static str> {
        let slots = self.surface(channel, account);
        slots.and_then(|slots| Some(slots.actions.as_ref()?.names().to_vec())).unwrap_or_default()
    }

    /// A target of a channel as people write it, in the words of the outbox.
    ///
    /// # Errors
    /// What would be a target.
    pub fn target(&self, channel: &ChannelId, text: &str) -> Result<String, String> {
        let kind = self.kind(channel.as_str()).ok_or_else(|| format!("there is no channel {channel}"))?;
        kind.target(text)
    }

    /// The id of a channel that people name by it or another name.
    #[must_use]
    pub fn channel_named(&self, name: &str) -> Option<ChannelId> {
        self.kind(name).and_then(|kind| ChannelId::new(kind.descriptor().id).ok())
    }
}
