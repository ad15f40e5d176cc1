//! Stage: lets letters wait, join a run, or begin one, as `inbound::queue` says.
//!
//! One desk for each session that is busy; it goes away when the session rests. Decisions are made under the lock, in
//! the order things happen; carrying them out happens after it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_config::{ExecSettings, QueueMode, QueueSettings};
use openclaw_exec::elevated_obstacle;
use openclaw_inbound::queue::{
    Action, DropReason, Event, Item, Phase, Rights, Route, RunResult, SessionQueue, Steering,
};
use openclaw_ports::stores::{InboxEnd, InboxId};
use openclaw_types::{AbortCause, RunEnding, RunId, SessionFacts, SessionKey, UnixMillis};

use crate::channels::rule_of_room;
use crate::directives::Prompted;
use crate::execute::{Job, execute};
use crate::flow::Inner;
use crate::letter::{Letter, Surface};
use crate::outbox;
use crate::publish::Notice;
use crate::recover::end_resumed;
use crate::subagents;
use crate::wake;

/// The desks of busy sessions.
#[derive(Default)]
pub(crate) struct Desks(Mutex<HashMap<SessionKey, Desk>>);

#[derive(Default)]
struct Desk {
    queue: SessionQueue<RunId>,
    letters: HashMap<RunId, Prompted>,
    /// The run under way.
    run: Option<RunId>,
    /// Why that is being stopped; what was offered to it in vain goes for the same reason.
    stopping: Option<Breaking>,
}

/// What is held in memory for letters that are not dealt with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Held {
    /// Sessions with a run under way or letters that wait.
    pub sessions: usize,
    /// Letters of those, and letters on their way to them.
    pub letters: usize,
    /// What those letters say and bring, in bytes.
    pub bytes: usize,
}

/// How a session stands, for those who show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    /// The run under way.
    pub run: Option<RunId>,
    /// How many letters wait.
    pub waiting: usize,
}

/// What becomes of results of sub-agents among the letters that are taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Results {
    /// They are announced again: nobody said that they are not wanted.
    Again,
    /// They go with the rest.
    Gone,
}

/// Why what a session does is broken off, where it is.
#[derive(Debug, Clone, Copy)]
struct Breaking {
    cause: AbortCause,
    results: Results,
}

impl Breaking {
    /// By something other than a stop.
    fn by(cause: AbortCause) -> Self {
        Self { cause, results: Results::Again }
    }
}

/// Something to do, with the letters it is about.
enum Task {
    Start(Box<Job>),
    Steer { run: RunId, letter: Box<Prompted> },
    Abort { run: RunId, cause: AbortCause },
    Wake(UnixMillis),
    Drop { letters: Vec<Prompted>, reason: DropReason, breaking: Breaking },
}

impl Desks {
    /// Takes in what happened to a session and gives what is to be done.
    fn on(&self, key: &SessionKey, event: Event<RunId>, now: UnixMillis, breaking: Breaking) -> Vec<Task> {
        let mut desks = self.desks();
        let desk = desks.entry(key.clone()).or_default();
        let tasks = desk.on(key, event, now, breaking);
        if desk.queue.is_idle() {
            desks.remove(key);
        }
        tasks
    }

