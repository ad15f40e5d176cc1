//! The calendar that budgets follow: where days and months begin in the gateway's time zone.

use std::time::Duration;

use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan, Zoned};
use openclaw_ports::stores::BudgetWindow;
use openclaw_types::UnixMillis;

use crate::ZoneError;

/// A time zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone(TimeZone);

impl Zone {
    /// The zone this machine is set to; UTC when it does not say.
    #[must_use]
    pub fn system() -> Self {
        Self(TimeZone::system())
    }

    /// The zone without summer or winter.
    #[must_use]
    pub fn utc() -> Self {
        Self(TimeZone::UTC)
    }

    /// A zone by its name, such as `Europe/Berlin`.
    ///
    /// # Errors
    /// This machine knows no such zone.
    pub fn named(name: &str) -> Result<Self, ZoneError> {
        TimeZone::get(name).map(Self).map_err(|_unknown| ZoneError(name.to_owned()))
    }

    /// How far east of Greenwich the zone lies at a moment, in minutes.
    #[must_use]
    pub fn offset_minutes(&self, at: UnixMillis) -> i32 {
        self.at(at).map_or(0, |local| local.offset().seconds() / 60)
    }

    /// When the stretch of time that holds `now` began.
    #[must_use]
    pub fn began(&self, window: BudgetWindow, now: UnixMillis) -> UnixMillis {
        self.start(window, now).map_or_else(|| now.minus(length(window)), |start| millis(&start))
    }

    /// When the next one begins.
    #[must_use]
    pub fn ends(&self, window: BudgetWindow, now: UnixMillis) -> UnixMillis {
        let next = self.start(window, now).and_then(|start| {
            let span = match window {
                BudgetWindow::Day => 1.day(),
                BudgetWindow::Month => 1.month(),
            };
            start.checked_add(span).ok()?.start_of_day().ok()
        });
        next.map_or_else(|| now.plus(length(window)), |next| millis(&next))
    }

    /// A moment for people.
    pub(super) fn show(&self, at: UnixMillis) -> String {
        match self.at(at) {
            Some(local) => local.strftime("%Y-%m-%d %H:%M %Z").to_string(),
            None => "an unknown time".to_owned(),
        }
    }

    fn start(&self, window: BudgetWindow, now: UnixMillis) -> Option<Zoned> {
        let local = self.at(now)?;
        match window {
            BudgetWindow::Day => local.start_of_day().ok(),
            BudgetWindow::Month => local.first_of_month().ok()?.start_of_day().ok(),
        }
    }

    fn at(&self, moment: UnixMillis) -> Option<Zoned> {
        Some(Timestamp::from_millisecond(moment.0).ok()?.to_zoned(self.0.clone()))
    }
}

fn millis(moment: &Zoned) -> UnixMillis {
    UnixMillis(moment.timestamp().as_millisecond())
}

/// What stands in for a calendar at moments that no calendar knows.
fn length(window: BudgetWindow) -> Duration {
    let days = match window {
        BudgetWindow::Day => 1,
        BudgetWindow::Month => 30,
    };
    Duration::from_secs(days * 24 * 3600)
}
