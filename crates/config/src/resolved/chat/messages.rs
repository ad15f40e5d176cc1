//! How messages are taken in: waiting for more of them, and the sign that one was seen.

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_types::{AckScope, AgentId, ChannelId};

use super::super::agents::normal_id;
use crate::sections::{AckReactionScope, RawConfig};

/// The sign that a message was seen, where neither the file nor the agent has one.
const SEEN: &str = "👀";

/// How messages are taken in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageSettings {
    /// How long to wait for more messages of the same person.
    pub debounce: DebounceSettings,
    /// The sign that a message was seen.
    pub ack: AckSettings,
}

/// How long to wait for more messages of the same person.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DebounceSettings {
    /// Where nothing else is said; zero means not at all.
    pub general: Duration,
    /// By channel, in lower case.
    pub by_channel: BTreeMap<String, Duration>,
}

/// The sign that a message was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AckSettings {
    /// The sign; empty for none.
    pub reaction: String,
    /// Which messages get it.
    pub scope: AckScope,
    /// Whether it is taken back after the answer.
    pub remove_after_reply: bool,
}

impl MessageSettings {
    /// What a configuration says for an agent.
    #[must_use]
    pub fn resolve(raw: &RawConfig, agent: &AgentId) -> Self {
        Self { debounce: DebounceSettings::resolve(raw), ack: AckSettings::resolve(raw, agent) }
    }
}

impl DebounceSettings {
    /// What a configuration says.
    #[must_use]
    pub fn resolve(raw: &RawConfig) -> Self {
        let section = raw.messages.as_ref().and_then(|messages| messages.inbound.as_ref());
        let Some(section) = section else { return Self::default() };
        Self {
            general: section.debounce_ms.map_or(Duration::ZERO, |millis| Duration::from_millis(millis.get())),
            by_channel: section
                .by_channel
                .iter()
                .map(|(channel, millis)| (channel.trim().to_lowercase(), Duration::from_millis(millis.get())))
                .collect(),
        }
    }

    /// How long to wait on a channel.
    #[must_use]
    pub fn on(&self, channel: &ChannelId) -> Duration {
        self.by_channel.get(&channel.as_str().to_lowercase()).copied().unwrap_or(self.general)
    }
}

impl AckSettings {
    /// What a configuration says for an agent: `messages.ackReaction`, else the agent's own sign.
    #[must_use]
    pub fn resolve(raw: &RawConfig, agent: &AgentId) -> Self {
        let messages = raw.messages.as_ref();
        let entries = raw.agents.as_ref().and_then(|agents| agents.list.as_deref()).unwrap_or_default();
        let emoji = entries
            .iter()
            .find(|entry| normal_id(&entry.id) == *agent)
            .and_then(|entry| entry.identity.as_ref()?.emoji.as_deref())
            .map(str::trim)
            .filter(|emoji| !emoji.is_empty());
        let written = messages.and_then(|messages| messages.ack_reaction.as_deref()).map(str::trim);
        let scope = messages.and_then(|messages| messages.ack_reaction_scope);
        Self {
            reaction: written.or(emoji).unwrap_or(SEEN).to_owned(),
            scope: scope.map_or(AckScope::GroupMentions, scope_of),
            remove_after_reply: messages
                .and_then(|messages| messages.remove_ack_after_reply)
                .unwrap_or(false),
        }
    }
}

fn scope_of(written: AckReactionScope) -> AckScope {
    match written {
        AckReactionScope::GroupMentions => AckScope::GroupMentions,
        AckReactionScope::GroupAll => AckScope::GroupAll,
        AckReactionScope::Direct => AckScope::Direct,
        AckReactionScope::All => AckScope::All,
    }
}
