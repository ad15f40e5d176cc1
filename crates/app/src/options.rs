//! What a run of the gateway is told from outside.

use openclaw_config::{Environment, Locations, Overrides};
use openclaw_ports::channel::ChannelKind;
use openclaw_providers::Demonstration;

use crate::observe::ConsoleOutput;

/// How to run the gateway.
#[derive(Debug, Clone)]
pub struct RunOptions {
    /// The variables of the process.
    pub environment: Environment,
    /// Where its files are.
    pub locations: Locations,
    /// What the command line says over the configuration.
    pub overrides: Overrides,
    /// What to do on an installation that uses a gateway elsewhere.
    pub remote_mode: RemoteMode,
    /// How people see the log.
    pub console: ConsoleOutput,
    /// Whether the built-in demonstration model answers instead of what is configured.
    pub demonstration: Demonstration,
    /// The version that clients and logs are told.
    pub version: String,
    /// The platforms there are; `openclaw_app::platforms` outside of tests.
    pub platforms: fn() -> Vec<Box<dyn ChannelKind>>,
}

/// What to do when the configuration says that this installation uses a gateway elsewhere.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum RemoteMode {
    /// Not to start: two gateways with one owner answer everything twice.
    #[default]
    Refuse,
    /// To start all the same.
    RunAnyway,
}
