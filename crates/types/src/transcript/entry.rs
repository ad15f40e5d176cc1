//! The events of a session's transcript.
//!
//! Every entry knows its parent, so a transcript is a tree: branching is free and nothing is rewritten. Which branch is
//! current and what a model sees of it is decided by `session` and `agent`.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{CustomMessage, EntryId, Message, ModelRef, SessionId, ThinkingLevel, UnixMillis};

/// One event of a session.
#[derive(Debug, Clone, PartialEq)]
pub struct TranscriptEntry {
    /// Names the entry inside its transcript.
    pub id: EntryId,
    /// The entry it follows; `None` for the first.
    pub parent: Option<EntryId>,
    /// When it was written.
    pub at: UnixMillis,
    /// What happened.
    pub body: EntryBody,
}

/// What happened in a session.
#[derive(Debug, Clone, PartialEq)]
pub enum EntryBody {
    /// Something was said. Everybody who reads it shares it.
    Message(Arc<Message>),
    /// Older entries were replaced by a summary.
    Compaction(Compaction),
    /// A branch was left and summed up.
    BranchSummary(BranchSummary),
    /// Another model answers from here on.
    ModelChange(ModelRef),
    /// The model thinks harder or less from here on.
    ThinkingLevelChange(ThinkingLevel),
    /// An extension or the gateway noted something that no model sees.
    Custom(CustomEntry),
    /// An extension said something that models see.
    CustomMessage(CustomMessage),
    /// A person marked an entry.
    Label(Label),
    /// The session got another display name, or lost it.
    SessionName(Option<String>),
    /// An event we do not know.
    Other(OtherEntry),
}

impl From<Message> for EntryBody {
    fn from(message: Message) -> Self {
        Self::Message(Arc::new(message))
    }
}

/// Older entries were replaced by a summary.
#[derive(Debug, Clone, PartialEq)]
pub struct Compaction {
    /// What is known of the replaced entries.
    pub summary: String,
    /// The oldest entry that models still see as it is.
    pub first_kept: Option<EntryId>,
    /// How large the context was before.
    pub tokens_before: Option<u64>,
    /// How large it was afterwards.
    pub tokens_after: Option<u64>,
    /// The author's own record, for example the files that were read and changed.
    pub details: Option<Value>,
    /// Who wrote the summary.
    pub author: SummaryAuthor,
}

/// Who wrote a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SummaryAuthor {
    /// The agent itself.
    Agent,
    /// An extension.
    Extension,
}

/// A branch was left and summed up.
#[derive(Debug, Clone, PartialEq)]
pub struct BranchSummary {
    /// The entry the branch was left from.
    pub from: Option<EntryId>,
    /// What happened in the branch.
    pub summary: String,
    /// The author's own record.
    pub details: Option<Value>,
    /// Who wrote the summary.
    pub author: SummaryAuthor,
}

/// A note that no model sees.
#[derive(Debug, Clone, PartialEq)]
pub struct CustomEntry {
    /// The author's name for this kind of note.
    pub kind: String,
    /// The note.
    pub data: Option<Value>,
}

/// A person's mark on an entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Label {
    /// The marked entry.
    pub target: EntryId,
    /// The mark; `None` removes it.
    pub label: Option<String>,
}

/// An event we do not know.
#[derive(Debug, Clone, PartialEq)]
pub struct OtherEntry {
    /// Its kind, as it was written.
    pub kind: String,
    /// Its fields as they were found, without kind, id, parent and time.
    pub fields: Map<String, Value>,
}

/// What stands at the top of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionHeader {
    /// The session's id.
    pub id: Option<SessionId>,
    /// The version of the file's format.
    pub version: Option<u64>,
    /// When the transcript was begun.
    pub at: Option<UnixMillis>,
    /// The folder the agent worked in.
    pub cwd: Option<String>,
    /// The transcript this one was branched from.
    pub parent_session: Option<String>,
}
