//! A gateway's heart without sockets: what outlives a process is the machine, what does not is a life on it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use openclaw_flow::{
    Author, CommandHandles, Flow, FlowError, FlowEvent, Observer, Rank, SessionTools, Submission,
    SubmissionOptions, Submitted,
};
use openclaw_ports::model::{ModelFacts, Prices};
use openclaw_ports::stores::{Inbox, SessionStore, StoredEntry};
use openclaw_ports::{Clock, TaskScope};
use openclaw_providers::Gate;
use openclaw_stores::memory::{
    MemoryInbox, MemoryOutbox, MemorySenderStore, MemorySessionStore, MemorySubagentStore, MemoryUsageLedger,
};
use openclaw_testkit::{FakePlatform, SimClock};
use openclaw_types::{AbortCause, RunEnding, RunEvent};
use serde_json::{Value, json};

use crate::crash_plan::{CrashPlan, CrashingStore};
use crate::file::File;
use crate::heart::{self, HeartParts, OneKey, channel_accounts, heart, model, vendor};
pub(crate) use crate::heart::{MAIN, messages, session_key, short};
use crate::props::{OnePicture, door, session_tools, tools};
use crate::scripted_model::ScriptedModel;

/// How far time moves in one go, and how long it must be quiet.
pub(crate) const MOMENT: Duration = Duration::from_millis(10);
/// How many moments are waited for anything.
const PATIENCE: usize = 50_000;
const DEBOUNCE_MILLIS: u64 = 20;

/// What outlives a process.
pub(crate) struct Machine {
    pub(crate) sessions: Arc<MemorySessionStore>,
    pub(crate) inbox: Arc<MemoryInbox>,
    pub(crate) subagents: Arc<MemorySubagentStore>,
    pub(crate) outbox: Arc<MemoryOutbox>,
    pub(crate) senders: Arc<MemorySenderStore>,
    pub(crate) platform: FakePlatform,
    pub(crate) clock: Arc<SimClock>,
    /// What tools changed, in order.
    pub(crate) deeds: Arc<Mutex<Vec<String>>>,
    /// The system prompts that the model was given, call by call.
    pub(crate) systems: Arc<Mutex<Vec<Vec<String>>>>,
    pub(crate) home: tempfile::TempDir,
}

impl Machine {
    pub(crate) fn new() -> Arc<Self> {
        let clock = Arc::new(SimClock::new());
        Arc::new(Self {
            sessions: Arc::default(),
            inbox: Arc::new(MemoryInbox::new(clock.clone())),
            subagents: Arc::default(),
            outbox: Arc::default(),
            senders: Arc::default(),
            platform: FakePlatform::new(),
            clock,
            deeds: Arc::default(),
            systems: Arc::default(),
            home: tempfile::tempdir().unwrap(),
        })
    }

    pub(crate) fn deeds(&self) -> Vec<String> {
        self.deeds.lock().unwrap().clone()
    }

    /// The last system prompt that the model was given.
    pub(crate) fn system(&self) -> Vec<String> {
        self.systems.lock().unwrap().last().cloned().unwrap_or_default()
    }

    /// The current branch of a session.
    pub(crate) async fn branch(&self, key: &str) -> Vec<StoredEntry> {
        heart::branch(&*self.sessions, key).await
    }

    /// The messages of a session, one short line for each.
    pub(crate) async fn transcript(&self, key: &str) -> Vec<String> {
        messages(&self.branch(key).await).map(short).collect()
    }
}