    /// Adds a letter and says what is to be done with it, in one step: a desk is never seen without its letter.
    fn add(&self, letter: Prompted, route: Route, settings: QueueSettings, now: UnixMillis) -> Vec<Task> {
        let key = letter.letter().key.clone();
        let run = letter.letter().run.clone();
        let item = Item { id: run.clone(), route, text: letter.words().to_owned(), gist: gist(&letter) };
        let mut desks = self.desks();
        let desk = desks.entry(key.clone()).or_default();
        desk.letters.insert(run, letter);
        let breaking = Breaking::by(AbortCause::Superseded);
        let event = Event::Arrived { item: Box::new(item), settings };
        let tasks = desk.on(&key, event, now, breaking);
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

    /// What becomes of results that wait for the run of a session, now that the run ends without having begun.
    pub(crate) fn results(&self, key: &SessionKey) -> Results {
        let desks = self.desks();
        let stopping = desks.get(key).and_then(|desk| desk.stopping);
        stopping.map_or(Results::Again, |breaking| breaking.results)
    }

    /// What is held for the sessions that are busy.
    pub(crate) fn held(&self) -> Held {
        let desks = self.desks();
        let letters = desks.values().flat_map(|desk| desk.letters.values());
        let bytes = letters.clone().map(|letter| letter.letter().bytes() + letter.words().len()).sum();
        Held { sessions: desks.len(), letters: letters.count(), bytes }
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
    fn on(
        &mut self,
        key: &SessionKey,
        event: Event<RunId>,
        now: UnixMillis,
        breaking: Breaking,
    ) -> Vec<Task> {
        let breaking = match event {
            Event::Stop => *self.stopping.insert(breaking),
            Event::Ended(_) => {
                self.run = None;
                self.stopping.take().unwrap_or(breaking)
            }
            _ => breaking,
        };
        let actions = self.queue.on(event, now);
        actions.into_iter().filter_map(|action| self.task(key, action, breaking)).collect()
    }

    fn task(&mut self, key: &SessionKey, action: Action<RunId>, breaking: Breaking) -> Option<Task> {
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
            Action::Abort => Some(Task::Abort { run: self.run.clone()?, cause: breaking.cause }),
            Action::Wake(at) => Some(Task::Wake(at)),
            Action::Drop { items, reason } => {
                let letters = items.iter().filter_map(|run| self.letters.remove(run)).collect();
                Some(Task::Drop { letters, reason, breaking })
            }
        }
    }
}

/// How a letter is queued. What no person wrote interrupts nobody, and is not told twice.
fn mode_for(mode: QueueMode, surface: Surface) -> QueueMode {
    match mode {
        _ if surface.is_of_people() => mode,
        QueueMode::Interrupt => QueueMode::Followup,
        QueueMode::SteerBacklog => QueueMode::Steer,
        mode => mode,
    }
}

/// Lets a letter wait, join or begin, in a session of which this is known.
pub(crate) fn enqueue(
    flow: &Arc<Inner>,
    letter: Prompted,
    mut settings: QueueSettings,
    facts: &SessionFacts,
) {
    settings.mode = mode_for(settings.mode, letter.letter().surface);
    let letter = if settings.mode == QueueMode::SteerBacklog { letter.answered_again() } else { letter };
    let key = letter.letter().key.clone();
    // Stopped on its way here: it never begins.
    if let Some(cause) = flow.runs.stopped(&letter.letter().run) {
        let breaking = Breaking { cause, results: results_after(cause) };
        return drop_letters(flow, vec![letter], DropReason::Stopped, breaking);
    }
    let route = route(flow, &letter, facts);
    let tasks = flow.desks.add(letter, route, settings, flow.now());
    carry_out(flow, &key, tasks);
}

/// Tells a session's desk that its run can be steered.
pub(crate) fn steerable(flow: &Arc<Inner>, key: &SessionKey) {
    feed(flow, key, Event::Steerable(Steering::Open), Breaking::by(AbortCause::Superseded));
}

/// Tells a session's desk that a message is part of its run. Gives the letter it was, when it was steered in and is not
/// answered again.
pub(crate) fn took(flow: &Arc<Inner>, key: &SessionKey, message: &str) -> Option<Prompted> {
    let run = RunId::new(message).ok()?;
    let letter = flow.desks.give(key, &run)?;
    feed(flow, key, Event::Took(run), Breaking::by(AbortCause::Superseded));
    Some(letter)
}

/// Tells a session's desk that its run ended; the next one may begin.
pub(crate) fn ended(flow: &Arc<Inner>, key: &SessionKey, how: &RunEnding) {
    let result = match how {
        RunEnding::Answered => RunResult::Answered,
        RunEnding::Aborted(_) => RunResult::Aborted,
        RunEnding::Failed { .. } => RunResult::Failed,
    };
    feed(flow, key, Event::Ended(result), Breaking::by(AbortCause::Word));
    wake::look(flow, key);
}

/// Takes back a letter that waits. One that is being answered stays.
pub(crate) fn withdraw(flow: &Arc<Inner>, key: &SessionKey, run: &RunId) {
    let breaking = Breaking { cause: AbortCause::Request, results: Results::Gone };
    feed(flow, key, Event::Withdrawn(run.clone()), breaking);
}

/// Stops a session's run and takes back what waits.
pub(crate) fn stop(flow: &Arc<Inner>, key: &SessionKey, cause: AbortCause, results: Results) {
    feed(flow, key, Event::Stop, Breaking { cause, results });
}

/// What becomes of results when a session is stopped without its sub-agents: by a person's word they are stopped too.
pub(crate) fn results_after(cause: AbortCause) -> Results {
    match cause {
        AbortCause::Word => Results::Gone,
        _ => Results::Again,
    }
}

fn feed(flow: &Arc<Inner>, key: &SessionKey, event: Event<RunId>, breaking: Breaking) {
    let tasks = flow.desks.on(key, event, flow.now(), breaking);
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
            Task::Drop { letters, reason, breaking } => drop_letters(flow, letters, reason, breaking),
        }
    }
}

fn wake(flow: &Arc<Inner>, key: &SessionKey, at: UnixMillis) {
    let (flow_then, key) = (Arc::clone(flow), key.clone());
    flow.parts.tasks.start_cancellable("quiet", async move {
        flow_then.parts.clock.sleep(at.since(flow_then.now())).await;
        feed(&flow_then, &key, Event::Quiet, Breaking::by(AbortCause::Superseded));
    });
}

