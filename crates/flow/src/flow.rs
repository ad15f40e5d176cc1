//! The face of the spine: takes submissions, stops runs, waits for them.
//!
//! Holds what the stages share and decides nothing itself. One for the whole process; cloning is cheap.

use std::sync::Arc;
use std::time::Duration;

use openclaw_agent::{Agent, Models};
use openclaw_config::{Config, LaneLimits};
use openclaw_inbound::route::Explained;
use openclaw_ports::stores::{Inbox, Outbox, SenderRequest, SenderStore, SessionStore, SubagentStore};
use openclaw_ports::tool::{MessageAction, MessageFault, MessageReceipt, ToolContext};
use openclaw_ports::{Clock, Deadline, TaskScope};
use openclaw_session::Sessions;
use openclaw_types::{AbortCause, AccountId, ChannelId, RunId, SessionKey, UnixMillis};
use tokio::sync::watch;

use crate::accept_locks::{AcceptLocks, SessionPipelines};
use crate::channels::{
    Accounts, Bursts, FlowSink, LineWaits, PairingBook, PairingFault, RouteFault, RouteQuestion, RuleBook,
    Rules, SectionFault, UnansweredHistory, approve, dismiss, explain, keep_menus, release,
};
use crate::commands::CommandHandles;
use crate::directives::is_abort;
use crate::enqueue::{self, HeldSubmissions, Results, RunQueues, SessionState};
use crate::error::FlowError;
use crate::lanes::RunSlots;
use crate::notes::Notes;
use crate::outbox::{self, OutboxAdmin, PostedMessage, Posting, SendLanes};
use crate::publish::{Audience, FlowEvent, Observer, Verbose};
use crate::runs::{EndedRun, RunState, Runs};
use crate::session_tools::{self, ActionRights};
use crate::subagents::{self, Book};
use crate::submission::Submission;
use crate::{recover, wake};

/// What the flow is put together from.
pub struct FlowParts {
    /// Makes answers.
    pub agent: Agent,
    /// Knows models.
    pub models: Models,
    /// Knows sessions.
    pub sessions: Sessions,
    /// Keeps them.
    pub store: Arc<dyn SessionStore>,
    /// Keeps submissions.
    pub inbox: Arc<dyn Inbox>,
    /// Keeps sub-agents.
    pub subagents: Arc<dyn SubagentStore>,
    /// The accounts on platforms.
    pub channels: Accounts,
    /// Keeps what is to be sent there.
    pub outbox: Arc<dyn Outbox>,
    /// Keeps strangers who asked to talk to us, and who was let in.
    pub senders: Arc<dyn SenderStore>,
    /// The configuration of the moment.
    pub settings: Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
    /// What commands of people need beside the rest.
    pub handles: CommandHandles,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where runs hang.
    pub tasks: TaskScope,
}

/// The spine of the program.
#[derive(Clone)]
pub struct Flow(Arc<Inner>);

/// What the stages share.
pub(crate) struct Inner {
    pub(crate) parts: FlowParts,
    pub(crate) runs: Runs,
    pub(crate) queues: RunQueues,
    pub(crate) run_slots: RunSlots,
    pub(crate) notes: Notes,
    pub(crate) audience: Audience,
    pub(crate) accept_locks: AcceptLocks,
    pub(crate) pipelines: SessionPipelines,
    pub(crate) book: Book,
    pub(crate) mail: SendLanes,
    pub(crate) heard: UnansweredHistory,
    pub(crate) bursts: Bursts,
    pub(crate) line_waits: LineWaits,
    pub(crate) pairing: PairingBook,
    /// Whether what platforms bring waits until everything older goes on.
    held: watch::Sender<bool>,
    rule_book: RuleBook,
}

/// What became of a submission.
#[derive(Debug, Clone, PartialEq)]
pub enum Submitted {
    /// It was accepted, and will be answered.
    Started,
    /// It was accepted before, and is being answered.
    InFlight,
    /// It was accepted before, and was answered. How, where this process knows.
    Ended(Option<EndedRun>),
    /// It asked to stop; these runs were.
    Stopped(Vec<RunId>),
}

impl Flow {
    /// Puts the flow together. Submissions that an earlier process accepted wait until `recover`.
    #[must_use]
    pub fn open(parts: FlowParts) -> Self {
        let limits = LaneLimits::resolve(&(parts.settings)().raw);
        let flow = Self(Arc::new(Inner {
            parts,
            runs: Runs::default(),
            queues: RunQueues::default(),
            run_slots: RunSlots::new(limits),
            notes: Notes::default(),
            audience: Audience::default(),
            accept_locks: AcceptLocks::default(),
            pipelines: SessionPipelines::default(),
            book: Book::default(),
            mail: SendLanes::default(),
            heard: UnansweredHistory::default(),
            bursts: Bursts::default(),
            line_waits: LineWaits::default(),
            pairing: PairingBook::default(),
            held: watch::Sender::new(false),
            rule_book: RuleBook::default(),
        }));
        flow.0.mail.serve(&flow.0);
        flow
    }

