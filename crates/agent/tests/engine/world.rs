//! A small world of vendors: `alpha` with two models, `beta` with one, `local` that asks for no key, `dark` whose prices
//! nobody knows, `anthropic` whose cache expires.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::StreamExt;
use openclaw_agent::{
    CallDone, CallEvent, CallFailed, CallStream, ModelCall, Models, ModelsParts, Pin, PinStrength, Purpose,
    Selection, TriedModel, Zone,
};
use openclaw_config::{Config, Context, Environment, Locations, Overrides, ProfileChoice};
use openclaw_ports::model::{
    ApiName, CallCredential, Compatibility, CredentialKind, CredentialOrigin, Credentials, FaultReason,
    ModelCatalog, ModelFacts, ModelFault, ModelRequest, Prices, ProfileFacts, ProviderFacts, ProviderOrigin,
    ServerReach, SignIn,
};
use openclaw_ports::stores::{HealthStore, StoreError, UsageLedger};
use openclaw_ports::{Clock, Deadline, TaskScope};
use openclaw_providers::{ScriptedLine, Scripts};
use openclaw_stores::memory::{MemoryHealthStore, MemoryProfileStore, MemoryUsageLedger};
use openclaw_testkit::SimClock;
use openclaw_types::{AgentId, AuthProfileId, ModelRef, ProviderId, RunId, Secret, ThinkingLevel};
use serde_json::{Value, json};

pub(crate) struct World {
    pub(crate) models: Models,
    pub(crate) scripts: Scripts,
    pub(crate) clock: Arc<SimClock>,
    pub(crate) keys: Arc<Keys>,
    pub(crate) ledger: Arc<dyn UsageLedger>,
    pub(crate) health: Arc<dyn HealthStore>,
    pub(crate) profiles: Arc<MemoryProfileStore>,
    pub(crate) tasks: TaskScope,
}

/// What a world is built from; what is left out is usual.
pub(crate) struct Setup {
    pub(crate) config: Value,
    pub(crate) keys: Vec<ProfileFacts>,
    pub(crate) ledger: Arc<dyn UsageLedger>,
    pub(crate) health: Arc<dyn HealthStore>,
    pub(crate) clock: Arc<SimClock>,
    pub(crate) scripts: Scripts,
}

impl Setup {
    /// One key for each vendor, `alpha/one` answers.
    pub(crate) fn new() -> Self {
        Self {
            config: json!({ "agents": { "defaults": { "model": "alpha/one" } } }),
            keys: vec![key("alpha:1"), key("beta:1")],
            ledger: Arc::new(MemoryUsageLedger::default()),
            health: Arc::new(MemoryHealthStore::default()),
            clock: Arc::new(SimClock::new()),
            scripts: Scripts::new(),
        }
    }

    pub(crate) fn config(self, config: Value) -> Self {
        Self { config, ..self }
    }

    /// `alpha/one` answers, then these.
    pub(crate) fn fallbacks(self, fallbacks: &[&str]) -> Self {
        let model = json!({ "primary": "alpha/one", "fallbacks": fallbacks });
        self.config(json!({ "agents": { "defaults": { "model": model } } }))
    }

    pub(crate) fn keys(self, names: &[&str]) -> Self {
        Self { keys: names.iter().map(|name| key(name)).collect(), ..self }
    }

    pub(crate) fn scripts(self, scripts: impl Into<Scripts>) -> Self {
        Self { scripts: scripts.into(), ..self }
    }

    pub(crate) async fn build(self) -> World {
        let config = Arc::new(config(self.config));
        let catalog = Arc::new(catalog());
        let keys = Arc::new(Keys {
            known: self.keys,
            refused: Mutex::default(),
            waiting: tokio::sync::Notify::new(),
        });
        let profiles = Arc::new(MemoryProfileStore::default());
        let tasks = TaskScope::root("test");
        let clock: Arc<dyn Clock> = self.clock.clone();
        let models = Models::open(ModelsParts {
            settings: Arc::new(move || Arc::clone(&config)),
            catalog: Arc::new(move || Arc::clone(&catalog)),
            unlisted: Arc::new(|catalog, model| {
                catalog.provider(model.provider()).map(|_| facts(model.model(), Sight::Blind))
            }),
            credentials: keys.clone(),
            profiles: profiles.clone(),
            line: Arc::new(ScriptedLine::new(self.scripts.clone(), clock.clone())),
            health: self.health.clone(),
            ledger: self.ledger.clone(),
            clock,
            tasks: tasks.clone(),
            zone: Zone::utc(),
        })
        .await
        .unwrap();
        let (scripts, clock, ledger, health) = (self.scripts, self.clock, self.ledger, self.health);
        World { models, scripts, clock, keys, ledger, health, profiles, tasks }
    }
}

