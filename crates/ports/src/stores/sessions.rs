//! Sessions, their transcripts and their runs: one database for each agent.
//!
//! A transcript is an append-only tree. The store keeps which entry is the current leaf; a branch is the way from a
//! leaf to the root. What a branch means, and what a model sees of it, is decided in `session` and `agent`.
//! Words and ends of runs are flushed to the disk; changes of entries go with them. A run is noted together with its
//! first words, and what its session counts together with its end: one commit each.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_types::{
    AgentId, EntryId, RunEnding, RunId, SessionEntry, SessionId, SessionKey, TranscriptLine, UnixMillis,
};

use super::{Flush, StoreError};

/// Changes an entry inside a transaction: gets what is stored, gives what to store. Giving nothing removes it.
pub type EntryChange = Box<dyn FnOnce(Option<SessionEntry>) -> Option<SessionEntry> + Send>;

/// Keeps sessions.
#[async_trait]
pub trait SessionStore: Send + Sync {
    /// The agents that have a database.
    async fn agents(&self) -> Result<Vec<AgentId>, StoreError>;

    /// Lets go of what an agent keeps, so that its folder can be moved away. The next write makes it anew.
    async fn release(&self, of: &AgentId) -> Result<(), StoreError>;

    /// One session.
    async fn entry(&self, of: &AgentId, key: &SessionKey) -> Result<Option<Arc<SessionEntry>>, StoreError>;

    /// Every session of an agent, the one that changed last first.
    async fn entries(&self, of: &AgentId) -> Result<Vec<(SessionKey, SessionEntry)>, StoreError>;

    /// Changes a session in one transaction, and gives what is stored afterwards. Two changes never overlap.
    async fn change(
        &self,
        of: &AgentId,
        key: &SessionKey,
        change: EntryChange,
    ) -> Result<Option<Arc<SessionEntry>>, StoreError>;

    /// Appends to a transcript, all or nothing. The last entry becomes the leaf. An entry whose id is stored already is
    /// left as it is, so that a repeated append changes nothing. One without an id follows the entry before it, the first
    /// the leaf of the moment, and gets an id that is free. Gives the ids of all entries, in order.
    async fn append(&self, append: Append) -> Result<Vec<EntryId>, StoreError>;

    /// The current leaf of a transcript; nothing when it is empty.
    async fn leaf(&self, of: &AgentId, session: &SessionId) -> Result<Option<EntryId>, StoreError>;

    /// Makes another entry of a transcript the leaf: what is appended next branches off there. False, and nothing
    /// changes, when the transcript has no such entry.
    async fn set_leaf(&self, of: &AgentId, session: &SessionId, leaf: &EntryId) -> Result<bool, StoreError>;

    /// The way from the root to a leaf, oldest first, as far as it is asked for.
    async fn branch(&self, branch: BranchQuery) -> Result<Vec<StoredEntry>, StoreError>;

    /// Every entry of a transcript in the order it was written, whatever its branch. For export.
    async fn transcript(&self, of: &AgentId, session: &SessionId) -> Result<Vec<StoredEntry>, StoreError>;

    /// Whether the transcript holds a message of a person with this key.
    async fn holds_message(&self, of: &AgentId, session: &SessionId, key: &str) -> Result<bool, StoreError>;

    /// Notes that a transcript belongs to the past: after a reset or a removal. It stays readable.
    async fn archive(&self, archive: Archive) -> Result<(), StoreError>;

    /// The archived transcripts of an agent, newest first.
    async fn archived(&self, of: &AgentId) -> Result<Vec<Archived>, StoreError>;

    /// Removes a transcript for ever.
    async fn erase(&self, of: &AgentId, session: &SessionId) -> Result<(), StoreError>;

    /// Notes that a run begins. Noting it again changes nothing and gives what is known.
    async fn begin_run(&self, run: RunStart) -> Result<RunRecord, StoreError>;

    /// Notes how a run ended, together with the last entries of its transcript and a change of its session, in one
    /// transaction. Once: ending again changes nothing and gives nothing.
    async fn end_run(&self, end: RunFinish, change: Option<EntryChange>) -> Result<RunEnded, StoreError>;

