//! The pause between two blocks, as a person would make it.

use std::time::Duration;

const NATURAL: (u64, u64) = (800, 2500);

/// How long to pause before every block but the first.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum HumanDelay {
    /// Not at all.
    #[default]
    Off,
    /// Between 0.8 and 2.5 seconds.
    Natural,
    /// Between two lengths.
    Custom {
        /// The shortest pause; nothing said means 0.8 seconds.
        least: Option<Duration>,
        /// The longest pause; nothing said means 2.5 seconds.
        most: Option<Duration>,
    },
}

impl HumanDelay {
    /// The pause for a random number: every length between the two is as likely as any other.
    #[must_use]
    pub fn pause(self, random: u64) -> Duration {
        let millis = |span: Duration| u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        let (least, most) = match self {
            Self::Off => return Duration::ZERO,
            Self::Natural => NATURAL,
            Self::Custom { least, most } => (least.map_or(NATURAL.0, millis), most.map_or(NATURAL.1, millis)),
        };
        let span = most.saturating_sub(least);
        Duration::from_millis(least.saturating_add(random % span.saturating_add(1).max(1)))
    }
}
