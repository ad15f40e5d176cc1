//! Puts `Models` together and answers the short questions; calls are driven by `driver`.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use openclaw_config::Config;
use openclaw_ports::model::{Credentials, ModelCatalog, ModelFacts, ModelLine};
use openclaw_ports::stores::{HealthStore, ProfileStore, StoreError, UsageLedger};
use openclaw_ports::{Clock, TaskScope};
use openclaw_types::{AgentId, AuthProfileId, ModelRef, ThinkingLevel};
use tokio::sync::{broadcast, mpsc};

use super::call::{CallStream, ModelCall};
use super::driver;
use super::status::{ModelsStatus, SwitchRecord, Switches};
use super::unsettled::Unsettled;
use crate::failover::{Health, Probes};
use crate::selection::{ContextWindow, ModelNames, ResolvedModel, Selection, asked_level};
use crate::{SelectionError, Zone};

/// Events that may wait for a slow reader. When full, the model is read more slowly; nothing is dropped.
const WAITING_EVENTS: usize = 64;

/// Describes a model that the catalog does not list; nothing when its vendor is not known either.
pub type Unlisted = Arc<dyn Fn(&ModelCatalog, &ModelRef) -> Option<ModelFacts> + Send + Sync>;

/// What `Models` is built from.
pub struct ModelsParts {
    /// The configuration of the moment.
    pub settings: Arc<dyn Fn() -> Arc<Config> + Send + Sync>,
    /// The catalog of the moment.
    pub catalog: Arc<dyn Fn() -> Arc<ModelCatalog> + Send + Sync>,
    /// What to assume of models the catalog does not list.
    pub unlisted: Unlisted,
    /// What signs in.
    pub credentials: Arc<dyn Credentials>,
    /// The order in which people want stored sign-ins tried. Nothing else is read from it.
    pub profiles: Arc<dyn ProfileStore>,
    /// Carries requests.
    pub line: Arc<dyn ModelLine>,
    /// Keeps how credentials fare.
    pub health: Arc<dyn HealthStore>,
    /// Keeps the books.
    pub ledger: Arc<dyn UsageLedger>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Where calls run. Cancelling it ends all calls; joining it waits until they are counted.
    pub tasks: TaskScope,
    /// Where days and months of budgets begin.
    pub zone: Zone,
}

/// Models that can be called. Cloning is cheap.
#[derive(Clone)]
pub struct Models {
    pub(super) shared: Arc<Shared>,
}

pub(super) struct Shared {
    pub(super) parts: ModelsParts,
    pub(super) health: Health,
    pub(super) probes: Probes,
    pub(super) switches: Switches,
    pub(super) unsettled: Unsettled,
}

impl Models {
    /// Reads what earlier processes learned and closes the books of calls they left open.
    ///
    /// # Errors
    /// One of the stores cannot be read.
    pub async fn open(parts: ModelsParts) -> Result<Self, StoreError> {
        let health = Health::load(Arc::clone(&parts.health), Arc::clone(&parts.clock)).await?;
        let interrupted = parts.ledger.settle_interrupted(parts.clock.now()).await?;
        if interrupted > 0 {
            tracing::info!(
                subsystem = "models",
                "{interrupted} model calls were cut off by the last stop; what was sent is counted"
            );
        }
        let shared = Shared {
            parts,
            health,
            probes: Probes::default(),
            switches: Switches::default(),
            unsettled: Unsettled::default(),
        };
        Ok(Self { shared: Arc::new(shared) })
    }

    /// Calls a model. The call begins at once; must be called inside the runtime.
    ///
    /// The stream ends in exactly one `Done` or `Failed`. Dropping it cancels the call, counts what was sent, and
    /// says nothing about the health of the credential.
    #[must_use]
    pub fn call(&self, call: ModelCall) -> CallStream {
        let (events, stream) = mpsc::channel(WAITING_EVENTS);
        let shared = Arc::clone(&self.shared);
        self.shared.parts.tasks.start("model call", async move { driver::run(&shared, call, events).await });
        CallStream::new(stream)
    }

    /// Reads what a person wrote for a model and checks that the agent may use it.
    ///
    /// # Errors
    /// It names no model, or one that may not be chosen; the text of the error is for the person.
    pub fn resolve(&self, agent: &AgentId, text: &str) -> Result<ResolvedModel, SelectionError> {
        let (config, catalog) = self.shared.now();
        ModelNames::new(&config, &catalog).resolve(agent, text)
    }

