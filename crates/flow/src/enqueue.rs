//! Stage: lets letters wait, join a run, or begin one, as `inbound::queue` says.
//!
//! One desk for each session that is busy; it goes away when the session rests. Decisions are made under the lock, in
//! the order things happen; carrying them out happens after it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_config::{QueueMode, QueueSettings};
use openclaw_inbound::queue::{
    Action, DropReason, Event, Item, Phase, Route, RunResult, SessionQueue, Steering,
};
use openclaw_ports::stores::{InboxEnd, InboxId};
use openclaw_types::{AbortCause, RunEnding, RunId, SessionKey, UnixMillis};

use crate::directives::Prompted;
use crate::execute::{Job, execute};
use crate::flow::Inner;
use crate::letter::Letter;
use crate::outbox;
use crate::publish::Notice;
use crate::subagents;

/// The desks of busy sessions.
#[derive(Default)]
pub(crate) struct Desks(Mutex<HashMap<SessionKey, Desk>>);

#[derive(Default)]
struct Desk {
    queue: SessionQueue<RunId>,
    letters: HashMap<RunId, Prompted>,
    /// The run under way.
    run: Option<RunId>,
}

/// How a session stands, for those who show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    /// The run under way.
    pub run: Option<RunId>,
    /// How many letters wait.
    pub waiting: usize,
}

/// Something to do, with the letters it is about.
enum Task {
    Start(Box<Job>),
    Steer { run: RunId, letter: Box<Prompted> },
    Abort { run: RunId, cause: AbortCause },
    Wake(UnixMillis),
    Drop { letters: Vec<Prompted>, reason: DropReason, cause: AbortCause },
}

impl Desks {
    /// Takes in what happened to a session and gives what is to be done.
    fn on(&self, key: &SessionKey, event: Event<RunId>, now: UnixMillis, cause: AbortCause) -> Vec<Task> {
        let mut desks = self.desks();
        let desk = desks.entry(key.clone()).or_default();
        let tasks = desk.on(key, event, now, cause);
        if desk.queue.is_idle() {
            desks.remove(key);
        }
        tasks
    }

    /// Adds a letter and says what is to be done with it, in one step: a desk is never seen without its letter.
    fn add(&self, letter: Prompted, settings: QueueSettings, now: UnixMillis) -> Vec<Task> {
        let key = letter.letter().key.clone();
        let run = letter.letter().run.clone();
        let item = Item { id: run.clone(), route: route(&letter), text: letter.text().to_owned() };
        let mut desks = self.desks();
        let desk = desks.entry(key.clone()).or_default();
        desk.letters.insert(run, letter);
        let tasks = desk.on(&key, Event::Arrived { item, settings }, now, AbortCause::Superseded);
        if desk.queue.is_idle() {
            desks.remove(&key);
        }
        tasks
    }

    /// Gives away a letter that is not answered again.
    fn give(&self, key: &SessionKey, run: &RunId) -> Option<Prompted> {
        let mut desks = self.desks();
        let letters = &mut desks.get_mut(key)?.letters;
        if letters.get(run)?.is_answered_again() {
            return None;
        }
        letters.remove(run)
    }

    /// How a session stands.
    pub(crate) fn state(&self, key: &SessionKey) -> SessionState {
        let desks = self.desks();
        let desk = desks.get(key);
        SessionState {
            run: desk.and_then(|desk| desk.run.clone()),
            waiting: desk.map_or(0, |desk| desk.queue.depth()),
        }
    }

    /// The sessions that are busy.
    pub(crate) fn keys(&self) -> Vec<SessionKey> {
        self.desks().keys().cloned().collect()
    }

    /// Whether a session is resting.
    pub(crate) fn is_idle(&self, key: &SessionKey) -> bool {
        self.desks().get(key).is_none_or(|desk| desk.queue.phase() == Phase::Idle)
    }

