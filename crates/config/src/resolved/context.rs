//! What resolving needs besides the file: the environment, the places, and what the command line insists on.
//!
//! Plain data, handed in by the loader; nothing is read from the process here.

use openclaw_types::Secret;

use super::Bind;
use crate::sections::{AuthMode, LogLevel, TailscaleMode};
use crate::{Environment, Locations};

/// Everything outside the file that a setting may depend on.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    /// The variables and the home directory.
    pub environment: &'a Environment,
    /// The places of the installation.
    pub locations: &'a Locations,
    /// What the command line insists on.
    pub overrides: &'a Overrides,
}

/// Settings of the command line; each one wins over the file and the environment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overrides {
    /// `--port`.
    pub port: Option<u16>,
    /// `--bind`.
    pub bind: Option<Bind>,
    /// `--auth`.
    pub auth_mode: Option<AuthMode>,
    /// `--token`.
    pub token: Option<Secret<String>>,
    /// `--password`.
    pub password: Option<Secret<String>>,
    /// `--tailscale`.
    pub tailscale: Option<TailscaleMode>,
    /// `--verbose` and its like.
    pub log_level: Option<LogLevel>,
}
