//! A gateway's heart with a platform in memory: real stores on disk, a real agent and flow, a model that answers at once.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use async_trait::async_trait;
use futures_util::future::try_join_all;
use openclaw_agent::{Agent, AgentParts, HostFacts, Models, ModelsParts};
use openclaw_config::{Config, Context, Environment, Locations, Overrides, ProfileChoice};
use openclaw_flow::{Accounts, AccountsParts, CommandHandles, Flow, FlowParts};
use openclaw_ports::model::{
    ApiName, CallCredential, Compatibility, CredentialKind, CredentialOrigin, Credentials, ModelCatalog,
    ModelFacts, ModelFault, ModelLine, ModelRequest, ModelRoute, ModelStream, ProfileFacts, ProviderFacts,
    ProviderOrigin, ServerReach, SignIn,
};
use openclaw_ports::stores::{SessionStore, StoreError};
use openclaw_ports::{Clock, SystemClock, TaskScope};
use openclaw_providers::{Script, ScriptedLine};
use openclaw_session::{Journal, SessionParts, Sessions, Zone};
use openclaw_stores::memory::{MemoryHealthStore, MemoryProfileStore, MemoryStateStore};
use openclaw_stores::sqlite::{AgentDatabases, StateDatabase, StateLocation};
use openclaw_testkit::{AsWritten, FakePlatform};
use openclaw_types::{AgentId, AuthProfileId, ProviderId, Secret};
use serde_json::json;

/// The whole of it.
pub(crate) struct World {
    platform: FakePlatform,
    clock: Arc<dyn Clock>,
    tasks: TaskScope,
    // Lives as long as the world.
    _flow: Flow,
}

impl World {
    pub(crate) async fn open(home: &Path) -> anyhow::Result<Self> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let tasks = TaskScope::root("bench");
        let config = Arc::new(config()?);
        let settings: Arc<dyn Fn() -> Arc<Config> + Send + Sync> = Arc::new(move || Arc::clone(&config));
        let state = Arc::new(StateDatabase::open(StateLocation::within(home), Arc::clone(&clock)).await?);
        let store: Arc<dyn SessionStore> = Arc::new(AgentDatabases::within(home, Arc::clone(&clock)));
        let journal = Arc::new(Journal::new(Arc::clone(&store), Arc::clone(&clock)));
        let sessions = Sessions::new(SessionParts {
            store: Arc::clone(&store),
            journal: Arc::clone(&journal),
            settings: Arc::clone(&settings),
            clock: Arc::clone(&clock),
            zone: Zone::system(),
        });
        let models = models(&settings, &clock, &tasks, &state).await?;
        let agent = Agent::open(AgentParts {
            models: models.clone(),
            sessions: Arc::clone(&store),
            journal,
            tools: Vec::new(),
            settings: Arc::clone(&settings),
            surroundings: surroundings(home),
            clock: Arc::clone(&clock),
            tasks: tasks.child("runs"),
        });
        let platform = FakePlatform::new();
        let flow = Flow::open(FlowParts {
            agent,
            models,
            sessions,
            store,
            inbox: state.clone(),
            subagents: state.clone(),
            channels: channel_accounts(&platform, &clock, &tasks, home),
            outbox: state.clone(),
            senders: state,
            settings,
            handles: CommandHandles::default(),
            clock: Arc::clone(&clock),
            tasks: tasks.child("flow"),
        });
        let faults = flow.open_channels().await?;
        anyhow::ensure!(faults.is_empty(), "the section of the platform is wrong");
        Ok(Self { platform, clock, tasks, _flow: flow })
    }

    /// Brings so many messages of so many people, and waits until each is answered. The name tells rounds apart.
    pub(crate) async fn exchange(&self, name: &str, messages: usize, people: usize) -> anyhow::Result<()> {
        let before = self.platform.sent_count();
        let people = people.min(messages).max(1);
        // Each person waits until a message of theirs is taken before they write the next.
        let writing = (0..people).map(|person| async move {
            for number in (person..messages).step_by(people) {
                let from = format!("{name}-{person}");
                let event = format!("{name}-{number}");
                let event =
                    FakePlatform::direct("default", &from, &event, "How is the soup?", self.clock.now());
                self.platform.receive(event).await.ok().context("a message was not taken")?;
            }
            anyhow::Ok(())
        });
        try_join_all(writing).await?;
        self.platform.until_sent(before + messages).await;
        Ok(())
    }

    /// How long the process runs.
    pub(crate) fn elapsed(&self) -> std::time::Duration {
        self.clock.elapsed()
    }

    /// Lets the platform forget what was sent, so that only the spine's own memory counts.
    pub(crate) fn forget_sent(&self) {
        self.platform.forget_sent();
    }

    pub(crate) fn close(&self) {
        self.tasks.cancel();
    }
}