    /// Signs up whoever shows what happens. Once, before the first submission.
    pub fn attach(&self, observer: Arc<dyn Observer>) {
        self.0.audience.attach(observer);
    }

    /// Lets every submission wait until `recover` is done, so that nothing is answered before what came earlier in the same
    /// conversation, and no submission of this process is taken for one that a crash left. Once, at start, before anybody can
    /// write.
    pub fn hold(&self) {
        self.0.held.send_replace(true);
    }

    /// Goes on with what a crash cut off. Once, at start, after `attach`.
    ///
    /// # Errors
    /// The stores cannot be read.
    pub async fn recover(&self) -> Result<recover::Recovered, FlowError> {
        let recovered = recover::recover(&self.0).await;
        self.0.held.send_replace(false);
        recovered
    }

    /// Goes on with what waits to be sent, and connects the accounts that the configuration names. Once, at start, before
    /// `recover`. Gives what is wrong with the sections.
    ///
    /// # Errors
    /// The outbox cannot be read.
    pub async fn open_channels(&self) -> Result<Vec<SectionFault>, FlowError> {
        let waiting = outbox::take_up(&self.0).await?;
        if waiting > 0 {
            tracing::info!(subsystem = "outbox", waiting, "going on with messages that were not sent");
        }
        self.0.parts.channels.open(Arc::new(FlowSink(Arc::clone(&self.0))));
        keep_menus(&self.0);
        Ok(self.apply_channels().await)
    }

    /// Brings the accounts in step with the configuration of the moment. Lines whose settings are the same stay up.
    pub async fn apply_channels(&self) -> Vec<SectionFault> {
        let settings = self.0.settings();
        self.0.parts.channels.look_every(settings.gateway.channel_health_check);
        self.0.parts.channels.apply(&settings.raw).await
    }

    /// The accounts on platforms.
    #[must_use]
    pub fn channels(&self) -> &Accounts {
        &self.0.parts.channels
    }

    /// Which agent a message would reach and why, and the same in lines for people.
    ///
    /// # Errors
    /// What was asked makes no sense; the text says what would.
    pub fn explain_route(&self, question: &RouteQuestion) -> Result<(Explained, Vec<String>), RouteFault> {
        explain(&self.0, question)
    }

    /// What waits to be sent.
    #[must_use]
    pub fn outbox(&self) -> OutboxAdmin {
        OutboxAdmin(Arc::clone(&self.0))
    }

    /// Keeps a message for sending that somebody ordered without an agent, and waits a little for the platform. Gives
    /// where it goes and how far it came.
    ///
    /// # Errors
    /// The platform or the place makes no sense; the text says what would. Or it could not be kept.
    pub async fn send(&self, posting: Posting) -> Result<PostedMessage, FlowError> {
        outbox::post(&self.0, posting).await
    }

    /// Does something with messages that an operator ordered, as the tool of that name does for an agent.
    ///
    /// # Errors
    /// It was refused, makes no sense, or failed; the text says which.
    pub async fn act(
        &self,
        context: &ToolContext,
        hands: ActionRights,
        action: MessageAction,
    ) -> Result<MessageReceipt, MessageFault> {
        session_tools::act(&self.0, (context, hands), action).await
    }

    /// Waits until everything that can be sent now was, at most until then. Says whether it was.
    pub async fn flush(&self, deadline: Deadline) -> bool {
        self.0.mail.rest(&self.0, deadline).await
    }

