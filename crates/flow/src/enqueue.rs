//! Stage: lets submissions wait, join a run, or begin one, as `inbound::queue` says.
//!
//! Each busy session has one run queue; it goes away when the session rests. Decisions are made under the lock, in
//! the order things happen; carrying them out happens after it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use openclaw_config::{ExecSettings, QueueMode, QueueSettings};
use openclaw_exec::elevated_obstacle;
use openclaw_inbound::queue::{
    DropReason, Item, Phase, QueueAction, QueueEvent, ReplyRoute, Rights, RunResult, SessionQueue,
    SteeringState,
};
use openclaw_ports::stores::{InboxEnd, InboxId};
use openclaw_types::{AbortCause, RunEnding, RunId, SessionFacts, SessionKey, UnixMillis};

use crate::channels::rule_of_room;
use crate::directives::Prompted;
use crate::execute::{RunJob, execute};
use crate::flow::Inner;
use crate::outbox;
use crate::publish::FlowEvent;
use crate::recover::end_resumed;
use crate::subagents;
use crate::submission::{Submission, SubmissionSurface};
use crate::wake;

/// The queues of busy sessions.
#[derive(Default)]
pub(crate) struct RunQueues(Mutex<HashMap<SessionKey, RunQueue>>);

#[derive(Default)]
struct RunQueue {
    queue: SessionQueue<RunId>,
    submissions: HashMap<RunId, Prompted>,
    /// The run under way.
    run: Option<RunId>,
    /// Why that is being stopped; messages offered to it and not taken go for the same reason.
    stopping: Option<Breaking>,
}

/// What is held in memory for submissions that are not dealt with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HeldSubmissions {
    /// Sessions with a run under way or submissions that wait.
    pub sessions: usize,
    /// Submissions of those, and submissions on their way to them.
    pub submissions: usize,
    /// What those submissions say and bring, in bytes.
    pub bytes: usize,
}

/// How a session stands, for those who show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionState {
    /// The run under way.
    pub run: Option<RunId>,
    /// How many submissions wait.
    pub waiting: usize,
}

/// What becomes of results of sub-agents among the submissions that are taken back.
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

/// Something to do, with the submissions it is about.
enum Task {
    Start(Box<RunJob>),
    Steer { run: RunId, submission: Box<Prompted> },
    Abort { run: RunId, cause: AbortCause },
    Wake(UnixMillis),
    Drop { submissions: Vec<Prompted>, reason: DropReason, breaking: Breaking },
}

impl RunQueues {
    /// Takes in what happened to a session and gives what is to be done.
    fn on(
        &self,
        key: &SessionKey,
        event: QueueEvent<RunId>,
        now: UnixMillis,
        breaking: Breaking,
    ) -> Vec<Task> {
        let mut queues = self.queues();
        let desk = queues.entry(key.clone()).or_default();
        let tasks = desk.on(key, event, now, breaking);
        if desk.queue.is_idle() {
            queues.remove(key);
        }
        tasks
    }

    /// Adds a submission and says what is to be done with it, in one step: a run queue is never seen without its submission.
    fn add(
        &self,
        submission: Prompted,
        route: ReplyRoute,
        settings: QueueSettings,
        now: UnixMillis,
    ) -> Vec<Task> {
        let key = submission.submission().key.clone();
        let run = submission.submission().run.clone();
        let item =
            Item { id: run.clone(), route, text: submission.words().to_owned(), gist: gist(&submission) };
        let mut queues = self.queues();
        let desk = queues.entry(key.clone()).or_default();
        desk.submissions.insert(run, submission);
        let breaking = Breaking::by(AbortCause::Superseded);
        let event = QueueEvent::Arrived { item: Box::new(item), settings };
        let tasks = desk.on(&key, event, now, breaking);
        if desk.queue.is_idle() {
            queues.remove(&key);
        }
        tasks
    }

    /// Gives away a submission that is not answered again.
    fn give(&self, key: &SessionKey, run: &RunId) -> Option<Prompted> {
        let mut queues = self.queues();
        let submissions = &mut queues.get_mut(key)?.submissions;
        if submissions.get(run)?.is_answered_again() {
            return None;
        }
        submissions.remove(run)
    }

