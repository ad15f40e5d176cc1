//! The sections about the installation itself: its records, logs, updates, looks, secrets and surroundings.
//!
//! How the gateway listens is in the `gateway` folder. One file for each section; the file is named like the section.
//! No defaults here.

mod auth;
mod browser;
mod canvas_host;
mod diagnostics;
mod discovery;
mod env;
mod logging;
mod meta;
mod node_host;
mod secrets;
mod ui;
mod update;
mod web;
mod wizard;

pub use auth::{AuthCooldowns, AuthProfile, AuthProfileMode, AuthSection};
pub use browser::{
    BrowserDriver, BrowserProfile, BrowserSection, BrowserSnapshotDefaults, BrowserSsrfPolicy, SnapshotMode,
};
pub use canvas_host::CanvasHostSection;
pub use diagnostics::{DiagnosticsCacheTrace, DiagnosticsOtel, DiagnosticsSection, OtelProtocol};
pub use discovery::{DiscoveryMdns, DiscoverySection, MdnsMode};
pub use env::{EnvSection, EnvShellEnv};
pub use logging::{ConsoleStyle, LogLevel, LoggingSection, RedactScope};
pub use meta::MetaSection;
pub use node_host::{NodeBrowserProxy, NodeHostSection};
pub use secrets::{
    EnvSecrets, ExecSecrets, FileSecrets, SecretFileMode, SecretProvider, SecretsDefaults, SecretsResolution,
    SecretsSection,
};
pub use ui::{UiAssistant, UiSection};
pub use update::{UpdateAuto, UpdateChannel, UpdateSection};
pub use web::{WebReconnect, WebSection};
pub use wizard::WizardSection;
