//! The passage of a submission from one stage to the next, and the notes that are made on the way.
//!
//! Which stage comes next is written here once; what a stage does is in its own file. `flow` lets submissions in, `recover`
//! sends those of an earlier process on.

use std::sync::Arc;

use openclaw_config::{QueueSettings, SendVerdict};
use openclaw_inbound::commands::{ChatCommand, MessageReading};
use openclaw_inbound::conversation::Burst;
use openclaw_inbound::queue::session_choices;
use openclaw_ports::stores::{InboxEnd, InboxId};
use openclaw_session::{SendCase, send_verdict};
use openclaw_types::{
    AbortCause, RunEnding, RunId, SendTarget, SessionEntry, SessionFacts, SessionKey, UnixMillis,
};
use tokio::sync::oneshot;

use crate::channels::{Seen, attach, gather, go, ring};
use crate::directives::{Prompted, SubmissionKind, ask, is_abort, is_command, queue_choices};
use crate::enqueue::{self, enqueue};
use crate::error::FlowError;
use crate::flow::{Flow, Inner, Submitted, WrongSession};
use crate::intake::{AcceptOutcome, Accepted, accept, note_word};
use crate::outbox;
use crate::publish::FlowEvent;
use crate::recover::answer_found;
use crate::run_command;
use crate::runs::RunState;
use crate::submission::{Submission, SubmissionSurface, WEBCHAT};

/// A step of a session's submissions on their way to the queue. They are taken one after the other.
pub(crate) enum PipelineStep {
    /// A submission was accepted.
    Came(Box<Accepted>),
    /// Submissions that waited for each other go on together.
    Together(Burst<Accepted>),
    /// Submissions that wait for each other may have waited long enough.
    Alarm(UnixMillis),
    /// A submission of an earlier process is answered from the start.
    Found(Box<Accepted>),
}

impl Inner {
    /// Takes a submission of a platform: durable when this returns. Its files are fetched, and it is answered, afterwards.
    pub(crate) async fn take_in(self: &Arc<Self>, mut submission: Submission) -> Result<(), FlowError> {
        if is_abort(self, &submission) {
            return self.stop_by_word(&submission).await;
        }
        if let Some(channel_origin) = &mut submission.channel_origin {
            let entry = self.parts.sessions.entry(&submission.key).await?;
            channel_origin.previous = entry.map(|entry| entry.updated_at);
        }
        self.let_in(submission).await.map(|_submitted| ())
    }

    /// Lets a submission in whose sender may write here. A sender may leave at any moment; what is accepted goes its way all
    /// the same.
    pub(crate) async fn let_in(self: &Arc<Self>, mut submission: Submission) -> Result<Submitted, FlowError> {
        // A command goes through where nothing is sent: one of them undoes that. It is answered where it was given.
        if !is_command(self, &submission) {
            let entry = self.parts.sessions.entry(&submission.key).await?;
            self.judge_send(&submission, entry.as_deref())?;
            submission.options.answer_at = entry.and_then(|entry| dock(&submission, &entry));
        }
        self.take_apart(submission).await
    }

    /// Takes a submission, whether or not whoever brings it waits to the end.
    pub(crate) async fn take_apart(self: &Arc<Self>, submission: Submission) -> Result<Submitted, FlowError> {
        let (tell, told) = oneshot::channel();
        let flow = Arc::clone(self);
        self.parts.tasks.start("submission", async move {
            if tell.send(flow.take(submission).await).is_err() {
                tracing::debug!("the sender of a message left before it was taken");
            }
        });
        told.await.unwrap_or_else(|_gone| Err(FlowError::Busy("the gateway stops; try again".to_owned())))
    }

    /// Waits until the run has ended that a submission comes after: agents that answer in turn.
    pub(crate) async fn wait_turn(&self, submission: &Submission) {
        let Some(before) = &submission.options.after else { return };
        let RunState::Active(mut end) = self.runs.state(before) else { return };
        // Nothing is lost by any branch: all of them only end the wait. A run that nobody knows any more has ended.
        tokio::select! {
            _ended = end.wait_for(Option::is_some) => {}
            () = self.parts.tasks.cancelled() => {}
        }
    }