    /// How a session stands.
    pub(crate) fn state(&self, key: &SessionKey) -> SessionState {
        let queues = self.queues();
        let desk = queues.get(key);
        SessionState {
            run: desk.and_then(|desk| desk.run.clone()),
            waiting: desk.map_or(0, |desk| desk.queue.depth()),
        }
    }

    /// What becomes of results that wait for the run of a session, now that the run ends without having begun.
    pub(crate) fn results(&self, key: &SessionKey) -> Results {
        let queues = self.queues();
        let stopping = queues.get(key).and_then(|desk| desk.stopping);
        stopping.map_or(Results::Again, |breaking| breaking.results)
    }

    /// What is held for the sessions that are busy.
    pub(crate) fn held(&self) -> HeldSubmissions {
        let queues = self.queues();
        let submissions = queues.values().flat_map(|desk| desk.submissions.values());
        let bytes = submissions
            .clone()
            .map(|submission| submission.submission().bytes() + submission.words().len())
            .sum();
        HeldSubmissions { sessions: queues.len(), submissions: submissions.count(), bytes }
    }

    /// The sessions that are busy.
    pub(crate) fn keys(&self) -> Vec<SessionKey> {
        self.queues().keys().cloned().collect()
    }

    /// Whether a session is resting.
    pub(crate) fn is_idle(&self, key: &SessionKey) -> bool {
        self.queues().get(key).is_none_or(|desk| desk.queue.phase() == Phase::Idle)
    }

    fn queues(&self) -> MutexGuard<'_, HashMap<SessionKey, RunQueue>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl RunQueue {
    fn on(
        &mut self,
        key: &SessionKey,
        event: QueueEvent<RunId>,
        now: UnixMillis,
        breaking: Breaking,
    ) -> Vec<Task> {
        let breaking = match event {
            QueueEvent::Stop => *self.stopping.insert(breaking),
            QueueEvent::Ended(_) => {
                self.run = None;
                self.stopping.take().unwrap_or(breaking)
            }
            _ => breaking,
        };
        let actions = self.queue.on(event, now);
        actions.into_iter().filter_map(|action| self.task(key, action, breaking)).collect()
    }

    fn task(&mut self, key: &SessionKey, action: QueueAction<RunId>, breaking: Breaking) -> Option<Task> {
        match action {
            QueueAction::Start(batch) => {
                let mut submissions = batch.items.iter().filter_map(|run| self.submissions.remove(run));
                let first = submissions.next()?;
                let others = submissions.collect();
                let summed = batch.summed.iter().filter_map(|run| self.submissions.remove(run)).collect();
                self.run = Some(first.submission().run.clone());
                Some(Task::Start(Box::new(RunJob::new(key.clone(), first, others, summed, batch.prompt))))
            }
            QueueAction::Steer(id) => {
                let submission = Box::new(self.submissions.get(&id)?.clone());
                Some(Task::Steer { run: self.run.clone()?, submission })
            }
            QueueAction::Abort => Some(Task::Abort { run: self.run.clone()?, cause: breaking.cause }),
            QueueAction::Wake(at) => Some(Task::Wake(at)),
            QueueAction::Drop { items, reason } => {
                let submissions = items.iter().filter_map(|run| self.submissions.remove(run)).collect();
                Some(Task::Drop { submissions, reason, breaking })
            }
        }
    }
}

/// How a submission is queued. What no person wrote interrupts nobody, and is not told twice.
fn mode_for(mode: QueueMode, surface: SubmissionSurface) -> QueueMode {
    match mode {
        _ if surface.is_of_people() => mode,
        QueueMode::Interrupt => QueueMode::Followup,
        QueueMode::SteerBacklog => QueueMode::Steer,
        mode => mode,
    }
}

/// Lets a submission wait, join or begin, in a session of which this is known.
pub(crate) fn enqueue(
    flow: &Arc<Inner>,
    submission: Prompted,
    mut settings: QueueSettings,
    facts: &SessionFacts,
) {
    settings.mode = mode_for(settings.mode, submission.submission().surface);
    let submission =
        if settings.mode == QueueMode::SteerBacklog { submission.answered_again() } else { submission };
    let key = submission.submission().key.clone();
    // Stopped on its way here: it never begins.
    if let Some(cause) = flow.runs.stopped(&submission.submission().run) {
        let breaking = Breaking { cause, results: results_after(cause) };
        return drop_letters(flow, vec![submission], DropReason::Stopped, breaking);
    }
    let route = route(flow, &submission, facts);
    let tasks = flow.queues.add(submission, route, settings, flow.now());
    carry_out(flow, &key, tasks);
}

