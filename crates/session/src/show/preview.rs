//! A few words of the last messages of a session, for lists and cards.
//!
//! Pure.

use openclaw_ports::stores::StoredEntry;
use openclaw_types::{Content, EntryBody, LineRecord, Message};

use super::strip::{is_quiet, strip_directive_tags, strip_inbound_envelope};

/// How many names of tools are told.
const TOOL_NAMES: usize = 2;

/// One message of a preview.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewItem {
    /// Who speaks: `user`, `assistant`, `tool` or `other`.
    pub role: &'static str,
    /// A few words.
    pub text: String,
}

/// The last messages that have something to show, oldest first.
pub(crate) fn items(branch: &[StoredEntry], most: usize, letters: usize) -> Vec<PreviewItem> {
    let mut items: Vec<PreviewItem> = branch
        .iter()
        .rev()
        .filter_map(|stored| item(message(stored)?))
        .take(most)
        .map(|item| PreviewItem { text: shortened(&item.text, letters), ..item })
        .collect();
    items.reverse();
    items
}

/// The words of the last message of a person or the model.
pub(crate) fn last_words(branch: &[StoredEntry]) -> Option<String> {
    branch.iter().rev().filter_map(message).find_map(|message| match message {
        Message::User(_) | Message::Assistant(_) => words(message),
        _ => None,
    })
}

pub(super) fn message(stored: &StoredEntry) -> Option<&Message> {
    match &stored.line.record {
        LineRecord::Entry(entry) => match &entry.body {
            EntryBody::Message(message) => Some(message),
            _ => None,
        },
        LineRecord::Header(_) | LineRecord::Foreign(_) => None,
    }
}

/// The words of a message for people; nothing when there are none.
pub(super) fn words(message: &Message) -> Option<String> {
    let plain = message.plain_text();
    let inside = match message {
        Message::User(_) => strip_inbound_envelope(&plain),
        _ => plain.as_str().into(),
    };
    let words = strip_directive_tags(&inside).trim().to_owned();
    let quiet = matches!(message, Message::Assistant(_)) && is_quiet(&words);
    (!words.is_empty() && !quiet).then_some(words)
}

fn item(message: &Message) -> Option<PreviewItem> {
    let calls: Vec<&str> = message
        .content()
        .iter()
        .filter_map(|piece| piece.as_tool_call().map(|call| call.name.as_str()))
        .collect();
    let role = match message {
        _ if !calls.is_empty() => "tool",
        Message::User(_) => "user",
        Message::Assistant(_) => "assistant",
        Message::ToolResult(_) => "tool",
        _ => "other",
    };
    let text = words(message).or_else(|| called(&calls)).or_else(|| media(message))?;
    Some(PreviewItem { role, text })
}

fn called(names: &[&str]) -> Option<String> {
    let shown = names.get(..TOOL_NAMES.min(names.len())).filter(|shown| !shown.is_empty())?;
    let more = match names.len() - shown.len() {
        0 => String::new(),
        more => format!(" +{more}"),
    };
    Some(format!("call {}{more}", shown.join(", ")))
}

fn media(message: &Message) -> Option<String> {
    message.content().iter().find_map(|piece| match piece {
        Content::Image(_) => Some("[image]".to_owned()),
        Content::Thinking(_) | Content::RedactedThinking(_) => Some("[thinking]".to_owned()),
        _ => None,
    })
}

fn shortened(text: &str, letters: usize) -> String {
    const MARK: &str = "...";
    match text.chars().count() > letters {
        true => text.chars().take(letters.saturating_sub(MARK.len())).chain(MARK.chars()).collect(),
        false => text.to_owned(),
    }
}
