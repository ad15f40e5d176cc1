//! When sessions begin anew by themselves: by kind of conversation, and by channel over all.
//!
//! Data only; the `session` crate compares a rule with the clock.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::sections::{ResetMode, SessionReset, SessionSection};

/// The hour of the day at which sessions begin anew.
const AT_HOUR: u8 = 4;
/// How long a session may be idle where idleness counts and no time is given, in minutes.
const IDLE_MINUTES: u64 = 60;

/// What kind of conversation a session is, as far as beginning anew goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionKind {
    /// With one person.
    Direct,
    /// With several people.
    Group,
    /// In a thread, whoever takes part.
    Thread,
}

/// When a session begins anew by itself. Whichever comes first counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResetRule {
    /// Every day at this hour of the gateway's zone.
    pub daily_at: Option<u8>,
    /// After this long without a message.
    pub idle: Option<Duration>,
}

/// When sessions begin anew.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResetRules {
    direct: ResetRule,
    group: ResetRule,
    thread: ResetRule,
    by_channel: BTreeMap<String, ResetRule>,
}

impl ResetRules {
    /// The rule for a session of this kind on this channel.
    #[must_use]
    pub fn of(&self, kind: SessionKind, channel: Option<&str>) -> ResetRule {
        let by_channel = channel.and_then(|channel| self.by_channel.get(&channel.trim().to_lowercase()));
        match (by_channel, kind) {
            (Some(rule), _) => *rule,
            (None, SessionKind::Direct) => self.direct,
            (None, SessionKind::Group) => self.group,
            (None, SessionKind::Thread) => self.thread,
        }
    }
}

pub(super) fn resolve(session: &SessionSection) -> ResetRules {
    let types = session.reset_by_type.as_ref();
    let rule = |of: Option<&SessionReset>| by_type(session, of);
    ResetRules {
        direct: rule(types.and_then(|types| types.direct.as_ref().or(types.dm.as_ref()))),
        group: rule(types.and_then(|types| types.group.as_ref())),
        thread: rule(types.and_then(|types| types.thread.as_ref())),
        by_channel: session
            .reset_by_channel
            .iter()
            .map(|(channel, reset)| (channel.trim().to_lowercase(), made_of(Parts::of(reset))))
            .collect(),
    }
}

/// The earlier `idleMinutes` alone means that nothing happens daily.
fn by_type(session: &SessionSection, of: Option<&SessionReset>) -> ResetRule {
    let own = of.map(Parts::of).unwrap_or_default();
    let base = session.reset.as_ref().map(Parts::of).unwrap_or_default();
    let legacy = session.idle_minutes.map(|minutes| minutes.get());
    let says_more = session.reset.is_some() || session.reset_by_type.is_some();
    let fallback = match (says_more, legacy) {
        (false, Some(_)) => ResetMode::Idle,
        _ => ResetMode::Daily,
    };
    made_of(Parts {
        mode: own.mode.or(base.mode).or(Some(fallback)),
        at_hour: own.at_hour.or(base.at_hour),
        idle_minutes: own.idle_minutes.or(base.idle_minutes).or(legacy),
    })
}

#[derive(Debug, Clone, Copy, Default)]
struct Parts {
    mode: Option<ResetMode>,
    at_hour: Option<u8>,
    idle_minutes: Option<u64>,
}

impl Parts {
    fn of(reset: &SessionReset) -> Self {
        Self {
            mode: reset.mode,
            at_hour: reset.at_hour.and_then(|hour| u8::try_from(hour.get()).ok()),
            idle_minutes: reset.idle_minutes.map(|minutes| minutes.get()),
        }
    }
}

fn made_of(parts: Parts) -> ResetRule {
    let minutes = |minutes: u64| Duration::from_secs(minutes.saturating_mul(60));
    match parts.mode.unwrap_or(ResetMode::Daily) {
        ResetMode::Daily => ResetRule {
            daily_at: Some(parts.at_hour.unwrap_or(AT_HOUR)),
            idle: parts.idle_minutes.map(minutes),
        },
        ResetMode::Idle => {
            ResetRule { daily_at: None, idle: Some(minutes(parts.idle_minutes.unwrap_or(IDLE_MINUTES))) }
        }
    }
}