    fn desks(&self) -> MutexGuard<'_, HashMap<SessionKey, Desk>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Desk {
    fn on(&mut self, key: &SessionKey, event: Event<RunId>, now: UnixMillis, cause: AbortCause) -> Vec<Task> {
        if matches!(event, Event::Ended(_)) {
            self.run = None;
        }
        let actions = self.queue.on(event, now);
        actions.into_iter().filter_map(|action| self.task(key, action, cause)).collect()
    }

    fn task(&mut self, key: &SessionKey, action: Action<RunId>, cause: AbortCause) -> Option<Task> {
        match action {
            Action::Start(batch) => {
                let mut letters = batch.items.iter().filter_map(|run| self.letters.remove(run));
                let first = letters.next()?;
                let others = letters.collect();
                let summed = batch.summed.iter().filter_map(|run| self.letters.remove(run)).collect();
                self.run = Some(first.letter().run.clone());
                Some(Task::Start(Box::new(Job::new(key.clone(), first, others, summed, batch.prompt))))
            }
            Action::Steer(id) => {
                let letter = Box::new(self.letters.get(&id)?.clone());
                Some(Task::Steer { run: self.run.clone()?, letter })
            }
            Action::Abort => Some(Task::Abort { run: self.run.clone()?, cause }),
            Action::Wake(at) => Some(Task::Wake(at)),
            Action::Drop { items, reason } => {
                let letters = items.iter().filter_map(|run| self.letters.remove(run)).collect();
                Some(Task::Drop { letters, reason, cause })
            }
        }
    }
}

/// Lets a letter wait, join or begin.
pub(crate) fn enqueue(flow: &Arc<Inner>, letter: Prompted, settings: QueueSettings) {
    let letter = if settings.mode == QueueMode::SteerBacklog { letter.answered_again() } else { letter };
    let key = letter.letter().key.clone();
    // Stopped on its way here: it never begins.
    if let Some(cause) = flow.runs.stopped(&letter.letter().run) {
        return drop_letters(flow, vec![letter], (DropReason::Stopped, cause));
    }
    let tasks = flow.desks.add(letter, settings, flow.now());
    carry_out(flow, &key, tasks);
}

/// Tells a session's desk that its run can be steered.
pub(crate) fn steerable(flow: &Arc<Inner>, key: &SessionKey) {
    feed(flow, key, Event::Steerable(Steering::Open), AbortCause::Superseded);
}

/// Tells a session's desk that a message is part of its run. Gives the letter it was, when it was steered in and is not
/// answered again.
pub(crate) fn took(flow: &Arc<Inner>, key: &SessionKey, message: &str) -> Option<Prompted> {
    let run = RunId::new(message).ok()?;
    let letter = flow.desks.give(key, &run)?;
    feed(flow, key, Event::Took(run), AbortCause::Superseded);
    Some(letter)
}

/// Tells a session's desk that its run ended; the next one may begin.
pub(crate) fn ended(flow: &Arc<Inner>, key: &SessionKey, how: &RunEnding) {
    let result = match how {
        RunEnding::Answered => RunResult::Answered,
        RunEnding::Aborted(_) => RunResult::Aborted,
        RunEnding::Failed { .. } => RunResult::Failed,
    };
    feed(flow, key, Event::Ended(result), AbortCause::Word);
}

/// Takes back a letter that waits. One that is being answered stays.
pub(crate) fn withdraw(flow: &Arc<Inner>, key: &SessionKey, run: &RunId) {
    feed(flow, key, Event::Withdrawn(run.clone()), AbortCause::Request);
}

/// Stops a session's run and takes back what waits.
pub(crate) fn stop(flow: &Arc<Inner>, key: &SessionKey, cause: AbortCause) {
    feed(flow, key, Event::Stop, cause);
}

fn feed(flow: &Arc<Inner>, key: &SessionKey, event: Event<RunId>, cause: AbortCause) {
    let tasks = flow.desks.on(key, event, flow.now(), cause);
    carry_out(flow, key, tasks);
}