fn config() -> anyhow::Result<Config> {
    let nothing: [(&str, &str); 0] = [];
    let environment = Environment::fake(nothing, "/");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment)?;
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] });
    let file = json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "agents": { "defaults": { "model": "local/tiny", "maxConcurrent": 32 } },
        "session": { "dmScope": "per-peer" },
        // Every message is answered by itself, so that they can be counted.
        "messages": { "queue": { "mode": "followup", "debounceMs": 0, "cap": 100_000 } },
    });
    Ok(Config::resolve(serde_json::from_value(file)?, &context).0)
}

fn channel_accounts(
    platform: &FakePlatform,
    clock: &Arc<dyn Clock>,
    tasks: &TaskScope,
    home: &Path,
) -> Accounts {
    Accounts::new(AccountsParts {
        kinds: vec![platform.kind()],
        resolver: Arc::new(AsWritten),
        state: Arc::new(MemoryStateStore::default()),
        clock: Arc::clone(clock),
        tasks: tasks.child("channels"),
        media: home.join("media"),
        public_url: None,
    })
}

fn surroundings(home: &Path) -> HostFacts {
    HostFacts {
        state_dir: home.join("state"),
        home: home.to_path_buf(),
        profile: None,
        host: "box".to_owned(),
        system: "linux".to_owned(),
        shell: "sh".to_owned(),
        version: "bench".to_owned(),
    }
}

/// A model that says one sentence at once.
struct Ready(Arc<dyn Clock>);

impl ModelLine for Ready {
    fn open(&self, request: Arc<ModelRequest>, route: ModelRoute) -> ModelStream {
        let script = Script::new().say("It is hot, and there is enough for everybody.");
        ScriptedLine::new(script, Arc::clone(&self.0)).open(request, route)
    }
}

/// One key that always opens.
struct OneKey;

#[async_trait]
impl Credentials for OneKey {
    async fn profiles(&self, _: &AgentId, provider: &ProviderId) -> Result<Vec<ProfileFacts>, StoreError> {
        let Ok(id) = AuthProfileId::new(format!("{provider}:bench")) else { return Ok(Vec::new()) };
        Ok(vec![ProfileFacts {
            id,
            provider: provider.clone(),
            kind: CredentialKind::ApiKey,
            origin: CredentialOrigin::Stored,
            email: None,
            expires: None,
        }])
    }

    async fn unlock(&self, _: &AgentId, _: &ProfileFacts) -> Result<CallCredential, ModelFault> {
        Ok(CallCredential { secret: Some(Secret::new("none".to_owned())), ..CallCredential::default() })
    }

    async fn refused(&self, _: &AgentId, _: &ProfileFacts, _: &CallCredential) {}
}

async fn models(
    settings: &Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
    clock: &Arc<dyn Clock>,
    tasks: &TaskScope,
    state: &Arc<StateDatabase>,
) -> anyhow::Result<Models> {
    let id = ProviderId::new("local")?;
    let vendor = ProviderFacts {
        id: id.clone(),
        name: "local".to_owned(),
        origin: ProviderOrigin::BuiltIn,
        reach: ServerReach::Public,
        sign_in: SignIn::Key,
        key_variables: Vec::new(),
        endpoint: None,
        models: vec![ModelFacts {
            id: "tiny".to_owned(),
            name: "tiny".to_owned(),
            api: ApiName::OpenaiCompletions,
            base_url: "https://models.example".to_owned(),
            context_window: 200_000,
            max_output_tokens: 1_000,
            sees_images: false,
            thinking: Vec::new(),
            prices: None,
            headers: BTreeMap::new(),
            compatibility: Compatibility::default(),
        }],
    };
    let catalog = Arc::new(ModelCatalog { providers: [(id, vendor)].into() });
    let opened = Models::open(ModelsParts {
        settings: Arc::clone(settings),
        catalog: Arc::new(move || Arc::clone(&catalog)),
        unlisted: Arc::new(|_, _| None),
        credentials: Arc::new(OneKey),
        profiles: Arc::new(MemoryProfileStore::default()),
        line: Arc::new(Ready(Arc::clone(clock))),
        health: Arc::new(MemoryHealthStore::default()),
        ledger: state.clone(),
        clock: Arc::clone(clock),
        tasks: tasks.child("models"),
        zone: openclaw_agent::Zone::utc(),
    });
    Ok(opened.await?)
}
