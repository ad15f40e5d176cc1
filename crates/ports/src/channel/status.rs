//! How a line is, as its adapter tells the host.

use openclaw_types::PeerId;
use serde_json::Value;

/// Is told how a line is. Telling never blocks.
pub trait HealthSink: Send + Sync {
    /// The line is like this now.
    fn tell(&self, health: Health);
}

/// How a line is.
#[derive(Debug, Clone, PartialEq)]
pub enum Health {
    /// It is up; this is who we are there.
    Connected(Identity),
    /// It is down and its adapter tries to have it back by itself (a resume).
    Reconnecting {
        /// Why it went down.
        reason: String,
    },
    /// Something is wrong that does not take the line down: a permission that is missing, an intent that is off.
    Limited {
        /// What, and what to do.
        reason: String,
    },
}

/// Who we are on a platform.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// Our id there.
    pub id: PeerId,
    /// Our handle there, without a sign before it.
    pub handle: Option<String>,
    /// Our name there.
    pub name: Option<String>,
    /// More for those who look: the team, the guilds, the server.
    pub facts: Value,
}
