//! A gateway's heart without sockets: what outlives a process is the ground, what does not is a life on it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_agent::{Agent, AgentParts, Models, ModelsParts, Surroundings, Zone};
use openclaw_config::{Config, Context, Environment, Locations, Overrides, ProfileChoice};
use openclaw_flow::{
    Author, CommandHandles, Flow, FlowError, FlowParts, Letter, Notice, Observer, Rank, SessionTools,
    Submitted, Surface, Wishes,
};
use openclaw_ports::model::{
    Access, ApiName, Compatibility, CredentialKind, CredentialOrigin, Credentials, ModelCatalog, ModelFacts,
    ModelFault, ProfileFacts, ProviderFacts, ProviderOrigin, Reach as Range, SignIn,
};
use openclaw_ports::stores::{BranchQuery, Inbox, Reach, SessionStore, StateStore, StoreError, StoredEntry};
use openclaw_ports::{Clock, TaskScope};
use openclaw_providers::Gate;
use openclaw_session::{Journal, SessionParts, Sessions};
use openclaw_stores::memory::{
    MemoryHealthStore, MemoryInbox, MemoryProfileStore, MemorySessionStore, MemoryStateStore,
    MemorySubagentStore, MemoryUsageLedger,
};
use openclaw_testkit::SimClock;
use openclaw_types::{
    AbortCause, AgentId, AuthProfileId, EntryBody, LineRecord, Message, ProviderId, RunEnding, RunEvent,
    RunId, SessionKey,
};
use serde_json::{Value, json};

use crate::brain::Brain;
use crate::props::{session_tools, tools};
use crate::reaper::{Mortal, Reaper};

/// How far time moves in one go, and how long it must be quiet.
pub(crate) const MOMENT: Duration = Duration::from_millis(10);
/// How many moments are waited for anything.
const PATIENCE: usize = 50_000;
const DEBOUNCE_MILLIS: u64 = 20;

/// What outlives a process.
pub(crate) struct Ground {
    pub(crate) sessions: Arc<MemorySessionStore>,
    pub(crate) inbox: Arc<MemoryInbox>,
    pub(crate) state: Arc<MemoryStateStore>,
    pub(crate) subagents: Arc<MemorySubagentStore>,
    pub(crate) clock: Arc<SimClock>,
    /// What tools changed, in order.
    pub(crate) deeds: Arc<Mutex<Vec<String>>>,
    pub(crate) home: tempfile::TempDir,
}

impl Ground {
    pub(crate) fn new() -> Arc<Self> {
        let clock = Arc::new(SimClock::new());
        Arc::new(Self {
            sessions: Arc::default(),
            inbox: Arc::new(MemoryInbox::new(clock.clone())),
            state: Arc::default(),
            subagents: Arc::default(),
            clock,
            deeds: Arc::default(),
            home: tempfile::tempdir().unwrap(),
        })
    }

    pub(crate) fn deeds(&self) -> Vec<String> {
        self.deeds.lock().unwrap().clone()
    }

    /// The current branch of a session.
    pub(crate) async fn branch(&self, key: &str) -> Vec<StoredEntry> {
        let agent = AgentId::main();
        let Some(entry) = self.sessions.entry(&agent, &key.parse().unwrap()).await.unwrap() else {
            return Vec::new();
        };
        let query = BranchQuery { agent, session: entry.session_id, leaf: None, reach: Reach::Whole };
        self.sessions.branch(query).await.unwrap()
    }

    /// The messages of a session, one short line for each.
    pub(crate) async fn transcript(&self, key: &str) -> Vec<String> {
        messages(&self.branch(key).await).map(short).collect()
    }
}

/// One life on a ground.
pub(crate) struct World {
    pub(crate) ground: Arc<Ground>,
    pub(crate) flow: Flow,
    pub(crate) told: Arc<Told>,
    /// Where the tool `held` waits.
    pub(crate) gate: Gate,
    /// What the tools about sessions speak to.
    pub(crate) desk: SessionTools,
}