/// Takes letters back, and tells their senders.
fn drop_letters(flow: &Arc<Inner>, letters: Vec<Prompted>, reason: DropReason, breaking: Breaking) {
    let (resumed, letters): (Vec<Prompted>, Vec<Prompted>) =
        letters.into_iter().partition(|letter| letter.resumed().is_some());
    let ids: Vec<InboxId> = letters.iter().flat_map(|letter| letter.accepted().ids()).collect();
    let unheard: Vec<Letter> = match reason {
        DropReason::Full => letters.iter().map(|letter| letter.letter().clone()).collect(),
        _ => Vec::new(),
    };
    let again: Vec<RunId> = match (reason, breaking.results) {
        (DropReason::Full | DropReason::Superseded, _) | (DropReason::Stopped, Results::Again) => {
            letters.iter().map(|letter| letter.letter().run.clone()).collect()
        }
        (DropReason::Stopped, Results::Gone) => Vec::new(),
    };
    for letter in letters.iter().chain(&resumed) {
        let letter = letter.letter();
        let (run, raw_key, key) = (letter.run.clone(), letter.raw_key.clone(), letter.key.clone());
        let (notice, how) = match reason {
            DropReason::Full => {
                let message = openclaw_delivery::Notice::QueueFull.text();
                let how = RunEnding::Failed { message: message.clone() };
                (Notice::Failed { run, raw_key, key, message }, how)
            }
            DropReason::Superseded | DropReason::Stopped => {
                let superseded = reason == DropReason::Superseded;
                let cause = if superseded { AbortCause::Superseded } else { breaking.cause };
                (Notice::Stopped { run, raw_key, key, cause }, RunEnding::Aborted(cause))
            }
        };
        flow.runs.ended(&letter.run, how, None, flow.now());
        flow.audience.tell(&notice);
    }
    let flow_then = Arc::clone(flow);
    flow.parts.tasks.start("withdrawn letters", async move {
        subagents::announce_again(&flow_then, &again).await;
        for letter in &unheard {
            let text = openclaw_delivery::Notice::QueueFull.text();
            if let Err(error) = outbox::speak(&flow_then, letter, "full", &text).await {
                tracing::error!(subsystem = "flow", %error, "somebody could not be told that their message was dropped");
            }
        }
        flow_then.finish(ids, InboxEnd::Withdrawn).await;
        for letter in resumed {
            end_resumed(&flow_then, letter.letter()).await;
            flow_then.finish(letter.accepted().ids(), InboxEnd::Answered).await;
        }
    });
}

/// Letters that must not be answered together have routes of their own.
fn route(flow: &Inner, letter: &Prompted, facts: &SessionFacts) -> Route {
    // A run that is gone on with takes no new words.
    let alone = letter.letter().wishes.alone || letter.resumed().is_some();
    let letter = letter.letter();
    let route = Route {
        rights: rights(flow, letter, facts),
        alone: alone.then(|| letter.run.clone()),
        ..Route::default()
    };
    // Answers of a sub-agent go to no place, so its letters differ in nothing else.
    if letter.key.is_subagent() {
        return route;
    }
    // A thread that only the answer begins keeps nobody apart.
    let thread = match &letter.arrived {
        Some(arrived) => arrived.inbound.place.thread.clone(),
        None => letter.from.thread.clone(),
    };
    Route {
        channel: letter.from.channel.clone(),
        account: letter.from.account.clone(),
        to: letter.from.to.clone(),
        thread,
        ..route
    }
}

fn rights(flow: &Inner, letter: &Letter, facts: &SessionFacts) -> Rights {
    let sender = letter.sender();
    let gates = ExecSettings::of(&flow.settings(), &letter.agent).elevated;
    Rights {
        standing: sender.standing,
        commands: letter.who(),
        elevated: elevated_obstacle(&gates, &sender).is_none(),
        tools: rule_of_room(letter, facts.room_tools.as_ref()),
    }
}

/// A letter in short: in a room with who wrote it, as its words alone do not say that.
fn gist(letter: &Prompted) -> String {
    let from = &letter.letter().from;
    match &from.name {
        // Files alone are told in words of our own.
        _ if letter.text().trim().is_empty() => letter.words().to_owned(),
        Some(name) if from.group => format!("{name}: {}", letter.text()),
        _ => letter.text().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_person_wrote_interrupts_nobody_and_is_told_once() {
        let modes = [
            QueueMode::Collect,
            QueueMode::Followup,
            QueueMode::Steer,
            QueueMode::SteerBacklog,
            QueueMode::Interrupt,
        ];
        for mode in modes {
            assert_eq!(mode_for(mode, Surface::Channel), mode);
            let expected = match mode {
                QueueMode::Interrupt => QueueMode::Followup,
                QueueMode::SteerBacklog => QueueMode::Steer,
                mode => mode,
            };
            assert_eq!(mode_for(mode, Surface::Session), expected, "{mode:?}");
        }
    }
}
