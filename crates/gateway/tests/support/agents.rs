//! Somebody who answers: the real agent, tools and flow over memory stores, with a model that follows a script.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use openclaw_agent::{Agent, AgentParts, HostFacts, Models, ModelsParts, Zone};
use openclaw_config::{Config, LiveConfig};
use openclaw_exec::{
    ApprovalObserver, ApprovalQueue, ApprovalQueueParts, ApprovalRequest, ApprovalsFile, ApproverReach,
    CommandParts, Commands, OpenApproval, SettledApproval,
};
use openclaw_flow::{Accounts, AccountsParts, CommandHandles, Flow, FlowParts};
use openclaw_gateway::{AgentServices, ApprovalFace};
use openclaw_ports::model::{
    ApiName, CallCredential, Compatibility, CredentialKind, CredentialOrigin, Credentials, ModelCatalog,
    ModelFacts, ModelFault, ProfileFacts, ProviderFacts, ProviderOrigin, ServerReach as Range, SignIn,
};
use openclaw_ports::stores::{AuditLedger, SessionStore, StoreError, UsageLedger};
use openclaw_ports::tool::WebClient;
use openclaw_ports::{Clock, TaskScope};
use openclaw_providers::{ScriptedLine, Scripts};
use openclaw_session::{GatedStore, ImportGate, Journal, SessionParts, Sessions};
use openclaw_stores::memory::{
    MemoryGrantStore, MemoryHealthStore, MemoryInbox, MemoryOutbox, MemoryProfileStore, MemorySenderStore,
    MemorySessionStore, MemoryStateStore, MemorySubagentStore,
};
use openclaw_testkit::{AsWritten, FakePlatform};
use openclaw_tools::{ProtectedPlaces, ToolHandles, tools};
use openclaw_types::{AgentId, AuthProfileId, ProviderId, ThinkingLevel};

/// What is around those who answer.
pub struct Around<'a> {
    pub config: &'a LiveConfig,
    pub clock: &'a Arc<dyn Clock>,
    pub tasks: &'a TaskScope,
    pub audit: &'a Arc<dyn AuditLedger>,
    /// What calls of models are noted in.
    pub ledger: Arc<dyn UsageLedger>,
    pub scripts: Scripts,
    pub web: Option<Arc<dyn WebClient>>,
    pub platform: FakePlatform,
}

type Settings = Arc<dyn Fn() -> Arc<Config> + Send + Sync>;

/// Puts everybody together. The slot has to be filled with the gateway's face.
pub async fn services(around: Around<'_>) -> (AgentServices, Arc<LateFace>) {
    let live = around.config.clone();
    let settings: Settings = Arc::new(move || live.current());
    let clock = around.clock;
    let import_gate = ImportGate::new(clock.clone());
    let store: Arc<dyn SessionStore> =
        Arc::new(GatedStore::new(import_gate.clone(), Arc::new(MemorySessionStore::default())));
    let journal = Arc::new(Journal::new(store.clone(), clock.clone()));
    let sessions = Sessions::new(SessionParts {
        store: store.clone(),
        journal: journal.clone(),
        settings: settings.clone(),
        clock: clock.clone(),
        zone: openclaw_session::Zone::named("UTC").unwrap(),
    });
    let face = Arc::new(LateFace::default());
    let slot = face.clone();
    let approvals = ApprovalQueue::new(ApprovalQueueParts {
        clock: clock.clone(),
        tasks: around.tasks.child("approvals"),
        audit: around.audit.clone(),
        reach: Arc::new(move |request| slot.reach(request)),
        observer: face.clone(),
    });
    let locations = around.config.file().locations().clone();
    let environment = around.config.file().environment().clone();
    let approvals_file = Arc::new(ApprovalsFile::new(locations.state_dir.join("exec-approvals.json")));
    let commands = Arc::new(Commands::new(CommandParts {
        clock: clock.clone(),
        tasks: around.tasks.child("commands"),
        config: settings.clone(),
        environment: environment.clone(),
        file: approvals_file.clone(),
        grants: Arc::new(MemoryGrantStore::default()),
        queue: approvals.clone(),
        audit: around.audit.clone(),
        notice: Arc::new(|_| {}),
    }));
    let models = models(&settings, clock, around.tasks, around.scripts, around.ledger).await;
    let agent = Agent::open(AgentParts {
        models: models.clone(),
        sessions: store.clone(),
        journal,
        tools: tools(&ToolHandles {
            settings: settings.clone(),
            environment: environment.clone(),
            protected: ProtectedPlaces::of(&locations),
            clock: clock.clone(),
            web: None,
            commands: Some(commands.clone()),
            sessions: None,
            messenger: None,
            control: None,
            vision: None,
        }),
        settings: settings.clone(),
        surroundings: HostFacts {
            state_dir: locations.state_dir.clone(),
            home: environment.home().to_owned(),
            profile: None,
            host: "box".to_owned(),
            system: "linux (x64)".to_owned(),
            shell: "sh".to_owned(),
            version: "0".to_owned(),
        },
        clock: clock.clone(),
        tasks: around.tasks.child("runs"),
    });
    let flow = Flow::open(FlowParts {
        agent,
        models,
        sessions,
        store,
        inbox: Arc::new(MemoryInbox::new(clock.clone())),
        subagents: Arc::new(MemorySubagentStore::default()),
        channels: Accounts::new(AccountsParts {
            kinds: vec![around.platform.kind()],
            resolver: Arc::new(AsWritten),
            state: Arc::new(MemoryStateStore::default()),
            clock: clock.clone(),
            tasks: around.tasks.child("channels"),
            media: locations.state_dir.join("media"),
            public_url: None,
        }),
        outbox: Arc::new(MemoryOutbox::default()),
        senders: Arc::new(MemorySenderStore::default()),
        settings,
        handles: CommandHandles { approvals: Some(approvals.clone()), ..CommandHandles::default() },
        clock: clock.clone(),
        tasks: around.tasks.child("flow"),
    });
    (AgentServices { flow, import_gate, approvals, approvals_file, web: around.web }, face)
}

