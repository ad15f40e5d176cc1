//! The face of the spine: takes letters, stops runs, waits for them.
//!
//! Holds what the stages share and decides nothing itself. One for the whole process; cloning is cheap.

use std::sync::Arc;
use std::time::Duration;

use openclaw_agent::{Agent, Models, RunOutcome};
use openclaw_config::{Config, LaneLimits, QueueSettings, SendVerdict};
use openclaw_inbound::queue::session_choices;
use openclaw_ports::stores::{Inbox, InboxEnd, InboxId, SessionStore, StateStore, SubagentStore};
use openclaw_ports::{Clock, Deadline, TaskScope};
use openclaw_session::{RunCounts, SendCase, Sessions, send_verdict};
use openclaw_types::{AbortCause, RunId, SessionKey, UnixMillis};
use tokio::sync::oneshot;

use crate::commands::CommandHandles;
use crate::directives::{Asked, Prompted, ask, is_abort};
use crate::doors::Doors;
use crate::enqueue::{self, Desks, SessionState, enqueue};
use crate::error::FlowError;
use crate::intake::{Accepted, Arrival, accept};
use crate::lanes::Hall;
use crate::letter::{Letter, WEBCHAT};
use crate::notes::Notes;
use crate::publish::{Audience, Notice, Observer, Verbose};
use crate::runs::{Ended, RunState, Runs};
use crate::subagents::{self, Book};
use crate::{carry, recover, wake};

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
    /// Keeps letters.
    pub inbox: Arc<dyn Inbox>,
    /// Keeps small things.
    pub state: Arc<dyn StateStore>,
    /// Keeps sub-agents.
    pub subagents: Arc<dyn SubagentStore>,
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
    pub(crate) desks: Desks,
    pub(crate) hall: Hall,
    pub(crate) notes: Notes,
    pub(crate) audience: Audience,
    doors: Doors,
    pub(crate) book: Book,
}

/// What became of a letter.
#[derive(Debug, Clone, PartialEq)]
pub enum Submitted {
    /// It was accepted, and will be answered.
    Started,
    /// It was accepted before, and is being answered.
    InFlight,
    /// It was accepted before, and was answered. How, where this process knows.
    Ended(Option<Ended>),
    /// It asked to stop; these runs were.
    Stopped(Vec<RunId>),
}

impl Flow {
    /// Puts the flow together. Letters that an earlier process accepted wait until `recover`.
    #[must_use]
    pub fn open(parts: FlowParts) -> Self {
        let limits = LaneLimits::resolve(&(parts.settings)().raw);
        Self(Arc::new(Inner {
            parts,
            runs: Runs::default(),
            desks: Desks::default(),
            hall: Hall::new(limits),
            notes: Notes::default(),
            audience: Audience::default(),
            doors: Doors::default(),
            book: Book::default(),
        }))
    }

    /// Signs up whoever shows what happens. Once, before the first letter.
    pub fn attach(&self, observer: Arc<dyn Observer>) {
        self.0.audience.attach(observer);
    }

    /// Goes on with what a crash cut off. Once, at start, after `attach`.
    ///
    /// # Errors
    /// The stores cannot be read.
    pub async fn recover(&self) -> Result<recover::Recovered, FlowError> {
        recover::recover(&self.0).await
    }

    /// Takes a letter. When this gives `Started`, the letter survives a crash and will be answered once.
    ///
    /// # Errors
    /// It was not taken; nothing of it was kept.
    pub async fn submit(&self, letter: Letter) -> Result<Submitted, FlowError> {
        let flow = &self.0;
        if is_abort(flow, &letter) {
            let stopped = self.stop(&letter.key, AbortCause::Word);
            self.stop_subagents(&letter.key).await;
            return Ok(Submitted::Stopped(stopped));
        }
        flow.check_send(&letter).await?;
        // A sender may leave at any moment; what is accepted goes its way all the same.
        let (tell, told) = oneshot::channel();
        let taking = Arc::clone(flow);
        flow.parts.tasks.start("letter", async move {
            if tell.send(taking.take(letter).await).is_err() {
                tracing::debug!("the sender of a message left before it was taken");
            }
        });
        told.await.unwrap_or_else(|_gone| Err(FlowError::Busy("the gateway stops; try again".to_owned())))
    }

