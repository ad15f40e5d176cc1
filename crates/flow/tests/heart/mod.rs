//! What the worlds of these tests are put together from: a real flow, agent and sessions over whatever stores, model and
//! tools a world brings; vendors and one key as data.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use async_trait::async_trait;
use openclaw_agent::{Agent, AgentParts, HostFacts, Models, ModelsParts, Zone};
use openclaw_config::{Config, Context, Environment, Locations, Overrides, ProfileChoice};
use openclaw_flow::{
    Accounts, AccountsParts, Author, CommandHandles, Flow, FlowParts, Submission, SubmissionOptions,
    SubmissionSurface,
};
use openclaw_ports::channel::ChannelKind;
use openclaw_ports::model::{
    ApiName, CallCredential, Compatibility, CredentialKind, CredentialOrigin, Credentials, ModelCatalog,
    ModelFacts, ModelFault, ModelLine, ProfileFacts, ProviderFacts, ProviderOrigin, ServerReach as Range,
    SignIn,
};
use openclaw_ports::stores::{
    BranchQuery, BranchReach, Inbox, Outbox, SenderStore, SessionStore, StoreError, StoredEntry,
    SubagentStore, UsageLedger,
};
use openclaw_ports::tool::Tool;
use openclaw_ports::{Clock, TaskScope};
use openclaw_session::{Journal, SessionParts, Sessions};
use openclaw_stores::memory::{MemoryHealthStore, MemoryProfileStore, MemoryStateStore};
use openclaw_types::{
    AgentId, AuthProfileId, EntryBody, LineRecord, Message, ModelRef, ProviderId, RunId, Secret, SessionKey,
    UnixMillis,
};
use serde_json::Value;

/// The session that stories are about when they name none.
pub(crate) const MAIN: &str = "agent:main:main";

/// The configuration of the moment.
pub(crate) type Settings = Arc<dyn Fn() -> Arc<Config> + Send + Sync>;

/// What is known of models that no vendor lists.
pub(crate) type Unlisted = fn(&ModelCatalog, &ModelRef) -> Option<ModelFacts>;

/// What a world brings.
pub(crate) struct HeartParts<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) home: &'a Path,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tasks: TaskScope,
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) inbox: Arc<dyn Inbox>,
    pub(crate) subagents: Arc<dyn SubagentStore>,
    pub(crate) ledger: Arc<dyn UsageLedger>,
    pub(crate) vendors: Vec<ProviderFacts>,
    pub(crate) unlisted: Unlisted,
    pub(crate) key: OneKey,
    pub(crate) line: Arc<dyn ModelLine>,
    pub(crate) tools: Vec<Arc<dyn Tool>>,
    pub(crate) handles: CommandHandles,
    pub(crate) channels: Accounts,
    pub(crate) outbox: Arc<dyn Outbox>,
    pub(crate) senders: Arc<dyn SenderStore>,
}

/// A channel_accounts of these platforms.
pub(crate) fn channel_accounts(
    kinds: Vec<Box<dyn ChannelKind>>,
    clock: &Arc<dyn Clock>,
    tasks: &TaskScope,
    home: &Path,
) -> Accounts {
    Accounts::new(AccountsParts {
        kinds,
        resolver: Arc::new(openclaw_testkit::AsWritten),
        state: Arc::new(MemoryStateStore::default()),
        clock: Arc::clone(clock),
        tasks: tasks.child("channels"),
        media: home.join("media"),
        public_url: None,
    })
}

/// Puts a flow together.
pub(crate) async fn heart(parts: HeartParts<'_>) -> Flow {
    let models = models(&parts).await;
    let HeartParts { settings, clock, tasks, store, .. } = parts;
    let journal = Arc::new(Journal::new(Arc::clone(&store), Arc::clone(&clock)));
    let sessions = Sessions::new(SessionParts {
        store: Arc::clone(&store),
        journal: Arc::clone(&journal),
        settings: Arc::clone(settings),
        clock: Arc::clone(&clock),
        zone: openclaw_session::Zone::named("UTC").unwrap(),
    });
    let agent = Agent::open(AgentParts {
        models: models.clone(),
        sessions: Arc::clone(&store),
        journal,
        tools: parts.tools,
        settings: Arc::clone(settings),
        surroundings: surroundings(parts.home),
        clock: Arc::clone(&clock),
        tasks: tasks.child("runs"),
    });
    Flow::open(FlowParts {
        agent,
        models,
        sessions,
        store,
        inbox: parts.inbox,
        subagents: parts.subagents,
        channels: parts.channels,
        outbox: parts.outbox,
        senders: parts.senders,
        settings: Arc::clone(settings),
        handles: parts.handles,
        clock,
        tasks: tasks.child("flow"),
    })
}

/// A configuration as a file says it.
pub(crate) fn settings(file: Value) -> Settings {
    let environment = Environment::fake([("A", "b")], "/home/ana");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    let config = Arc::new(Config::resolve(serde_json::from_value(file).unwrap(), &context).0);
    Arc::new(move || Arc::clone(&config))
}