impl World {
    /// Calls and waits for the end.
    pub(crate) async fn call(&self, call: ModelCall) -> Heard {
        hear(self.models.call(call)).await
    }

    /// Waits until every call is counted.
    pub(crate) async fn settle(&self) {
        let deadline = Deadline::after(&*self.clock, Duration::from_secs(1));
        self.tasks.join(&*self.clock, deadline).await.unwrap();
    }
}

/// Everything a caller heard.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) events: Vec<CallEvent>,
}

impl Heard {
    /// What was tried, as `alpha/one alpha:1`, and how it ended: `done`, or the cause.
    pub(crate) fn story(&self) -> Vec<String> {
        let tell = |event: &CallEvent| match event {
            CallEvent::Trying { what, .. } => Some(named(what)),
            CallEvent::Done(_) => Some("done".to_owned()),
            CallEvent::Failed(failed) => Some(cause(failed)),
            CallEvent::Switched { .. } | CallEvent::Model(_) => None,
        };
        self.events.iter().filter_map(tell).collect()
    }

    pub(crate) fn done(&self) -> &CallDone {
        match self.events.last() {
            Some(CallEvent::Done(done)) => done,
            other => panic!("the call did not answer: {other:?}"),
        }
    }

    pub(crate) fn failed(&self) -> &CallFailed {
        match self.events.last() {
            Some(CallEvent::Failed(failed)) => failed,
            other => panic!("the call did not fail: {other:?}"),
        }
    }
}

pub(crate) async fn hear(stream: CallStream) -> Heard {
    Heard { events: stream.collect().await }
}

pub(crate) fn cause(failed: &CallFailed) -> String {
    match &failed.cause {
        openclaw_agent::FailureCause::Fault(fault) => format!("failed {}", fault.reason.as_str()),
        openclaw_agent::FailureCause::Budget(refusal) => format!("stopped by {}", refusal.key()),
        openclaw_agent::FailureCause::Selection(fault) => format!("refused: {fault}"),
        openclaw_agent::FailureCause::Books(_) => "stopped by the books".to_owned(),
    }
}

pub(crate) fn named(what: &TriedModel) -> String {
    match &what.profile {
        Some(profile) => format!("{} {profile}", what.model),
        None => what.model.to_string(),
    }
}

/// A question nobody chose a model for.
pub(crate) fn ask() -> ModelCall {
    ModelCall {
        agent: AgentId::main(),
        session: Some("agent:main:main".to_owned()),
        run: RunId::new("run-1").unwrap(),
        selection: Selection::Default,
        pin: None,
        thinking: None,
        purpose: Purpose::Answer,
        request: Arc::new(request("hello")),
    }
}

pub(crate) fn ask_run(model: &str) -> ModelCall {
    ModelCall { selection: Selection::Run(model.to_owned()), ..ask() }
}

pub(crate) fn pinned(profile: &str, strength: PinStrength) -> ModelCall {
    ModelCall { pin: Some(Pin { profile: AuthProfileId::new(profile).unwrap(), strength }), ..ask() }
}

pub(crate) fn request(words: &str) -> ModelRequest {
    ModelRequest { system: vec!["You help.".to_owned()].into(), ..ModelRequest::asking(words) }
}

pub(crate) fn config(file: Value) -> Config {
    let environment = Environment::fake([("A", "b")], "/home/ana");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    Config::resolve(serde_json::from_value(file).unwrap(), &context).0
}

/// A stored key, named `<vendor>:<account>`.
pub(crate) fn key(name: &str) -> ProfileFacts {
    let (provider, _) = name.split_once(':').unwrap();
    ProfileFacts {
        id: AuthProfileId::new(name).unwrap(),
        provider: ProviderId::new(provider).unwrap(),
        kind: CredentialKind::ApiKey,
        origin: CredentialOrigin::Stored,
        email: None,
        expires: None,
    }
}

/// A stored sign-in that can be renewed.
pub(crate) fn sign_in(name: &str) -> ProfileFacts {
    ProfileFacts { kind: CredentialKind::Oauth, ..key(name) }
}

