//! `logs.tail`: the end of the current log file, then what was added since.
//!
//! Reads at most what the caller allows and never more than a megabyte, however large the file is. Lines are handed
//! on as they stand in the file; redaction happens where they are written.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use openclaw_config::LogFile;
use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::logs::{
    DEFAULT_LOG_BYTES, DEFAULT_LOG_LINES, LogsTail, LogsTailParams, LogsTailResult,
};
use openclaw_types::UnixMillis;

use super::registry::{Call, Registry};

/// Adds the method of this family.
pub(super) fn bind(registry: &mut Registry) {
    registry.bind::<LogsTail, _, _>(tail);
}

/// What part of a file to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slice {
    cursor: Option<u64>,
    limit: usize,
    max_bytes: u64,
}

async fn tail(call: Call, params: LogsTailParams) -> Result<LogsTailResult, ErrorShape> {
    let log = call.context.config.current().logging.file.clone();
    let now = call.context.clock.now();
    let natural = |number: i64| u64::try_from(number).unwrap_or(0);
    let slice = Slice {
        cursor: params.cursor.map(|cursor| natural(cursor.get())),
        limit: params
            .limit
            .map_or(DEFAULT_LOG_LINES, |limit| natural(limit.get()))
            .try_into()
            .unwrap_or(usize::MAX),
        max_bytes: params.max_bytes.map_or(DEFAULT_LOG_BYTES, |bytes| natural(bytes.get())),
    };
    let read = tokio::task::spawn_blocking(move || {
        let file = current_file(&log, now)?;
        read_slice(&file, slice)
    });
    match read.await {
        Ok(Ok(result)) => Ok(result),
        Ok(Err(error)) => Err(ErrorShape::unavailable(format!("log read failed: {error}"))),
        Err(error) => Err(ErrorShape::unavailable(format!("log read failed: {error}"))),
    }
}

/// The file of today, or the newest one when nothing was logged today.
fn current_file(log: &LogFile, now: UnixMillis) -> io::Result<PathBuf> {
    let folder = match log {
        LogFile::Fixed(path) => return Ok(path.clone()),
        LogFile::Daily(folder) => folder,
    };
    let today = folder.join(format!("openclaw-{}.log", local_date(now)));
    if today.exists() {
        return Ok(today);
    }
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(today),
        Err(error) => return Err(error),
    };
    let mut newest = None;
    for entry in entries {
        let entry = entry?;
        if is_daily_name(&entry.file_name().to_string_lossy()) {
            newest = newest.max(Some((entry.metadata()?.modified()?, entry.path())));
        }
    }
    Ok(newest.map_or(today, |(_, path)| path))
}

fn local_date(now: UnixMillis) -> jiff::civil::Date {
    let moment = jiff::Timestamp::from_millisecond(now.0).unwrap_or(jiff::Timestamp::UNIX_EPOCH);
    moment.to_zoned(TimeZone::system()).date()
}

fn is_daily_name(name: &str) -> bool {
    let date = name.strip_prefix("openclaw-").and_then(|rest| rest.strip_suffix(".log"));
    date.is_some_and(|date| date.len() == 10 && date.parse::<jiff::civil::Date>().is_ok())
}

/// Where to start, and what that means for the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Start {
    at: u64,
    truncated: bool,
    reset: bool,
}

fn start(slice: Slice, size: u64) -> Start {
    let last_part = size.saturating_sub(slice.max_bytes);
    match slice.cursor {
        None => Start { at: last_part, truncated: last_part > 0, reset: false },
        // The file is shorter than what was already shown: it is another file.
        Some(cursor) if cursor > size => Start { at: last_part, truncated: last_part > 0, reset: true },
        Some(cursor) if size - cursor > slice.max_bytes => {
            Start { at: last_part, truncated: true, reset: true }
        }
        Some(cursor) => Start { at: cursor, truncated: false, reset: false },
    }
}

fn read_slice(path: &Path, slice: Slice) -> io::Result<LogsTailResult> {
    let mut file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(answer(path, 0, Vec::new(), None));
        }
        Err(error) => return Err(error),
    };
    let size = file.metadata()?.len();
    let start = start(slice, size);
    // One byte more in front shows whether the first line is whole.
    let from = start.at.saturating_sub(1);
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(size.saturating_sub(from)).read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = if start.at == 0 {
        Some(&*text)
    } else {
        // Up to and with the first line break is the rest of a line whose start was not read.
        text.split_once('\n').map(|(_, whole)| whole)
    };
    let mut lines: Vec<String> = text.unwrap_or_default().split('\n').map(str::to_owned).collect();
    if lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    let surplus = lines.len().saturating_sub(slice.limit);
    lines.drain(..surplus);
    Ok(answer(path, size, lines, Some(start)))
}

fn answer(path: &Path, size: u64, lines: Vec<String>, start: Option<Start>) -> LogsTailResult {
    LogsTailResult {
        file: path.display().to_string(),
        cursor: size,
        size,
        lines,
        truncated: Some(start.is_some_and(|start| start.truncated)),
        reset: Some(start.is_some_and(|start| start.reset)),
    }
}

#[cfg(test)]
mod tests;