    /// The strangers who asked to talk to us, of one platform or of all.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn pairing_requests(
        &self,
        channel: Option<&ChannelId>,
    ) -> Result<Vec<SenderRequest>, FlowError> {
        let oldest = openclaw_inbound::access::expired_before(self.0.now());
        let all = self.0.parts.senders.requests(channel).await?;
        Ok(all.into_iter().filter(|request| request.created_at >= oldest).collect())
    }

    /// Lets in whoever has a code, and tells them.
    ///
    /// # Errors
    /// Nobody has that code, or too many wrong ones were tried.
    pub async fn approve_pairing(
        &self,
        channel: Option<&ChannelId>,
        account: Option<&AccountId>,
        code: &str,
    ) -> Result<SenderRequest, PairingFault> {
        approve(&self.0, channel, account, code).await
    }

    /// Sends a stranger away who waits; another may wait in their place.
    ///
    /// # Errors
    /// They do not wait any more, or the store cannot be written.
    pub async fn dismiss_pairing(&self, waiting: &SenderRequest) -> Result<(), PairingFault> {
        dismiss(&self.0, waiting).await
    }

    /// Puts somebody out again who was let in by a code; says whether they were in.
    ///
    /// # Errors
    /// The store cannot be written.
    pub async fn remove_pairing(
        &self,
        channel: &ChannelId,
        account: &AccountId,
        sender: &str,
    ) -> Result<bool, FlowError> {
        Ok(self.0.parts.senders.disallow(channel, account, sender).await?)
    }

    /// Takes a submission. When this gives `Started`, the submission survives a crash and will be answered once.
    ///
    /// # Errors
    /// It was not taken; nothing of it was kept.
    pub async fn submit(&self, submission: Submission) -> Result<Submitted, FlowError> {
        let flow = &self.0;
        flow.may_take().await;
        if is_abort(flow, &submission) {
            let stopped = self.stop(&submission.key, AbortCause::Word).await;
            Box::pin(self.stop_subagents(&submission.key)).await;
            return Ok(Submitted::Stopped(stopped));
        }
        flow.let_in(submission).await
    }

    /// Stops what a session is doing and takes back what waits. Gives the submissions that were stopped. They do not come
    /// back after a crash.
    pub async fn stop(&self, key: &SessionKey, cause: AbortCause) -> Vec<RunId> {
        self.halt(key, cause, enqueue::results_after(cause)).await
    }

    pub(crate) async fn halt(&self, key: &SessionKey, cause: AbortCause, results: Results) -> Vec<RunId> {
        let flow = &self.0;
        let runs: Vec<RunId> = flow.runs.of_session(key).into_iter().map(|(run, _)| run).collect();
        let submissions = flow.runs.submissions(&runs);
        enqueue::stop(flow, key, cause, results);
        // Those that are on their way to the queue never get there.
        for run in &runs {
            flow.runs.stop(run, cause);
        }
        release(flow, key);
        flow.withdraw(submissions).await;
        runs
    }

    /// Stops a session and waits until it is still: nothing writes into its transcript any more.
    ///
    /// # Errors
    /// Something was still under way after that time.
    pub async fn quiet(&self, key: &SessionKey, whose: Whose, patience: Duration) -> Result<(), StillBusy> {
        let results = match whose {
            Whose::Session => Results::Again,
            Whose::SessionAndSubagents => Results::Gone,
        };
        let runs = self.halt(key, AbortCause::Request, results).await;
        if whose == Whose::SessionAndSubagents {
            self.stop_subagents(key).await;
        }
        let deadline = Deadline::after(self.0.parts.clock.as_ref(), patience);
        for run in runs {
            let RunState::Active(mut end) = self.0.runs.state(&run) else { continue };
            let ended = deadline.bound(self.0.parts.clock.as_ref(), end.wait_for(Option::is_some));
            ended.await.map_err(|_late| StillBusy)?.map_err(|_gone| StillBusy)?;
        }
        Ok(())
    }

    /// Stops the sub-agents of a session, and theirs. Gives what they are called. For sessions that are stopped by a
    /// person's word, begin anew or are removed.
    pub async fn stop_subagents(&self, key: &SessionKey) -> Vec<String> {
        match subagents::kill_all(&self.0, key).await {
            Ok(names) => names,
            Err(error) => {
                tracing::error!(subsystem = "subagents", %error, "sub-agents could not be stopped");
                Vec::new()
            }
        }
    }

    /// Stops one run. Nothing when it is not under way. It does not come back after a crash.
    ///
    /// # Errors
    /// The run belongs to another session.
    pub async fn stop_run(
        &self,
        key: &SessionKey,
        run: &RunId,
        cause: AbortCause,
    ) -> Result<bool, WrongSession> {
        let Some(submissions) = self.0.stop_one(key, run, cause)? else { return Ok(false) };
        self.0.withdraw(submissions).await;
        Ok(true)
    }

    /// Stops one run that nobody waits for any more. Nothing when it is not under way.
    ///
    /// # Errors
    /// The run belongs to another session.
    pub fn abandon(&self, key: &SessionKey, run: &RunId) -> Result<(), WrongSession> {
        let Some(submissions) = self.0.stop_one(key, run, AbortCause::Request)? else { return Ok(()) };
        let flow = Arc::clone(&self.0);
        self.0.parts.tasks.start("abandoned run", async move { flow.withdraw(submissions).await });
        Ok(())
    }

    /// How a run ended; nothing when it had not by then, or nobody knows it.
    pub async fn wait(&self, run: &RunId, patience: Duration) -> Option<EndedRun> {
        let clock = self.0.parts.clock.as_ref();
        match self.0.runs.state(run) {
            RunState::Ended(ended) => Some(ended),
            RunState::Active(mut end) => {
                let deadline = Deadline::after(clock, patience);
                let waited = deadline.bound(clock, end.wait_for(Option::is_some)).await;
                waited.ok()?.ok()?.clone()
            }
            RunState::Unknown => {
                clock.sleep(patience).await;
                None
            }
        }
    }

    /// What came of a run that is under way or ended lately. Waits for its end.
    pub async fn outcome(&self, run: &RunId) -> Option<EndedRun> {
        match self.0.runs.state(run) {
            RunState::Ended(ended) => Some(ended),
            RunState::Active(mut end) => end.wait_for(Option::is_some).await.ok()?.clone(),
            RunState::Unknown => None,
        }
    }

    /// How a session stands.
    #[must_use]
    pub fn session_state(&self, key: &SessionKey) -> SessionState {
        self.0.queues.state(key)
    }

    /// Tells those who show it that something happened outside of the flow.
    pub fn announce(&self, notice: &FlowEvent) {
        self.0.audience.tell(notice);
    }

    /// How many submissions are being answered or wait.
    #[must_use]
    pub fn busy(&self) -> usize {
        self.0.runs.count()
    }

    /// What is held in memory for submissions that are not dealt with.
    #[must_use]
    pub fn held(&self) -> HeldSubmissions {
        let queues = self.0.queues.held();
        let (submissions, bytes) = self.0.pipelines.held();
        HeldSubmissions {
            submissions: queues.submissions + submissions,
            bytes: queues.bytes + bytes,
            ..queues
        }
    }

    /// The sessions in which something is under way or waits.
    #[must_use]
    pub fn busy_sessions(&self) -> Vec<SessionKey> {
        self.0.queues.keys()
    }

    /// Tells the agent of a session something with the next message.
    pub fn note(&self, key: &SessionKey, line: &str) {
        self.0.notes.add(key, line, self.0.now());
    }

    /// Tells the agent of a session that a background command ended, and wakes it when it rests: nobody else would.
    pub fn command_ended(&self, key: &SessionKey, line: &str) {
        wake::command_ended(&self.0, key, line);
    }

    /// What waits to be told to the agent of a session.
    #[must_use]
    pub fn notes(&self, key: &SessionKey) -> Vec<String> {
        self.0.notes.waiting(key)
    }

    /// Knows sessions.
    #[must_use]
    pub fn sessions(&self) -> &Sessions {
        &self.0.parts.sessions
    }

    /// Makes answers.
    #[must_use]
    pub fn agent(&self) -> &Agent {
        &self.0.parts.agent
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.0
    }

    pub(crate) fn of(inner: &Arc<Inner>) -> Self {
        Self(Arc::clone(inner))
    }
}

