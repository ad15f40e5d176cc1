//! A running gateway, from its start to its end.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use openclaw_ports::{Deadline, TaskScope, TimedOut};
use openclaw_protocol::Close;
use tokio::net::TcpListener;

use super::accept::{ListenerShared, accept};
use super::bind::{ListenPlan, listen};
use super::{machine, posture, tls};
use crate::auth::NetworkReach;
use crate::broadcast::{follow_switches, start_upkeep};
use crate::context::{GatewayContext, GatewayParts};
use crate::error::GatewayError;
use crate::http::Web;
use crate::limits::{Places, Shares};
use crate::methods::refresh_health;
use crate::pairing::DeviceRegistry;
use crate::presence::PresenceBoard;
use crate::runs::{ApprovalFace, FlowBroadcaster};

/// When clients should try again after a restart.
const BACK_IN_MS: u64 = 1500;

/// A running gateway.
pub struct Gateway {
    context: Arc<GatewayContext>,
    accepting: TaskScope,
    addresses: Vec<SocketAddr>,
    fingerprint: Option<String>,
}

/// Why a gateway ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShutdownKind {
    /// For good.
    Stopping,
    /// It will be back at once.
    Restarting,
}

/// Starts a gateway: checks that it is safe, opens its addresses, and serves until it is stopped.
///
/// # Errors
/// `GatewayError` says what kept it from starting and what to do. Nothing listens then.
pub async fn start(parts: GatewayParts, plan: ListenPlan) -> Result<Gateway, GatewayError> {
    posture::check(plan.bind, &parts.config.current().gateway)?;
    let certificate = tls::prepare(&plan.tls)?;
    let devices =
        DeviceRegistry::load(parts.devices.clone(), parts.audit.clone(), parts.clock.clone()).await?;
    let presence = PresenceBoard::new(machine::facts(&parts.version), parts.clock.now());
    let listeners = listen(plan.bind, plan.port).await?;
    let addresses = bound_addresses(&listeners, plan.port)?;
    let places = socket_places(parts.limits.sockets);
    let tasks = parts.tasks.child("gateway");
    let parts = GatewayParts { tasks: tasks.clone(), ..parts };
    let switches = parts.models.as_ref().map(|services| services.switches.subscribe());
    let context = GatewayContext::new(parts, devices, presence, NetworkReach::of(&addresses));
    if let Some(agents) = &context.agents {
        agents.flow.attach(Arc::new(FlowBroadcaster(Arc::downgrade(&context))));
    }
    refresh_health_after_import(&context);
    if let Err(error) = refresh_health(&context).await {
        tracing::error!(%error, "the state of health could not be taken");
    }
    let (acceptor, fingerprint) = certificate.map(|found| (found.acceptor, found.fingerprint)).unzip();
    let accepting = tasks.child("accept");
    let door = Arc::new(ListenerShared {
        surface: Arc::new(Web::new(context.clone())),
        clock: context.clock.clone(),
        tasks: accepting.clone(),
        tracker: context.tracker.clone(),
        tls: acceptor,
        places,
    });
    for listener in listeners {
        accepting.start("accept", accept(door.clone(), listener));
    }
    start_upkeep(&context);
    if let Some(switches) = switches {
        follow_switches(&context, switches);
    }
    let watching = context.clone();
    tasks.start("farewell", async move {
        watching.tasks.cancelled().await;
        send_home(&watching);
    });
    Ok(Gateway { context, accepting, addresses, fingerprint })
}

impl Gateway {
    /// The addresses it listens on.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// SHA-256 of its certificate in lower-case hex; nothing without TLS.
    #[must_use]
    pub fn tls_fingerprint(&self) -> Option<&str> {
        self.fingerprint.as_deref()
    }

    /// Where questions about commands reach the people who may answer them.
    #[must_use]
    pub fn approvals(&self) -> ApprovalFace {
        ApprovalFace::new(&self.context)
    }

    /// Stops: no new connections, clients are told and sent home, what runs may end until the deadline.
    ///
    /// # Errors
    /// `TimedOut` when something still ran at the deadline; it was cut off.
    pub async fn shutdown(&self, kind: ShutdownKind, deadline: Deadline) -> Result<(), TimedOut> {
        let context = &self.context;
        self.accepting.cancel();
        match kind {
            ShutdownKind::Stopping => context.roster.announce_shutdown("gateway stopping", None),
            ShutdownKind::Restarting => {
                context.roster.announce_shutdown("gateway restarting", Some(BACK_IN_MS))
            }
        }
        send_home(context);
        context.tracker.close();
        let ended = deadline.bound(context.clock.as_ref(), context.tracker.wait()).await;
        context.tasks.cancel();
        ended
    }
}

/// One other machine gets a quarter at most. This machine gets all: a proxy on it speaks for everybody, and browsers
/// open few sockets to one place.
fn socket_places(all: usize) -> Places {
    Places::new(all, Shares { remote: (all / 4).max(1), this_machine: all, foreign_page: all })
}

fn bound_addresses(listeners: &[TcpListener], port: u16) -> Result<Vec<SocketAddr>, GatewayError> {
    let found: io::Result<_> = listeners.iter().map(TcpListener::local_addr).collect();
    let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::UNSPECIFIED), port);
    found.map_err(|source| GatewayError::CannotListen { address, source })
}

fn send_home(context: &GatewayContext) {
    context.closing.cancel();
    context.roster.end_all(&Close::SERVICE_RESTART);
}

/// Tells how many sessions there are as soon as those of an earlier installation are imported.
fn refresh_health_after_import(context: &Arc<GatewayContext>) {
    let Some(agents) = context.agents.as_ref().filter(|agents| !agents.import_gate.is_open()) else { return };
    let (gate, context) = (agents.import_gate.clone(), context.clone());
    let scope = context.tasks.clone();
    scope.start_cancellable("health after import", async move {
        gate.until_open().await;
        if let Err(error) = refresh_health(&context).await {
            tracing::error!(%error, "the state of health could not be taken");
        }
    });
}