/// Tells a session's run queue that its run can be steered.
pub(crate) fn steerable(flow: &Arc<Inner>, key: &SessionKey) {
    feed(flow, key, QueueEvent::Steerable(SteeringState::Open), Breaking::by(AbortCause::Superseded));
}

/// Tells a session's run queue that a message is part of its run. Gives the submission it was, when it was steered in and is not
/// answered again.
pub(crate) fn took(flow: &Arc<Inner>, key: &SessionKey, message: &str) -> Option<Prompted> {
    let run = RunId::new(message).ok()?;
    let submission = flow.queues.give(key, &run)?;
    feed(flow, key, QueueEvent::Took(run), Breaking::by(AbortCause::Superseded));
    Some(submission)
}

/// Tells a session's run queue that its run ended; the next one may begin.
pub(crate) fn ended(flow: &Arc<Inner>, key: &SessionKey, how: &RunEnding) {
    let result = match how {
        RunEnding::Answered => RunResult::Answered,
        RunEnding::Aborted(_) => RunResult::Aborted,
        RunEnding::Failed { .. } => RunResult::Failed,
    };
    feed(flow, key, QueueEvent::Ended(result), Breaking::by(AbortCause::Word));
    wake::look(flow, key);
}

/// Takes back a submission that waits. One that is being answered stays.
pub(crate) fn withdraw(flow: &Arc<Inner>, key: &SessionKey, run: &RunId) {
    let breaking = Breaking { cause: AbortCause::Request, results: Results::Gone };
    feed(flow, key, QueueEvent::Withdrawn(run.clone()), breaking);
}

/// Stops a session's run and takes back what waits.
pub(crate) fn stop(flow: &Arc<Inner>, key: &SessionKey, cause: AbortCause, results: Results) {
    feed(flow, key, QueueEvent::Stop, Breaking { cause, results });
}

/// What becomes of results when a session is stopped without its sub-agents: by a person's word they are stopped too.
pub(crate) fn results_after(cause: AbortCause) -> Results {
    match cause {
        AbortCause::Word => Results::Gone,
        _ => Results::Again,
    }
}

fn feed(flow: &Arc<Inner>, key: &SessionKey, event: QueueEvent<RunId>, breaking: Breaking) {
    let tasks = flow.queues.on(key, event, flow.now(), breaking);
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
            Task::Steer { run, submission } => {
                // A run that takes no more says so; the submission waits and is answered next.
                if let Some(control) = flow.runs.control(&run)
                    && control.steer(submission.steered()).is_err()
                {
                    tracing::debug!(%run, "the run is ending; the message is answered next");
                }
            }
            Task::Abort { run, cause } => {
                flow.runs.stop(&run, cause);
            }
            Task::Wake(at) => wake(flow, key, at),
            Task::Drop { submissions, reason, breaking } => drop_letters(flow, submissions, reason, breaking),
        }
    }
}

fn wake(flow: &Arc<Inner>, key: &SessionKey, at: UnixMillis) {
    let (flow_then, key) = (Arc::clone(flow), key.clone());
    flow.parts.tasks.start_cancellable("quiet", async move {
        flow_then.parts.clock.sleep(at.since(flow_then.now())).await;
        feed(&flow_then, &key, QueueEvent::Quiet, Breaking::by(AbortCause::Superseded));
    });
}

