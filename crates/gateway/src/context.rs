//! Everything the parts of the gateway share: what it was given and what it keeps in memory.
//!
//! Built once by `server::start` and handed around as `Arc<GatewayContext>`. Holds state, decides nothing; the few
//! methods here are steps that several parts take together.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use openclaw_config::{ConfigFile, LiveConfig};
use openclaw_ports::stores::{AuditEntry, AuditLedger, DeviceStore};
use openclaw_ports::{Clock, Deadline, TaskScope};
use openclaw_protocol::{ClientInfo, StateVersion};
use openclaw_types::ConnectionId;
use serde_json::Value;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::auth::{NetworkReach, Principal, WhoIs};
use crate::broadcast::Roster;
use crate::connection::Client;
use crate::handshake::Handshake;
use crate::host::Host;
use crate::http::Meters;
use crate::limits::{AuthLimits, ControlPlaneBudget, Places, Shares};
use crate::methods::{AgentServices, HealthBoard, Heartbeats, IdempotencyCache, ModelServices, Registry};
use crate::pairing::{DeviceRegistry, PairingEvent};
use crate::presence::{PresenceBoard, PresenceKey};
use crate::runs::RunEvents;

/// What a gateway is made of.
pub struct GatewayParts {
    /// The configuration, which may change while the gateway runs.
    pub config: LiveConfig,
    /// Paired devices.
    pub devices: Arc<dyn DeviceStore>,
    /// Who did what.
    pub audit: Arc<dyn AuditLedger>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Where the gateway's tasks hang.
    pub tasks: TaskScope,
    /// The process around the gateway.
    pub host: Arc<dyn Host>,
    /// The version clients are told.
    pub version: String,
    /// How much clients may ask of the gateway.
    pub limits: GatewayLimits,
    /// Who knows about models and money. Without it, the methods about them do not exist.
    pub models: Option<ModelServices>,
    /// Who answers people. Without it, the methods about chats, runs, sessions and agents do not exist.
    pub agents: Option<AgentServices>,
}

/// How much clients may ask of the gateway.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayLimits {
    /// WebSockets that may be open at once, and as many other HTTP connections.
    pub sockets: usize,
    /// Sockets whose handshake may be under way at once.
    pub strangers: usize,
    /// Bytes that may wait for one client before it counts as slow. Clients are told a larger number, so that this
    /// one can be tightened without their notice.
    pub outbound_bytes: usize,
}

impl Default for GatewayLimits {
    fn default() -> Self {
        Self { sockets: 1024, strangers: 128, outbound_bytes: 16 * 1024 * 1024 }
    }
}

/// How long a request waits for a changed configuration to be read.
const RELOAD_WAIT: Duration = Duration::from_secs(5);

/// How many of the handshakes under way may be those of one caller. Other machines get little each; what comes over
/// loopback may be a proxy with many people behind it, but a foreign page is nobody we wait for.
const HANDSHAKE_SHARES: Shares = Shares { remote: 16, this_machine: 64, foreign_page: 8 };

/// The shared state of a running gateway.
pub(crate) struct GatewayContext {
    pub(crate) config: LiveConfig,
    pub(crate) config_file: ConfigFile,
    pub(crate) audit: Arc<dyn AuditLedger>,
    pub(crate) clock: Arc<dyn Clock>,
    /// Connections, requests and upkeep.
    pub(crate) tasks: TaskScope,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) version: String,
    pub(crate) limits: GatewayLimits,
    pub(crate) methods: Registry,
    /// Who answers people, if anybody does.
    pub(crate) agents: Option<Arc<AgentServices>>,
    /// What clients see of runs.
    pub(crate) runs: RunEvents,
    pub(crate) meters: Arc<Meters>,
    pub(crate) roster: Roster,
    pub(crate) devices: DeviceRegistry,
    pub(crate) auth_limits: AuthLimits,
    pub(crate) budget: ControlPlaneBudget,
    pub(crate) who_is: WhoIs,
    pub(crate) health: HealthBoard,
    pub(crate) heartbeats: Heartbeats,
    pub(crate) idempotency: Arc<IdempotencyCache>,
    /// Who can reach the addresses that were opened at the start.
    pub(crate) reach: NetworkReach,
    /// WebSockets that are open.
    pub(crate) websockets: AtomicUsize,
    /// Sockets whose handshake is under way.
    pub(crate) strangers: Places,
    /// Counts tasks that `shutdown` waits for: sockets, connections and requests.
    pub(crate) tracker: TaskTracker,
    /// Cancelled when clients are sent home.
    pub(crate) closing: CancellationToken,
    /// Names this run of the gateway.
    pub(crate) boot_id: String,
    /// When the gateway started, on the monotonic clock.
    pub(crate) started: Duration,
    presence: Mutex<PresenceBoard>,
    health_version: AtomicU64,
}

