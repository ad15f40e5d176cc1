//! A flow with everything that commands need, on memory stores: vendors `alpha` (models `one` and `two`) and `beta`
//! (model `one`), a key for `alpha` alone, simulated time.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use openclaw_agent::{Agent, AgentParts, Models, ModelsParts, Surroundings, Zone};
use openclaw_config::{Config, Context, Environment, Locations, Overrides, ProfileChoice};
use openclaw_exec::{
    ApprovalDesk, ApprovalObserver, ApprovalsFile, CommandParts, Commands, DeskParts, OpenApproval, Reach,
    SettledApproval,
};
use openclaw_flow::{
    Author, CommandHandles, Flow, FlowParts, Letter, Notice, Observer, Rank, Surface, Wishes,
};
use openclaw_ports::model::{
    Access, ApiName, Compatibility, CredentialKind, CredentialOrigin, Credentials, ModelCatalog, ModelFacts,
    ModelFault, Prices, ProfileFacts, ProviderFacts, ProviderOrigin, Reach as Range, SignIn,
};
use openclaw_ports::stores::{BranchQuery, Reach as BranchReach, SessionStore, StoreError, UsageLedger};
use openclaw_ports::tool::{ControlFault, ControlRequest, GatewayControl};
use openclaw_ports::{Clock, TaskScope};
use openclaw_providers::{Script, ScriptedLine, Scripts};
use openclaw_session::{Journal, SessionParts, Sessions};
use openclaw_stores::memory::{
    MemoryAuditLedger, MemoryGrantStore, MemoryHealthStore, MemoryInbox, MemoryProfileStore,
    MemorySessionStore, MemoryStateStore, MemorySubagentStore, MemoryUsageLedger,
};
use openclaw_testkit::SimClock;
use openclaw_types::{
    AgentId, AuthProfileId, EntryBody, LineRecord, Message, ProviderId, RunId, Secret, SessionEntry,
    SessionFacts, SessionKey, ThinkingLevel,
};
use serde_json::{Value, json};

pub(crate) const MAIN: &str = "agent:main:main";
const MOMENT: Duration = Duration::from_millis(20);

pub(crate) struct World {
    pub(crate) flow: Flow,
    pub(crate) clock: Arc<SimClock>,
    pub(crate) approvals: Arc<ApprovalDesk>,
    pub(crate) control: Arc<Control>,
    pub(crate) home: tempfile::TempDir,
    store: Arc<MemorySessionStore>,
    told: Arc<Told>,
    count: Mutex<u32>,
}

/// A place to ask from, with usual rights of the owner in the web chat.
pub(crate) fn owner() -> Author {
    Author { standing: Rank::Owner, may_approve: true, ..Author::default() }
}

impl World {
    pub(crate) async fn new() -> Self {
        Self::with(json!({})).await
    }

    pub(crate) async fn with(file: Value) -> Self {
        Self::talking(file, Scripts::new().otherwise(Script::new().say("fine"))).await
    }

    pub(crate) async fn talking(mut file: Value, scripts: Scripts) -> Self {
        let home = tempfile::tempdir().unwrap();
        if file["agents"]["defaults"]["model"].is_null() {
            file["agents"]["defaults"]["model"] = json!("alpha/one");
        }
        file["agents"]["defaults"]["workspace"] = json!(home.path().join("workspace"));
        let config = Arc::new(config(file));
        let settings: Arc<dyn Fn() -> Arc<Config> + Send + Sync> = Arc::new(move || Arc::clone(&config));
        let sim = Arc::new(SimClock::new());
        let clock: Arc<dyn Clock> = sim.clone();
        let tasks = TaskScope::root("world");
        let ledger: Arc<dyn UsageLedger> = Arc::new(MemoryUsageLedger::default());
        let models = models(&settings, &clock, &tasks, ledger.clone(), scripts).await;
        let store = Arc::new(MemorySessionStore::default());
        let sessions_store: Arc<dyn SessionStore> = store.clone();
        let journal = Arc::new(Journal::new(Arc::clone(&sessions_store), Arc::clone(&clock)));
        let sessions = Sessions::new(SessionParts {
            store: Arc::clone(&sessions_store),
            journal: Arc::clone(&journal),
            settings: Arc::clone(&settings),
            clock: Arc::clone(&clock),
            zone: openclaw_session::Zone::named("UTC").unwrap(),
        });
        let agent = Agent::open(AgentParts {
            models: models.clone(),
            sessions: Arc::clone(&sessions_store),
            journal,
            tools: Vec::new(),
            settings: Arc::clone(&settings),
            surroundings: surroundings(home.path()),
            clock: Arc::clone(&clock),
            tasks: tasks.child("runs"),
        });
        let approvals = desk(&clock, &tasks);
        let control = Arc::new(Control::default());
        let flow = Flow::open(FlowParts {
            agent,
            models,
            sessions,
            store: sessions_store,
            inbox: Arc::new(MemoryInbox::new(clock.clone())),
            state: Arc::new(MemoryStateStore::default()),
            subagents: Arc::new(MemorySubagentStore::default()),
            handles: CommandHandles {
                approvals: Some(approvals.clone()),
                shell: Some(Arc::new(shell(home.path(), &settings, &clock, &tasks, &approvals))),
                control: Some(control.clone()),
                ledger: Some(ledger),
                credentials: Some(Arc::new(Keys)),
            },
            settings,
            clock,
            tasks: tasks.child("flow"),
        });
        let told = Arc::new(Told::default());
        flow.attach(told.clone());
        Self { flow, clock: sim, approvals, control, home, store, told, count: Mutex::default() }
    }