fn carry_out(flow: &Arc<Inner>, key: &SessionKey, tasks: Vec<Task>) {
    for task in tasks {
        match task {
            // The process stops: what waits is found in the inbox by the next one.
            Task::Start(_) if flow.parts.tasks.is_cancelled() => {}
            Task::Start(job) => {
                let flow_of_run = Arc::clone(flow);
                flow.parts.tasks.start("run", async move { execute(&flow_of_run, *job).await });
            }
            Task::Steer { run, letter } => {
                // A run that takes no more says so; the letter waits and is answered next.
                if let Some(control) = flow.runs.control(&run)
                    && control.steer(letter.steered()).is_err()
                {
                    tracing::debug!(%run, "the run is ending; the message is answered next");
                }
            }
            Task::Abort { run, cause } => {
                flow.runs.stop(&run, cause);
            }
            Task::Wake(at) => wake(flow, key, at),
            Task::Drop { letters, reason, cause } => drop_letters(flow, letters, (reason, cause)),
        }
    }
}

fn wake(flow: &Arc<Inner>, key: &SessionKey, at: UnixMillis) {
    let (flow_then, key) = (Arc::clone(flow), key.clone());
    flow.parts.tasks.start_cancellable("quiet", async move {
        flow_then.parts.clock.sleep(at.since(flow_then.now())).await;
        feed(&flow_then, &key, Event::Quiet, AbortCause::Superseded);
    });
}

/// Takes letters back, and tells their senders.
fn drop_letters(flow: &Arc<Inner>, letters: Vec<Prompted>, (reason, cause): (DropReason, AbortCause)) {
    let ids: Vec<InboxId> = letters.iter().flat_map(|letter| letter.accepted().ids()).collect();
    let unheard: Vec<Letter> = match reason {
        DropReason::Full => letters.iter().map(|letter| letter.letter().clone()).collect(),
        _ => Vec::new(),
    };
    let full = match reason {
        DropReason::Full => letters.iter().map(|letter| letter.letter().run.clone()).collect(),
        _ => Vec::new(),
    };
    for letter in letters {
        let letter = letter.letter();
        let (run, raw_key, key) = (letter.run.clone(), letter.raw_key.clone(), letter.key.clone());
        let (notice, how) = match reason {
            DropReason::Full => {
                let message = openclaw_delivery::Notice::QueueFull { dropped: 1 }.text();
                let how = RunEnding::Failed { message: message.clone() };
                (Notice::Failed { run, raw_key, key, message }, how)
            }
            DropReason::Superseded | DropReason::Stopped | DropReason::Reset => {
                let cause = match reason {
                    DropReason::Superseded => AbortCause::Superseded,
                    DropReason::Stopped => cause,
                    _ => AbortCause::Word,
                };
                (Notice::Stopped { run, raw_key, key, cause }, RunEnding::Aborted(cause))
            }
        };
        flow.runs.ended(&letter.run, how, None, flow.now());
        flow.audience.tell(&notice);
    }
    let flow_then = Arc::clone(flow);
    flow.parts.tasks.start("withdrawn letters", async move {
        subagents::announce_again(&flow_then, &full).await;
        for letter in &unheard {
            let text = openclaw_delivery::Notice::QueueFull { dropped: 1 }.text();
            if let Err(error) = outbox::speak(&flow_then, letter, "full", &text).await {
                tracing::error!(subsystem = "flow", %error, "somebody could not be told that their message was dropped");
            }
        }
        flow_then.finish(ids, InboxEnd::Withdrawn).await;
    });
}

/// Letters that must not be answered together have routes of their own.
fn route(letter: &Prompted) -> Route {
    // A run that is gone on with takes no new words.
    let alone = letter.letter().wishes.alone || letter.resumed().is_some();
    let letter = letter.letter();
    let to = if alone { Some(format!("alone:{}", letter.run)) } else { letter.from.to.clone() };
    // A thread that only the answer begins keeps nobody apart.
    let thread = match &letter.arrived {
        Some(arrived) => arrived.inbound.place.thread.clone(),
        None => letter.from.thread.clone(),
    };
    Route { channel: letter.from.channel.clone(), account: letter.from.account.clone(), to, thread }
}