/// A vendor with a key to sign in with.
pub(crate) fn vendor(id: &str, models: Vec<ModelFacts>) -> ProviderFacts {
    ProviderFacts {
        id: ProviderId::new(id).unwrap(),
        name: id.to_owned(),
        origin: ProviderOrigin::BuiltIn,
        reach: Range::Public,
        sign_in: SignIn::Key,
        key_variables: Vec::new(),
        endpoint: None,
        models,
    }
}

/// A model that reads and writes text, free of charge.
pub(crate) fn model(id: &str, context_window: u64) -> ModelFacts {
    ModelFacts {
        id: id.to_owned(),
        name: id.to_owned(),
        api: ApiName::OpenaiCompletions,
        base_url: "https://models.example".to_owned(),
        context_window,
        max_output_tokens: 1_000,
        sees_images: false,
        thinking: Vec::new(),
        prices: None,
        headers: BTreeMap::new(),
        compatibility: Compatibility::default(),
    }
}

/// One key that always opens, for the vendor whose name it begins with.
#[derive(Clone, Copy)]
pub(crate) struct OneKey(pub(crate) &'static str);

#[async_trait]
impl Credentials for OneKey {
    async fn profiles(&self, _: &AgentId, provider: &ProviderId) -> Result<Vec<ProfileFacts>, StoreError> {
        let vendor = self.0.split_once(':').unwrap().0;
        let known = ProfileFacts {
            id: AuthProfileId::new(self.0).unwrap(),
            provider: ProviderId::new(vendor).unwrap(),
            kind: CredentialKind::ApiKey,
            origin: CredentialOrigin::Stored,
            email: None,
            expires: None,
        };
        Ok(if *provider == known.provider { vec![known] } else { Vec::new() })
    }

    async fn unlock(&self, _: &AgentId, _: &ProfileFacts) -> Result<CallCredential, ModelFault> {
        Ok(CallCredential {
            secret: Some(Secret::new("planted-secret".to_owned())),
            ..CallCredential::default()
        })
    }

    async fn refused(&self, _: &AgentId, _: &ProfileFacts, _: &CallCredential) {}
}

/// A submission in the web chat.
pub(crate) fn submission((key, run): (&str, &str), text: &str, from: Author, at: UnixMillis) -> Submission {
    Submission {
        channel_origin: None,
        run: RunId::new(run).unwrap(),
        agent: AgentId::main(),
        key: session_key(key),
        raw_key: key.to_owned(),
        surface: SubmissionSurface::Webchat,
        text: text.to_owned(),
        pictures: Vec::new(),
        at,
        from,
        provenance: None,
        options: SubmissionOptions::default(),
    }
}

pub(crate) fn session_key(text: &str) -> SessionKey {
    text.parse().unwrap()
}

/// The current branch of a session; empty when there is no such session.
pub(crate) async fn branch(store: &dyn SessionStore, key: &str) -> Vec<StoredEntry> {
    let agent = AgentId::main();
    let Some(entry) = store.entry(&agent, &session_key(key)).await.unwrap() else { return Vec::new() };
    let query =
        BranchQuery { agent, session: entry.session_id.clone(), leaf: None, reach: BranchReach::Whole };
    store.branch(query).await.unwrap()
}

/// The messages of a branch.
pub(crate) fn messages(branch: &[StoredEntry]) -> impl Iterator<Item = &Message> {
    branch.iter().filter_map(|stored| match &stored.line.record {
        LineRecord::Entry(entry) => match &entry.body {
            EntryBody::Message(message) => Some(&**message),
            _ => None,
        },
        _ => None,
    })
}

/// A message in one short line.
pub(crate) fn short(message: &Message) -> String {
    match message {
        Message::User(_) => format!("user: {}", message.plain_text()),
        Message::Assistant(_) => format!("assistant: {}", message.plain_text()),
        Message::ToolResult(result) => format!("{}: {}", result.tool, message.plain_text()),
        other => format!("{other:?}"),
    }
}

fn surroundings(home: &Path) -> HostFacts {
    HostFacts {
        state_dir: home.join("state"),
        home: home.to_path_buf(),
        profile: None,
        host: "box".to_owned(),
        system: "linux (x64)".to_owned(),
        shell: "sh".to_owned(),
        version: "9.9.9".to_owned(),
    }
}

async fn models(parts: &HeartParts<'_>) -> Models {
    let providers = parts.vendors.iter().map(|vendor| (vendor.id.clone(), vendor.clone())).collect();
    let catalog = Arc::new(ModelCatalog { providers });
    Models::open(ModelsParts {
        settings: Arc::clone(parts.settings),
        catalog: Arc::new(move || Arc::clone(&catalog)),
        unlisted: Arc::new(parts.unlisted),
        credentials: Arc::new(parts.key),
        profiles: Arc::new(MemoryProfileStore::default()),
        line: Arc::clone(&parts.line),
        health: Arc::new(MemoryHealthStore::default()),
        ledger: Arc::clone(&parts.ledger),
        clock: Arc::clone(&parts.clock),
        tasks: parts.tasks.child("models"),
        zone: Zone::utc(),
    })
    .await
    .unwrap()
}
