//! A line about something that nobody said: a reaction, a changed message, somebody who joined.

use openclaw_types::{Inbound, InboundKind};

use super::fence::{Cleaner, header};
use super::label::{conversation_label, sender_label};

/// The longest line, in characters.
const LONGEST_LINE: usize = 500;

/// A line about an event that is told with the next message; nothing where there is nothing to tell.
#[must_use]
pub fn happening(inbound: &Inbound, channel: &str, clean: Cleaner) -> Option<String> {
    let who = sender_label(&inbound.from);
    let said = || line(&clean(&inbound.text));
    let what = match &inbound.kind {
        InboundKind::Reaction(reaction) => {
            let (emoji, on) = (header(&reaction.emoji), header(reaction.on.as_str()));
            let whose = if reaction.on_ours { "your message" } else { "message" };
            match reaction.removed {
                true => format!("{who} took back the reaction {emoji} to {whose} {on}"),
                false => format!("{who} reacted with {emoji} to {whose} {on}"),
            }
        }
        InboundKind::Edited => {
            let which = inbound.message.as_ref().map(|id| format!(" {}", header(id.as_str())));
            format!("{who} changed message{} to: {}", which.unwrap_or_default(), said())
        }
        InboundKind::Happening if inbound.text.trim().is_empty() => return None,
        // Names and titles in it are chosen by anybody, also by those who may not talk to us.
        InboundKind::Happening => {
            format!("reported, not said to you: \"{}\"", header(&said()).replace('"', "'"))
        }
        InboundKind::Message | InboundKind::Command(_) | InboundKind::Press(_) => return None,
    };
    Some(format!("[{} {}] {what}", header(channel), conversation_label(inbound)))
}

fn line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(LONGEST_LINE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line,
    }
}
