//! What is known about the platform that an answer goes to: from the run's sender and the platform's settings.
//!
//! Settings stay raw until their channel reads them; only what the prompt tells is looked at here. What an account says
//! wins over what its channel says.

use openclaw_config::{Config, own_part};
use openclaw_types::{ChatKind, Sender};
use serde_json::Value;

use super::input::{ChannelFacts, ReactionLevel};

/// The ability to show buttons, which has a scope of its own.
const BUTTONS: &str = "inlineButtons";

impl ChannelFacts {
    /// The facts about the platform that a message came over; nothing when it came over none.
    #[must_use]
    pub fn of(config: &Config, sender: &Sender) -> Option<Self> {
        let channel = sender.channel.as_ref()?;
        let section = config.raw.channels.get(channel.as_str()).map(|section| section.value());
        let account =
            section.zip(sender.account.as_ref()).and_then(|(section, account)| own_part(section, account));
        let said = |name: &str| {
            account
                .and_then(|(_, own)| own.get(name))
                .or_else(|| section.and_then(|section| section.get(name)))
        };
        Some(Self {
            id: channel.to_string(),
            capabilities: said("capabilities")
                .map(|written| capabilities(written, sender))
                .unwrap_or_default(),
            hints: Vec::new(),
            reactions: said("reactionLevel").and_then(Value::as_str).and_then(reactions),
        })
    }
}

/// The abilities that are switched on: a list of names, or names with where they count.
fn capabilities(written: &Value, sender: &Sender) -> Vec<String> {
    let listed = written.as_array().into_iter().flatten().filter_map(Value::as_str);
    let mut all: Vec<String> =
        listed.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect();
    let scope = written.get(BUTTONS).and_then(Value::as_str);
    let counts = match (scope, sender.chat) {
        (Some("all" | "allowlist"), _) | (Some("dm"), ChatKind::Direct) => true,
        (Some("group"), chat) => chat != ChatKind::Direct,
        _ => false,
    };
    if counts {
        all.push(BUTTONS.to_owned());
    }
    all
}

fn reactions(level: &str) -> Option<ReactionLevel> {
    match level {
        "minimal" => Some(ReactionLevel::Minimal),
        "extensive" => Some(ReactionLevel::Extensive),
        _ => None,
    }
}