/// Takes submissions back, and tells their senders.
fn drop_letters(flow: &Arc<Inner>, submissions: Vec<Prompted>, reason: DropReason, breaking: Breaking) {
    let (resumed, submissions): (Vec<Prompted>, Vec<Prompted>) =
        submissions.into_iter().partition(|submission| submission.resumed().is_some());
    let ids: Vec<InboxId> = submissions.iter().flat_map(|submission| submission.accepted().ids()).collect();
    let unheard: Vec<Submission> = match reason {
        DropReason::Full => submissions.iter().map(|submission| submission.submission().clone()).collect(),
        _ => Vec::new(),
    };
    let again: Vec<RunId> = match (reason, breaking.results) {
        (DropReason::Full | DropReason::Superseded, _) | (DropReason::Stopped, Results::Again) => {
            submissions.iter().map(|submission| submission.submission().run.clone()).collect()
        }
        (DropReason::Stopped, Results::Gone) => Vec::new(),
    };
    for submission in submissions.iter().chain(&resumed) {
        let submission = submission.submission();
        let (run, raw_key, key) =
            (submission.run.clone(), submission.raw_key.clone(), submission.key.clone());
        let (notice, how) = match reason {
            DropReason::Full => {
                let message = openclaw_delivery::NoticeText::QueueFull.text();
                let how = RunEnding::Failed { message: message.clone() };
                (FlowEvent::Failed { run, raw_key, key, message }, how)
            }
            DropReason::Superseded | DropReason::Stopped => {
                let superseded = reason == DropReason::Superseded;
                let cause = if superseded { AbortCause::Superseded } else { breaking.cause };
                (FlowEvent::Stopped { run, raw_key, key, cause }, RunEnding::Aborted(cause))
            }
        };
        flow.runs.ended(&submission.run, how, None, flow.now());
        flow.audience.tell(&notice);
    }
    let flow_then = Arc::clone(flow);
    flow.parts.tasks.start("withdrawn submissions", async move {
        subagents::announce_again(&flow_then, &again).await;
        for submission in &unheard {
            let text = openclaw_delivery::NoticeText::QueueFull.text();
            if let Err(error) = outbox::speak(&flow_then, submission, "full", &text).await {
                tracing::error!(subsystem = "flow", %error, "somebody could not be told that their message was dropped");
            }
        }
        flow_then.finish(ids, InboxEnd::Withdrawn).await;
        for submission in resumed {
            end_resumed(&flow_then, submission.submission()).await;
            flow_then.finish(submission.accepted().ids(), InboxEnd::Answered).await;
        }
    });
}

/// Submissions that must not be answered together have routes of their own.
fn route(flow: &Inner, submission: &Prompted, facts: &SessionFacts) -> ReplyRoute {
    // A run that is resumed takes no new words.
    let alone = submission.submission().options.alone || submission.resumed().is_some();
    let submission = submission.submission();
    let route = ReplyRoute {
        rights: rights(flow, submission, facts),
        alone: alone.then(|| submission.run.clone()),
        ..ReplyRoute::default()
    };
    // Answers of a sub-agent go to no place, so its submissions differ in nothing else.
    if submission.key.is_subagent() {
        return route;
    }
    // A thread that only the answer begins keeps nobody apart.
    let thread = match &submission.channel_origin {
        Some(channel_origin) => channel_origin.inbound.place.thread.clone(),
        None => submission.from.thread.clone(),
    };
    ReplyRoute {
        channel: submission.from.channel.clone(),
        account: submission.from.account.clone(),
        to: submission.from.to.clone(),
        thread,
        ..route
    }
}

fn rights(flow: &Inner, submission: &Submission, facts: &SessionFacts) -> Rights {
    let sender = submission.sender();
    let gates = ExecSettings::of(&flow.settings(), &submission.agent).elevated;
    Rights {
        standing: sender.standing,
        commands: submission.who(),
        elevated: elevated_obstacle(&gates, &sender).is_none(),
        tools: rule_of_room(submission, facts.room_tools.as_ref()),
    }
}

/// A submission in short: in a room with who wrote it, as its words alone do not say that.
fn gist(submission: &Prompted) -> String {
    let from = &submission.submission().from;
    match &from.name {
        // Files alone are told in words of our own.
        _ if submission.text().trim().is_empty() => submission.words().to_owned(),
        Some(name) if from.group => format!("{name}: {}", submission.text()),
        _ => submission.text().to_owned(),
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
            assert_eq!(mode_for(mode, SubmissionSurface::Channel), mode);
            let expected = match mode {
                QueueMode::Interrupt => QueueMode::Followup,
                QueueMode::SteerBacklog => QueueMode::Steer,
                mode => mode,
            };
            assert_eq!(mode_for(mode, SubmissionSurface::Session), expected, "{mode:?}");
        }
    }
}