/// `mock/m1` and `mock/m2`, which see pictures.
async fn models(
    settings: &Settings,
    clock: &Arc<dyn Clock>,
    tasks: &TaskScope,
    scripts: Scripts,
    ledger: Arc<dyn UsageLedger>,
) -> Models {
    let facts = |id: &str| ModelFacts {
        id: id.to_owned(),
        name: id.to_owned(),
        api: ApiName::OpenaiCompletions,
        base_url: "http://models.example".to_owned(),
        context_window: 200_000,
        max_output_tokens: 1_000,
        sees_images: true,
        thinking: vec![ThinkingLevel::Low, ThinkingLevel::High],
        prices: None,
        headers: BTreeMap::new(),
        compatibility: Compatibility::default(),
    };
    let provider = ProviderFacts {
        id: ProviderId::new("mock").unwrap(),
        name: "mock".to_owned(),
        origin: ProviderOrigin::BuiltIn,
        reach: Range::Anywhere,
        sign_in: SignIn::Nothing,
        key_variables: Vec::new(),
        endpoint: None,
        models: vec![facts("m1"), facts("m2")],
    };
    let catalog = Arc::new(ModelCatalog { providers: BTreeMap::from([(provider.id.clone(), provider)]) });
    Models::open(ModelsParts {
        settings: settings.clone(),
        catalog: Arc::new(move || catalog.clone()),
        unlisted: Arc::new(|_, _| None),
        credentials: Arc::new(NoKeys),
        profiles: Arc::new(MemoryProfileStore::default()),
        line: Arc::new(ScriptedLine::new(scripts, clock.clone())),
        health: Arc::new(MemoryHealthStore::default()),
        ledger,
        clock: clock.clone(),
        tasks: tasks.child("models"),
        zone: Zone::utc(),
    })
    .await
    .unwrap()
}

struct NoKeys;

#[async_trait]
impl Credentials for NoKeys {
    async fn profiles(&self, _: &AgentId, provider: &ProviderId) -> Result<Vec<ProfileFacts>, StoreError> {
        Ok(vec![ProfileFacts {
            id: AuthProfileId::new("none:mock").unwrap(),
            provider: provider.clone(),
            kind: CredentialKind::Nothing,
            origin: CredentialOrigin::Stored,
            email: None,
            expires: None,
        }])
    }
    async fn unlock(&self, _: &AgentId, _: &ProfileFacts) -> Result<CallCredential, ModelFault> {
        Ok(CallCredential::default())
    }
    async fn refused(&self, _: &AgentId, _: &ProfileFacts, _: &CallCredential) {}
}

/// The gateway's face for questions about commands, once the gateway is there.
#[derive(Default)]
pub struct LateFace(OnceLock<ApprovalFace>);

impl LateFace {
    pub fn fill(&self, face: ApprovalFace) {
        assert!(self.0.set(face).is_ok());
    }

    fn reach(&self, request: &ApprovalRequest) -> ApproverReach {
        self.0.get().map_or(ApproverReach::Nobody, |face| face.reach(request))
    }
}

impl ApprovalObserver for LateFace {
    fn requested(&self, question: &OpenApproval) {
        self.0.get().unwrap().requested(question);
    }
    fn resolved(&self, settled: &SettledApproval) {
        self.0.get().unwrap().resolved(settled);
    }
    fn still_runs(&self, _: &SettledApproval, _: std::time::Duration) {}
}
