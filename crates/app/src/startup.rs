//! How the gateway starts: one named stage after the other, each giving what the next one needs.
//!
//! Nothing slow happens before the sockets listen: no name look-ups, no other programs, no network.

use std::net::SocketAddr;
use std::sync::Arc;

use openclaw_config::LiveConfig;
use openclaw_gateway::Gateway;
use openclaw_ports::{Clock, SystemClock, TaskScope};
use openclaw_stores::sqlite::StateDatabase;

use crate::agents::{AgentRuntime, AgentRuntimeParts};
use crate::folders::FolderLocks;
use crate::host::ProcessHost;
use crate::instance::InstanceLock;
use crate::models::ModelRuntime;
use crate::observe::Logs;
use crate::options::RunOptions;
use crate::preflight::preflight;
use crate::reload::Reload;
use crate::restart::RestartLine;
use crate::signals::{self, ExitRequest, ExitRequests};
use crate::stages::{
    agents, banner, channels, configuration, legacy, listening, logging, models, secrets, sentinel, storage,
};

/// A gateway that runs, with everything that must be closed when it ends.
pub struct Running {
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) tasks: TaskScope,
    pub(crate) gateway: Gateway,
    pub(crate) store: Arc<StateDatabase>,
    pub(crate) logs: Logs,
    pub(crate) lock: InstanceLock,
    pub(crate) folders: FolderLocks,
    /// Apart from the others: it listens until the very end.
    pub(crate) signals: TaskScope,
    pub(crate) wishes: ExitRequests,
    restarts: Arc<RestartLine>,
    config: LiveConfig,
    models: Arc<ModelRuntime>,
    pub(crate) agents: Arc<AgentRuntime>,
}

/// Starts everything. What was started is dropped, and so closed, when a later stage fails.
///
/// # Errors
/// The first stage that failed, in words for people.
pub async fn start(options: RunOptions) -> anyhow::Result<Running> {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let tasks = TaskScope::root("gateway");
    legacy::adopt(&options);
    let file = configuration::file(&options, &clock);
    let (logs, known) = logging::start(&options, &file, &clock)?;
    let mut lock = InstanceLock::acquire(&options.locations, clock.now())?;
    let config = configuration::open(&file)?;
    configuration::check_mode(&config, options.remote_mode)?;
    let folders = FolderLocks::take(config.current().places.given())?;
    let config = secrets::ensure_token(config)?;
    secrets::register(&config, &known);
    let store = storage::open(&options.locations, &clock).await?;
    let wishes = ExitRequests::new();
    let restarts = Arc::new(RestartLine::new(clock.clone(), tasks.child("restart"), wishes.sender()));
    let reload = Arc::new(Reload {
        config: config.clone(),
        logs: logs.clone(),
        known,
        restarts: restarts.clone(),
        reading: Default::default(),
    });
    let runtime = models::open(models::ModelStageParts {
        config: &config,
        locations: &options.locations,
        store: &store,
        clock: &clock,
        tasks: &tasks,
        demonstration: options.demonstration,
    })
    .await?;
    let answering = Arc::new(AgentRuntime::open(&AgentRuntimeParts {
        config: &config,
        locations: &options.locations,
        environment: &options.environment,
        store: &store,
        models: &runtime,
        clock: &clock,
        tasks: &tasks,
        version: &options.version,
        platforms: options.platforms,
    }));
    answering.control.fill(&restarts);
    let host = Arc::new(ProcessHost {
        restarts: restarts.clone(),
        reload: reload.clone(),
        models: runtime.clone(),
        flow: answering.flow.clone(),
    });
    let parts = listening::ListenStageParts {
        config: &config,
        store: &store,
        clock: &clock,
        tasks: &tasks,
        host,
        models: &runtime,
        agents: &answering,
    };
    answering.flow.hold();
    answering.import_gate.close();
    let gateway = listening::start(parts, &options.version).await?;
    answering.late_approvals.fill(gateway.approvals());
    lock.announce(gateway.addresses().first().map_or(0, SocketAddr::port))?;
    let signals = TaskScope::root("signals");
    signals::listen(&signals, wishes.sender())?;
    reload.follow_file(&clock, &tasks);
    models::look_after(&runtime, &clock, &tasks);
    let upkeep = agents::AgentStageParts {
        config: &config,
        locations: &options.locations,
        store: &store,
        clock: &clock,
        tasks: &tasks,
    };
    agents::import(&answering, &upkeep).await;
    channels::take_over(&answering.flow, &options.locations, &store).await;
    channels::open(&answering.flow).await?;
    channels::follow(&answering.flow, &config, &tasks);
    agents::go_on(&answering).await?;
    agents::look_after(&answering, &upkeep);
    banner::show(&config, &gateway, &logs, options.demonstration);
    sentinel::tell(&options.locations.state_dir);
    banner::tell_supervisor(&options.environment);
    Ok(Running {
        clock,
        tasks,
        signals,
        gateway,
        store,
        logs,
        lock,
        folders,
        restarts,
        config,
        wishes,
        models: runtime,
        agents: answering,
    })
}

impl Running {
    /// Waits until somebody wishes that this life ends. A restart that could not start again is refused and told.
    pub async fn wait(&mut self) -> ExitRequest {
        loop {
            let wish = self.wishes.next().await;
            match wish {
                ExitRequest::Stop => return wish,
                ExitRequest::Restart => match preflight(self.config.file(), self.gateway.addresses()) {
                    Ok(()) => return wish,
                    Err(obstacle) => {
                        self.restarts.give_up();
                        tracing::error!(
                            subsystem = "gateway",
                            "not restarting, since the next start would fail: {obstacle}. The gateway goes on as it is"
                        );
                    }
                },
            }
        }
    }

    /// ExitRequests an end, as a signal would.
    pub async fn wish(&self, wish: ExitRequest) {
        if self.wishes.sender().send(wish).await.is_err() {
            tracing::debug!("the process is ending already");
        }
    }

    /// Where clients connect.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        self.gateway.addresses()
    }

    /// The configuration it runs on.
    #[must_use]
    pub fn config(&self) -> &LiveConfig {
        &self.config
    }

    /// Calls models, as the gateway does.
    #[must_use]
    pub fn models(&self) -> &ModelRuntime {
        &self.models
    }

    /// Answers people, as the gateway does.
    #[must_use]
    pub fn agents(&self) -> &AgentRuntime {
        &self.agents
    }

    /// The running log.
    #[must_use]
    pub fn logs(&self) -> &Logs {
        &self.logs
    }
}