pub(crate) const MAIN: &str = "agent:main:main";

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(json!({})).await
    }

    /// A world with settings of its own under `messages.queue`.
    pub(crate) async fn queue(queue: Value) -> Self {
        Self::with(json!({ "messages": { "queue": queue } })).await
    }

    pub(crate) async fn with(config: Value) -> Self {
        Self::open(Ground::new(), config, Reaper::never()).await
    }

    /// A life that begins on a ground. Nothing is gone on with until `recover`.
    pub(crate) async fn open(ground: Arc<Ground>, file: Value, reaper: Arc<Reaper>) -> Self {
        let config = Arc::new(config(file));
        let settings: Arc<dyn Fn() -> Arc<Config> + Send + Sync> = Arc::new(move || Arc::clone(&config));
        let clock: Arc<dyn Clock> = ground.clock.clone();
        let tasks = TaskScope::root("life");
        let models = models(&settings, &clock, &tasks).await;
        let store: Arc<dyn SessionStore> =
            Arc::new(Mortal { store: ground.sessions.clone(), reaper: reaper.clone() });
        let inbox: Arc<dyn Inbox> = Arc::new(Mortal { store: ground.inbox.clone(), reaper: reaper.clone() });
        let state: Arc<dyn StateStore> =
            Arc::new(Mortal { store: ground.state.clone(), reaper: reaper.clone() });
        let journal = Arc::new(Journal::new(Arc::clone(&store), Arc::clone(&clock)));
        let sessions = Sessions::new(SessionParts {
            store: Arc::clone(&store),
            journal: Arc::clone(&journal),
            settings: Arc::clone(&settings),
            clock: Arc::clone(&clock),
            zone: openclaw_session::Zone::named("UTC").unwrap(),
        });
        let gate = Gate::new();
        let desk = SessionTools::unbound();
        let mut all = tools(&ground.deeds, &gate, &reaper);
        all.extend(session_tools(&desk, &settings, &clock));
        let agent = Agent::open(AgentParts {
            models: models.clone(),
            sessions: Arc::clone(&store),
            journal,
            tools: all,
            settings: Arc::clone(&settings),
            surroundings: surroundings(ground.home.path()),
            clock: Arc::clone(&clock),
            tasks: tasks.child("runs"),
        });
        let tasks = tasks.child("flow");
        let flow = Flow::open(FlowParts {
            agent,
            models,
            sessions,
            store,
            inbox,
            state,
            subagents: Arc::new(Mortal { store: ground.subagents.clone(), reaper }),
            settings,
            handles: CommandHandles::default(),
            clock,
            tasks,
        });
        let told = Arc::new(Told::default());
        flow.attach(told.clone());
        desk.bind(&flow);
        Self { ground, flow, told, gate, desk }
    }

    /// A letter of the owner in the web chat.
    pub(crate) fn letter(&self, key: &str, run: &str, text: &str) -> Letter {
        Letter {
            run: RunId::new(run).unwrap(),
            agent: AgentId::main(),
            key: key.parse().unwrap(),
            raw_key: key.to_owned(),
            surface: Surface::Webchat,
            text: text.to_owned(),
            pictures: Vec::new(),
            at: self.ground.clock.now(),
            from: Author { standing: Rank::Owner, ..Author::default() },
            provenance: None,
            wishes: Wishes { cwd: Some(self.ground.home.path().display().to_string()), ..Wishes::default() },
        }
    }

    pub(crate) async fn submit(&self, letter: Letter) -> Result<Submitted, FlowError> {
        self.flow.submit(letter).await
    }

    /// Says something in the main session.
    pub(crate) async fn say(&self, run: &str, text: &str) -> Submitted {
        self.say_in(MAIN, run, text).await
    }

    pub(crate) async fn say_in(&self, key: &str, run: &str, text: &str) -> Submitted {
        self.submit(self.letter(key, run, text)).await.unwrap()
    }

    /// Says something that keeps its run busy until the gate opens.
    pub(crate) async fn keep_busy(&self, run: &str) {
        let before = self.gate.arrived();
        self.say(run, &format!("#{run} hold:{run}")).await;
        self.until(|| self.gate.arrived() > before).await;
    }

    /// Waits until every letter is dealt with.
    pub(crate) async fn quiet(&self) {
        self.until(|| self.flow.busy() == 0).await;
        // The last entry in the inbox is made behind the notice.
        self.ground.clock.advance(MOMENT).await;
    }

    /// Waits for something while time goes by. Files are read on other threads, so turns alone are not enough.
    pub(crate) async fn until(&self, done: impl Fn() -> bool) {
        for _ in 0..PATIENCE {
            if done() {
                return;
            }
            self.ground.clock.advance(MOMENT).await;
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
        self.ground.transcript(MAIN).await
    }

    /// Letters of the inbox that are not dealt with.
    pub(crate) async fn open_letters(&self) -> usize {
        self.ground.inbox.open_messages().await.unwrap().len()
    }
}

/// What was told, one short line for each notice; of steps, only the end.
#[derive(Default)]
pub(crate) struct Told(Mutex<Vec<String>>);

impl Told {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }
}

