//! What commands need beside the spine: people's approvals, a shell, the configuration file, the books.
//!
//! Each may be missing, in a process without a gateway for example; a command whose handle is missing says so.

use std::sync::Arc;

use openclaw_exec::ApprovalQueue;
use openclaw_ports::model::Credentials;
use openclaw_ports::stores::UsageLedger;
use openclaw_ports::tool::{CommandHost, FileDoor, GatewayControl, WebClient};

/// What commands need beside the spine. Nothing of it by default.
#[derive(Clone, Default)]
pub struct CommandHandles {
    /// Where people are asked about commands of the agent: `/approve`.
    pub approvals: Option<Arc<ApprovalQueue>>,
    /// Runs shell commands: `/bash`.
    pub shell: Option<Arc<dyn CommandHost>>,
    /// Reads and writes the configuration, restarts: `/config`, `/debug`, `/restart`.
    pub control: Option<Arc<dyn GatewayControl>>,
    /// What everything cost: `/status`, `/usage cost`.
    pub ledger: Option<Arc<dyn UsageLedger>>,
    /// Which sign-ins there are: `/status`, `/model`.
    pub credentials: Option<Arc<dyn Credentials>>,
    /// Fetches files that answers name by their address.
    pub web: Option<Arc<dyn WebClient>>,
    /// Opens files that answers name by their path.
    pub files: Option<Arc<dyn FileDoor>>,
}