    /// The model that answers for an agent when nobody chose another.
    #[must_use]
    pub fn primary(&self, agent: &AgentId) -> ModelRef {
        let (config, catalog) = self.shared.now();
        ModelNames::new(&config, &catalog).agent_primary(agent)
    }

    /// What is known or assumed of a model; nothing when its vendor is not known.
    #[must_use]
    pub fn facts(&self, model: &ModelRef) -> Option<ModelFacts> {
        let (_, catalog) = self.shared.now();
        self.shared.facts(&catalog, model).map(Cow::into_owned)
    }

    /// How much a model may read and write together, as far as is known; nothing when its vendor is not known.
    #[must_use]
    pub fn window(&self, model: &ModelRef) -> Option<ContextWindow> {
        let (config, catalog) = self.shared.now();
        let facts = self.shared.facts(&catalog, model)?;
        Some(ContextWindow::judge(facts.context_window, config.models.context_tokens))
    }

    /// The model that a run begins with; the agent's own where the choice cannot be read, which the call then tells.
    #[must_use]
    pub fn chosen(&self, agent: &AgentId, selection: &Selection) -> ModelRef {
        match selection {
            Selection::Default | Selection::Pictures => self.primary(agent),
            Selection::Room(text) => {
                let (config, catalog) = self.shared.now();
                ModelNames::new(&config, &catalog).room(agent, text)
            }
            Selection::Session(text) | Selection::Run(text) => self
                .resolve(agent, text)
                .map_or_else(|_told_by_the_call| self.primary(agent), |found| found.reference.model),
        }
    }

    /// How hard a model is asked to think: at the level somebody wants, else the usual one, as far as it can.
    #[must_use]
    pub fn thinking(&self, model: &ModelRef, asked: Option<ThinkingLevel>) -> ThinkingLevel {
        let (config, catalog) = self.shared.now();
        match self.shared.facts(&catalog, model) {
            Some(facts) => asked_level(asked, config.models.thinking, &facts),
            None => asked.or(config.models.thinking).unwrap_or(ThinkingLevel::Off),
        }
    }

    /// Whether there is a model that looks at pictures for an agent: one chosen for that, or its own when that sees.
    #[must_use]
    pub fn see_pictures(&self, agent: &AgentId) -> bool {
        let (config, catalog) = self.shared.now();
        let names = ModelNames::new(&config, &catalog);
        let sees =
            |model: &ModelRef| self.shared.facts(&catalog, model).is_some_and(|facts| facts.sees_images);
        names.image_chain().iter().any(sees) || sees(&names.agent_primary(agent))
    }

    /// How credentials fare, and what was switched lately.
    #[must_use]
    pub fn status(&self) -> ModelsStatus {
        ModelsStatus { health: self.shared.health.records(), switches: self.shared.switches.list() }
    }

    /// Every switch from now on. A reader that is far behind loses the oldest ones and is told how many.
    #[must_use]
    pub fn subscribe(&self) -> broadcast::Receiver<SwitchRecord> {
        self.shared.switches.subscribe()
    }

    /// Closes the books of ended calls that the store would not take before. Called when the gateway stops, once all
    /// calls have ended.
    pub async fn close_books(&self) {
        self.shared.unsettled.retry(self.shared.parts.ledger.as_ref()).await;
    }

    /// Forgets what is known of one profile, or of all profiles of an agent, so that they are tried again at once.
    ///
    /// # Errors
    /// The store could not forget; in memory it is forgotten all the same.
    pub async fn clear_health(
        &self,
        agent: &AgentId,
        profile: Option<&AuthProfileId>,
    ) -> Result<(), StoreError> {
        self.shared.health.clear(agent, profile).await
    }
}

impl Shared {
    pub(super) fn now(&self) -> (Arc<Config>, Arc<ModelCatalog>) {
        ((self.parts.settings)(), (self.parts.catalog)())
    }

    pub(super) fn facts<'a>(
        &self,
        catalog: &'a ModelCatalog,
        model: &ModelRef,
    ) -> Option<Cow<'a, ModelFacts>> {
        let listed = catalog.model(model).map(Cow::Borrowed);
        listed.or_else(|| (self.parts.unlisted)(catalog, model).map(Cow::Owned))
    }
}

impl fmt::Debug for Models {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Models").field("health", &self.shared.health).finish_non_exhaustive()
    }
}