    /// Stops what a session is doing and takes back what waits. Gives the letters that were stopped.
    pub fn stop(&self, key: &SessionKey, cause: AbortCause) -> Vec<RunId> {
        let runs: Vec<RunId> = self.0.runs.of_session(key).into_iter().map(|(run, _)| run).collect();
        enqueue::stop(&self.0, key, cause);
        // Those that are on their way to the queue never get there.
        for run in &runs {
            self.0.runs.stop(run, cause);
        }
        runs
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

    /// Stops one run. Nothing when it is not under way.
    ///
    /// # Errors
    /// The run belongs to another session.
    pub fn stop_run(&self, key: &SessionKey, run: &RunId, cause: AbortCause) -> Result<bool, WrongSession> {
        match self.0.runs.session_of(run) {
            Some(session) if session != *key => Err(WrongSession),
            Some(_) => {
                let stopped = self.0.runs.stop(run, cause);
                enqueue::withdraw(&self.0, key, run);
                Ok(stopped)
            }
            None => Ok(false),
        }
    }

    /// How a run ended; nothing when it had not by then, or nobody knows it.
    pub async fn wait(&self, run: &RunId, patience: Duration) -> Option<Ended> {
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
    pub async fn outcome(&self, run: &RunId) -> Option<Ended> {
        match self.0.runs.state(run) {
            RunState::Ended(ended) => Some(ended),
            RunState::Active(mut end) => end.wait_for(Option::is_some).await.ok()?.clone(),
            RunState::Unknown => None,
        }
    }

    /// How a session stands.
    #[must_use]
    pub fn session_state(&self, key: &SessionKey) -> SessionState {
        self.0.desks.state(key)
    }

    /// Tells those who show it that something happened outside of the flow.
    pub fn announce(&self, notice: &Notice) {
        self.0.audience.tell(notice);
    }

    /// How many letters are being answered or wait.
    #[must_use]
    pub fn busy(&self) -> usize {
        self.0.runs.count()
    }

    /// The sessions in which something is under way or waits.
    #[must_use]
    pub fn busy_sessions(&self) -> Vec<SessionKey> {
        self.0.desks.keys()
    }

    /// Tells the agent of a session something with the next message.
    pub fn note(&self, key: &SessionKey, line: &str) {
        self.0.notes.add(key, line);
    }

    /// Tells the agent of a session that a background command ended, and wakes it when it rests: nobody else would.
    pub fn command_ended(&self, key: &SessionKey, line: &str) {
        let flow = Arc::clone(&self.0);
        let (key, line) = (key.clone(), line.to_owned());
        self.0.parts.tasks.start("exit notice", async move { wake::command_ended(&flow, &key, &line).await });
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

    /// Accepts a letter and sends it on its way.
    async fn take(self: &Arc<Self>, letter: Letter) -> Result<Submitted, FlowError> {
        // From the door to the queue one letter of a session at a time, so that they are answered in the order they came.
        let _turn = self.doors.turn(&letter.key).await;
        match accept(self, letter).await? {
            Arrival::New(accepted) => {
                self.go_on(*accepted).await;
                Ok(Submitted::Started)
            }
            Arrival::InFlight => Ok(Submitted::InFlight),
            Arrival::Ended(ended) => Ok(Submitted::Ended(ended)),
        }
    }

    /// The next stage of a letter that was accepted.
    pub(crate) async fn go_on(self: &Arc<Self>, accepted: Accepted) {
        match ask(self, accepted) {
            Asked::Answer(prompted, shortcuts) => {
                carry::shortcuts(self, &prompted, &shortcuts).await;
                self.queue(*prompted).await;
            }
            Asked::Carry(accepted, reading) => {
                let flow = Arc::clone(self);
                self.parts
                    .tasks
                    .start("command", async move { carry::carry(&flow, *accepted, *reading).await });
            }
        }
    }

    /// Lets a letter for the model wait, join or begin.
    pub(crate) async fn queue(self: &Arc<Self>, prompted: Prompted) {
        let letter = prompted.letter();
        let facts = match self.parts.sessions.entry(&letter.key).await {
            Ok(entry) => entry.map(|entry| entry.facts).unwrap_or_default(),
            Err(error) => {
                // The run will meet the same trouble and tell it; the queue goes by the configuration until then.
                tracing::warn!(subsystem = "flow", %error, "a session could not be read");
                openclaw_types::SessionFacts::default()
            }
        };
        let channel = letter.from.channel.as_ref().map_or(WEBCHAT, |channel| channel.as_str());
        let settings = QueueSettings::resolve(&self.settings().raw, Some(channel), session_choices(&facts));
        enqueue(self, prompted, settings);
    }

    /// Notes that letters are dealt with. A letter that cannot be noted is answered again after a restart, and its run
    /// then finds that the answer is there.
    pub(crate) async fn finish(&self, letters: Vec<InboxId>, how: InboxEnd) {
        if let Err(error) = self.parts.inbox.finish(letters, how).await {
            tracing::error!(subsystem = "flow", %error, "a message could not be marked as dealt with");
        }
    }

    /// Writes what a run took into its session.
    pub(crate) async fn count(&self, key: &SessionKey, outcome: &RunOutcome) {
        let counts = RunCounts {
            whole: outcome.usage,
            last_call: outcome.last_call,
            model: outcome.model.clone(),
            context_window: outcome.context_window,
            // The agent counts those itself, at the moment they happen.
            compactions: 0,
            at: outcome.end.ended_at,
        };
        let aborted = matches!(outcome.end.how, openclaw_types::RunEnding::Aborted(_));
        let report = outcome.prompt_report.clone();
        let counted = self.parts.sessions.change(key, move |entry| {
            openclaw_session::count_run(entry, &counts);
            entry.facts.aborted_last_run = Some(aborted);
            entry.facts.system_sent = Some(true);
            if report.is_some() {
                entry.facts.system_prompt_report = report;
            }
        });
        if let Err(error) = counted.await {
            tracing::warn!(subsystem = "flow", %error, "what a run took could not be noted in its session");
        }
    }

    async fn check_send(&self, letter: &Letter) -> Result<(), FlowError> {
        let entry = self.parts.sessions.entry(&letter.key).await?;
        let config = self.settings();
        let channel = letter.from.channel.as_ref().map(|channel| channel.as_str());
        let case =
            SendCase { key: &letter.key, entry: entry.as_ref(), channel, chat: Some(letter.sender().chat) };
        match send_verdict(&config.session.send_policy, case) {
            SendVerdict::Allow => Ok(()),
            SendVerdict::Deny => Err(FlowError::Blocked),
        }
    }
}