    /// Stops a session because somebody said so on a platform, and tells them. A word that comes again stops nothing:
    /// what goes on there by now was asked for afterwards.
    async fn stop_by_word(self: &Arc<Self>, submission: &Submission) -> Result<(), FlowError> {
        let Some(word) = note_word(self, submission).await? else { return Ok(()) };
        let face = Flow::of(self);
        face.stop(&submission.key, AbortCause::Word).await;
        let subagents = face.stop_subagents(&submission.key).await.len();
        let text = openclaw_delivery::NoticeText::Aborted { subagents }.text();
        outbox::speak(self, submission, "stopped", &text).await?;
        self.finish(vec![word], InboxEnd::Answered).await;
        Ok(())
    }

    /// Accepts a submission and sends it on its way, behind what came before it in its session: durable when this ends. Asks
    /// nobody whether its sender may write here.
    pub(crate) async fn take(self: &Arc<Self>, submission: Submission) -> Result<Submitted, FlowError> {
        // In the order they are stored they go on, so that they are answered in the order they came.
        let _turn = self.accept_locks.turn(&submission.key).await;
        if self.pipelines.is_full(&submission.key) {
            return Err(FlowError::Busy("too many messages are on their way in this session".to_owned()));
        }
        match accept(self, submission).await? {
            AcceptOutcome::New(accepted) => {
                self.lead(accepted, PipelineStep::Came);
                Ok(Submitted::Started)
            }
            AcceptOutcome::InFlight => Ok(Submitted::InFlight),
            AcceptOutcome::Ended(ended) => Ok(Submitted::Ended(ended)),
        }
    }

    /// Has a submission make a step after everything that came before it in its session, and after the run it has to wait
    /// for. Whoever writes there meanwhile does not wait for that run.
    pub(crate) fn lead(self: &Arc<Self>, accepted: Box<Accepted>, step: fn(Box<Accepted>) -> PipelineStep) {
        let key = accepted.submission().key.clone();
        if accepted.submission().options.after.is_none() {
            return self.then(&key, step(accepted));
        }
        let flow = Arc::clone(self);
        self.parts.tasks.start_cancellable("submission", async move {
            flow.wait_turn(accepted.submission()).await;
            flow.then(&key, step(accepted));
        });
    }

    /// Takes one step of a session's submissions. What only some of them need is in boxes: all of it together is large.
    pub(crate) async fn walk(self: &Arc<Self>, key: &SessionKey, step: PipelineStep) {
        match step {
            PipelineStep::Came(accepted) => {
                for accepted in self.without_stopped(vec![*accepted]).await {
                    gather(self, accepted).await;
                }
            }
            PipelineStep::Together(burst) => Box::pin(go(self, burst)).await,
            PipelineStep::Alarm(at) => Box::pin(ring(self, key, at)).await,
            PipelineStep::Found(mut accepted) => {
                if Box::pin(attach(self, &mut accepted)).await {
                    Box::pin(answer_found(self, *accepted)).await;
                }
            }
        }
    }

    /// Ends those submissions that were stopped on their way. Gives the others.
    pub(crate) async fn without_stopped(&self, submissions: Vec<Accepted>) -> Vec<Accepted> {
        let mut others = Vec::with_capacity(submissions.len());
        for accepted in submissions {
            match self.runs.stopped(accepted.run()) {
                Some(cause) => Box::pin(self.end_stopped(&accepted, cause)).await,
                None => others.push(accepted),
            }
        }
        others
    }

    async fn end_stopped(&self, accepted: &Accepted, cause: AbortCause) {
        self.finish(accepted.ids(), InboxEnd::Withdrawn).await;
        let submission = accepted.submission();
        outbox::unanswered(self, submission).await;
        self.runs.ended(&submission.run, RunEnding::Aborted(cause), None, self.now());
        let (run, raw_key, key) =
            (submission.run.clone(), submission.raw_key.clone(), submission.key.clone());
        self.audience.tell(&FlowEvent::Stopped { run, raw_key, key, cause });
    }

