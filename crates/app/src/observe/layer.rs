//! The `tracing` layer that feeds both sinks.
//!
//! Levels can change while the process runs. The subsystem of an event is its `subsystem` field, else the module
//! that logged it, written as `gateway/connection`.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use openclaw_ports::Clock;
use serde_json::{Map, Value};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;

use super::file::{FileSink, LogTarget};
use super::line::{LogEvent, Machine, Paint};
use super::redact::KnownSecrets;

/// What to log, and where.
#[derive(Debug, Clone)]
pub struct LogPlan {
    /// The least important level that is written to the file.
    pub file_level: LevelFilter,
    /// The least important level that is shown.
    pub console_level: LevelFilter,
    /// Where people see it.
    pub console: ConsoleOutput,
    /// Which file.
    pub target: LogTarget,
    /// How large one file may grow.
    pub max_bytes: u64,
    /// The version of this program.
    pub version: String,
}

/// How people see the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConsoleOutput {
    /// On standard error, with colours when it is a terminal.
    Automatic,
    /// On standard error without colours.
    Plain,
    /// On standard error, in the form of the file.
    Json,
    /// Not at all.
    Silent,
}

/// The handle to the running log.
#[derive(Clone)]
pub struct Logs {
    sink: FileSink,
    target: LogTarget,
    clock: Arc<dyn Clock>,
    levels: Arc<Levels>,
}

impl std::fmt::Debug for Logs {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Logs").field("target", &self.target).finish_non_exhaustive()
    }
}

impl Logs {
    /// The file that lines go to now.
    #[must_use]
    pub fn current_file(&self) -> PathBuf {
        self.target.path_at(self.clock.now())
    }

    /// Changes both levels.
    pub fn set_levels(&self, file: LevelFilter, console: LevelFilter) {
        self.levels.file.store(rank(file), Ordering::Relaxed);
        self.levels.console.store(rank(console), Ordering::Relaxed);
        tracing::callsite::rebuild_interest_cache();
    }

    /// Waits until the file has everything.
    pub fn flush(&self) {
        self.sink.flush();
    }
}

/// Starts logging for the whole process. Only the first call of a process takes effect on `tracing`.
///
/// # Errors
/// When the writing thread cannot be started or a subscriber is installed already.
pub fn start(plan: LogPlan, clock: Arc<dyn Clock>, secrets: KnownSecrets) -> anyhow::Result<Logs> {
    let (layer, logs) = build(plan, clock, secrets)?;
    tracing_subscriber::registry().with(layer).try_init()?;
    Ok(logs)
}

pub(super) fn build(
    plan: LogPlan,
    clock: Arc<dyn Clock>,
    secrets: KnownSecrets,
) -> std::io::Result<(LogLayer, Logs)> {
    let sink = FileSink::start(plan.target.clone(), plan.max_bytes)?;
    let levels = Arc::new(Levels {
        file: AtomicU8::new(rank(plan.file_level)),
        console: AtomicU8::new(rank(plan.console_level)),
    });
    let form = match plan.console {
        ConsoleOutput::Automatic if std::io::stderr().is_terminal() => Form::Text(Paint::Colours),
        ConsoleOutput::Automatic | ConsoleOutput::Plain => Form::Text(Paint::Plain),
        ConsoleOutput::Json => Form::Json,
        ConsoleOutput::Silent => Form::Nothing,
    };
    let hostname = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let machine = Machine { hostname, version: plan.version };
    let logs = Logs {
        sink: sink.clone(),
        target: plan.target,
        clock: Arc::clone(&clock),
        levels: Arc::clone(&levels),
    };
    Ok((LogLayer { sink, levels, form, machine, clock, secrets }, logs))
}

struct Levels {
    file: AtomicU8,
    console: AtomicU8,
}

impl Levels {
    fn file_wants(&self, level: Level) -> bool {
        rank(LevelFilter::from_level(level)) <= self.file.load(Ordering::Relaxed)
    }

    fn console_wants(&self, level: Level) -> bool {
        rank(LevelFilter::from_level(level)) <= self.console.load(Ordering::Relaxed)
    }
}

