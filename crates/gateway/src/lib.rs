//! The gateway: one port that speaks HTTP and the WebSocket protocol.
//!
//! `server` listens, `http` answers requests, `connection` runs WebSockets, `handshake` with `auth`, `pairing` and
//! `limits` decides who gets in, `methods` does what clients ask, `broadcast` tells them what happens. `runs` shows what
//! agents do. The crate knows no adapter and no home directory: `app` gives it its parts and starts it.

mod auth;
mod broadcast;
mod connection;
mod context;
mod error;
mod handshake;
mod host;
mod http;
mod limits;
mod methods;
mod pairing;
mod presence;
mod runs;
mod server;

pub use context::{GatewayLimits, GatewayParts};
pub use error::GatewayError;
pub use host::{Host, HostFault, RestartRequest};
pub use methods::{
    AgentRemoval, AgentServices, ModelServices, RestartNote, agent_outcome, changed_paths, leave_restart_note,
};
pub use runs::ApprovalFace;
pub use server::{Gateway, ListenPlan, ShutdownKind, TlsPlan, start};