impl GatewayContext {
    /// Puts the parts together.
    pub(crate) fn new(
        parts: GatewayParts,
        devices: DeviceRegistry,
        presence: PresenceBoard,
        reach: NetworkReach,
    ) -> Arc<Self> {
        let agents = parts.agents.map(Arc::new);
        let methods = Registry::complete(parts.models.map(Arc::new), agents.as_ref());
        let meters = Arc::new(Meters::new(methods.names().iter().copied()));
        Arc::new(Self {
            config_file: parts.config.file().clone(),
            config: parts.config,
            audit: parts.audit,
            idempotency: IdempotencyCache::new(parts.clock.clone()),
            started: parts.clock.elapsed(),
            clock: parts.clock,
            tasks: parts.tasks,
            host: parts.host,
            version: parts.version,
            methods,
            agents,
            runs: RunEvents::default(),
            roster: Roster::new(meters.clone()),
            meters,
            devices,
            auth_limits: AuthLimits::new(),
            budget: ControlPlaneBudget::new(),
            who_is: WhoIs::command(),
            health: HealthBoard::default(),
            heartbeats: Heartbeats::default(),
            strangers: Places::new(parts.limits.strangers, HANDSHAKE_SHARES),
            limits: parts.limits,
            reach,
            websockets: AtomicUsize::new(0),
            tracker: TaskTracker::new(),
            closing: CancellationToken::new(),
            boot_id: uuid::Uuid::new_v4().to_string(),
            presence: Mutex::new(presence),
            health_version: AtomicU64::new(1),
        })
    }

    /// The rules for a connect, from the configuration of this moment.
    pub(crate) fn handshake(&self) -> Handshake<'_> {
        Handshake {
            config: self.config.current(),
            devices: &self.devices,
            limits: &self.auth_limits,
            clock: self.clock.as_ref(),
            audit: self.audit.as_ref(),
            who_is: &self.who_is,
            reach: self.reach,
        }
    }

    /// Who is here.
    pub(crate) fn presence(&self) -> MutexGuard<'_, PresenceBoard> {
        self.presence.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How often presence and health have changed.
    pub(crate) fn state_version(&self) -> StateVersion {
        StateVersion {
            presence: self.presence().version(),
            health: self.health_version.load(Ordering::Relaxed),
        }
    }

    /// Counts a change of health.
    pub(crate) fn bump_health(&self) -> StateVersion {
        self.health_version.fetch_add(1, Ordering::Relaxed);
        self.state_version()
    }

    /// Starts work that `shutdown` waits for.
    pub(crate) fn start_tracked(&self, name: &'static str, work: impl Future<Output = ()> + Send + 'static) {
        self.tasks.start(name, self.tracker.track_future(work));
    }

    /// How long the gateway has been running.
    pub(crate) fn uptime(&self) -> Duration {
        self.clock.elapsed().saturating_sub(self.started)
    }

    /// Notes that a client is here, before it is welcomed: it sees itself in its welcome.
    pub(crate) fn note_arrival(
        &self,
        principal: &Principal,
        info: &ClientInfo,
        connection: &ConnectionId,
    ) -> Option<PresenceKey> {
        self.presence().connected(principal, info, connection, self.clock.now())
    }

    /// Notes that a client left, and tells the others.
    pub(crate) fn note_departure(&self, client: &Client, presence: Option<&PresenceKey>) {
        self.roster.leave(&client.id);
        self.runs.subscribers.leave(&client.id);
        if let Some(key) = presence {
            self.presence().disconnected(key, self.clock.now());
            self.announce_presence();
        }
    }

    /// Tells everybody who is here.
    pub(crate) fn announce_presence(&self) {
        let entries = self.presence().list(self.clock.now());
        self.roster.announce_presence(entries, self.state_version());
    }

    /// Tells those who may decide about devices what happened.
    pub(crate) fn announce_pairings(&self, events: &[PairingEvent]) {
        for event in events {
            self.roster.announce_pairing(event);
        }
    }

    /// Takes over what changed in the configuration file, so that whoever changed it and asks next is answered by it. A
    /// file that did not change costs a look at its date.
    pub(crate) async fn reload_if_changed(&self) {
        if !self.config.file_changed() {
            return;
        }
        let clock = self.clock.as_ref();
        let taken = Deadline::after(clock, RELOAD_WAIT).bound(clock, self.host.reload_if_changed()).await;
        if taken.is_err() {
            tracing::warn!(
                "the changed configuration is not read yet; a request is answered by the former one"
            );
        }
    }

    /// Adds what a client did to the audit ledger. What was done stands even when the ledger cannot be written.
    pub(crate) async fn record(&self, client: &Client, action: &str, mut detail: Value) {
        if let Some(detail) = detail.as_object_mut() {
            detail.insert("client".to_owned(), Value::String(client.program.clone()));
        }
        let entry = AuditEntry {
            at: self.clock.now(),
            actor: client.principal.actor(),
            action: action.to_owned(),
            subject: None,
            detail,
        };
        if let Err(error) = self.audit.append(entry).await {
            tracing::error!(%error, action, "an act is missing from the audit ledger");
        }
    }
}
