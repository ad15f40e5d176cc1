//! Cuts tool results that are too large for a model, for the retry after a request did not fit.
//!
//! A projection: the transcript keeps the whole result, and what a model sees of it is a function of the result and the
//! window alone, so that every later request shows the same and caches hit. Nothing is rewritten and nothing appended.

use std::sync::Arc;

use openclaw_types::{Content, Message, Text};

/// The largest share of the window that one result may take, in hundredths.
const SHARE: u64 = 30;
const CHARS_PER_TOKEN: u64 = 4;
/// The most of a result that any model is shown.
const MOST_CHARS: u64 = 400_000;
/// The least that is shown.
const LEAST_CHARS: u64 = 2_000;

/// Cuts the results that are too large, and says how many there were. Doing it again changes nothing.
pub fn cut_oversized_results(messages: &mut [Arc<Message>], window: u64) -> usize {
    let most = most_chars(window);
    let mut cut = 0;
    for message in messages {
        let Message::ToolResult(result) = &**message else { continue };
        let total = length(&result.content);
        if total > most
            && let Message::ToolResult(result) = Arc::make_mut(message)
        {
            cut += 1;
            for piece in &mut result.content {
                if let Content::Text(text) = piece {
                    cut_text(text, total, most);
                }
            }
        }
    }
    cut
}

fn most_chars(window: u64) -> usize {
    let most = (window / 100).saturating_mul(SHARE).saturating_mul(CHARS_PER_TOKEN);
    usize::try_from(most.clamp(LEAST_CHARS, MOST_CHARS)).unwrap_or(usize::MAX)
}

fn length(content: &[Content]) -> usize {
    content.iter().filter_map(Content::as_text).map(|text| text.chars().count()).sum()
}

/// Cuts a piece to its part of the room. Its end is shown as well: that is where programs say what went wrong.
fn cut_text(text: &mut Text, total: usize, most: usize) {
    let own = text.text.chars().count();
    let words = |left_out: usize| {
        format!(
            "\n\n[{left_out} characters left out: too much for this model. Ask for a smaller part to see them.]\n\n"
        )
    };
    let room = most.saturating_mul(own) / total.max(1);
    let room = room.saturating_sub(words(own).chars().count() + 1);
    if own <= room {
        return;
    }
    let (first, last) = (room - room / 4, room / 4);
    let head: String = text.text.chars().take(first).collect();
    let tail: String = text.text.chars().skip(own - last).collect();
    text.text = format!("{head}{}{tail}", words(own - first - last));
}
