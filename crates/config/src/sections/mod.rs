//! The sections of the configuration file as they are written: one file for each, grouped by subject.
//!
//! These types are the one source of the format: reading, checking, the JSON Schema and the reference docs all come
//! from them. Unknown keys do not fail reading; the schema is closed, so the loader can warn about them. Channel and
//! plugin settings stay raw for their owners. Nothing here is ever written back: edits work on the file's text.
//! What a setting means, and its default, is decided in `resolved`.

mod ability;
mod agents;
mod automation;
mod chat;
mod gateway;
mod host;
mod shared;
mod tools;
mod value;

use schemars::JsonSchema;
use serde::Deserialize;

pub use ability::{
    AcpRuntime, AcpSection, AcpStream, AgentBudget, BedrockDiscovery, BudgetsSection, MaxTokensField,
    MemoryBackend, MemorySection, ModelApi, ModelCompat, ModelCost, ModelDefinition, ModelInput,
    ModelProvider, ModelsMode, ModelsSection, NodeManager, PluginEntry, PluginsLoad, PluginsSection,
    PluginsSlots, ProviderAuth, Qmd, QmdLimits, QmdMcporter, QmdPath, QmdSearchMode, QmdSessions, QmdUpdate,
    SkillEntry, SkillsInstall, SkillsLimits, SkillsLoad, SkillsSection, ThinkingFormat,
};
pub use agents::{
    ActiveHours, AgentDefaults, AgentEntry, AgentIdentity, AgentSubagents, AgentsSection, BlockBreak,
    BlockStreamingChunk, BlockStreamingCoalesce, BreakPreference, CliBackend, CliImageMode, CliInput,
    CliOutput, CliPromptMode, CliPromptWhen, CliReliability, CliSessionMode, CliWatchdog, CliWatchdogLimits,
    Compaction, CompactionMode, ContextPruning, DirectPolicy, ElevatedLevel, EmbeddedPi, EmbeddingFallback,
    EmbeddingKind, HardClear, HeartbeatEntry, HumanDelay, HumanDelayMode, MemoryFlush, MemorySearch,
    MemorySearchCache, MemorySearchChunking, MemorySearchExperimental, MemorySearchLocal, MemorySearchQuery,
    MemorySearchQueryHybrid, MemorySearchQueryHybridMmr, MemorySearchQueryHybridTemporalDecay,
    MemorySearchRemote, MemorySearchRemoteBatch, MemorySearchStore, MemorySearchStoreVector,
    MemorySearchSync, MemorySearchSyncSessions, MemorySource, MemoryStoreDriver, ModelEntry,
    ProjectSettingsPolicy, PruningMode, Sandbox, SandboxBrowser, SandboxDocker, SandboxMode, SandboxPrune,
    SandboxScope, SandboxSessionVisibility, SoftTrim, SubagentDefaults, ThinkingLevel, TimeFormat, Ulimit,
    UlimitPair, VerboseLevel, WorkspaceAccess,
};
pub use automation::{
    CronRunLog, CronSection, ExtraDirs, GmailHook, GmailServe, GmailTailscale, HookAction, HookInstall,
    HookMapping, HookMatch, HookThinking, HookTransform, HooksSection, InternalHandler, InternalHookEntry,
    InternalHooks, WakeMode,
};
pub use chat::{
    AckReactionScope, ApprovalMode, ApprovalTarget, ApprovalsSection, AudioSection, AudioTranscription,
    Binding, BindingMatch, BindingPeer, BroadcastSection, BroadcastStrategy, ChannelDefaults,
    ChannelsSection, CommandsSection, DmScope, ExecApprovals, GroupPolicyWord, HeartbeatVisibility,
    InboundDebounce, MaintenanceMode, MediaSection, MessagesSection, OwnerDisplay, QueueDrop, QueueMode,
    QueueOptions, ResetMode, SessionAgentToAgent, SessionMaintenance, SessionReset, SessionResetByType,
    SessionScope, SessionSection, SessionThreadBindings, StatusEmojis, StatusReactions, StatusTiming,
    TalkProvider, TalkSection, TalkVoice, Tts, TtsAuto, TtsEdge, TtsElevenlabs, TtsMode, TtsOpenai,
    TtsOverrides, TtsProvider, TtsVoiceSettings,
};
pub use gateway::{
    AuthMode, BindMode, GatewayAuth, GatewayAuthRateLimit, GatewayAuthTrustedProxy, GatewayControlUi,
    GatewayHttp, GatewayNodes, GatewayReload, GatewayRemote, GatewaySection, GatewayTailscale, GatewayTls,
    HttpEndpoints, NodeBrowser, NodeBrowserMode, ReloadMode, RemoteTransport, ResponseFiles, ResponseImages,
    ResponsePdf, ResponsesEndpoint, SecurityHeaders, UrlSource,
};
pub use host::{
    AuthCooldowns, AuthProfile, AuthProfileMode, AuthSection, BrowserDriver, BrowserProfile, BrowserSection,
    BrowserSnapshotDefaults, BrowserSsrfPolicy, CanvasHostSection, ConsoleStyle, DiagnosticsCacheTrace,
    DiagnosticsOtel, DiagnosticsSection, DiscoveryMdns, DiscoverySection, EnvSecrets, EnvSection,
    EnvShellEnv, ExecSecrets, FileSecrets, LogLevel, LoggingSection, MdnsMode, MetaSection, NodeBrowserProxy,
    NodeHostSection, OtelProtocol, RedactScope, SecretFileMode, SecretProvider, SecretsDefaults,
    SecretsResolution, SecretsSection, SnapshotMode, UiAssistant, UiSection, UpdateAuto, UpdateChannel,
    UpdateSection, WebReconnect, WebSection, WizardSection,
};
pub use shared::{
    AllowDeny, AutoOnOff, ChatType, GroupChat, InstallRecord, InstallSource, OnOff, RunMode, ScopeAction,
    ScopeMatch, ScopePolicy, ScopeRule, Switch, TailscaleMode, TypingMode,
};
pub use tools::{
    AgentExecTool, AgentToAgentTool, AgentTools, ApplyPatchTool, AttachmentMode, AttachmentPreference,
    CrossContext, CrossContextMarker, DeepgramOptions, ElevatedTools, ExecAsk, ExecHost, ExecSecurity,
    ExecTool, FileTools, GeminiSearch, GrokSearch, LinkModel, LinkModelType, LinkTools, LoopDetection,
    LoopDetectors, MediaAttachments, MediaKind, MediaModel, MediaModelType, MediaRequest, MediaTools,
    MediaUnderstanding, MessageTool, NestedTools, SafeBinProfile, SearchEndpoint, SearchProvider,
    SearxngSearch, SessionTools, SessionVisibility, SharedTools, ToolLists, ToolPolicy, ToolProfile,
    ToolsSection, WebFetch, WebSearch, WebTools,
};
pub(crate) use value::SECRET_MARK;
pub use value::{
    AutoWord, Count, EnvRef, ExecRef, FileRef, ModelChoice, ModelFallbacks, Off, Port, Positive, Raw, Scalar,
    SecretInput, SecretRef, SecretText, TextNumberOrOff, TextOrNumber, TextOrOff, ToggleOrAuto, Whole,
    WholeError,
};