/// One life on a machine.
pub(crate) struct World {
    pub(crate) machine: Arc<Machine>,
    pub(crate) flow: Flow,
    pub(crate) file: Arc<File>,
    pub(crate) told: Arc<Told>,
    /// Where the tool `held` waits.
    pub(crate) gate: Gate,
    /// What the tools about sessions speak to.
    pub(crate) desk: SessionTools,
    /// Everything of this life hangs here.
    pub(crate) tasks: TaskScope,
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(json!({})).await
    }

    /// A world with settings of its own under `messages.queue`.
    pub(crate) async fn queue(queue: Value) -> Self {
        Self::with(json!({ "messages": { "queue": queue } })).await
    }

    pub(crate) async fn with(config: Value) -> Self {
        Self::open(Machine::new(), config, CrashPlan::never()).await
    }

    /// A life that begins on a machine. Nothing is resumed until `recover`.
    pub(crate) async fn open(machine: Arc<Machine>, file: Value, crash_plan: Arc<CrashPlan>) -> Self {
        let file = File::new(with_defaults(file));
        let settings = file.settings();
        let clock: Arc<dyn Clock> = machine.clock.clone();
        let store: Arc<dyn SessionStore> =
            Arc::new(CrashingStore { store: machine.sessions.clone(), crash_plan: crash_plan.clone() });
        let inbox: Arc<dyn Inbox> =
            Arc::new(CrashingStore { store: machine.inbox.clone(), crash_plan: crash_plan.clone() });
        let gate = Gate::new();
        let desk = SessionTools::unbound();
        let mut all = tools(&machine.deeds, &gate, &crash_plan);
        all.extend(session_tools(&desk, &settings, &clock));
        let tasks = TaskScope::root("life");
        let channels = channel_accounts(vec![machine.platform.kind()], &clock, &tasks, machine.home.path());
        let flow = heart(HeartParts {
            settings: &settings,
            home: machine.home.path(),
            clock: Arc::clone(&clock),
            tasks: tasks.clone(),
            store,
            inbox,
            subagents: Arc::new(CrashingStore {
                store: machine.subagents.clone(),
                crash_plan: crash_plan.clone(),
            }),
            ledger: Arc::new(MemoryUsageLedger::default()),
            vendors: vec![vendor("local", vec![model("tiny", 1_000_000), dear()])],
            unlisted: |_, _| None,
            key: OneKey("local:1"),
            line: Arc::new(ScriptedModel { clock, told: machine.systems.clone() }),
            tools: all,
            handles: CommandHandles {
                web: Some(Arc::new(OnePicture)),
                files: Some(Arc::new(door(machine.home.path()))),
                control: Some(file.clone()),
                ..CommandHandles::default()
            },
            channels,
            outbox: Arc::new(CrashingStore { store: machine.outbox.clone(), crash_plan: crash_plan.clone() }),
            senders: machine.senders.clone(),
        })
        .await;
        let told = Arc::new(Told::default());
        flow.attach(told.clone());
        desk.bind(&flow);
        Self { machine, flow, file, told, gate, desk, tasks }
    }

    /// A submission of the owner in the web chat.
    pub(crate) fn submission(&self, key: &str, run: &str, text: &str) -> Submission {
        let owner = Author { standing: Rank::Owner, ..Author::default() };
        let mut submission = heart::submission((key, run), text, owner, self.machine.clock.now());
        submission.options = SubmissionOptions {
            cwd: Some(self.machine.home.path().display().to_string()),
            ..SubmissionOptions::default()
        };
        submission
    }

    pub(crate) async fn submit(&self, submission: Submission) -> Result<Submitted, FlowError> {
        self.flow.submit(submission).await
    }

    /// Says something in the main session.
    pub(crate) async fn say(&self, run: &str, text: &str) -> Submitted {
        self.say_in(MAIN, run, text).await
    }

    pub(crate) async fn say_in(&self, key: &str, run: &str, text: &str) -> Submitted {
        self.submit(self.submission(key, run, text)).await.unwrap()
    }

    /// Says something that keeps its run busy until the gate opens.
    pub(crate) async fn keep_busy(&self, run: &str) {
        let before = self.gate.arrived();
        self.say(run, &format!("#{run} hold:{run}")).await;
        self.until(|| self.gate.arrived() > before).await;
    }

    /// Waits until every submission is dealt with.
    pub(crate) async fn quiet(&self) {
        self.until(|| self.flow.busy() == 0).await;
        // The last entry in the inbox is made behind the notice.
        self.machine.clock.advance(MOMENT).await;
    }

    /// Waits for something while time goes by. Files are read on other threads, so turns alone are not enough.
    pub(crate) async fn until(&self, done: impl Fn() -> bool) {
        for _ in 0..PATIENCE {
            if done() {
                return;
            }
            self.machine.clock.advance(MOMENT).await;
        }
        panic!("nothing happens any more; told so far: {:#?}", self.told());
    }

    /// Waits until something was told.
    pub(crate) async fn hear(&self, line: &str) {
        self.until(|| self.told.lines().iter().any(|told| told == line)).await;
    }

    pub(crate) fn told(&self) -> Vec<String> {
        self.told.lines()
    }

    pub(crate) async fn transcript(&self) -> Vec<String> {
        self.machine.transcript(MAIN).await
    }

    /// Submissions of the inbox that are not dealt with.
    pub(crate) async fn open_letters(&self) -> usize {
        self.machine.inbox.open_messages().await.unwrap().len()
    }
}

/// The run whose steps cannot be told.
pub(crate) const BREAKS: &str = "breaks";

/// What was told, one short line for each notice; of steps, only the end.
#[derive(Default)]
pub(crate) struct Told(Mutex<Vec<String>>);

impl Told {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Observer for Told {
    fn notice(&self, notice: &FlowEvent) {
        let line = match notice {
            FlowEvent::Step(step) if step.run.as_str() == BREAKS => panic!("a run that we fail at"),
            FlowEvent::Step(step) => match &step.event {
                RunEvent::Ended(end) => format!("{} {}", step.run, ending(&end.how)),
                _ => return,
            },
            FlowEvent::Answered { run, text, .. } => format!("{run} says {}", text.as_deref().unwrap_or("-")),
            FlowEvent::Joined { run, .. } => format!("{run} joined"),
            FlowEvent::Stopped { run, cause, .. } => format!("{run} stopped {}", cause.as_str()),
            FlowEvent::Failed { run, message, .. } => format!("{run} failed: {message}"),
            FlowEvent::Injected { text, .. } => format!("injected {text}"),
        };
        self.0.lock().unwrap().push(line);
    }
}

fn ending(how: &RunEnding) -> String {
    match how {
        RunEnding::Answered => "answered".to_owned(),
        RunEnding::Aborted(cause) => format!("aborted {}", cause.as_str()),
        RunEnding::Failed { message } => format!("failed: {message}"),
    }
}

/// A model of which one call costs a dollar at worst.
fn dear() -> ModelFacts {
    let prices = Some(Prices { output: 1_000.0, ..Prices::default() });
    ModelFacts { prices, ..model("dear", 1_000_000) }
}

pub(crate) fn by_request() -> AbortCause {
    AbortCause::Request
}

fn with_defaults(mut file: Value) -> Value {
    if file["agents"]["defaults"]["model"].is_null() {
        file["agents"]["defaults"]["model"] = json!("local/tiny");
    }
    if file["messages"]["queue"]["debounceMs"].is_null() {
        file["messages"]["queue"]["debounceMs"] = json!(DEBOUNCE_MILLIS);
    }
    file
}
