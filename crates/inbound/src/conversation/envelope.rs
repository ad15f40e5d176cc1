//! A message as the model reads it: blocks of context, a head with who and when, and the words.
//!
//! `[Platform Ana id:7 +2m Sun 2026-11-15 19:26 CET] hello`; in a room the words have their author before them.

use std::time::Duration;

use openclaw_config::EnvelopeSettings;
use openclaw_config::sections::OnOff;
use openclaw_types::{ChatKind, Inbound, InboundKind, UnixMillis};

use super::facts;
use super::fence::{Cleaner, header, words};
use super::history::OverheardMessage;
use super::label::{conversation_label, sender_label};
use super::zone::Zone;

/// Everything that is told with a message.
#[derive(Debug, Clone, Copy)]
pub struct Telling<'a> {
    /// The message.
    pub inbound: &'a Inbound,
    /// The words to tell where they are not the message's own: settings were taken out of them.
    pub words: Option<&'a str>,
    /// The platform's name for people.
    pub channel: &'a str,
    /// When the message before it in the session came.
    pub previous: Option<UnixMillis>,
    /// The words that began the thread, where the session does not have them.
    pub starter: Option<&'a str>,
    /// What was said in the room since our last answer.
    pub history: &'a [OverheardMessage],
    /// Whether we were named.
    pub was_mentioned: bool,
    /// What the head shows.
    pub settings: &'a EnvelopeSettings,
    /// The zone of times.
    pub zone: &'a Zone,
    /// Makes foreign text harmless.
    pub clean: Cleaner,
}

/// A message as the model reads it.
#[must_use]
pub fn tell(telling: &Telling<'_>) -> String {
    let mut parts = facts::blocks(telling);
    parts.push(format!("[{}] {}", head(telling), body(telling)));
    parts.join("\n\n")
}

fn head(telling: &Telling<'_>) -> String {
    let inbound = telling.inbound;
    let mut parts = vec![header(telling.channel), conversation_label(inbound)];
    if telling.settings.elapsed == OnOff::On
        && let Some(previous) = telling.previous.filter(|previous| *previous <= inbound.at)
    {
        parts.push(format!("+{}", elapsed(inbound.at.since(previous))));
    }
    if telling.settings.timestamp == OnOff::On {
        parts.extend(telling.zone.stamp(inbound.at));
    }
    parts.retain(|part| !part.is_empty());
    parts.join(" ")
}

fn body(telling: &Telling<'_>) -> String {
    let inbound = telling.inbound;
    let said = match &inbound.kind {
        // A form carries what was filled in beside its name.
        InboundKind::Press(press) if inbound.text != press.data && !inbound.text.trim().is_empty() => {
            let filled = words(&inbound.text, telling.clean);
            format!("(filled in a form: {})\n{filled}", header(&press.data))
        }
        InboundKind::Press(press) => format!("(pressed a button: {})", header(&press.data)),
        _ => words(telling.words.unwrap_or(&inbound.text), telling.clean),
    };
    match inbound.place.kind {
        ChatKind::Direct => said,
        ChatKind::Group | ChatKind::Channel => format!("{}: {said}", sender_label(&inbound.from)),
    }
}

/// How long ago, in the largest unit that says something.
fn elapsed(span: Duration) -> String {
    let rounded = |value: u64, unit: u64| (value + unit / 2) / unit;
    let seconds = rounded(u64::try_from(span.as_millis()).unwrap_or(u64::MAX - 1000), 1000);
    let minutes = rounded(seconds, 60);
    let hours = rounded(minutes, 60);
    match (minutes, hours) {
        (0, _) => format!("{seconds}s"),
        (1..60, _) => format!("{minutes}m"),
        (_, ..48) => format!("{hours}h"),
        _ => format!("{}d", rounded(hours, 24)),
    }
}
