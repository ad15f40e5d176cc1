//! Shortens what a vendor does not take: long results of tools when a conversation does not fit the model and summing
//! up did not help, and pictures that are too large for it.
//!
//! Transcripts are append-only: the shortened entries stand on a new branch, with everything that followed them. What
//! was there before stays readable.

use std::collections::HashMap;
use std::sync::Arc;

use openclaw_ports::stores::StoredEntry;
use openclaw_session::SessionError;
use openclaw_types::{Content, EntryBody, EntryId, Image, LineEntry, LineRecord, Message, TranscriptLine};

use super::engine::Run;
use super::record::{Rebranched, entry};
use crate::pictures::PictureLimits;
use crate::turn::clean;
use crate::turn::decide::RoomOutcome;

/// Results longer than this are shortened, in bytes.
const LONG: usize = 4 * 1024;

/// What is left of them.
const KEPT: usize = 2 * 1024;

impl Run {
    /// Shortens what is long, and says whether there was anything.
    pub(super) async fn shorten(&mut self) -> Result<RoomOutcome, SessionError> {
        Ok(outcome(self.record.rebranch(shortened).await?))
    }

    /// Makes the pictures of the conversation smaller than they have to be, and says whether any could be.
    pub(super) async fn shrink_pictures(&mut self) -> Result<RoomOutcome, SessionError> {
        let limits = PictureLimits::of(&self.config).tighter();
        let mut smaller: Smaller = Vec::new();
        for picture in pictures(self.record.branch()) {
            let old = Content::Image(picture);
            let new = self.caches.pictures.fit(vec![old.clone()], limits).await.into_iter().next();
            smaller.extend(new.filter(|new| *new != old).map(|new| (old, new)));
        }
        Ok(outcome(self.record.rebranch(|branch| shrunk(branch, &smaller)).await?))
    }
}

/// Pictures, and what stands for them.
type Smaller = Vec<(Content, Content)>;

fn outcome(rebranched: Rebranched) -> RoomOutcome {
    match rebranched {
        Rebranched::Yes => RoomOutcome::Room,
        Rebranched::No => RoomOutcome::NoRoom,
    }
}

/// The branch with its long results cut; nothing when no result is long.
fn shortened(branch: &[StoredEntry]) -> Option<(usize, Vec<TranscriptLine>)> {
    let cut = |mut body: EntryBody| {
        if is_long_result(&body)
            && let EntryBody::Message(message) = &mut body
            && let Message::ToolResult(result) = Arc::make_mut(message)
        {
            result.content = clean::cut(std::mem::take(&mut result.content), KEPT, None);
            result.details = None;
        }
        body
    };
    rewritten(branch, is_long_result, cut)
}

/// The branch with smaller pictures; nothing when it holds none of these.
fn shrunk(branch: &[StoredEntry], smaller: &Smaller) -> Option<(usize, Vec<TranscriptLine>)> {
    let meant = |body: &EntryBody| {
        content(body)
            .is_some_and(|content| content.iter().any(|piece| smaller.iter().any(|(old, _)| old == piece)))
    };
    let replace = |mut body: EntryBody| {
        for piece in content_mut(&mut body).into_iter().flatten() {
            if let Some((_, new)) = smaller.iter().find(|(old, _)| old == piece) {
                *piece = new.clone();
            }
        }
        body
    };
    rewritten(branch, meant, replace)
}

/// The entries from the first one meant on, changed and with new ids; nothing when none is meant.
fn rewritten(
    branch: &[StoredEntry],
    meant: impl Fn(&EntryBody) -> bool,
    change: impl Fn(EntryBody) -> EntryBody,
) -> Option<(usize, Vec<TranscriptLine>)> {
    let first = branch.iter().position(|stored| entry(stored).is_some_and(|entry| meant(&entry.body)))?;
    let mut parent = first.checked_sub(1).and_then(|before| entry(branch.get(before)?)?.id.clone());
    let mut renamed: HashMap<EntryId, EntryId> = HashMap::new();
    let mut lines = Vec::new();
    for stored in branch.get(first..)? {
        let Some(old) = entry(stored) else { continue };
        let id = EntryId::new(uuid::Uuid::new_v4().simple().to_string().get(..16)?).ok()?;
        if let Some(old) = &old.id {
            renamed.insert(old.clone(), id.clone());
        }
        let body = change(pointing(old.body.clone(), &renamed));
        let new = LineEntry { id: Some(id.clone()), parent: parent.replace(id), at: old.at, body };
        lines.push(TranscriptLine::new(LineRecord::Entry(Box::new(new))));
    }
    Some((first, lines))
}

/// An entry on the new branch: what names other entries names the new ones.
fn pointing(body: EntryBody, renamed: &HashMap<EntryId, EntryId>) -> EntryBody {
    match body {
        EntryBody::Compaction(mut compaction) => {
            if let Some(new) = compaction.first_kept.as_ref().and_then(|old| renamed.get(old)) {
                compaction.first_kept = Some(new.clone());
            }
            EntryBody::Compaction(compaction)
        }
        other => other,
    }
}

fn is_long_result(body: &EntryBody) -> bool {
    let EntryBody::Message(message) = body else { return false };
    match &**message {
        Message::ToolResult(result) => clean::text_bytes(&result.content) > LONG,
        _ => false,
    }
}

/// The pictures of a branch, each once.
fn pictures(branch: &[StoredEntry]) -> Vec<Image> {
    let mut found: Vec<Image> = Vec::new();
    let pieces = branch.iter().filter_map(|stored| content(&entry(stored)?.body)).flatten();
    for piece in pieces {
        if let Content::Image(image) = piece
            && !found.contains(image)
        {
            found.push(image.clone());
        }
    }
    found
}

/// What an entry shows a model beside its own words.
fn content(body: &EntryBody) -> Option<&Vec<Content>> {
    match body {
        EntryBody::Message(message) => match &**message {
            Message::User(message) => Some(&message.content),
            Message::ToolResult(result) => Some(&result.content),
            _ => None,
        },
        EntryBody::CustomMessage(note) => Some(&note.content),
        _ => None,
    }
}

fn content_mut(body: &mut EntryBody) -> Option<&mut Vec<Content>> {
    match body {
        // Only what may change is made the entry's own.
        EntryBody::Message(message) if !matches!(**message, Message::User(_) | Message::ToolResult(_)) => {
            None
        }
        EntryBody::Message(message) => match Arc::make_mut(message) {
            Message::User(message) => Some(&mut message.content),
            Message::ToolResult(result) => Some(&mut result.content),
            _ => None,
        },
        EntryBody::CustomMessage(note) => Some(&mut note.content),
        _ => None,
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
        let line = TranscriptLine::new(LineRecord::Entry(Box::new(line)));
        StoredEntry { sequence: 0, run: None, line: line.into() }
    }

    fn said(text: &str) -> EntryBody {
        Message::User(UserMessage { content: vec![Content::text(text)], ..UserMessage::default() }).into()
    }

    fn result(bytes: usize) -> EntryBody {
        let result = Message::ToolResult(ToolResultMessage {
            call: ToolCallId::new("call").unwrap(),
            tool: "read".to_owned(),
            content: vec![Content::text("x".repeat(bytes))],
            outcome: ToolOutcome::Done,
            details: None,
            at: None,
        });
        result.into()
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
            lines.into_iter().map(|line| StoredEntry { sequence: 0, run: None, line: line.into() }).collect();
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
