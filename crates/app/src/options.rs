//! What a run of the gateway is told from outside.

use openclaw_config::{Environment, Locations, Overrides};

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
    /// How people see the log.
    pub console: ConsoleOutput,
    /// The version that clients and logs are told.
    pub version: String,
}
