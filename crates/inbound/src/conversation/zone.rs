//! Times as people write them.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use openclaw_config::EnvelopeZone;
use openclaw_types::UnixMillis;

/// A time zone.
#[derive(Debug, Clone)]
pub struct Zone(Kind);

#[derive(Debug, Clone)]
enum Kind {
    Utc,
    Named(TimeZone),
}

impl Zone {
    /// The zone that a configuration asks for.
    #[must_use]
    pub fn of(zone: &EnvelopeZone) -> Self {
        match zone {
            EnvelopeZone::Utc => Self(Kind::Utc),
            EnvelopeZone::Host => Self(Kind::Named(TimeZone::system())),
            EnvelopeZone::Named(name) => Self(TimeZone::get(name).map_or(Kind::Utc, Kind::Named)),
        }
    }

    /// A moment as it stands before a message: `Sun 2026-11-15 19:26 CET`, or `Sun 2026-11-15T18:26Z` in universal
    /// time. Nothing for moments that no calendar knows.
    #[must_use]
    pub fn stamp(&self, at: UnixMillis) -> Option<String> {
        let moment = Timestamp::from_millisecond(at.0).ok()?;
        Some(match &self.0 {
            Kind::Utc => moment.to_zoned(TimeZone::UTC).strftime("%a %Y-%m-%dT%H:%MZ").to_string(),
            Kind::Named(zone) => moment.to_zoned(zone.clone()).strftime("%a %Y-%m-%d %H:%M %Z").to_string(),
        })
    }
}
