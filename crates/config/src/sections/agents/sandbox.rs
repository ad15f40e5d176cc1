//! Running tools in a container: which sessions, which container, what it may see.
//!
//! Raw form. What is refused whatever the file says (such as the host's network) is decided in `resolved::rules`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::sections::value::{Count, Positive, SecretText, TextOrNumber};

/// Running tools in a container.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Sandbox {
    /// Which sessions.
    pub mode: Option<SandboxMode>,
    /// What the container sees of the workspace.
    pub workspace_access: Option<WorkspaceAccess>,
    /// Which sessions its session tools see.
    pub session_tools_visibility: Option<SandboxSessionVisibility>,
    /// Which sessions share a container.
    pub scope: Option<SandboxScope>,
    /// Whether each session has a container; the earlier form of `scope`.
    pub per_session: Option<bool>,
    /// Where the containers' own workspaces are.
    pub workspace_root: Option<String>,
    /// The container.
    pub docker: Option<SandboxDocker>,
    /// A browser in a container.
    pub browser: Option<SandboxBrowser>,
    /// When containers are removed.
    pub prune: Option<SandboxPrune>,
}

/// The container.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxDocker {
    /// Its image.
    pub image: Option<String>,
    /// How its name begins.
    pub container_prefix: Option<String>,
    /// The directory commands start in.
    pub workdir: Option<String>,
    /// Whether its own files cannot be changed.
    pub read_only_root: Option<bool>,
    /// Directories in memory.
    pub tmpfs: Option<Vec<String>>,
    /// Its network; `none` cuts it off.
    pub network: Option<String>,
    /// The user commands run as.
    pub user: Option<String>,
    /// Capabilities taken away.
    pub cap_drop: Option<Vec<String>>,
    /// Variables set inside.
    #[serde(default)]
    pub env: BTreeMap<String, SecretText>,
    /// A command run once after it is made.
    pub setup_command: Option<String>,
    /// How many processes it may have.
    pub pids_limit: Option<Positive>,
    /// How much memory it may use.
    pub memory: Option<TextOrNumber>,
    /// How much memory and swap it may use together.
    pub memory_swap: Option<TextOrNumber>,
    /// How many processors it may use.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub cpus: Option<f64>,
    /// Resource limits by name.
    #[serde(default)]
    pub ulimits: BTreeMap<String, Ulimit>,
    /// The profile that limits system calls.
    pub seccomp_profile: Option<String>,
    /// The AppArmor profile.
    pub apparmor_profile: Option<String>,
    /// Its name servers.
    pub dns: Option<Vec<String>>,
    /// Names it knows besides, as `name:address`.
    pub extra_hosts: Option<Vec<String>>,
    /// Directories of this machine it sees, as `source:target:mode`.
    pub binds: Option<Vec<String>>,
    /// Whether directories may be put over the container's own workspace. Unsafe.
    pub dangerously_allow_reserved_container_targets: Option<bool>,
    /// Whether directories outside the workspace may be seen. Unsafe.
    pub dangerously_allow_external_bind_sources: Option<bool>,
    /// Whether it may join another container's network. Unsafe.
    pub dangerously_allow_container_namespace_join: Option<bool>,
}

/// A resource limit with a warning level.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UlimitPair {
    /// What is enforced.
    pub soft: Option<Count>,
    /// What the soft limit may be raised to.
    pub hard: Option<Count>,
}

/// A browser in a container.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxBrowser {
    /// Whether there is one.
    pub enabled: Option<bool>,
    /// Its image.
    pub image: Option<String>,
    /// How its name begins.
    pub container_prefix: Option<String>,
    /// Its network.
    pub network: Option<String>,
    /// Its debugging port.
    pub cdp_port: Option<Positive>,
    /// The addresses that may use the debugging port.
    pub cdp_source_range: Option<String>,
    /// The port to watch it.
    pub vnc_port: Option<Positive>,
    /// The port to watch it in a web page.
    pub no_vnc_port: Option<Positive>,
    /// Whether it runs without a window.
    pub headless: Option<bool>,
    /// Whether it can be watched in a web page.
    pub enable_no_vnc: Option<bool>,
    /// Whether sandboxed sessions may steer this machine's browser.
    pub allow_host_control: Option<bool>,
    /// Whether it is started when needed.
    pub auto_start: Option<bool>,
    /// How long starting may take, in milliseconds.
    pub auto_start_timeout_ms: Option<Positive>,
    /// Directories of this machine it sees.
    pub binds: Option<Vec<String>>,
}

/// When containers are removed.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SandboxPrune {
    /// After so many hours without use.
    pub idle_hours: Option<Count>,
    /// After so many days in any case.
    pub max_age_days: Option<Count>,
}

/// A resource limit of a container: `soft:hard` text, one number for both, or a pair.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Ulimit {
    /// Written as the container tool takes it.
    Text(String),
    /// Soft and hard limit alike.
    Number(serde_json::Number),
    /// Soft and hard limit apart.
    Pair(UlimitPair),
}

/// Which sessions run in a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    /// None.
    Off,
    /// All but the main session.
    NonMain,
    /// All.
    All,
}

/// What a container sees of the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum WorkspaceAccess {
    /// Nothing: it has its own.
    None,
    /// Everything, to read.
    Ro,
    /// Everything, to read and change.
    Rw,
}

/// Which sessions a sandboxed session sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SandboxSessionVisibility {
    /// Those it started.
    Spawned,
    /// All.
    All,
}

/// Which sessions share a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum SandboxScope {
    /// None: each has its own.
    Session,
    /// Those of an agent.
    Agent,
    /// All.
    Shared,
}
