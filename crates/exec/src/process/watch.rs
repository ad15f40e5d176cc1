//! Follows a command from its start to its end: reads what it writes, ends it when its time is over or somebody says
//! so, first politely, then not, and reports the end once.
//!
//! One task for each command. Everything it waits for has an absolute time, so no branch loses anything when another is
//! first. What becomes of the end is decided in the table.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::tool::{CommandEnd, RunningCommand};
use openclaw_ports::{Clock, Deadline, TaskScope};
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Child;

use super::output::Spill;
use super::signal::{self, Family};
use super::start::Started;
use super::task::Process;

/// How long a command has to end after it was asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How long output is still read after the end, when a child of the command holds it open.
const DRAIN: Duration = Duration::from_millis(300);
/// How often progress is shown at most.
const PROGRESS: Duration = Duration::from_millis(250);

/// What a watch needs.
pub(super) struct Watch {
    pub(super) process: Arc<Process>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) tasks: TaskScope,
    pub(super) timeout: Option<Duration>,
    pub(super) spill: Spill,
    pub(super) progress: Arc<dyn Fn(RunningCommand) + Send + Sync>,
}

/// How a command ended, and who is left of its family.
pub(super) struct Watched {
    pub(super) end: CommandEnd,
    pub(super) family: Family,
    /// The output, where children of the command still write to it.
    pub(super) reader: Option<Box<dyn AsyncRead + Send + Unpin>>,
}

/// Where ending a command stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    NotYet,
    Asked(Deadline),
    Killed,
}

struct State {
    child: Child,
    reader: Option<Box<dyn AsyncRead + Send + Unpin>>,
    family: Family,
    status: Option<ExitStatus>,
    drained_by: Option<Deadline>,
    ending: Ending,
    timed_out: bool,
    shown_at: Option<Duration>,
}

enum Event {
    Read(std::io::Result<usize>),
    Exited(std::io::Result<ExitStatus>),
    Stop,
    TimeOver,
    GraceOver,
    DrainOver,
}

impl Watch {
    /// Follows the command to its end.
    pub(super) async fn run(mut self, started: Started) -> Watched {
        let began = self.clock.elapsed();
        let time_over = self.timeout.map(|span| Deadline::after(&*self.clock, span));
        let mut state = State {
            child: started.child,
            reader: Some(started.reader),
            family: started.family,
            status: None,
            drained_by: None,
            ending: Ending::NotYet,
            timed_out: false,
            shown_at: None,
        };
        let mut buffer = vec![0; 64 * 1024];
        while state.status.is_none() || state.reader.is_some() {
            let event = self.next(&mut state, &mut buffer, time_over).await;
            if self.apply(&mut state, &buffer, event).await {
                break;
            }
        }
        self.end_family(&state.family, state.ending).await;
        self.spill.finish().await;
        let took = self.clock.elapsed().saturating_sub(began);
        let end = self.end(&state, took);
        let reader = state.reader.filter(|_| state.ending == Ending::NotYet);
        Watched { end, family: state.family, reader }
    }

    /// What happens next. Every branch may be dropped: reading and waiting lose nothing, times are absolute.
    async fn next(&self, state: &mut State, buffer: &mut [u8], time_over: Option<Deadline>) -> Event {
        let clock = &*self.clock;
        let until = async |deadline: Option<Deadline>| match deadline {
            Some(deadline) => clock.sleep(deadline.left(clock)).await,
            None => std::future::pending().await,
        };
        let is_ending = state.ending != Ending::NotYet;
        let grace = if let Ending::Asked(deadline) = state.ending { Some(deadline) } else { None };
        let has_reader = state.reader.is_some();
        let read = async {
            match state.reader.as_mut() {
                Some(reader) => reader.read(buffer).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.process.stop.cancelled(), if !is_ending => Event::Stop,
            () = self.tasks.cancelled(), if !is_ending => Event::Stop,
            () = until(time_over), if !is_ending && time_over.is_some() => Event::TimeOver,
            () = until(grace), if grace.is_some() => Event::GraceOver,
            count = read, if has_reader => Event::Read(count),
            status = state.child.wait(), if state.status.is_none() => Event::Exited(status),
            () = until(state.drained_by), if state.drained_by.is_some() => Event::DrainOver,
        }
    }

    /// Acts on it, and says whether the watch is over.
    async fn apply(&mut self, state: &mut State, buffer: &[u8], event: Event) -> bool {
        match event {
            // A terminal reports an error when nobody is left on the other side.
            Event::Read(Ok(0) | Err(_)) => state.reader = None,
            Event::Read(Ok(count)) => self.absorb(state, buffer.get(..count).unwrap_or_default()).await,
            Event::Exited(Ok(status)) => self.exited(state, status),
            Event::Exited(Err(error)) => {
                tracing::warn!(%error, "the end of a command could not be seen");
                self.exited(state, ExitStatus::default());
            }
            Event::Stop => self.ask_to_end(state).await,
            Event::TimeOver => {
                state.timed_out = true;
                self.ask_to_end(state).await;
            }
            Event::GraceOver => {
                state.family.kill().await;
                state.ending = Ending::Killed;
                state.drained_by = state.status.map(|_| Deadline::after(&*self.clock, DRAIN));
            }
            // While the family is being ended its output is still of interest.
            Event::DrainOver => return !matches!(state.ending, Ending::Asked(_)),
        }
        false
    }

    fn exited(&self, state: &mut State, status: ExitStatus) {
        state.status = Some(status);
        state.drained_by =
            (!matches!(state.ending, Ending::Asked(_))).then(|| Deadline::after(&*self.clock, DRAIN));
    }

    async fn ask_to_end(&self, state: &mut State) {
        state.family.terminate().await;
        state.ending = Ending::Asked(Deadline::after(&*self.clock, GRACE));
    }

    async fn absorb(&mut self, state: &mut State, piece: &[u8]) {
        let begun = self.spill.take(&self.process.output, piece).await;
        {
            let mut output = self.process.output();
            output.push(piece);
            if let Some(path) = begun {
                output.file = Some(path);
            }
        }
        self.process.wake();
        let now = self.clock.elapsed();
        let is_due = state.shown_at.is_none_or(|before| now.saturating_sub(before) >= PROGRESS);
        if self.process.is_in_front() && is_due {
            state.shown_at = Some(now);
            (self.progress)(self.process.running());
        }
    }

    /// Sees to it that nobody of a family that is to end stays: those who closed their output are still there.
    async fn end_family(&self, family: &Family, ending: Ending) {
        if let Ending::Asked(deadline) = ending {
            while family.is_alive() && !deadline.left(&*self.clock).is_zero() {
                self.clock.sleep(Duration::from_millis(20)).await;
            }
        }
        if ending != Ending::NotYet {
            family.kill().await;
        }
    }

    fn end(&self, state: &State, took: Duration) -> CommandEnd {
        let output = self.process.output();
        CommandEnd {
            exit_code: state.status.and_then(|status| status.code()),
            signal: state.status.and_then(|status| status.signal()).map(signal::name),
            timed_out: state.timed_out,
            output: output.shown(),
            output_bytes: output.total(),
            full_output: output.file.clone(),
            took,
            workdir: self.process.workdir.clone(),
        }
    }
}