/// The whole configuration file as written: nothing resolved, no default filled in.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RawConfig {
    /// Bookkeeping that the program writes itself.
    pub meta: Option<MetaSection>,
    /// Variables for the gateway.
    pub env: Option<EnvSection>,
    /// What the set-up wizard did last.
    pub wizard: Option<WizardSection>,
    /// What is measured and traced.
    pub diagnostics: Option<DiagnosticsSection>,
    /// What is logged and where.
    pub logging: Option<LoggingSection>,
    /// Where new versions come from.
    pub update: Option<UpdateSection>,
    /// The browser that tools steer.
    pub browser: Option<BrowserSection>,
    /// How the web page looks.
    pub ui: Option<UiSection>,
    /// Where referenced secrets are looked up.
    pub secrets: Option<SecretsSection>,
    /// Sign-ins to model vendors.
    pub auth: Option<AuthSection>,
    /// Coding agents that speak the Agent Client Protocol.
    pub acp: Option<AcpSection>,
    /// Models and vendors beyond the built-in ones.
    pub models: Option<ModelsSection>,
    /// What this machine offers when it is a node.
    pub node_host: Option<NodeHostSection>,
    /// The agents.
    pub agents: Option<AgentsSection>,
    /// Which tools agents have, and how the tools work.
    pub tools: Option<ToolsSection>,
    /// Which agent answers where.
    pub bindings: Option<Vec<Binding>>,
    /// Conversations that several agents answer.
    pub broadcast: Option<BroadcastSection>,
    /// Voice messages.
    pub audio: Option<AudioSection>,
    /// Received files.
    pub media: Option<MediaSection>,
    /// How messages are taken in and answered.
    pub messages: Option<MessagesSection>,
    /// Commands that people write in chats.
    pub commands: Option<CommandsSection>,
    /// Where people are asked for approval.
    pub approvals: Option<ApprovalsSection>,
    /// How messages map to sessions.
    pub session: Option<SessionSection>,
    /// Scheduled jobs.
    pub cron: Option<CronSection>,
    /// Doors for other programs, and reactions to what happens inside.
    pub hooks: Option<HooksSection>,
    /// The connection of linked chat accounts.
    pub web: Option<WebSection>,
    /// The platforms by name; each one's settings are read by its owner.
    #[serde(default)]
    pub channels: ChannelsSection,
    /// How the gateway is found.
    pub discovery: Option<DiscoverySection>,
    /// Pages that agents make.
    pub canvas_host: Option<CanvasHostSection>,
    /// Talking with the assistant by voice.
    pub talk: Option<TalkSection>,
    /// How the gateway listens and whom it lets in.
    pub gateway: Option<GatewaySection>,
    /// What agents remember.
    pub memory: Option<MemorySection>,
    /// What agents can be taught.
    pub skills: Option<SkillsSection>,
    /// Plugins.
    pub plugins: Option<PluginsSection>,
}