    pub(crate) fn letter(&self, text: &str, from: Author) -> Letter {
        let mut count = self.count.lock().unwrap();
        *count += 1;
        Letter {
            run: RunId::new(format!("run-{count}")).unwrap(),
            agent: AgentId::main(),
            key: key(),
            raw_key: MAIN.to_owned(),
            surface: Surface::Webchat,
            text: text.to_owned(),
            pictures: Vec::new(),
            at: self.clock.now(),
            from,
            provenance: None,
            wishes: Wishes::default(),
        }
    }

    /// What the owner hears when they write this; nothing for silence.
    pub(crate) async fn say(&self, text: &str) -> Option<String> {
        self.say_as(text, owner()).await
    }

    pub(crate) async fn say_as(&self, text: &str, from: Author) -> Option<String> {
        let letter = self.letter(text, from);
        let run = letter.run.clone();
        self.flow.submit(letter).await.unwrap();
        self.over(&run).await;
        self.told.said(&run)
    }

    /// Takes a letter and does not wait.
    pub(crate) async fn begin(&self, text: &str) -> RunId {
        let letter = self.letter(text, owner());
        let run = letter.run.clone();
        self.flow.submit(letter).await.unwrap();
        run
    }

    /// Waits until a letter is dealt with. Files and programs live on other threads, so time must go on.
    pub(crate) async fn over(&self, run: &RunId) {
        let ended = self.flow.outcome(run);
        tokio::pin!(ended);
        loop {
            tokio::select! {
                _ = &mut ended => return,
                () = self.clock.advance(MOMENT) => {}
            }
        }
    }

    /// What the owner hears; panics when it is silence.
    pub(crate) async fn answer(&self, text: &str) -> String {
        self.say(text).await.unwrap_or_else(|| panic!("no answer to {text}"))
    }

    pub(crate) async fn entry(&self) -> SessionEntry {
        self.store.entry(&AgentId::main(), &key()).await.unwrap().unwrap()
    }

    pub(crate) async fn facts(&self) -> SessionFacts {
        self.entry().await.facts
    }

    /// The messages of the session, one short line for each.
    pub(crate) async fn transcript(&self) -> Vec<String> {
        let entry = self.entry().await;
        let query = BranchQuery {
            agent: AgentId::main(),
            session: entry.session_id,
            leaf: None,
            reach: BranchReach::Whole,
        };
        let branch = self.store.branch(query).await.unwrap();
        branch.iter().filter_map(|stored| short(&stored.line.record)).collect()
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        self.flow.notes(&key())
    }
}

pub(crate) fn key() -> SessionKey {
    MAIN.parse().unwrap()
}

fn short(record: &LineRecord) -> Option<String> {
    let LineRecord::Entry(entry) = record else { return None };
    let EntryBody::Message(message) = &entry.body else { return None };
    let who = match message {
        Message::User(_) => "user",
        Message::Assistant(_) => "assistant",
        _ => "other",
    };
    Some(format!("{who}: {}", message.plain_text()))
}

/// What was answered without a run.
#[derive(Default)]
struct Told(Mutex<Vec<(RunId, Option<String>)>>);

impl Told {
    fn said(&self, run: &RunId) -> Option<String> {
        let told = self.0.lock().unwrap();
        told.iter().find(|(of, _)| of == run).and_then(|(_, text)| text.clone())
    }
}

impl Observer for Told {
    fn notice(&self, notice: &Notice) {
        if let Notice::Answered { run, text, .. } = notice {
            self.0.lock().unwrap().push((run.clone(), text.clone()));
        }
    }
}

/// A gateway that notes what it is asked and answers with a small configuration.
#[derive(Default)]
pub(crate) struct Control {
    asked: Mutex<Vec<ControlRequest>>,
}

impl Control {
    pub(crate) fn asked(&self) -> Vec<ControlRequest> {
        std::mem::take(&mut *self.asked.lock().unwrap())
    }
}

#[async_trait]
impl GatewayControl for Control {
    async fn act(&self, request: ControlRequest) -> Result<Value, ControlFault> {
        let answer = match &request {
            ControlRequest::ConfigUnset { path } if path == "nothing.here" => {
                Err(ControlFault("nothing is set at nothing.here".to_owned()))
            }
            ControlRequest::OverridesGet => Ok(json!({ "messages.queue.cap": 3 })),
            _ => Ok(
                json!({ "ok": true, "config": { "gateway": { "port": 18789 }, "ui": { "seamColor": "red" } } }),
            ),
        };
        self.asked.lock().unwrap().push(request);
        answer
    }
}

