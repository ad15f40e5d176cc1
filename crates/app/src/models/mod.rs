//! Everything it takes to call models, put together from the configuration and the store.
//!
//! The gateway builds it at its start, the command line for the commands about models. Nothing here decides: the
//! agent chooses, `providers` carries.

mod catalog;
mod line;
mod listener;
mod sign_ins;
mod stand_in;
mod switches;

use std::sync::Arc;

use arc_swap::ArcSwapOption;
use openclaw_agent::{Models, ModelsParts, Zone};
use openclaw_config::{Config, FileSnapshot, Locations, ModelPreference, SecretResolver};
use openclaw_gateway::ModelServices;
use openclaw_ports::model::{ModelCatalog, Quotas};
use openclaw_ports::stores::{HealthStore, ProfileStore, StoreError, UsageLedger};
use openclaw_ports::{Clock, TaskScope};
use openclaw_protocol::events::ModelsSwitchPayload;
use openclaw_providers::{
    DEMO_MODEL, DEMO_PROVIDER, Demonstration, FoundServer, LocalServers, QuotaParts, SignInInputs,
    SignInVendors, SignIns, SignInsParts, Transport, TransportLimits, VendorQuotas, find_local,
    resolve_unlisted,
};
use openclaw_stores::sqlite::StateDatabase;
use openclaw_types::{AgentId, ModelRef};
use tokio::sync::broadcast;

use catalog::LiveCatalog;
use line::ModelLines;
pub use sign_ins::{ImportFault, Imported, files_taken_over};
use stand_in::StandIn;

/// What the runtime is put together from.
pub struct ModelRuntimeParts {
    /// The configuration of the moment, with its environment.
    pub settings: Arc<dyn Fn() -> Arc<FileSnapshot> + Send + Sync>,
    /// Where files are.
    pub locations: Locations,
    /// Keeps everything.
    pub store: Arc<StateDatabase>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where calls and renewals run.
    pub tasks: TaskScope,
    /// Whether the built-in demonstration model answers.
    pub demonstration: Demonstration,
}

/// Calls models, and knows all about them.
pub struct ModelRuntime {
    /// Chooses and calls.
    pub models: Models,
    /// Signs in.
    pub credentials: SignIns,
    /// Carries calls.
    pub transport: Transport,
    /// What vendors say about allowances.
    pub quotas: VendorQuotas,
    settings: Arc<dyn Fn() -> Arc<FileSnapshot> + Send + Sync>,
    locations: Locations,
    store: Arc<StateDatabase>,
    catalog: Arc<LiveCatalog>,
    /// The model of this machine that answers while nothing is set up.
    stand_in: Arc<ArcSwapOption<ModelRef>>,
    /// What was decided about it last, so that each decision is told once.
    decided: ArcSwapOption<StandIn>,
    switches: broadcast::Sender<ModelsSwitchPayload>,
}

impl ModelRuntime {
    /// Puts it together. Calls nobody.
    ///
    /// # Errors
    /// The store cannot be read.
    pub async fn open(parts: ModelRuntimeParts) -> Result<Self, StoreError> {
        let ModelRuntimeParts { settings, locations, store, clock, tasks, demonstration } = parts;
        let config = Arc::clone(&settings().config);
        let folder = config.places.agent_dir(&locations.state_dir, &config.agents.default_agent);
        let registry = folder.join("models.json");
        let catalog = Arc::new(LiveCatalog::new(Arc::clone(&settings), registry, demonstration));
        let transport =
            Transport::new(Arc::clone(&clock), &settings().environment, TransportLimits::default());
        let credentials = SignIns::new(SignInsParts {
            store: store.clone(),
            secrets: Arc::new(SecretResolver::new(Arc::clone(&clock))),
            transport: transport.clone(),
            clock: Arc::clone(&clock),
            scope: tasks.child("sign-ins"),
            lock_dir: locations.state_dir.join("locks"),
            vendors: SignInVendors::known(),
            surroundings: surroundings(&settings, &catalog),
        });
        let known = Arc::clone(&catalog);
        let quotas = VendorQuotas::new(QuotaParts {
            transport: transport.clone(),
            credentials: Arc::new(credentials.clone()),
            catalog: Arc::new(move || known.current()),
            agent: default_agent(&settings),
            clock: Arc::clone(&clock),
        });
        let stand_in = Arc::new(ArcSwapOption::empty());
        let listed = Arc::clone(&catalog);
        let models = Models::open(ModelsParts {
            settings: configuration(&settings, demonstration, &stand_in),
            catalog: Arc::new(move || listed.current()),
            unlisted: Arc::new(resolve_unlisted),
            credentials: Arc::new(credentials.clone()),
            profiles: store.clone(),
            line: Arc::new(ModelLines::new(transport.clone(), demonstration, Arc::clone(&clock))),
            health: store.clone(),
            ledger: store.clone(),
            clock: Arc::clone(&clock),
            tasks: tasks.child("model calls"),
            zone: Zone::system(),
        })
        .await?;
        let switches = switches::follow(&models, &store, &tasks);
        Ok(Self {
            models,
            credentials,
            transport,
            quotas,
            settings,
            locations,
            store,
            catalog,
            stand_in,
            decided: ArcSwapOption::empty(),
            switches,
        })
    }