    /// One run.
    async fn run(&self, of: &AgentId, run: &RunId) -> Result<Option<RunRecord>, StoreError>;

    /// Runs that have not ended, oldest first. At start these are the ones a crash cut off.
    async fn unfinished(&self, of: &AgentId) -> Result<Vec<RunRecord>, StoreError>;

    /// Forgets runs that ended before a moment, and says how many there were.
    async fn forget_runs(&self, of: &AgentId, before: UnixMillis) -> Result<u64, StoreError>;
}

/// Entries for the end of a transcript.
#[derive(Debug, Clone)]
pub struct Append {
    /// Whose session it is.
    pub agent: AgentId,
    /// Which transcript. It is made when it does not exist.
    pub session: SessionId,
    /// The run that wrote them.
    pub run: Option<RunId>,
    /// The run, when it begins with these entries. Noted unless it is known.
    pub begins: Option<RunStart>,
    /// How they get to the disk.
    pub flush: Flush,
    /// The entries: with an id and, but for the first of all, a parent; or with neither, to follow the leaf.
    pub lines: Vec<TranscriptLine>,
}

/// Which part of a branch is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BranchQuery {
    /// Whose session it is.
    pub agent: AgentId,
    /// Which transcript.
    pub session: SessionId,
    /// Where the branch ends; the current leaf when absent.
    pub leaf: Option<EntryId>,
    /// How far back it goes.
    pub reach: BranchReach,
}

/// How far back a branch is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BranchReach {
    /// To the root.
    Whole,
    /// As many entries, counted from the leaf.
    Newest(usize),
    /// To the oldest entry that the newest compaction kept; to the root when there was none.
    SinceCompaction,
}

/// One stored entry.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredEntry {
    /// Its place in the order of writing.
    pub sequence: i64,
    /// The run that wrote it.
    pub run: Option<RunId>,
    /// The entry. It never changes, so everybody who reads it shares it.
    pub line: Arc<TranscriptLine>,
}

/// Why a transcript belongs to the past.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ArchiveReason {
    /// The session began anew.
    Reset,
    /// The session was removed.
    Deleted,
    /// The transcript was shortened.
    Compacted,
}

/// A transcript that belongs to the past.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archive {
    /// Whose it is.
    pub agent: AgentId,
    /// Which transcript.
    pub session: SessionId,
    /// The session it belonged to.
    pub key: SessionKey,
    /// Why.
    pub reason: ArchiveReason,
    /// When.
    pub at: UnixMillis,
}

/// An archived transcript in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Archived {
    /// What was noted.
    pub archive: Archive,
    /// How many entries it has.
    pub entries: u64,
    /// How many bytes they take.
    pub bytes: u64,
}

/// A run that begins.
#[derive(Debug, Clone, PartialEq)]
pub struct RunStart {
    /// Names it.
    pub run: RunId,
    /// Who answers.
    pub agent: AgentId,
    /// In which session.
    pub key: SessionKey,
    /// In which transcript.
    pub session: SessionId,
    /// When.
    pub at: UnixMillis,
}

/// A run that ended.
#[derive(Debug, Clone)]
pub struct RunFinish {
    /// Who answered.
    pub agent: AgentId,
    /// Which run.
    pub run: RunId,
    /// When.
    pub at: UnixMillis,
    /// How.
    pub how: RunEnding,
    /// The run, when nothing of it was stored before. Noted unless it is known.
    pub begins: Option<RunStart>,
    /// The last entries of its transcript; empty when they are stored already.
    pub last: Vec<TranscriptLine>,
}

/// What the end of a run left.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunEnded {
    /// The ids of its last entries, in order, as `append` gives them.
    pub entries: Vec<EntryId>,
    /// Its session after the change, where one was wanted and the session is there.
    pub session: Option<Arc<SessionEntry>>,
}

/// What is known about a run.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecord {
    /// How it began.
    pub start: RunStart,
    /// How it ended and when; nothing while it is under way.
    pub end: Option<(UnixMillis, RunEnding)>,
}
