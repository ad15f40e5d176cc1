//! Durations and sizes in sections that stay raw.
//!
//! Only whether they can be read; the code that uses such a section reads them again. `rules::check` calls this.

use super::super::measure::{DurationUnit, MeasureError, parse_byte_size, parse_duration};
use super::super::problem::ConfigProblem;
use crate::sections::{RawConfig, SessionMaintenance, TextNumberOrOff, TextOrNumber, TextOrOff};

pub(super) fn check(raw: &RawConfig, problems: &mut Vec<ConfigProblem>) {
    if let Some(maintenance) = raw.session.as_ref().and_then(|session| session.maintenance.as_ref()) {
        check_maintenance(maintenance, problems);
    }
    let Some(cron) = &raw.cron else { return };
    if let Some(TextOrOff::Text(text)) = &cron.session_retention {
        note("cron.sessionRetention", parse_duration(text, DurationUnit::Hours), problems);
    }
    if let Some(size) = cron.run_log.as_ref().and_then(|log| log.max_bytes.as_ref()) {
        note("cron.runLog.maxBytes", parse_byte_size(&written(size)), problems);
    }
}

fn check_maintenance(maintenance: &SessionMaintenance, problems: &mut Vec<ConfigProblem>) {
    if let Some(age) = &maintenance.prune_after {
        note("session.maintenance.pruneAfter", parse_duration(&written(age), DurationUnit::Days), problems);
    }
    let retention = match &maintenance.reset_archive_retention {
        Some(TextNumberOrOff::Text(text)) => Some(text.clone()),
        Some(TextNumberOrOff::Number(number)) => Some(number.to_string()),
        Some(TextNumberOrOff::Off(_)) | None => None,
    };
    if let Some(text) = retention {
        note(
            "session.maintenance.resetArchiveRetention",
            parse_duration(&text, DurationUnit::Days),
            problems,
        );
    }
    let sizes = [
        ("session.maintenance.rotateBytes", &maintenance.rotate_bytes),
        ("session.maintenance.maxDiskBytes", &maintenance.max_disk_bytes),
        ("session.maintenance.highWaterBytes", &maintenance.high_water_bytes),
    ];
    for (path, size) in sizes {
        if let Some(size) = size {
            note(path, parse_byte_size(&written(size)), problems);
        }
    }
}

fn written(value: &TextOrNumber) -> String {
    match value {
        TextOrNumber::Text(text) => text.clone(),
        TextOrNumber::Number(number) => number.to_string(),
    }
}

fn note<T>(path: &str, outcome: Result<T, MeasureError>, problems: &mut Vec<ConfigProblem>) {
    if let Err(error) = outcome {
        problems.push(ConfigProblem::error(path, error.to_string()));
    }
}