pub(crate) fn model(text: &str) -> ModelRef {
    text.parse().unwrap()
}

fn catalog() -> ModelCatalog {
    let vendors = [
        vendor("alpha", &[("one", Sight::Blind), ("two", Sight::Blind)]),
        vendor("beta", &[("one", Sight::Sees)]),
        vendor("local", &[("tiny", Sight::Blind)]),
    ];
    let providers: BTreeMap<_, _> = vendors.into_iter().map(|vendor| (vendor.id.clone(), vendor)).collect();
    let mut catalog = ModelCatalog { providers };
    let local = catalog.providers.get_mut(&ProviderId::new("local").unwrap()).unwrap();
    local.models[0].context_window = 8_000;
    local.models[0].prices = None;
    local.sign_in = SignIn::Nothing;
    // A vendor that wants a key and whose prices nobody knows.
    let mut dark = vendor("dark", &[("one", Sight::Blind)]);
    dark.models[0].prices = None;
    catalog.providers.insert(dark.id.clone(), dark);
    // A vendor that keeps requests cached for a time they ask for.
    let mut cached = vendor("anthropic", &[("one", Sight::Blind)]);
    cached.models[0].api = ApiName::AnthropicMessages;
    catalog.providers.insert(cached.id.clone(), cached);
    catalog
}

#[derive(Clone, Copy, PartialEq)]
enum Sight {
    Blind,
    Sees,
}

fn vendor(id: &str, models: &[(&str, Sight)]) -> ProviderFacts {
    ProviderFacts {
        id: ProviderId::new(id).unwrap(),
        name: id.to_owned(),
        origin: ProviderOrigin::BuiltIn,
        reach: ServerReach::Public,
        sign_in: SignIn::Key,
        key_variables: Vec::new(),
        endpoint: None,
        models: models.iter().map(|(name, sight)| facts(name, *sight)).collect(),
    }
}

fn facts(id: &str, sight: Sight) -> ModelFacts {
    ModelFacts {
        id: id.to_owned(),
        name: id.to_owned(),
        api: ApiName::OpenaiCompletions,
        base_url: "https://models.example".to_owned(),
        context_window: 100_000,
        max_output_tokens: 1_000,
        sees_images: sight == Sight::Sees,
        thinking: vec![ThinkingLevel::Low, ThinkingLevel::High],
        prices: Some(Prices { input: 1_000.0, output: 1_000.0, cache_read: 0.0, cache_write: 0.0 }),
        headers: BTreeMap::new(),
        compatibility: Compatibility::default(),
    }
}

/// A ring of keys that all open, except those named `<vendor>:broken`, which the vendor does not renew, those whose name
/// ends in `unreadable`, and those that end in `stuck`, which never open. Remembers which ones a vendor refused.
pub(crate) struct Keys {
    known: Vec<ProfileFacts>,
    refused: Mutex<Vec<AuthProfileId>>,
    waiting: tokio::sync::Notify,
}

impl Keys {
    /// Ends when someone waits for a key that never opens.
    pub(crate) async fn until_stuck(&self) {
        self.waiting.notified().await;
    }

    pub(crate) fn refused(&self) -> Vec<String> {
        self.refused.lock().unwrap().iter().map(ToString::to_string).collect()
    }
}

#[async_trait]
impl Credentials for Keys {
    async fn profiles(&self, _: &AgentId, provider: &ProviderId) -> Result<Vec<ProfileFacts>, StoreError> {
        Ok(self.known.iter().filter(|facts| facts.provider == *provider).cloned().collect())
    }

    async fn unlock(&self, _: &AgentId, profile: &ProfileFacts) -> Result<CallCredential, ModelFault> {
        if profile.id.as_str().ends_with(":broken") {
            return Err(ModelFault::new(FaultReason::Auth, "the sign-in ran out and could not be renewed"));
        }
        if profile.id.as_str().ends_with("unreadable") {
            return Err(ModelFault::new(FaultReason::Unknown, "the key cannot be read from its file"));
        }
        if profile.id.as_str().ends_with("stuck") {
            self.waiting.notify_one();
            std::future::pending::<()>().await;
        }
        let secret = Secret::new(format!("planted-secret-{}", profile.id));
        Ok(CallCredential { secret: Some(secret), ..CallCredential::default() })
    }

    async fn refused(&self, _: &AgentId, profile: &ProfileFacts, _: &CallCredential) {
        self.refused.lock().unwrap().push(profile.id.clone());
    }
}
