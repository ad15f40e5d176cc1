//! Decides whether a session is stale: its next message begins it anew.
//!
//! Pure: the moment and the zone come from the caller. `service` acts on the verdict.

use jiff::Timestamp;
use jiff::civil::Time;
use openclaw_config::{ResetRule, SessionKind};
use openclaw_types::{ChatKind, SessionEntry, SessionKey, UnixMillis};

use super::zone::Zone;

/// Whether a session goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Freshness {
    /// It does.
    Fresh,
    /// It begins anew.
    Stale(StaleCause),
}

/// Why a session is stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StaleCause {
    /// A new day began for it.
    Daily,
    /// Nothing happened for too long.
    Idle,
}

/// Holds the moment a session last changed against its rule.
#[must_use]
pub fn freshness(rule: ResetRule, updated_at: UnixMillis, now: UnixMillis, zone: &Zone) -> Freshness {
    let day_began = rule.daily_at.and_then(|hour| last_reset(hour, now, zone));
    if day_began.is_some_and(|began| updated_at < began) {
        return Freshness::Stale(StaleCause::Daily);
    }
    match rule.idle {
        Some(idle) if now > updated_at.plus(idle) => Freshness::Stale(StaleCause::Idle),
        _ => Freshness::Fresh,
    }
}

/// What kind of conversation a session is, from its key and from what is known about it.
#[must_use]
pub fn session_kind(key: &SessionKey, entry: Option<&SessionEntry>) -> SessionKind {
    let known = entry.and_then(|entry| ChatKind::from_word(entry.facts.chat_type.as_deref()?));
    match (key.thread(), known) {
        (Some(_), _) => SessionKind::Thread,
        (None, Some(ChatKind::Group | ChatKind::Channel)) => SessionKind::Group,
        (None, _) if key.is_group() => SessionKind::Group,
        (None, _) => SessionKind::Direct,
    }
}

/// The last moment at or before `now` at which a clock on the wall showed this hour. An hour that a change of the
/// clock skips counts as the moment after it; nothing outside the calendar.
fn last_reset(hour: u8, now: UnixMillis, zone: &Zone) -> Option<UnixMillis> {
    let moment = Timestamp::from_millisecond(now.0).ok()?.to_zoned(zone.zone().clone());
    let time = Time::new(i8::try_from(hour).ok()?, 0, 0, 0).ok()?;
    let today = moment.date();
    let began = |date: jiff::civil::Date| {
        let zoned = date.to_datetime(time).to_zoned(zone.zone().clone()).ok()?;
        Some(UnixMillis(zoned.timestamp().as_millisecond()))
    };
    match began(today)? {
        began if began <= now => Some(began),
        _ => began(today.yesterday().ok()?),
    }
}