    /// The next stage of a submission that was accepted.
    pub(crate) async fn go_on(self: &Arc<Self>, accepted: Accepted) {
        match ask(self, accepted) {
            SubmissionKind::Answer(prompted, shortcuts) => {
                if !shortcuts.is_empty() {
                    Box::pin(run_command::shortcuts(self, &prompted, &shortcuts)).await;
                }
                self.queue(*prompted).await;
            }
            // What a command of the machine does takes its time, and may need a yes from the same conversation.
            SubmissionKind::Carry(accepted, reading)
                if matches!(*reading, MessageReading::Command(ChatCommand::Bash(_))) =>
            {
                let flow = Arc::clone(self);
                self.parts
                    .tasks
                    .start("command", async move { run_command::carry(&flow, *accepted, *reading).await });
            }
            // What is written behind a command goes by what the command changed.
            SubmissionKind::Carry(accepted, reading) => {
                Box::pin(run_command::carry(self, *accepted, *reading)).await
            }
        }
    }

    /// Lets a submission for the model wait, join or begin.
    pub(crate) async fn queue(self: &Arc<Self>, prompted: Prompted) {
        let seen = Seen::show(self, &prompted);
        let prompted = prompted.with_sign(seen);
        let submission = prompted.submission();
        let entry = self.parts.sessions.entry(&submission.key).await.unwrap_or_else(|error| {
            // The run will meet the same trouble and tell it; the queue goes by the configuration until then.
            tracing::warn!(subsystem = "flow", %error, "a session could not be read");
            None
        });
        let unknown = SessionFacts::default();
        let facts = entry.as_ref().map_or(&unknown, |entry| &entry.facts);
        let channel = submission.from.channel.as_ref().map_or(WEBCHAT, |channel| channel.as_str());
        let choices = queue_choices(prompted.overrides(), session_choices(facts));
        let settings = QueueSettings::resolve(&self.settings().raw, Some(channel), choices);
        enqueue(self, prompted, settings, facts);
    }

    /// Stops one run now. Gives its submission, which is still to be withdrawn; nothing when it is not under way.
    pub(crate) fn stop_one(
        self: &Arc<Self>,
        key: &SessionKey,
        run: &RunId,
        cause: AbortCause,
    ) -> Result<Option<Vec<InboxId>>, WrongSession> {
        match self.runs.session_of(run) {
            Some(session) if session != *key => Err(WrongSession),
            Some(_) => {
                let submissions = self.runs.submissions(std::slice::from_ref(run));
                let stopped = self.runs.stop(run, cause);
                enqueue::withdraw(self, key, run);
                Ok(stopped.then_some(submissions))
            }
            None => Ok(None),
        }
    }

    /// Notes that submissions were stopped: a start after a crash does not bring them back.
    pub(crate) async fn withdraw(&self, submissions: Vec<InboxId>) {
        if !submissions.is_empty() {
            self.finish(submissions, InboxEnd::Withdrawn).await;
        }
    }

    /// Notes that submissions are dealt with. A submission that cannot be noted is answered again after a restart, and its run
    /// then finds that the answer is there.
    pub(crate) async fn finish(&self, submissions: Vec<InboxId>, how: InboxEnd) {
        if let Err(error) = self.parts.inbox.finish(submissions, how).await {
            tracing::error!(subsystem = "flow", %error, "a message could not be marked as dealt with");
        }
    }

    /// Whether a submission may be sent into its session.
    pub(crate) async fn check_send(&self, submission: &Submission) -> Result<(), FlowError> {
        let entry = self.parts.sessions.entry(&submission.key).await?;
        self.judge_send(submission, entry.as_deref())
    }

    fn judge_send(&self, submission: &Submission, entry: Option<&SessionEntry>) -> Result<(), FlowError> {
        let config = self.settings();
        let channel = submission.from.channel.as_ref().map(|channel| channel.as_str());
        let case = SendCase { key: &submission.key, entry, channel, chat: Some(submission.sender().chat) };
        match send_verdict(&config.session.send_policy, case) {
            SendVerdict::Allow => Ok(()),
            SendVerdict::Deny => Err(FlowError::Blocked),
        }
    }
}

/// Where answers of a submission's session go, where somebody said so. What is said in a room is answered there.
fn dock(submission: &Submission, entry: &SessionEntry) -> Option<SendTarget> {
    let talks = matches!(submission.surface, SubmissionSurface::Channel | SubmissionSurface::Webchat)
        && !submission.from.group;
    entry.facts.docked_at.clone().filter(|_| talks)
}
