//! The zone in which a day of the gateway begins.

use jiff::tz::TimeZone;

/// A time zone.
#[derive(Debug, Clone, PartialEq)]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone of this machine.
    #[must_use]
    pub fn system() -> Self {
        Self(TimeZone::system())
    }

    /// A zone by its name, such as `Europe/Berlin`, or by its rules in POSIX form; nothing when neither is known.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        TimeZone::get(name).or_else(|_| TimeZone::posix(name)).ok().map(Self)
    }

    pub(crate) fn zone(&self) -> &TimeZone {
        &self.0
    }
}