/// What is stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Whose {
    /// What the session does itself.
    Session,
    /// That, and everything it asked sub-agents for.
    SessionAndSubagents,
}

/// A session that was stopped was not still in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("something is still under way in the session; try again in a moment")]
pub struct StillBusy;

/// The run belongs to another session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("runId does not match sessionKey")]
pub struct WrongSession;

impl Inner {
    pub(crate) fn now(&self) -> UnixMillis {
        self.parts.clock.now()
    }

    pub(crate) fn settings(&self) -> Arc<Config> {
        (self.parts.settings)()
    }

    /// Waits until what came before a crash goes on.
    pub(crate) async fn may_take(&self) {
        // The sender lives as long as this, so waiting ends by a change alone.
        if self.held.subscribe().wait_for(|held| !held).await.is_err() {
            tracing::error!(subsystem = "flow", "nobody says any more whether the flow is held");
        }
    }

    /// What holds for messages of platforms at the moment.
    pub(crate) fn rules(&self) -> Arc<Rules> {
        self.rule_book.of(self.settings())
    }

    /// The short names of models.
    pub(crate) fn model_aliases(&self) -> Vec<String> {
        let config = self.settings();
        config.models.allowed.iter().filter_map(|model| model.alias.clone()).collect()
    }

    /// What sessions show of their tools where they do not say.
    pub(crate) fn usual_verbose(&self) -> Verbose {
        use openclaw_config::sections::VerboseLevel;
        let config = self.settings();
        let defaults = config.raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
        match defaults.and_then(|defaults| defaults.verbose_default) {
            Some(VerboseLevel::On) => Verbose::On,
            Some(VerboseLevel::Full) => Verbose::Full,
            Some(VerboseLevel::Off) | None => Verbose::Off,
        }
    }
}