    /// Every model there is, as of now.
    #[must_use]
    pub fn catalog(&self) -> Arc<ModelCatalog> {
        self.catalog.current()
    }

    /// The sign-ins of agents.
    #[must_use]
    pub fn profiles(&self) -> Arc<dyn ProfileStore> {
        self.store.clone()
    }

    /// How credentials fare.
    #[must_use]
    pub fn health(&self) -> Arc<dyn HealthStore> {
        self.store.clone()
    }

    /// What calls took.
    #[must_use]
    pub fn ledger(&self) -> Arc<dyn UsageLedger> {
        self.store.clone()
    }

    /// Looks which model servers listen on this machine and takes their models into the catalog.
    pub async fn find_local_servers(&self) {
        let now = (self.settings)();
        let servers = LocalServers::of(now.config.raw.models.as_ref(), &now.environment);
        self.catalog.take_found(find_local(&self.transport, &servers).await);
    }

    /// Takes models into the catalog that somebody else found, until servers are looked for again.
    pub fn take_found(&self, servers: Vec<FoundServer>) {
        self.catalog.take_found(servers);
    }

    /// What the gateway's methods need of all this.
    #[must_use]
    pub fn services(&self) -> ModelServices {
        ModelServices {
            listing: Arc::new(self.models.clone()),
            limits: Arc::new(self.models.clone()),
            ledger: self.ledger(),
            quotas: Arc::new(self.quotas.clone()) as Arc<dyn Quotas>,
            switches: self.switches.clone(),
        }
    }
}

fn surroundings(
    settings: &Arc<dyn Fn() -> Arc<FileSnapshot> + Send + Sync>,
    catalog: &Arc<LiveCatalog>,
) -> Arc<dyn Fn() -> SignInInputs + Send + Sync> {
    let (settings, catalog) = (Arc::clone(settings), Arc::clone(catalog));
    Arc::new(move || {
        let now = settings();
        SignInInputs {
            environment: now.environment.clone(),
            config: Arc::clone(&now.config),
            catalog: catalog.current(),
        }
    })
}

fn default_agent(
    settings: &Arc<dyn Fn() -> Arc<FileSnapshot> + Send + Sync>,
) -> Arc<dyn Fn() -> AgentId + Send + Sync> {
    let settings = Arc::clone(settings);
    Arc::new(move || settings().config.agents.default_agent.clone())
}

/// The configuration that models are chosen by. A demonstration answers with the model it is about; where nothing is
/// set up, a model of this machine may stand in.
fn configuration(
    settings: &Arc<dyn Fn() -> Arc<FileSnapshot> + Send + Sync>,
    demonstration: Demonstration,
    stand_in: &Arc<ArcSwapOption<ModelRef>>,
) -> Arc<dyn Fn() -> Arc<Config> + Send + Sync> {
    let (settings, stand_in) = (Arc::clone(settings), Arc::clone(stand_in));
    Arc::new(move || {
        let config = Arc::clone(&settings().config);
        match (demonstration, stand_in.load_full()) {
            (Demonstration::Present, _) => Arc::new(demonstrating(&config)),
            (Demonstration::Absent, Some(model)) if config.models.default.primary.is_none() => {
                let mut config = Config::clone(&config);
                config.models.default.primary = Some(model.to_string());
                Arc::new(config)
            }
            (Demonstration::Absent, _) => config,
        }
    })
}

fn demonstrating(config: &Config) -> Config {
    let mut config = config.clone();
    let primary = Some(format!("{DEMO_PROVIDER}/{DEMO_MODEL}"));
    config.models.default = ModelPreference { primary, fallbacks: Some(Vec::new()) };
    config.models.allowed.clear();
    for agent in &mut config.agents.list {
        agent.model = None;
    }
    config
}