impl Observer for Told {
    fn notice(&self, notice: &Notice) {
        let line = match notice {
            Notice::Step(step) => match &step.event {
                RunEvent::Ended(end) => format!("{} {}", step.run, ending(&end.how)),
                _ => return,
            },
            Notice::Answered { run, text, .. } => format!("{run} says {}", text.as_deref().unwrap_or("-")),
            Notice::Joined { run, .. } => format!("{run} joined"),
            Notice::Stopped { run, cause, .. } => format!("{run} stopped {}", cause.as_str()),
            Notice::Failed { run, message, .. } => format!("{run} failed: {message}"),
            Notice::Injected { text, .. } => format!("injected {text}"),
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

/// The messages of a branch.
pub(crate) fn messages(branch: &[StoredEntry]) -> impl Iterator<Item = &Message> {
    branch.iter().filter_map(|stored| match &stored.line.record {
        LineRecord::Entry(entry) => match &entry.body {
            EntryBody::Message(message) => Some(message),
            _ => None,
        },
        _ => None,
    })
}

pub(crate) fn short(message: &Message) -> String {
    match message {
        Message::User(_) => format!("user: {}", message.plain_text()),
        Message::Assistant(_) => format!("assistant: {}", message.plain_text()),
        Message::ToolResult(result) => format!("{}: {}", result.tool, message.plain_text()),
        other => format!("{other:?}"),
    }
}

pub(crate) fn session_key(text: &str) -> SessionKey {
    text.parse().unwrap()
}

pub(crate) fn by_request() -> AbortCause {
    AbortCause::Request
}

fn surroundings(home: &std::path::Path) -> Surroundings {
    Surroundings {
        state_dir: home.join("state"),
        home: home.to_path_buf(),
        profile: None,
        host: "box".to_owned(),
        system: "linux (x64)".to_owned(),
        shell: "sh".to_owned(),
        version: "0".to_owned(),
    }
}

fn config(mut file: Value) -> Config {
    file["agents"]["defaults"]["model"] = json!("local/tiny");
    if file["messages"]["queue"]["debounceMs"].is_null() {
        file["messages"]["queue"]["debounceMs"] = json!(DEBOUNCE_MILLIS);
    }
    let environment = Environment::fake([("A", "b")], "/home/ana");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    Config::resolve(serde_json::from_value(file).unwrap(), &context).0
}

async fn models(
    settings: &Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
    clock: &Arc<dyn Clock>,
    tasks: &TaskScope,
) -> Models {
    let provider = ProviderFacts {
        id: ProviderId::new("local").unwrap(),
        name: "local".to_owned(),
        origin: ProviderOrigin::BuiltIn,
        reach: Range::Anywhere,
        sign_in: SignIn::Nothing,
        key_variables: Vec::new(),
        endpoint: None,
        models: vec![ModelFacts {
            id: "tiny".to_owned(),
            name: "tiny".to_owned(),
            api: ApiName::OpenaiCompletions,
            base_url: "http://models.example".to_owned(),
            context_window: 1_000_000,
            max_output_tokens: 1_000,
            sees_images: false,
            thinking: Vec::new(),
            prices: None,
            headers: BTreeMap::new(),
            compatibility: Compatibility::default(),
        }],
    };
    let catalog = Arc::new(ModelCatalog { providers: BTreeMap::from([(provider.id.clone(), provider)]) });
    Models::open(ModelsParts {
        settings: Arc::clone(settings),
        catalog: Arc::new(move || Arc::clone(&catalog)),
        unlisted: Arc::new(|_, _| None),
        credentials: Arc::new(OneKey),
        profiles: Arc::new(MemoryProfileStore::default()),
        line: Arc::new(Brain { clock: Arc::clone(clock) }),
        health: Arc::new(MemoryHealthStore::default()),
        ledger: Arc::new(MemoryUsageLedger::default()),
        clock: Arc::clone(clock),
        tasks: tasks.child("models"),
        zone: Zone::utc(),
    })
    .await
    .unwrap()
}

/// One key that always opens.
struct OneKey;

#[async_trait]
impl Credentials for OneKey {
    async fn profiles(&self, _: &AgentId, _: &ProviderId) -> Result<Vec<ProfileFacts>, StoreError> {
        Ok(vec![ProfileFacts {
            id: AuthProfileId::new("local:1").unwrap(),
            provider: ProviderId::new("local").unwrap(),
            kind: CredentialKind::ApiKey,
            origin: CredentialOrigin::Stored,
            email: None,
            expires: None,
        }])
    }

    async fn unlock(&self, _: &AgentId, _: &ProfileFacts) -> Result<Access, ModelFault> {
        Ok(Access::default())
    }

    async fn refused(&self, _: &AgentId, _: &ProfileFacts, _: &Access) {}
}
