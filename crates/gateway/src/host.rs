//! What the process around the gateway does for it.
//!
//! The gateway serves clients; it cannot restart the process or read secrets by itself. `app` implements this trait;
//! tests bring their own.

use std::time::Duration;

use async_trait::async_trait;
use openclaw_protocol::methods::config::RestartPlan;

/// The process around the gateway.
#[async_trait]
pub trait Host: Send + Sync {
    /// Schedules a restart of the gateway and says what will happen. Requests that come while one is scheduled are
    /// joined with it.
    fn request_restart(&self, request: RestartRequest) -> RestartPlan;

    /// Takes over what changed in the configuration file. A file that is not good, or half written, is left to the
    /// process, which looks again when things are quiet.
    async fn reload_if_changed(&self) {}

    /// Reads all secrets anew and says how many of them gave a warning.
    ///
    /// # Errors
    /// The text tells a person what to do; the old secrets stay in use.
    async fn reload_secrets(&self) -> Result<u64, HostFault>;
}

/// A wish to restart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestartRequest {
    /// What asked for it, such as `config.apply`.
    pub reason: String,
    /// How long to wait first; the host's usual time when absent.
    pub delay: Option<Duration>,
}

/// The host could not do what was asked.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct HostFault(pub String);
