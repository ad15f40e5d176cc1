//! Builds the whole system from configuration, starts it and stops it.
//!
//! The only crate that sees engines and adapters together. Start-up and shutdown are lists of named stages; what a
//! stage does lives in its own file. The command line calls `run_gateway`; tests call `start` and steer it.

mod agents;
mod folders;
mod host;
mod instance;
mod life;
mod malloc_arenas;
mod models;
pub mod observe;
mod options;
mod preflight;
mod reload;
mod restart;
mod shutdown;
mod signals;
mod stages;
mod startup;

pub use agents::{AgentRuntime, AgentRuntimeParts, configured_accounts, old_sessions};
pub use instance::{InstanceError, InstanceInfo, InstanceLock, running_instance};
pub use life::{ExitReason, run_gateway};
pub use models::{ImportFault, Imported, ModelRuntime, ModelRuntimeParts, files_taken_over};
pub use openclaw_channels::kinds as platforms;
pub use openclaw_providers::Demonstration;
pub use options::{RemoteMode, RunOptions};
pub use shutdown::{ShutdownReport, shutdown};
pub use signals::ExitRequest;
pub use startup::{Running, start};
