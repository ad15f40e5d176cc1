//! One command that was started: its output, its input, and whether it runs in front, behind, or not any more.
//!
//! What happens to it is written here by `watch`; the table and the command host read. No lock is held across an await,
//! the input apart, which has a lock of its own for those who write.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_ports::tool::{
    CommandEnd, NoSuchProcess, OutputSlice, ProcessFacts, ProcessInput, ProcessScope, ProcessState,
    RunningCommand,
};
use openclaw_ports::{Clock, Deadline};
use openclaw_types::UnixMillis;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::output::{LineRange, Output, slice};

/// How much of the end lists and notices show.
const TAIL_SHOWN: usize = 2_000;
/// How long writing to a command that does not read may take.
const WRITING: Duration = Duration::from_secs(10);

/// A command that was started.
pub(crate) struct Process {
    pub(crate) id: String,
    pub(super) scope: ProcessScope,
    pub(super) command: String,
    pub(crate) workdir: PathBuf,
    pub(crate) pid: Option<u32>,
    pub(crate) started_at: UnixMillis,
    pub(super) terminal: bool,
    pub(super) output: Mutex<Output>,
    /// Counts changes, so that those who wait wake up.
    pub(super) news: watch::Sender<u64>,
    phase: Mutex<Phase>,
    pub(super) input: tokio::sync::Mutex<Option<Box<dyn AsyncWrite + Send + Unpin>>>,
    /// Cancelled to have it ended.
    pub(super) stop: CancellationToken,
}

/// How a command is.
#[derive(Debug, Clone)]
enum Phase {
    Foreground,
    Background,
    /// Nobody wants to hear of it any more.
    Forgotten,
    Ended {
        end: Box<CommandEnd>,
        at: UnixMillis,
    },
}

/// Whether a command was in the background when it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndedIn {
    Foreground,
    Background,
}

/// What a process is made of.
pub(super) struct ProcessParts {
    pub(super) id: String,
    pub(super) scope: ProcessScope,
    pub(super) command: String,
    pub(super) workdir: PathBuf,
    pub(super) pid: Option<u32>,
    pub(crate) started_at: UnixMillis,
    pub(super) terminal: bool,
    pub(super) input: Option<Box<dyn AsyncWrite + Send + Unpin>>,
}

impl Process {
    pub(super) fn new(parts: ProcessParts) -> Self {
        Self {
            id: parts.id,
            scope: parts.scope,
            command: parts.command,
            workdir: parts.workdir,
            pid: parts.pid,
            started_at: parts.started_at,
            terminal: parts.terminal,
            output: Mutex::new(Output::default()),
            news: watch::Sender::new(0),
            phase: Mutex::new(Phase::Foreground),
            input: tokio::sync::Mutex::new(parts.input),
            stop: CancellationToken::new(),
        }
    }

    /// Has it ended. Returns at once.
    pub(crate) fn stop(&self) {
        self.stop.cancel();
    }

    /// Sends it into the background, unless it has ended.
    pub(crate) fn send_behind(&self) -> Option<CommandEnd> {
        let mut phase = self.phase();
        match &*phase {
            Phase::Ended { end, .. } => Some((**end).clone()),
            Phase::Foreground | Phase::Background | Phase::Forgotten => {
                *phase = Phase::Background;
                None
            }
        }
    }

    /// Stops telling anybody about it.
    pub(super) fn forget(&self) {
        let mut phase = self.phase();
        if !matches!(*phase, Phase::Ended { .. }) {
            *phase = Phase::Forgotten;
        }
    }

    pub(super) fn is_in_front(&self) -> bool {
        matches!(*self.phase(), Phase::Foreground)
    }

    /// Notes the end, wakes those who wait, and says where it ended.
    pub(super) fn finish(&self, end: CommandEnd, at: UnixMillis) -> EndedIn {
        let before = std::mem::replace(&mut *self.phase(), Phase::Ended { end: Box::new(end), at });
        self.wake();
        if matches!(before, Phase::Background) { EndedIn::Background } else { EndedIn::Foreground }
    }

    pub(super) fn wake(&self) {
        self.news.send_modify(|count| *count = count.wrapping_add(1));
    }

