//! How old sessions are put away.
//!
//! Data only; durations and sizes were checked before, so a text that cannot be read counts as absent.

use std::time::Duration;

use crate::resolved::measure::{DurationUnit, parse_byte_size, parse_duration};
use crate::sections::{MaintenanceMode, SessionMaintenance, TextNumberOrOff, TextOrNumber};

/// How long a session is kept without a message, in days.
const PRUNE_DAYS: u64 = 30;
/// How many sessions an agent keeps.
const MAX_ENTRIES: u64 = 500;
/// The seconds of a day.
const DAY: u64 = 86_400;

/// How old sessions are put away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MaintenanceSettings {
    /// Whether it is done or only said.
    pub care: Care,
    /// The age at which sessions go.
    pub prune_after: Duration,
    /// How many sessions an agent keeps.
    pub max_entries: usize,
    /// How long archived transcripts are kept; nothing means for ever.
    pub archive_retention: Option<Duration>,
    /// The most that archived transcripts of an agent may take, in bytes; nothing means any.
    pub max_disk_bytes: Option<u64>,
    /// What they are brought down to when they take more.
    pub high_water_bytes: Option<u64>,
}

/// Whether old sessions are put away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Care {
    /// They are.
    Enforce,
    /// It is only said that they would be.
    Warn,
}

pub(super) fn resolve(raw: Option<&SessionMaintenance>) -> MaintenanceSettings {
    let none = SessionMaintenance::default();
    let raw = raw.unwrap_or(&none);
    let prune_after = prune_after(raw);
    let max_disk_bytes = raw.max_disk_bytes.as_ref().and_then(size);
    MaintenanceSettings {
        care: match raw.mode.unwrap_or(MaintenanceMode::Warn) {
            MaintenanceMode::Enforce => Care::Enforce,
            MaintenanceMode::Warn => Care::Warn,
        },
        prune_after,
        max_entries: usize::try_from(raw.max_entries.map_or(MAX_ENTRIES, |most| most.get()))
            .unwrap_or(usize::MAX),
        archive_retention: archive_retention(raw, prune_after),
        max_disk_bytes,
        high_water_bytes: max_disk_bytes.map(|most| high_water(raw, most)),
    }
}

fn prune_after(raw: &SessionMaintenance) -> Duration {
    let days = raw.prune_days.map_or(PRUNE_DAYS, |days| days.get());
    raw.prune_after
        .as_ref()
        .and_then(|written| parse_duration(&text(written), DurationUnit::Days).ok())
        .unwrap_or(Duration::from_secs(days.saturating_mul(DAY)))
}

fn archive_retention(raw: &SessionMaintenance, prune_after: Duration) -> Option<Duration> {
    let written = match raw.reset_archive_retention.as_ref() {
        None => return Some(prune_after),
        Some(TextNumberOrOff::Off(_)) => return None,
        Some(TextNumberOrOff::Text(written)) => written.clone(),
        Some(TextNumberOrOff::Number(number)) => number.to_string(),
    };
    Some(parse_duration(&written, DurationUnit::Days).unwrap_or(prune_after))
}

fn high_water(raw: &SessionMaintenance, most: u64) -> u64 {
    let written = raw.high_water_bytes.as_ref().and_then(size);
    written.unwrap_or(most / 5 * 4).min(most)
}

fn size(written: &TextOrNumber) -> Option<u64> {
    parse_byte_size(&text(written)).ok()
}

fn text(written: &TextOrNumber) -> String {
    match written {
        TextOrNumber::Text(text) => text.clone(),
        TextOrNumber::Number(number) => number.to_string(),
    }
}
