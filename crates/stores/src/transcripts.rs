//! What a store has to know about the lines of a transcript, whatever it keeps them in.
//!
//! Pure. Says which lines stand in the tree, what is refused, and where a branch begins that is read since its newest
//! compaction. `sqlite::agents` and `memory::sessions` call in here, so that both answer alike.

use openclaw_ports::stores::StoredEntry;
use openclaw_types::{
    AgentId, Compaction, EntryBody, EntryId, LineEntry, LineRecord, Message, RunId, TranscriptLine,
};

/// Why something was not stored. All of these are mistakes of the caller.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum StoreRefusal {
    #[error(
        "agent ids that name a folder hold lower-case letters, digits, _ and - only, at most 64; {:?} does not fit",
        agent.as_str()
    )]
    AgentName { agent: AgentId },
    #[error("the system gives no random numbers, so that an entry of a transcript has no id")]
    NoChance,
    #[error("entry {entry} follows {parent}, which is not in its transcript")]
    UnknownParent { entry: EntryId, parent: EntryId },
    #[error("run {run} ends, but its beginning is not stored")]
    UnknownRun { run: RunId },
}

/// Refuses agents whose name cannot be a folder of its own: the same text in other letters is another agent for us,
/// but the same folder on some disks.
pub(crate) fn check_agent(agent: &AgentId) -> Result<(), StoreRefusal> {
    match agent.is_sanitized() {
        true => Ok(()),
        false => Err(StoreRefusal::AgentName { agent: agent.clone() }),
    }
}

/// Where a line stands.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum LinePosition<'a> {
    /// In the tree, where it says.
    Tree { id: &'a EntryId, parent: Option<&'a EntryId>, body: &'a EntryBody },
    /// In the tree, after the leaf, under an id that is still to be found.
    Leaf(&'a LineEntry),
    /// Beside it: a header, or something that is no line of a transcript. Kept once, told by its text.
    Beside,
}

/// Where a line stands.
pub(crate) fn place(line: &TranscriptLine) -> LinePosition<'_> {
    match &line.record {
        LineRecord::Entry(entry) => match &entry.id {
            Some(id) => LinePosition::Tree { id, parent: entry.parent.as_ref(), body: &entry.body },
            None => LinePosition::Leaf(entry),
        },
        LineRecord::Header(_) | LineRecord::Foreign(_) => LinePosition::Beside,
    }
}

/// The line of an entry that has found its place.
pub(crate) fn placed(entry: &LineEntry, id: EntryId, parent: Option<EntryId>) -> TranscriptLine {
    let entry = LineEntry { id: Some(id), parent, at: entry.at, body: entry.body.clone() };
    TranscriptLine::new(LineRecord::Entry(Box::new(entry)))
}

/// Eight hexadecimal digits, by chance: what an entry may be called if nothing in its transcript is.
pub(crate) fn chance_id() -> Result<EntryId, StoreRefusal> {
    let mut digits = [0_u8; 4];
    getrandom::fill(&mut digits).map_err(|_no_chance| StoreRefusal::NoChance)?;
    EntryId::new(hex::encode(digits)).map_err(|_no_chance| StoreRefusal::NoChance)
}

/// The key of a person's message.
pub(crate) fn message_key(body: &EntryBody) -> Option<&str> {
    let EntryBody::Message(message) = body else { return None };
    match &**message {
        Message::User(message) => message.idempotency_key.as_deref(),
        _ => None,
    }
}

/// The compaction that a body is.
pub(crate) fn compaction(body: &EntryBody) -> Option<&Compaction> {
    match body {
        EntryBody::Compaction(compaction) => Some(compaction),
        _ => None,
    }
}

/// Whether a line sums up what came before it.
pub(crate) fn sums_up(line: &TranscriptLine) -> bool {
    match &line.record {
        LineRecord::Entry(entry) => compaction(&entry.body).is_some(),
        LineRecord::Header(_) | LineRecord::Foreign(_) => false,
    }
}

/// How many bytes a line takes in a file.
pub(crate) fn bytes(line: &TranscriptLine) -> u64 {
    line.to_text().len() as u64
}

/// Cuts a branch, oldest first, to what its newest compaction left: from the oldest entry it kept, or from itself when
/// it kept none that is in the branch.
pub(crate) fn since_compaction(mut branch: Vec<StoredEntry>) -> Vec<StoredEntry> {
    let newest = branch.iter().enumerate().rev().find_map(|(at, stored)| match &stored.line.record {
        LineRecord::Entry(entry) => compaction(&entry.body).map(|found| (at, found)),
        _ => None,
    });
    let Some((at, newest)) = newest else { return branch };
    let kept = newest.first_kept.as_ref().and_then(|kept| {
        branch.iter().take(at).position(|stored| match &stored.line.record {
            LineRecord::Entry(entry) => entry.id.as_ref() == Some(kept),
            _ => false,
        })
    });
    branch.drain(..kept.unwrap_or(at));
    branch
}
