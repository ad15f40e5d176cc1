//! When an agent wakes by itself, and what becomes of its answer.
//!
//! As soon as one agent has heartbeat settings of its own, only such agents have a heartbeat; otherwise only the
//! default agent has one. An agent's own settings are laid over the defaults key by key.

use std::time::Duration;

use super::measure::{DurationUnit, parse_duration};
use crate::sections::{AgentEntry, Count, HeartbeatEntry};

const DEFAULT_EVERY: &str = "30m";
const DEFAULT_TARGET: &str = "none";
const DEFAULT_ACK_MAX_CHARS: u64 = 300;
/// What the interval of an agent without a heartbeat is called.
const NO_INTERVAL: &str = "disabled";

/// The usual question, as clients are shown it.
pub const HEARTBEAT_PROMPT: &str = "Read HEARTBEAT.md if it exists (workspace context). Follow it strictly. Do not infer or repeat old tasks from prior \
     chats. If nothing needs attention, reply HEARTBEAT_OK.";

/// When an agent wakes by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heartbeat {
    /// Whether this agent has a heartbeat at all.
    pub enabled: bool,
    /// How often.
    pub every: HeartbeatInterval,
    /// What the agent is asked, when not the usual question.
    pub prompt: Option<String>,
    /// Where its answer goes: `none`, `last`, or a channel.
    pub target: String,
    /// The longest answer beside the sign that all is well which still counts as one.
    pub ack_max_chars: u64,
    /// The model that answers, when not the agent's own.
    pub model: Option<String>,
}

/// How often, as written and as meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeartbeatInterval {
    /// As written, or `disabled`.
    pub text: String,
    /// The time between two heartbeats; nothing when there are none, as with `0m`.
    pub interval: Option<Duration>,
}

/// The settings that all agents share, and who has a heartbeat.
pub(super) struct HeartbeatRule {
    defaults: HeartbeatEntry,
    explicit: bool,
}

/// One agent as the rule sees it.
pub(super) struct Subject<'a> {
    pub(super) is_default: bool,
    pub(super) own: Option<&'a HeartbeatEntry>,
}

impl HeartbeatRule {
    pub(super) fn new(entries: &[AgentEntry], defaults: Option<&HeartbeatEntry>) -> Self {
        Self {
            defaults: defaults.cloned().unwrap_or_default(),
            explicit: entries.iter().any(|entry| entry.heartbeat.is_some()),
        }
    }

    pub(super) fn resolve(&self, subject: &Subject<'_>) -> Heartbeat {
        let enabled = if self.explicit { subject.own.is_some() } else { subject.is_default };
        let settings = match subject.own {
            Some(own) if enabled => Layers { own: Some(own), defaults: &self.defaults },
            _ => Layers { own: None, defaults: &self.defaults },
        };
        Heartbeat {
            enabled,
            every: if enabled { settings.interval() } else { HeartbeatInterval::none() },
            prompt: settings.text(|entry| entry.prompt.as_deref()),
            target: settings
                .text(|entry| entry.target.as_deref())
                .unwrap_or_else(|| DEFAULT_TARGET.to_owned()),
            ack_max_chars: settings
                .pick(|entry| entry.ack_max_chars)
                .map_or(DEFAULT_ACK_MAX_CHARS, Count::get),
            model: settings.text(|entry| entry.model.as_deref()),
        }
    }
}

impl HeartbeatInterval {
    fn none() -> Self {
        Self { text: NO_INTERVAL.to_owned(), interval: None }
    }
}

struct Layers<'a> {
    own: Option<&'a HeartbeatEntry>,
    defaults: &'a HeartbeatEntry,
}

impl<'a> Layers<'a> {
    fn pick<T>(&self, key: impl Fn(&'a HeartbeatEntry) -> Option<T>) -> Option<T> {
        self.own.and_then(&key).or_else(|| key(self.defaults))
    }

    fn text(&self, key: impl Fn(&'a HeartbeatEntry) -> Option<&'a str>) -> Option<String> {
        self.pick(key).map(str::to_owned)
    }

    fn interval(&self) -> HeartbeatInterval {
        let text = self.text(|entry| entry.every.as_deref()).unwrap_or_else(|| DEFAULT_EVERY.to_owned());
        let interval =
            parse_duration(&text, DurationUnit::Minutes).ok().filter(|interval| !interval.is_zero());
        HeartbeatInterval { text, interval }
    }
}