fn rank(filter: LevelFilter) -> u8 {
    match filter {
        LevelFilter::OFF => 0,
        LevelFilter::ERROR => 1,
        LevelFilter::WARN => 2,
        LevelFilter::INFO => 3,
        LevelFilter::DEBUG => 4,
        LevelFilter::TRACE => 5,
    }
}

/// The form of a line on the terminal.
#[derive(Clone, Copy)]
enum Form {
    Text(Paint),
    Json,
    Nothing,
}

/// Feeds events to the file and the terminal.
pub(super) struct LogLayer {
    sink: FileSink,
    levels: Arc<Levels>,
    form: Form,
    machine: Machine,
    clock: Arc<dyn Clock>,
    secrets: KnownSecrets,
}

impl<S: Subscriber> Layer<S> for LogLayer {
    fn enabled(&self, about: &Metadata<'_>, _context: Context<'_, S>) -> bool {
        // Libraries below us speak only when something is wrong.
        let ours = about.target().starts_with("openclaw");
        (ours || *about.level() <= Level::WARN)
            && (self.levels.file_wants(*about.level()) || self.levels.console_wants(*about.level()))
    }

    fn on_event(&self, event: &tracing::Event<'_>, _context: Context<'_, S>) {
        let level = *event.metadata().level();
        let event = self.take_apart(event);
        if self.levels.file_wants(level) {
            self.sink.write(event.at, event.as_json(&self.machine));
        }
        if self.levels.console_wants(level) {
            self.show(&event);
        }
    }
}

impl LogLayer {
    fn show(&self, event: &LogEvent) {
        let text = match self.form {
            Form::Text(paint) => event.as_text(paint),
            Form::Json => event.as_json(&self.machine),
            Form::Nothing => return,
        };
        let line = text + "\n";
        // A closed terminal must not stop the gateway; the file has the line.
        drop(std::io::stderr().lock().write_all(line.as_bytes()));
    }

    fn take_apart(&self, event: &tracing::Event<'_>) -> LogEvent {
        let mut parts = Parts::default();
        event.record(&mut parts);
        let subsystem = parts.subsystem.unwrap_or_else(|| subsystem_of(event.metadata().target()));
        // Redacted before it is written in any form: inside JSON a secret can look different.
        for (name, value) in &mut parts.fields {
            if let Value::String(text) = value {
                *text = self.secrets.redact_field(name, text).into_owned();
            }
        }
        LogEvent {
            at: self.clock.now(),
            level: *event.metadata().level(),
            subsystem,
            message: self.secrets.redact(&parts.message).into_owned(),
            fields: parts.fields,
        }
    }
}

fn subsystem_of(target: &str) -> String {
    let mut parts = target.split("::");
    let krate = parts.next().unwrap_or_default();
    let krate = krate.strip_prefix("openclaw_").unwrap_or(krate);
    match parts.next() {
        Some(module) => format!("{krate}/{module}"),
        None => krate.to_owned(),
    }
}

#[derive(Default)]
struct Parts {
    message: String,
    subsystem: Option<String>,
    fields: Map<String, Value>,
}

impl Parts {
    fn put(&mut self, field: &Field, value: Value) {
        match (field.name(), value) {
            ("message", Value::String(text)) => self.message = text,
            ("subsystem", Value::String(text)) => self.subsystem = Some(text),
            (name, value) => {
                self.fields.insert(name.to_owned(), value);
            }
        }
    }
}

impl Visit for Parts {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        self.put(field, Value::from(format!("{value:?}")));
    }
    fn record_str(&mut self, field: &Field, value: &str) {
        self.put(field, Value::from(value));
    }
    fn record_i64(&mut self, field: &Field, value: i64) {
        self.put(field, Value::from(value));
    }
    fn record_u64(&mut self, field: &Field, value: u64) {
        self.put(field, Value::from(value));
    }
    fn record_bool(&mut self, field: &Field, value: bool) {
        self.put(field, Value::from(value));
    }
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.put(field, Value::from(value));
    }
    fn record_error(&mut self, field: &Field, value: &(dyn std::error::Error + 'static)) {
        let mut text = value.to_string();
        let mut cause = value.source();
        while let Some(next) = cause {
            text.push_str(": ");
            text.push_str(&next.to_string());
            cause = next.source();
        }
        self.put(field, Value::from(text));
    }
}
