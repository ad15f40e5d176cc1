//! What is logged and where.
//!
//! `OPENCLAW_LOG_LEVEL` sets both levels and wins over the file; the command line wins over it.

use std::path::PathBuf;

use super::Context;
use super::problem::ConfigProblem;
use crate::sections::{ConsoleStyle, LogLevel, LoggingSection, RedactScope};

const DEFAULT_MAX_FILE_BYTES: u64 = 500 * 1024 * 1024;

/// What is logged and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoggingSettings {
    /// What goes to the file.
    pub level: LogLevel,
    /// Which file.
    pub file: LogFile,
    /// The size at which the file is rotated.
    pub max_file_bytes: u64,
    /// What goes to the terminal.
    pub console_level: LogLevel,
    /// The form of terminal lines; nothing when the terminal decides (pretty on one, compact when piped).
    pub console_style: Option<ConsoleStyle>,
    /// Where secrets are masked by pattern, beyond what is always masked.
    pub redact: RedactScope,
    /// Regular expressions of further secrets to mask.
    pub redact_patterns: Vec<String>,
}

/// The file that log lines go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogFile {
    /// One file for each day in a directory.
    Daily(PathBuf),
    /// Always the same file.
    Fixed(PathBuf),
}

pub(super) fn resolve(
    raw: Option<&LoggingSection>,
    context: &Context<'_>,
    problems: &mut Vec<ConfigProblem>,
) -> LoggingSettings {
    let empty = LoggingSection::default();
    let raw = raw.unwrap_or(&empty);
    let forced = context.overrides.log_level.or_else(|| environment_level(context, problems));
    let file = raw.file.as_deref().map(str::trim).filter(|file| !file.is_empty());
    LoggingSettings {
        level: forced.or(raw.level).unwrap_or(LogLevel::Info),
        file: file.map_or_else(
            || LogFile::Daily(context.locations.log_dir()),
            |file| LogFile::Fixed(context.environment.user_path(file)),
        ),
        max_file_bytes: raw.max_file_bytes.map_or(DEFAULT_MAX_FILE_BYTES, crate::sections::Positive::get),
        console_level: forced.or(raw.console_level).unwrap_or(LogLevel::Info),
        console_style: raw.console_style,
        redact: raw.redact_sensitive.unwrap_or(RedactScope::Tools),
        redact_patterns: raw.redact_patterns.clone().unwrap_or_default(),
    }
}

fn environment_level(context: &Context<'_>, problems: &mut Vec<ConfigProblem>) -> Option<LogLevel> {
    let level = match context.environment.get_trimmed("OPENCLAW_LOG_LEVEL")? {
        "silent" => LogLevel::Silent,
        "fatal" => LogLevel::Fatal,
        "error" => LogLevel::Error,
        "warn" => LogLevel::Warn,
        "info" => LogLevel::Info,
        "debug" => LogLevel::Debug,
        "trace" => LogLevel::Trace,
        _ => {
            problems.push(
                ConfigProblem::warning(
                    "logging.level",
                    "OPENCLAW_LOG_LEVEL is not a log level and is ignored",
                )
                .hint("use silent, fatal, error, warn, info, debug or trace"),
            );
            return None;
        }
    };
    Some(level)
}
