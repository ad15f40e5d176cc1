//! Stage: starts the log, with the levels and the file that the configuration names.

use std::sync::Arc;

use openclaw_config::sections::{ConsoleStyle, LogLevel};
use openclaw_config::{ConfigFile, LogFile, LoggingSettings};
use openclaw_ports::Clock;
use tracing::level_filters::LevelFilter;

use crate::observe::{self, ConsoleOutput, KnownSecrets, LogPlan, LogTarget, Logs};
use crate::options::RunOptions;

/// Starts the log. The file is read for this alone; what is wrong with it is told once the log runs.
pub(crate) fn start(
    options: &RunOptions,
    file: &ConfigFile,
    clock: &Arc<dyn Clock>,
) -> anyhow::Result<(Logs, KnownSecrets)> {
    let settings = file.read().config.logging.clone();
    let known = KnownSecrets::default();
    known.set_patterns(&settings.redact_patterns);
    let (file_level, console_level) = levels(&settings);
    let plan = LogPlan {
        file_level,
        console_level,
        console: console(options.console, &settings),
        target: target(&settings.file),
        max_bytes: settings.max_file_bytes,
        version: options.version.clone(),
    };
    Ok((observe::start(plan, Arc::clone(clock), known.clone())?, known))
}

/// The levels of file and terminal.
pub(crate) fn levels(settings: &LoggingSettings) -> (LevelFilter, LevelFilter) {
    (filter(settings.level), filter(settings.console_level))
}

fn console(asked: ConsoleOutput, settings: &LoggingSettings) -> ConsoleOutput {
    match (asked, settings.console_style) {
        (ConsoleOutput::Automatic, Some(ConsoleStyle::Json)) => ConsoleOutput::Json,
        (ConsoleOutput::Automatic, Some(ConsoleStyle::Compact)) => ConsoleOutput::Plain,
        (asked, _) => asked,
    }
}

fn target(file: &LogFile) -> LogTarget {
    match file {
        LogFile::Daily(folder) => LogTarget::Daily(folder.clone()),
        LogFile::Fixed(path) => LogTarget::Fixed(path.clone()),
    }
}

fn filter(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Silent => LevelFilter::OFF,
        LogLevel::Fatal | LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}
