//! The events of a run on their way to whoever shows them: bounded, in order, none lost.
//!
//! `EventSender` is the run's end, `RunStream` the reader's. A slow reader slows the model down. Once a run is stopped it
//! waits for nobody: what it still has to tell is kept until its end is stored.

use std::collections::VecDeque;
use std::time::Duration;

use openclaw_ports::{Clock, TaskScope};
use openclaw_types::{RunEnd, RunEnding, RunEvent, UnixMillis, Usage};
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use super::order::{FaultKind, RunFault, RunOutcome};

/// Events that may wait for a slow reader. When full, the run waits.
const WAITING_EVENTS: usize = 64;

/// How long a stopping gateway waits for a reader that does not read.
const LAST_WORDS: Duration = Duration::from_secs(2);

/// Tells a run: its events, then its outcome. Dropping it lets the run go on unheard.
#[derive(Debug)]
pub struct RunStream {
    events: mpsc::Receiver<RunEvent>,
    outcome: oneshot::Receiver<RunOutcome>,
    began: UnixMillis,
    ended: bool,
}

impl RunStream {
    /// The next event; nothing after `Ended`.
    pub async fn next(&mut self) -> Option<RunEvent> {
        if self.ended {
            return None;
        }
        let event = match self.events.recv().await {
            Some(event) => event,
            // The task is gone without a last word: a bug that ends this run and nothing else.
            None => RunEvent::Ended(lost_end(self.began)),
        };
        self.ended = matches!(event, RunEvent::Ended(_));
        Some(event)
    }

    /// What came of the run. Waits for its end; events that were not read are dropped.
    pub async fn outcome(self) -> RunOutcome {
        let Self { events, outcome, began, .. } = self;
        drop(events);
        outcome.await.unwrap_or_else(|_gone| lost(began))
    }
}

/// The run's end of the line.
#[derive(Debug)]
pub(super) struct EventSender {
    events: mpsc::Sender<RunEvent>,
    outcome: oneshot::Sender<RunOutcome>,
    stop: CancellationToken,
    late: VecDeque<RunEvent>,
    /// Whether anybody hears of what is done now.
    pub(super) voice: EventMode,
}

/// Whether events are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EventMode {
    /// They are.
    Aloud,
    /// They are not: what is done is nobody's business.
    Silent,
}

/// A line for one run.
pub(super) fn line(stop: CancellationToken, began: UnixMillis) -> (EventSender, RunStream) {
    let (events, read) = mpsc::channel(WAITING_EVENTS);
    let (outcome, end) = oneshot::channel();
    let events = EventSender { events, outcome, stop, late: VecDeque::new(), voice: EventMode::Aloud };
    (events, RunStream { events: read, outcome: end, began, ended: false })
}

impl EventSender {
    /// Tells an event. Waits for a slow reader as long as the run is not stopped.
    pub(super) async fn tell(&mut self, event: RunEvent) {
        if self.voice == EventMode::Silent {
            return;
        }
        // Nearly always there is room.
        let event = match self.late.is_empty().then(|| self.events.try_reserve()) {
            Some(Ok(permit)) => return permit.send(event),
            Some(Err(TrySendError::Closed(()))) => return,
            Some(Err(TrySendError::Full(()))) | None => event,
        };
        self.late.push_back(event);
        while !self.late.is_empty() {
            // Biased: a reader that keeps up hears everything at once. Neither branch loses an event.
            let permit = tokio::select! {
                biased;
                permit = self.events.reserve() => permit,
                () = self.stop.cancelled() => return,
            };
            match (permit, self.late.pop_front()) {
                (Ok(permit), Some(event)) => permit.send(event),
                // Nobody listens any more.
                (Err(_), _) => self.late.clear(),
                (Ok(_), None) => {}
            }
        }
    }

    /// Tells a whole message at once.
    pub(super) async fn tell_message(&mut self, words: String) {
        self.tell(RunEvent::MessageStarted).await;
        self.tell(RunEvent::Words { delta: words }).await;
        self.tell(RunEvent::MessageEnded).await;
    }

    /// Tells what is left and the outcome. The end is stored already.
    pub(super) async fn finish(self, outcome: RunOutcome, tasks: &TaskScope, clock: &dyn Clock) {
        let Self { events, outcome: end, late, .. } = self;
        if end.send(outcome).is_err() {
            tracing::debug!(subsystem = "agent", "nobody waits for the outcome of a run");
        }
        let telling = async {
            for event in late {
                if events.send(event).await.is_err() {
                    return;
                }
            }
        };
        let patience = async {
            tasks.cancelled().await;
            clock.sleep(LAST_WORDS).await;
        };
        // What is not read by then is not read at all: the process stops.
        tokio::select! {
            biased;
            () = telling => {}
            () = patience => {}
        }
    }
}

fn lost(began: UnixMillis) -> RunOutcome {
    let end = lost_end(began);
    let message = lost_words();
    RunOutcome {
        end,
        replies: Vec::new(),
        model: None,
        profile: None,
        context_window: None,
        usage: Usage::default(),
        last_call: None,
        stop: None,
        compactions: 0,
        client_calls: Vec::new(),
        said: Vec::new(),
        prompt_report: None,
        fault: Some(RunFault { kind: FaultKind::Internal, message }),
        left_over: Vec::new(),
        session: None,
    }
}

fn lost_end(began: UnixMillis) -> RunEnd {
    RunEnd { started_at: began, ended_at: began, how: RunEnding::Failed { message: lost_words() } }
}

fn lost_words() -> String {
    "the run was lost inside the gateway; the log says more".to_owned()
}
