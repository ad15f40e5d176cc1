//! Wall-clock time as it stands on the wire and in stores: milliseconds since 1970 in UTC.
//!
//! Reading the clock is the business of `ports::Clock`; calendars and zones belong to those who print.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A moment, in milliseconds since the Unix epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(transparent)]
pub struct UnixMillis(#[schemars(range(min = 0))] pub i64);

impl UnixMillis {
    /// The moment `after` later; stops at the end of time instead of wrapping.
    #[must_use]
    pub fn plus(self, after: Duration) -> Self {
        Self(self.0.saturating_add(millis(after)))
    }

    /// The moment `before` earlier.
    #[must_use]
    pub fn minus(self, before: Duration) -> Self {
        Self(self.0.saturating_sub(millis(before)))
    }

    /// How long ago `earlier` was; zero when it lies in the future.
    #[must_use]
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_millis(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }
}

fn millis(span: Duration) -> i64 {
    i64::try_from(span.as_millis()).unwrap_or(i64::MAX)
}
