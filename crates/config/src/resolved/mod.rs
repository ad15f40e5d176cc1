//! The configuration as it is meant: domain types, defaults filled in, nothing optional that has a default.
//!
//! `Config::resolve` turns the raw sections into settings and says what contradicts itself. Pure apart from looking
//! up where logs may go. Only what the program reads today is resolved; every other section stays in `Config::raw`
//! until the code that needs it arrives. The loader calls this after the schema check has passed.

mod account_part;
mod agent;
mod agents;
mod assistant;
mod auth;
mod chat;
mod context;
mod control_ui;
mod exposure;
mod gateway;
mod heartbeat;
mod http;
mod logging;
mod measure;
mod models;
mod network;
mod places;
mod problem;
mod rules;
mod session;
mod tls;
mod tools;

#[cfg(test)]
mod tests;

use std::sync::Arc;

pub use account_part::own_part;
pub use agent::CommandSettings;
pub use agent::{BetweenAgents, SessionToolSettings, SubagentCharacter, SubagentSettings, Targets};
pub use agent::{CachedVendorSignIn, PruningSettings, SoftTrimSettings};
pub use agent::{CompactionSettings, MemoryFlushSettings};
pub use agent::{FirstFiles, WorkspacePlace, WorkspaceSettings};
pub use agent::{LaneLimits, QueueMode, QueueOverrides, QueueSettings};
pub use agent::{LoopRules, RunSettings, ToolErrors};
pub use agents::{AgentSettings, ResolvedAgent};
pub use assistant::AssistantIdentity;
pub use auth::{AuthSettings, RateLimit, TrustedProxy};
pub use chat::{
    AccountMatch, AckSettings, BindingRule, BroadcastGroup, CommandAccess, DebounceSettings,
    EnvelopeSettings, EnvelopeZone, KnownAgents, MentionSettings, MentionSource, MessageSettings, PeerMatch,
    RoomModels, RouteSettings, StatusSigns,
};
pub use context::{Context, Overrides};
pub use control_ui::ControlUiSettings;
pub use gateway::{Bind, GatewaySettings, NodeCommands, ReloadSettings, RemoteSettings};
pub use heartbeat::{HEARTBEAT_PROMPT, Heartbeat, HeartbeatInterval};
pub use http::HttpSettings;
pub use logging::{LogFile, LoggingSettings};
pub use measure::{DurationUnit, MeasureError, parse_byte_size, parse_duration};
pub use models::{
    AllowedModel, BudgetCaps, Budgets, CooldownRules, ModelPreference, ModelSettings, SignInRules,
};
pub use network::{AddressRange, AddressRangeError};
pub use places::{AgentPlaces, SessionList};
pub use problem::{ConfigProblem, Severity};
pub use session::{
    Care, IdentityLink, MaintenanceSettings, ResetRule, ResetRules, SendPolicy, SendRule, SendVerdict,
    SessionKind, SessionSettings, TypingSettings,
};
pub use tls::TlsSettings;
pub use tools::{ApplyPatchRules, HttpToolRules, PlacedList, SandboxRule, ToolRules, ToolScope, WebRules};
pub use tools::{CrossContextSettings, FileToolSettings};
pub use tools::{ElevatedGates, ExecSettings, ExitNotices, SafeBinRule};
pub use tools::{WebFetchSettings, WebSearchSettings, WebToolSettings};

use crate::sections::RawConfig;

/// One version of the configuration, ready for use. Shared as `Arc<Config>`; a reload makes a new one.
#[derive(Debug, Clone, PartialEq)]
pub struct Config {
    /// The sections as written, for code that reads what is not resolved here.
    pub raw: Arc<RawConfig>,
    /// How the gateway listens and whom it lets in.
    pub gateway: GatewaySettings,
    /// What is logged and where.
    pub logging: LoggingSettings,
    /// How messages map to sessions.
    pub session: SessionSettings,
    /// Which agents there are.
    pub agents: AgentSettings,
    /// Where each of them keeps its own things.
    pub places: AgentPlaces,
    /// Which models answer, how they are paid for and signed in to.
    pub models: ModelSettings,
    /// How the assistant presents itself in the web page.
    pub assistant: AssistantIdentity,
}

impl Config {
    /// Resolves the sections and says what is wrong with them beyond the schema.
    ///
    /// A `Config` always comes out: where a setting is unusable its safe default stands in. A problem of severity
    /// `Error` means that the file must not replace a good configuration.
    #[must_use]
    pub fn resolve(raw: RawConfig, context: &Context<'_>) -> (Self, Vec<ConfigProblem>) {
        let mut problems = rules::check(&raw);
        let gateway = gateway::resolve(raw.gateway.as_ref(), context, &mut problems);
        let logging = logging::resolve(raw.logging.as_ref(), context, &mut problems);
        let session = session::resolve(&raw, &mut problems);
        let agents = agents::resolve(raw.agents.as_ref(), &mut problems);
        let places = places::resolve(&raw, &agents, context, &mut problems);
        let models = models::resolve(&raw, &mut problems);
        let assistant = assistant::resolve(&raw, &agents.default_agent);
        (Self { raw: Arc::new(raw), gateway, logging, session, agents, places, models, assistant }, problems)
    }
}
