//! Shortens long results of tools when a conversation does not fit the model and summing up did not help.
//!
//! Transcripts are append-only: the shortened results stand on a new branch, with everything that followed them. What
//! was there before stays readable.

use std::collections::HashMap;

use openclaw_ports::stores::StoredEntry;
use openclaw_session::SessionError;
use openclaw_types::{EntryBody, EntryId, LineEntry, LineRecord, Message, TranscriptLine};

use super::engine::Run;
use super::record::entry;
use crate::turn::clean;
use crate::turn::decide::Outcome;

/// Results longer than this are shortened, in bytes.
const LONG: usize = 4 * 1024;

/// What is left of them.
const KEPT: usize = 2 * 1024;

impl Run {
    /// Shortens what is long, and says whether there was anything.
    pub(super) async fn shorten(&mut self) -> Result<Outcome, SessionError> {
        let Some((first, lines)) = shortened(self.record.branch()) else { return Ok(Outcome::NoRoom) };
        self.record.replace_from(first, lines).await?;
        Ok(Outcome::Room)
    }
}

/// The entries from the first long result on, with new ids; nothing when no result is long.
fn shortened(branch: &[StoredEntry]) -> Option<(usize, Vec<TranscriptLine>)> {
    let first = branch.iter().position(|stored| entry(stored).is_some_and(is_long))?;
    let mut parent = first.checked_sub(1).and_then(|before| entry(branch.get(before)?)?.id.clone());
    let mut renamed: HashMap<EntryId, EntryId> = HashMap::new();
    let mut lines = Vec::new();
    for stored in branch.get(first..)? {
        let Some(old) = entry(stored) else { continue };
        let id = EntryId::new(uuid::Uuid::new_v4().simple().to_string().get(..16)?).ok()?;
        if let Some(old) = &old.id {
            renamed.insert(old.clone(), id.clone());
        }
        let body = moved(old.body.clone(), &renamed);
        let new = LineEntry { id: Some(id.clone()), parent: parent.replace(id), at: old.at, body };
        lines.push(TranscriptLine::new(LineRecord::Entry(Box::new(new))));
    }
    Some((first, lines))
}

fn is_long(entry: &LineEntry) -> bool {
    match &entry.body {
        EntryBody::Message(Message::ToolResult(result)) => clean::text_bytes(&result.content) > LONG,
        _ => false,
    }
}

/// What an entry says on the new branch: long results are cut, and what names other entries names the new ones.
fn moved(body: EntryBody, renamed: &HashMap<EntryId, EntryId>) -> EntryBody {
    match body {
        EntryBody::Message(Message::ToolResult(mut result)) => {
            if clean::text_bytes(&result.content) > LONG {
                result.content = clean::cut(result.content, KEPT, None);
                result.details = None;
            }
            EntryBody::Message(Message::ToolResult(result))
        }
        EntryBody::Compaction(mut compaction) => {
            if let Some(new) = compaction.first_kept.as_ref().and_then(|old| renamed.get(old)) {
                compaction.first_kept = Some(new.clone());
            }
            EntryBody::Compaction(compaction)
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use openclaw_ports::stores::StoredEntry;
    use openclaw_types::{
        Compaction, Content, EntryBody, EntryId, LineEntry, LineRecord, Message, SummaryAuthor, ToolCallId,
        ToolOutcome, ToolResultMessage, TranscriptLine, UserMessage,
    };

    use super::shortened;
    use crate::run::record::entry;

    fn stored(id: &str, parent: Option<&str>, body: EntryBody) -> StoredEntry {
        let name = |text: &str| EntryId::new(text).unwrap();
        let line = LineEntry { id: Some(name(id)), parent: parent.map(name), at: None, body };
        StoredEntry { sequence: 0, run: None, line: TranscriptLine::new(LineRecord::Entry(Box::new(line))) }
    }

    fn said(text: &str) -> EntryBody {
        EntryBody::Message(Message::User(UserMessage {
            content: vec![Content::text(text)],
            ..UserMessage::default()
        }))
    }

    fn result(bytes: usize) -> EntryBody {
        EntryBody::Message(Message::ToolResult(ToolResultMessage {
            call: ToolCallId::new("call").unwrap(),
            tool: "read".to_owned(),
            content: vec![Content::text("x".repeat(bytes))],
            outcome: ToolOutcome::Done,
            details: None,
            at: None,
        }))
    }

    #[test]
    fn a_branch_without_long_results_stays_as_it_is() {
        assert_eq!(shortened(&[stored("a", None, said("hi")), stored("b", Some("a"), result(4_096))]), None);
    }

    #[test]
    fn long_results_and_what_followed_them_stand_on_a_new_branch() {
        let compaction = EntryBody::Compaction(Compaction {
            summary: "so far".to_owned(),
            first_kept: Some(EntryId::new("b").unwrap()),
            tokens_before: None,
            tokens_after: None,
            details: None,
            author: SummaryAuthor::Agent,
        });
        let branch = [
            stored("a", None, said("hi")),
            stored("b", Some("a"), result(9_000)),
            stored("c", Some("b"), compaction),
            stored("d", Some("c"), said("go on")),
        ];
        let (first, lines) = shortened(&branch).unwrap();
        assert_eq!(first, 1);
        let new: Vec<StoredEntry> =
            lines.into_iter().map(|line| StoredEntry { sequence: 0, run: None, line }).collect();
        let new: Vec<&LineEntry> = new.iter().map(|stored| entry(stored).unwrap()).collect();
        assert_eq!(new[0].parent, Some(EntryId::new("a").unwrap()));
        assert_eq!([&new[1].parent, &new[2].parent], [&new[0].id, &new[1].id]);
        let EntryBody::Compaction(moved) = &new[1].body else { panic!("not a compaction") };
        assert_eq!(moved.first_kept, new[0].id);
        let EntryBody::Message(cut) = &new[0].body else { panic!("not a message") };
        assert!(cut.plain_text().len() < 2_200, "{}", cut.plain_text().len());
        assert_eq!(new[2].body, said("go on"));
    }
}
