//! Where an agent keeps its notes: `memory/YYYY-MM-DD.md` for days, `MEMORY.md` for what stays true.

use std::time::Duration;

use jiff::Timestamp;
use openclaw_types::UnixMillis;

use super::names::MEMORY_FOLDER;
use crate::Zone;

/// The file of a day's notes, relative to the workspace, such as `memory/2026-11-16.md`.
#[must_use]
pub fn daily_note(at: UnixMillis, zone: &Zone) -> String {
    let minutes = zone.offset_minutes(at);
    let offset = Duration::from_secs(u64::from(minutes.unsigned_abs()) * 60);
    let local = if minutes < 0 { at.minus(offset) } else { at.plus(offset) };
    let day = Timestamp::from_millisecond(local.0).unwrap_or(Timestamp::UNIX_EPOCH);
    format!("{MEMORY_FOLDER}/{}.md", day.strftime("%Y-%m-%d"))
}