    /// Waits for the end.
    pub(crate) async fn ended(&self) -> CommandEnd {
        let mut news = self.news.subscribe();
        loop {
            if let Some(end) = self.end() {
                return end;
            }
            // The sender lives as long as this process, so a change always comes.
            if news.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }

    /// Waits until there is something new or the end.
    pub(super) async fn something_new(&self) {
        let mut news = self.news.subscribe();
        while !self.has_ended() && !self.output().has_news() {
            if news.changed().await.is_err() {
                return;
            }
        }
    }

    pub(crate) fn end(&self) -> Option<CommandEnd> {
        match &*self.phase() {
            Phase::Ended { end, .. } => Some((**end).clone()),
            Phase::Foreground | Phase::Background | Phase::Forgotten => None,
        }
    }

    /// Whether it has ended. Unlike `end` this copies no output.
    pub(super) fn has_ended(&self) -> bool {
        matches!(*self.phase(), Phase::Ended { .. })
    }

    pub(super) fn ended_at(&self) -> Option<UnixMillis> {
        match &*self.phase() {
            Phase::Ended { at, .. } => Some(*at),
            Phase::Foreground | Phase::Background | Phase::Forgotten => None,
        }
    }

    pub(super) fn state(&self) -> ProcessState {
        self.end().map_or(ProcessState::Running, ProcessState::Ended)
    }

    /// The command as it is told while it has not ended.
    pub(crate) fn running(&self) -> RunningCommand {
        RunningCommand {
            id: self.id.clone(),
            pid: self.pid,
            started_at: self.started_at,
            workdir: self.workdir.clone(),
            tail: self.tail(),
        }
    }

    pub(crate) fn tail(&self) -> String {
        self.output().tail_shown(TAIL_SHOWN)
    }

    pub(super) fn facts(&self) -> ProcessFacts {
        let (output_bytes, tail) = {
            let output = self.output();
            (output.total(), output.tail_shown(TAIL_SHOWN))
        };
        ProcessFacts {
            id: self.id.clone(),
            command: self.command.clone(),
            workdir: self.workdir.clone(),
            pid: self.pid,
            started_at: self.started_at,
            state: self.state(),
            output_bytes,
            tail,
            terminal: self.terminal,
        }
    }

    /// Lines of the output, from the file when there is one.
    pub(super) async fn lines(&self, lines: LineRange) -> Result<OutputSlice, NoSuchProcess> {
        let (file, raw) = {
            let output = self.output();
            (output.file.clone(), output.log_bytes())
        };
        let read = tokio::task::spawn_blocking(move || match file {
            Some(path) => slice(|| std::fs::File::open(&path), lines),
            None => slice(|| Ok(std::io::Cursor::new(raw.as_slice())), lines),
        });
        let gone = |error: &dyn std::fmt::Display| {
            NoSuchProcess(format!("the log of {} cannot be read: {error}", self.id))
        };
        let slice = read.await.map_err(|error| gone(&error))?.map_err(|error| gone(&error))?;
        Ok(OutputSlice { text: slice.text, from: slice.from, total: slice.total, state: self.state() })
    }

    /// Writes to its input.
    pub(super) async fn write(&self, clock: &dyn Clock, input: ProcessInput) -> Result<(), NoSuchProcess> {
        let closed = || {
            NoSuchProcess(format!(
                "{} takes no input: it ended, or was started without input. Start it with background or pty to write to it",
                self.id
            ))
        };
        if self.has_ended() {
            return Err(closed());
        }
        let mut slot = self.input.lock().await;
        let Some(writer) = slot.as_mut() else { return Err(closed()) };
        let bytes = match input {
            ProcessInput::Bytes(bytes) => bytes,
            // A terminal has no end of input; the key for it does the same.
            ProcessInput::End if self.terminal => vec![4],
            ProcessInput::End => {
                *slot = None;
                return Ok(());
            }
        };
        let writing = async {
            writer.write_all(&bytes).await?;
            writer.flush().await
        };
        match Deadline::after(clock, WRITING).bound(clock, writing).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                tracing::debug!(%error, "a command takes no input any more");
                *slot = None;
                Err(closed())
            }
            Err(_timed_out) => {
                Err(NoSuchProcess(format!("{} does not read its input; poll it first", self.id)))
            }
        }
    }

    pub(super) fn output(&self) -> MutexGuard<'_, Output> {
        self.output.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.phase.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
