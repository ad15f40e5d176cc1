//! Makes one event of several that belong together: an album, or messages that came in quick succession.
//!
//! The last one gives place, time and the message that is answered; nothing that any of them says is lost.

use openclaw_types::{Attention, Inbound, MediaKind};

/// One event of several, in their order; nothing of none.
#[must_use]
pub fn merge(mut events: Vec<Inbound>) -> Option<Inbound> {
    let last = events.pop()?;
    if events.is_empty() {
        return Some(last);
    }
    let mut all = events;
    all.push(last.clone());
    let attention = all.iter().fold(Attention::default(), |sum, event| Attention {
        mentions_us: sum.mentions_us || event.attention.mentions_us,
        mentions_anybody: sum.mentions_anybody || event.attention.mentions_anybody,
        answers_us: sum.answers_us || event.attention.answers_us,
        can_mention: sum.can_mention || event.attention.can_mention,
    });
    Some(Inbound {
        text: text(&all),
        attention,
        reply: all.iter().rev().find_map(|event| event.reply.clone()),
        forwarded: all.iter().rev().find_map(|event| event.forwarded.clone()),
        media: all.iter().flat_map(|event| event.media.clone()).collect(),
        facts: all.iter().flat_map(|event| event.facts.clone()).collect(),
        ..last
    })
}

/// The words of all, without those that only stand for media; where there are no others, each of those once.
fn text(events: &[Inbound]) -> String {
    let texts = || events.iter().map(|event| event.text.trim()).filter(|text| !text.is_empty());
    let words: Vec<&str> = texts().filter(|text| !is_placeholder(text)).collect();
    if !words.is_empty() {
        return words.join("\n");
    }
    let mut counted: Vec<(&str, usize)> = Vec::new();
    for text in texts() {
        match counted.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => counted.push((text, 1)),
        }
    }
    let lines = counted.into_iter().map(|(text, count)| match count {
        1 => text.to_owned(),
        count => format!("{text} ({count} files)"),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn is_placeholder(text: &str) -> bool {
    const KINDS: [MediaKind; 5] =
        [MediaKind::Image, MediaKind::Video, MediaKind::Audio, MediaKind::Sticker, MediaKind::Document];
    KINDS.iter().any(|kind| kind.placeholder() == text)
}
