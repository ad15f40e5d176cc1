//! The configuration: found, read, resolved, checked, edited in place, watched and shared.
//!
//! `ConfigFile` is the file on disk, `FileSnapshot` what it was at one moment, `Config` what it means, `LiveConfig`
//! what the program runs on. Sections of channels and plugins stay raw for their owners. No other crate reads
//! environment variables or knows where the state directory is.

mod defaults;
mod dotenv;
mod environment;
mod error;
mod file;
mod file_stamp;
mod issue;
mod key_path;
mod last_good;
mod legacy_dirs;
mod live;
mod locations;
mod read;
mod redact;
mod reload;
mod resolved;
mod schema;
mod secrets;
pub mod sections;
mod snapshot;
mod validate;
mod watch;
mod write;

#[cfg(test)]
mod tests;

pub use environment::Environment;
pub use error::{KeyPathError, LocationError, SecretError, WriteError};
pub use file::ConfigFile;
pub use issue::{ConfigIssue, FilePosition};
pub use key_path::KeyPath;
pub use legacy_dirs::{Adoption, adopt_legacy_state_dir};
pub use live::{LiveConfig, Offered, StartedFrom};
pub use locations::{Locations, ProfileChoice};
pub use openclaw_schema::PathStep;
pub use redact::{REDACTED, RedactedSnapshot, redact, redact_value};
pub use reload::{Decision, HotAction, ReloadPlan, reload_plan};
pub use resolved::{
    AccountMatch, AckSettings, BindingRule, BroadcastGroup, CommandAccess, DebounceSettings,
    EnvelopeSettings, EnvelopeZone, KnownAgents, MentionSettings, MentionSource, MessageSettings, PeerMatch,
    RoomModels, RouteSettings, StatusSigns,
};
pub use resolved::{
    AddressRange, AddressRangeError, AgentPlaces, AgentSettings, AllowedModel, AssistantIdentity,
    AuthSettings, Bind, BudgetCaps, Budgets, Config, ConfigProblem, Context, ControlUiSettings,
    CooldownRules, DurationUnit, GatewaySettings, HEARTBEAT_PROMPT, Heartbeat, HeartbeatInterval,
    HttpSettings, LogFile, LoggingSettings, MeasureError, ModelPreference, ModelSettings, NodeCommands,
    Overrides, RateLimit, ReloadSettings, RemoteSettings, ResolvedAgent, SessionList, SessionSettings,
    Severity, SignInRules, TlsSettings, TrustedProxy, own_part, parse_byte_size, parse_duration,
};
pub use resolved::{ApplyPatchRules, HttpToolRules, PlacedList, SandboxRule, ToolRules, ToolScope, WebRules};
pub use resolved::{BetweenAgents, SessionToolSettings, SubagentCharacter, SubagentSettings, Targets};
pub use resolved::{
    CachedVendorSignIn, CompactionSettings, MemoryFlushSettings, PruningSettings, SoftTrimSettings,
};
pub use resolved::{
    Care, IdentityLink, MaintenanceSettings, ResetRule, ResetRules, SendPolicy, SendRule, SendVerdict,
    SessionKind, TypingSettings,
};
pub use resolved::{CommandSettings, LaneLimits, QueueMode, QueueOverrides, QueueSettings};
pub use resolved::{
    CrossContextSettings, FileToolSettings, WebFetchSettings, WebSearchSettings, WebToolSettings,
};
pub use resolved::{ElevatedGates, ExecSettings, ExitNotices, SafeBinRule};
pub use resolved::{FirstFiles, WorkspacePlace, WorkspaceSettings};
pub use resolved::{LoopRules, RunSettings, ToolErrors};
pub use schema::{ConfigSchema, GeneratedSchema, config_schema, is_sensitive_path, root_schema};
pub use secrets::{SecretResolver, SecretSources, read_secret_ref, secret_ref_value};
pub use sections::ReloadMode;
pub use snapshot::FileSnapshot;
pub use watch::watch_config;
pub use write::BaseHash;
