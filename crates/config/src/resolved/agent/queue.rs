//! What becomes of messages while an answer is made, and how many answers are made at once.
//!
//! Says what is meant; what follows for a message is decided in `inbound::queue`. A session's own choices win over the
//! file, a channel's over the general ones.

use std::time::Duration;

use crate::sections::{QueueDrop, QueueMode as RawMode, RawConfig};

const DEBOUNCE: Duration = Duration::from_secs(1);
const CAP: usize = 20;
const MAIN: usize = 4;
const SUBAGENT: usize = 8;
const CRON: usize = 1;

/// What becomes of a message while an answer is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum QueueMode {
    /// It joins the answer being made, where that is possible.
    Steer,
    /// It is answered next, alone.
    Followup,
    /// It is answered next, together with others that wait.
    #[default]
    Collect,
    /// It joins the answer being made and is also answered next.
    SteerBacklog,
    /// It ends the answer being made and is answered at once.
    Interrupt,
}

impl QueueMode {
    /// Every mode.
    pub const ALL: [Self; 5] =
        [Self::Steer, Self::Followup, Self::Collect, Self::SteerBacklog, Self::Interrupt];

    /// The mode as it stands in a session.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Steer => "steer",
            Self::Followup => "followup",
            Self::Collect => "collect",
            Self::SteerBacklog => "steer-backlog",
            Self::Interrupt => "interrupt",
        }
    }
}

impl From<RawMode> for QueueMode {
    fn from(raw: RawMode) -> Self {
        match raw {
            RawMode::Steer | RawMode::Queue => Self::Steer,
            RawMode::Followup => Self::Followup,
            RawMode::Collect => Self::Collect,
            RawMode::SteerBacklog | RawMode::SteerPlusBacklog => Self::SteerBacklog,
            RawMode::Interrupt => Self::Interrupt,
        }
    }
}

/// How one session's messages wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueSettings {
    /// What becomes of a message while an answer is made.
    pub mode: QueueMode,
    /// How long it must be quiet before waiting messages are answered.
    pub debounce: Duration,
    /// How many may wait; at least one.
    pub cap: usize,
    /// Which go when more come.
    pub drop: QueueDrop,
}

/// What somebody chose for one session, or for one message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct QueueOverrides {
    /// What becomes of a message.
    pub mode: Option<QueueMode>,
    /// How long it must be quiet.
    pub debounce: Option<Duration>,
    /// How many may wait.
    pub cap: Option<usize>,
    /// Which go.
    pub drop: Option<QueueDrop>,
}

impl QueueOverrides {
    /// These choices, and the other's where these say nothing.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            mode: self.mode.or(other.mode),
            debounce: self.debounce.or(other.debounce),
            cap: self.cap.or(other.cap),
            drop: self.drop.or(other.drop),
        }
    }
}

impl QueueSettings {
    /// How messages that come over a channel wait in a session with choices of its own.
    #[must_use]
    pub fn resolve(raw: &RawConfig, channel: Option<&str>, chosen: QueueOverrides) -> Self {
        let options = raw.messages.as_ref().and_then(|messages| messages.queue.as_ref());
        let channel = channel.map(|name| name.trim().to_lowercase());
        let of_channel = QueueOverrides {
            mode: options
                .zip(channel.as_ref())
                .and_then(|(options, channel)| options.by_channel.get(channel))
                .map(|mode| QueueMode::from(*mode)),
            debounce: options
                .zip(channel.as_ref())
                .and_then(|(options, channel)| options.debounce_ms_by_channel.get(channel))
                .map(|millis| Duration::from_millis(millis.get())),
            ..QueueOverrides::default()
        };
        let general = QueueOverrides {
            mode: options.and_then(|options| options.mode).map(QueueMode::from),
            debounce: options
                .and_then(|options| options.debounce_ms)
                .map(|millis| Duration::from_millis(millis.get())),
            cap: options.and_then(|options| options.cap).map(|cap| count(cap.get())),
            drop: options.and_then(|options| options.drop),
        };
        let all = chosen.or(of_channel).or(general);
        Self {
            mode: all.mode.unwrap_or_default(),
            debounce: all.debounce.unwrap_or(DEBOUNCE),
            cap: all.cap.unwrap_or(CAP).max(1),
            drop: all.drop.unwrap_or(QueueDrop::Summarize),
        }
    }
}

impl Default for QueueSettings {
    fn default() -> Self {
        Self { mode: QueueMode::Collect, debounce: DEBOUNCE, cap: CAP, drop: QueueDrop::Summarize }
    }
}

/// How many answers are made at once, by what they are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneLimits {
    /// For people.
    pub main: usize,
    /// For other agents.
    pub subagent: usize,
    /// For schedules.
    pub cron: usize,
}

impl LaneLimits {
    /// The limits that a configuration sets.
    #[must_use]
    pub fn resolve(raw: &RawConfig) -> Self {
        let defaults = raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
        let subagents = defaults.and_then(|defaults| defaults.subagents.as_ref());
        Self {
            main: defaults
                .and_then(|defaults| defaults.max_concurrent)
                .map_or(MAIN, |limit| count(limit.get())),
            subagent: subagents
                .and_then(|subagents| subagents.max_concurrent)
                .map_or(SUBAGENT, |limit| count(limit.get())),
            cron: raw
                .cron
                .as_ref()
                .and_then(|cron| cron.max_concurrent_runs)
                .map_or(CRON, |limit| count(limit.get())),
        }
    }
}

impl Default for LaneLimits {
    fn default() -> Self {
        Self { main: MAIN, subagent: SUBAGENT, cron: CRON }
    }
}

fn count(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
