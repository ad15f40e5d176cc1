//! What stands around a message when the model reads it (`agents.defaults.envelope*`).

use crate::sections::{OnOff, RawConfig};

/// What stands around a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvelopeSettings {
    /// The time zone that times are written in.
    pub zone: EnvelopeZone,
    /// Whether the time is written.
    pub timestamp: OnOff,
    /// Whether it is written how long ago the message before was.
    pub elapsed: OnOff,
}

/// A time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EnvelopeZone {
    /// Universal time.
    Utc,
    /// That of the machine.
    Host,
    /// By its name; one that nobody knows stands for universal time.
    Named(String),
}

impl EnvelopeSettings {
    /// What a configuration says.
    #[must_use]
    pub fn resolve(raw: &RawConfig) -> Self {
        let defaults = raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
        let zone = defaults.and_then(|defaults| defaults.envelope_timezone.as_deref());
        let user = defaults.and_then(|defaults| defaults.user_timezone.as_deref());
        Self {
            zone: zone_of(zone.unwrap_or_default(), user.unwrap_or_default()),
            timestamp: defaults.and_then(|defaults| defaults.envelope_timestamp).unwrap_or(OnOff::On),
            elapsed: defaults.and_then(|defaults| defaults.envelope_elapsed).unwrap_or(OnOff::On),
        }
    }
}

impl Default for EnvelopeSettings {
    fn default() -> Self {
        Self::resolve(&RawConfig::default())
    }
}

fn zone_of(written: &str, user: &str) -> EnvelopeZone {
    let (written, user) = (written.trim(), user.trim());
    match written.to_lowercase().as_str() {
        "" | "local" | "host" => EnvelopeZone::Host,
        "utc" | "gmt" => EnvelopeZone::Utc,
        "user" if user.is_empty() => EnvelopeZone::Host,
        "user" => EnvelopeZone::Named(user.to_owned()),
        _ => EnvelopeZone::Named(written.to_owned()),
    }
}
