//! Shortens and removes tool results as they were marked. Nothing else of a message changes.

use std::sync::Arc;

use openclaw_config::PruningSettings;
use openclaw_types::{Content, Message};

use super::decide::{PruneMark, PruneMarks, ResultName};

/// How the note begins that ends a shortened result, by which it is known again.
const NOTE: &str = "\n\n[Shortened: ";

/// Does to the results of a request what was decided. Marks of results that are not there have no effect.
pub fn apply_prune(messages: &mut [Arc<Message>], marks: &PruneMarks, settings: &PruningSettings) {
    for message in messages {
        let Message::ToolResult(result) = &**message else { continue };
        let text = match marks.get(&ResultName::of(result)) {
            Some(PruneMark::Shortened) => shortened(&result.content, settings),
            Some(PruneMark::Removed) => settings.placeholder.clone(),
            None => None,
        };
        if let Some(text) = text
            && let Message::ToolResult(result) = Arc::make_mut(message)
        {
            result.content = vec![Content::text(text)];
        }
    }
}

/// A long result with its middle left out; nothing when it is short, or was shortened or removed before.
pub(super) fn shortened(content: &[Content], settings: &PruningSettings) -> Option<String> {
    let rule = settings.soft_trim;
    let text = joined(content);
    let length = text.chars().count();
    let done =
        text.rfind(NOTE).is_some_and(|at| text.ends_with(".]") && !text[at + NOTE.len()..].contains('\n'));
    let kept = rule.head_chars.saturating_add(rule.tail_chars);
    if length <= rule.max_chars || kept >= length || done || settings.placeholder.as_ref() == Some(&text) {
        return None;
    }
    let head: String = text.chars().take(rule.head_chars).collect();
    let tail: String = text.chars().skip(length - rule.tail_chars).collect();
    let (first, last) = (rule.head_chars, rule.tail_chars);
    Some(format!(
        "{head}\n...\n{tail}{NOTE}the first {first} and the last {last} of {length} characters are shown.]"
    ))
}

/// The words of a result, piece by piece joined by line breaks.
pub(super) fn joined(content: &[Content]) -> String {
    content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n")
}
