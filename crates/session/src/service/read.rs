//! Reads transcripts: for people as history and preview, for models as messages.

use std::sync::Arc;

use openclaw_ports::stores::{BranchQuery, BranchReach, StoredEntry};
use openclaw_types::{AgentId, EntryId, SessionEntry, SessionId, SessionKey};
use serde_json::Value;

use super::Sessions;
use crate::SessionError;
use crate::show::{self, PreviewItem};
use crate::transcript::{Projected, project};

/// How many more entries than messages are read at first: changes of models, notes and the like stand between.
const SLACK: usize = 16;
/// How many messages a preview has at most, and how long each may be.
const PREVIEW_ITEMS: usize = 50;
/// The shortest and the longest text of a preview, in letters.
const PREVIEW_LETTERS: (usize, usize) = (20, 2_000);

/// What people see of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct History {
    /// What is stored about it; nothing when there is no such session.
    pub entry: Option<Arc<SessionEntry>>,
    /// The newest messages, oldest first, as clients are shown them.
    pub messages: Vec<Value>,
}

/// The last messages of a session in a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Whether there is something to show.
    pub status: PreviewStatus,
    /// The messages, oldest first.
    pub items: Vec<PreviewItem>,
}

/// Whether a preview has something to show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PreviewStatus {
    /// It has.
    Ok,
    /// The session has no words.
    Empty,
    /// There is no such session.
    Missing,
}

impl PreviewStatus {
    /// The status as clients are told it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Empty => "empty",
            Self::Missing => "missing",
        }
    }
}

impl Sessions {
    /// The newest messages of a session, 200 unless told otherwise, 1,000 at most.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn history(&self, key: &SessionKey, limit: Option<usize>) -> Result<History, SessionError> {
        let Some(entry) = self.entry(key).await? else {
            return Ok(History { entry: None, messages: Vec::new() });
        };
        let limit = limit.unwrap_or(show::DEFAULT_LIMIT).clamp(1, show::MAX_LIMIT);
        let branch = self.newest(&self.agent_of(key), &entry.session_id, limit).await?;
        Ok(History { entry: Some(entry), messages: show::shaped(branch, limit) })
    }

    /// The last messages of a session in a few words.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn preview(
        &self,
        key: &SessionKey,
        items: usize,
        letters: usize,
    ) -> Result<Preview, SessionError> {
        let Some(entry) = self.entry(key).await? else {
            return Ok(Preview { status: PreviewStatus::Missing, items: Vec::new() });
        };
        let most = items.clamp(1, PREVIEW_ITEMS);
        let branch = self.newest(&self.agent_of(key), &entry.session_id, most).await?;
        let items = show::items(&branch, most, letters.clamp(PREVIEW_LETTERS.0, PREVIEW_LETTERS.1));
        let status = match items.is_empty() {
            true => PreviewStatus::Empty,
            false => PreviewStatus::Ok,
        };
        Ok(Preview { status, items })
    }

    /// The messages that a model sees of a transcript, up to its leaf.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub async fn messages(
        &self,
        agent: &AgentId,
        session: &SessionId,
    ) -> Result<Vec<Projected>, SessionError> {
        Ok(project(&self.branch(agent, session, None, BranchReach::SinceCompaction).await?))
    }

    /// As many of the newest entries as hold so many messages, and no more than are needed for that by much.
    async fn newest(
        &self,
        agent: &AgentId,
        session: &SessionId,
        messages: usize,
    ) -> Result<Vec<StoredEntry>, SessionError> {
        let mut asked = messages + SLACK;
        loop {
            let branch = self.branch(agent, session, None, BranchReach::Newest(asked)).await?;
            let shown = branch.iter().filter(|stored| show::counts(stored)).count();
            if shown >= messages || branch.len() < asked {
                return Ok(branch);
            }
            asked = asked.saturating_mul(2);
        }
    }

    pub(super) async fn branch(
        &self,
        agent: &AgentId,
        session: &SessionId,
        leaf: Option<EntryId>,
        reach: BranchReach,
    ) -> Result<Vec<StoredEntry>, SessionError> {
        let query = BranchQuery { agent: agent.clone(), session: session.clone(), leaf, reach };
        Ok(self.parts.store.branch(query).await?)
    }
}
