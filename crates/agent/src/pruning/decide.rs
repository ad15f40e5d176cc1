//! Decides which tool results are shortened or removed.
//!
//! Four characters are taken for a token and a picture for eight thousand, as the settings are written for. Results
//! before the first message of a person, results behind the last few answers, and results with pictures are left alone.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use openclaw_config::PruningSettings;
use openclaw_ports::model::has_timed_cache;
use openclaw_types::{Content, Message, ModelRef, ToolCallId, ToolResultMessage, UnixMillis};

use super::apply::{joined, shortened};
use crate::policy::fits;

const CHARS_PER_TOKEN: u64 = 4;
const CHARS_PER_PICTURE: usize = 8_000;
/// What a message of another kind is taken for.
const CHARS_PER_OTHER_MESSAGE: usize = 256;

/// What becomes of a tool result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PruneMark {
    /// Its beginning and end are shown.
    Shortened,
    /// A placeholder is shown.
    Removed,
}

/// Names a tool result in the messages of a session. Some vendors use the id of a call again, so that it is not enough.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResultName {
    /// The call it answers.
    pub call: ToolCallId,
    /// When.
    pub at: Option<UnixMillis>,
}

impl ResultName {
    /// The name of a result.
    #[must_use]
    pub fn of(result: &ToolResultMessage) -> Self {
        Self { call: result.call.clone(), at: result.at }
    }
}

/// What becomes of tool results.
pub type PruneMarks = BTreeMap<ResultName, PruneMark>;

/// What is known about the vendor's cache of a session.
#[derive(Debug, Clone, Copy)]
pub struct CacheState<'a> {
    /// The model that is called.
    pub model: &'a ModelRef,
    /// When it was last called in this session.
    pub last_call: Option<UnixMillis>,
    /// What time it is.
    pub now: UnixMillis,
}

/// Whether the vendor has forgotten the session, so that leaving something out costs nothing.
#[must_use]
pub fn is_prunable_now(settings: &PruningSettings, cache: CacheState<'_>) -> bool {
    if !has_timed_cache(cache.model.provider().as_str(), cache.model.model()) {
        return false;
    }
    let cold = |last: UnixMillis| cache.now.since(last) >= settings.ttl;
    !settings.ttl.is_zero() && cache.last_call.is_some_and(cold)
}

/// Decides what becomes of the tool results of a request to a model that reads so many tokens.
#[must_use]
pub fn decide_prune<M: Borrow<Message>>(
    messages: &[M],
    settings: &PruningSettings,
    window: u64,
) -> PruneMarks {
    let mut marks = PruneMarks::new();
    let room = window.saturating_mul(CHARS_PER_TOKEN);
    let Some(candidates) = candidates(messages, settings) else { return marks };
    let mut total: usize = messages.iter().map(|message| size(message.borrow())).sum();
    if room == 0 || !fills(total, room, settings.soft_trim_ratio) {
        return marks;
    }
    let mut sizes: Vec<usize> = Vec::with_capacity(candidates.len());
    for result in &candidates {
        let (before, short) = (content_size(&result.content), shortened(&result.content, settings));
        let after = short.as_ref().map_or(before, |text| text.chars().count());
        if short.is_some() {
            marks.insert(ResultName::of(result), PruneMark::Shortened);
        }
        total = total.saturating_sub(before).saturating_add(after);
        sizes.push(after);
    }
    let Some(placeholder) = &settings.placeholder else { return marks };
    if sizes.iter().sum::<usize>() < settings.min_prunable_tool_chars {
        return marks;
    }
    for (result, before) in candidates.iter().zip(sizes) {
        if !fills(total, room, settings.hard_clear_ratio) {
            break;
        }
        marks.insert(ResultName::of(result), PruneMark::Removed);
        total = total.saturating_sub(before).saturating_add(placeholder.chars().count());
    }
    marks
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a share of a window needs no more precision than a float has"
)]
fn fills(total: usize, room: u64, share: f64) -> bool {
    total as f64 / room as f64 >= share
}

/// The results that may be shortened or removed, oldest first; nothing when there are too few answers to tell.
fn candidates<'a, M: Borrow<Message>>(
    messages: &'a [M],
    settings: &PruningSettings,
) -> Option<Vec<&'a ToolResultMessage>> {
    let end = protected_from(messages, settings.keep_last_assistants)?;
    let start = messages.iter().position(|message| matches!(message.borrow(), Message::User(_)))?;
    let results = messages.get(start..end).unwrap_or_default().iter();
    let results = results.filter_map(|message| match message.borrow() {
        Message::ToolResult(result) => Some(result),
        _ => None,
    });
    let open =
        |result: &&ToolResultMessage| may_prune(settings, &result.tool) && !has_picture(&result.content);
    Some(results.filter(open).collect())
}

/// Where the last answers begin that keep their tool output.
fn protected_from<M: Borrow<Message>>(messages: &[M], keep: usize) -> Option<usize> {
    let Some(before) = keep.checked_sub(1) else { return Some(messages.len()) };
    let is_answer = |message: &M| matches!(message.borrow(), Message::Assistant(_));
    let answers = messages.iter().enumerate().rev().filter(|(_, message)| is_answer(message));
    answers.map(|(index, _)| index).nth(before)
}

fn may_prune(settings: &PruningSettings, tool: &str) -> bool {
    let tool = tool.trim().to_lowercase();
    let named = |names: &[String]| {
        let mut patterns =
            names.iter().map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty());
        patterns.any(|pattern| fits(&pattern, &tool))
    };
    let listed = settings.allow.iter().any(|name| !name.trim().is_empty());
    !named(&settings.deny) && (!listed || named(&settings.allow))
}

fn has_picture(content: &[Content]) -> bool {
    content.iter().any(|piece| matches!(piece, Content::Image(_)))
}

fn size(message: &Message) -> usize {
    match message {
        Message::User(message) => content_size(&message.content),
        Message::Assistant(message) => content_size(&message.content),
        Message::ToolResult(message) => content_size(&message.content),
        Message::CompactionSummary { summary, .. } | Message::BranchSummary { summary, .. } => {
            summary.chars().count()
        }
        Message::Shell(_) | Message::Custom(_) | Message::Other(_) => CHARS_PER_OTHER_MESSAGE,
    }
}

fn content_size(content: &[Content]) -> usize {
    let words = joined(content).chars().count();
    let rest: usize = content
        .iter()
        .map(|piece| match piece {
            Content::Thinking(thinking) => thinking.text.chars().count(),
            Content::ToolCall(call) => call.arguments.to_string().chars().count(),
            Content::Image(_) => CHARS_PER_PICTURE,
            Content::Text(_) | Content::RedactedThinking(_) | Content::Other(_) => 0,
        })
        .sum();
    words + rest
}
