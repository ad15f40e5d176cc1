//! What counts as addressing an agent in a room, and how much of the room it is told.
//!
//! The agent's own patterns win over those for all; where neither are written, its name and sign count.

use openclaw_types::AgentId;

use super::super::agents::normal_id;
use crate::sections::{AgentEntry, GroupChat, RawConfig};

/// How many messages of a room an agent is told that it was not asked about.
const HISTORY_LIMIT: usize = 50;

/// How an agent behaves in rooms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MentionSettings {
    /// What counts as addressing it.
    pub source: MentionSource,
    /// How many messages of a room it is told that it was not asked about.
    pub history_limit: usize,
}

/// What counts as addressing an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MentionSource {
    /// Regular expressions as written; none means that nothing but the platform's own mention does.
    Patterns(Vec<String>),
    /// What the agent is called.
    Identity {
        /// Its name.
        name: Option<String>,
        /// The sign that stands for it.
        emoji: Option<String>,
    },
}

impl MentionSettings {
    /// How a configuration wants an agent to behave in rooms.
    #[must_use]
    pub fn resolve(raw: &RawConfig, agent: &AgentId) -> Self {
        let entries = raw.agents.as_ref().and_then(|agents| agents.list.as_deref()).unwrap_or_default();
        let entry = entries.iter().find(|entry| normal_id(&entry.id) == *agent);
        let own = entry.and_then(|entry| entry.group_chat.as_ref());
        let general = raw.messages.as_ref().and_then(|messages| messages.group_chat.as_ref());
        let patterns = |chat: Option<&GroupChat>| chat.and_then(|chat| chat.mention_patterns.clone());
        let limit = |chat: Option<&GroupChat>| chat.and_then(|chat| chat.history_limit);
        Self {
            source: patterns(own)
                .or_else(|| patterns(general))
                .map_or_else(|| identity(entry), MentionSource::Patterns),
            history_limit: limit(own)
                .or_else(|| limit(general))
                .map_or(HISTORY_LIMIT, |limit| usize::try_from(limit.get()).unwrap_or(usize::MAX)),
        }
    }
}

fn identity(entry: Option<&AgentEntry>) -> MentionSource {
    let identity = entry.and_then(|entry| entry.identity.as_ref());
    let written =
        |text: Option<&String>| text.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
    MentionSource::Identity {
        name: written(identity.and_then(|identity| identity.name.as_ref())),
        emoji: written(identity.and_then(|identity| identity.emoji.as_ref())),
    }
}