struct Silent;

impl ApprovalObserver for Silent {
    fn requested(&self, _: &OpenApproval) {}
    fn resolved(&self, _: &SettledApproval) {}
}

fn desk(clock: &Arc<dyn Clock>, tasks: &TaskScope) -> Arc<ApprovalDesk> {
    ApprovalDesk::new(DeskParts {
        clock: clock.clone(),
        tasks: tasks.child("approvals"),
        audit: Arc::new(MemoryAuditLedger::default()),
        reach: Arc::new(|_| Reach::Somebody),
        observer: Arc::new(Silent),
    })
}

fn shell(
    home: &std::path::Path,
    settings: &Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
    clock: &Arc<dyn Clock>,
    tasks: &TaskScope,
    desk: &Arc<ApprovalDesk>,
) -> Commands {
    Commands::new(CommandParts {
        clock: clock.clone(),
        tasks: tasks.child("commands"),
        config: settings.clone(),
        environment: Environment::fake([("PATH", "/usr/bin:/bin")], "/home/ana"),
        file: Arc::new(ApprovalsFile::new(home.join("exec-approvals.json"))),
        grants: Arc::new(MemoryGrantStore::default()),
        desk: desk.clone(),
        audit: Arc::new(MemoryAuditLedger::default()),
        notice: Arc::new(|_| {}),
    })
}

fn surroundings(home: &std::path::Path) -> Surroundings {
    Surroundings {
        state_dir: home.join("state"),
        home: home.to_path_buf(),
        profile: None,
        host: "box".to_owned(),
        system: "linux (x64)".to_owned(),
        shell: "sh".to_owned(),
        version: "9.9.9".to_owned(),
    }
}

fn config(file: Value) -> Config {
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
    ledger: Arc<dyn UsageLedger>,
    scripts: Scripts,
) -> Models {
    let vendors = [vendor("alpha", &["one", "two"]), vendor("beta", &["one"])];
    let providers = vendors.into_iter().map(|vendor| (vendor.id.clone(), vendor)).collect();
    let catalog = Arc::new(ModelCatalog { providers });
    Models::open(ModelsParts {
        settings: Arc::clone(settings),
        catalog: Arc::new(move || Arc::clone(&catalog)),
        unlisted: Arc::new(|catalog, model| catalog.provider(model.provider()).map(|_| facts(model.model()))),
        credentials: Arc::new(Keys),
        profiles: Arc::new(MemoryProfileStore::default()),
        line: Arc::new(ScriptedLine::new(scripts, Arc::clone(clock))),
        health: Arc::new(MemoryHealthStore::default()),
        ledger,
        clock: Arc::clone(clock),
        tasks: tasks.child("models"),
        zone: Zone::utc(),
    })
    .await
    .unwrap()
}

fn vendor(id: &str, models: &[&str]) -> ProviderFacts {
    ProviderFacts {
        id: ProviderId::new(id).unwrap(),
        name: id.to_owned(),
        origin: ProviderOrigin::BuiltIn,
        reach: Range::Public,
        sign_in: SignIn::Key,
        key_variables: Vec::new(),
        endpoint: None,
        models: models.iter().map(|name| facts(name)).collect(),
    }
}

fn facts(id: &str) -> ModelFacts {
    let mut thinking = vec![ThinkingLevel::Low, ThinkingLevel::High];
    if id == "two" {
        thinking.push(ThinkingLevel::XHigh);
    }
    ModelFacts {
        id: id.to_owned(),
        name: id.to_owned(),
        api: ApiName::OpenaiCompletions,
        base_url: "https://models.example".to_owned(),
        context_window: 100_000,
        max_output_tokens: 1_000,
        sees_images: false,
        thinking,
        prices: Some(Prices { input: 10.0, output: 10.0, cache_read: 0.0, cache_write: 0.0 }),
        headers: BTreeMap::new(),
        compatibility: Compatibility::default(),
    }
}

/// One key, for `alpha`.
struct Keys;

#[async_trait]
impl Credentials for Keys {
    async fn profiles(&self, _: &AgentId, provider: &ProviderId) -> Result<Vec<ProfileFacts>, StoreError> {
        let known = ProfileFacts {
            id: AuthProfileId::new("alpha:work").unwrap(),
            provider: ProviderId::new("alpha").unwrap(),
            kind: CredentialKind::ApiKey,
            origin: CredentialOrigin::Stored,
            email: None,
            expires: None,
        };
        Ok(if *provider == known.provider { vec![known] } else { Vec::new() })
    }

    async fn unlock(&self, _: &AgentId, _: &ProfileFacts) -> Result<Access, ModelFault> {
        Ok(Access { secret: Some(Secret::new("planted-secret".to_owned())), ..Access::default() })
    }

    async fn refused(&self, _: &AgentId, _: &ProfileFacts, _: &Access) {}
}
