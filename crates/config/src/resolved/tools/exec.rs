//! How an agent runs commands: where, which, when a person is asked, how long, and which programs are harmless.
//!
//! What an agent's own section says comes before what is said for all; lists of trusted folders add up. Whether the
//! defaults for `security` and `ask` are strict depends on the host and is decided in `exec`, so both stay open here.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use openclaw_types::AgentId;

use crate::resolved::Config;
use crate::resolved::agents::normal_id;
use crate::sections::{
    AgentEntry, ElevatedLevel, ElevatedTools, ExecAsk, ExecHost, ExecSecurity, ExecTool, SafeBinProfile,
    SandboxMode, TextOrNumber,
};

/// How an agent runs commands.
#[derive(Debug, Clone, PartialEq)]
pub struct ExecSettings {
    /// Where; nothing when the configuration does not say.
    pub host: Option<ExecHost>,
    /// Which may run; nothing when the configuration does not say.
    pub security: Option<ExecSecurity>,
    /// When a person is asked; nothing when the configuration does not say.
    pub ask: Option<ExecAsk>,
    /// The node for `host: node`.
    pub node: Option<String>,
    /// Folders put in front of `PATH`.
    pub path_prepend: Vec<String>,
    /// Programs that run unlisted as long as they only read their input, in lower case.
    pub safe_bins: BTreeSet<String>,
    /// Folders such programs may be in.
    pub safe_bin_dirs: Vec<String>,
    /// What such programs may be given, where the configuration says something of its own.
    pub safe_bin_profiles: BTreeMap<String, SafeBinRule>,
    /// When a command goes into the background.
    pub background_after: Duration,
    /// How long a command may take.
    pub timeout: Duration,
    /// How long one that ended is remembered.
    pub remember: Duration,
    /// Whether the agent is told when a background command ends.
    pub exit_notice: ExitNotices,
    /// When people are told that a command they allowed still runs; nothing means never.
    pub running_notice: Option<Duration>,
    /// Which sessions are meant to run in a sandbox.
    pub sandbox: SandboxMode,
    /// Who may leave the sandbox or the rules.
    pub elevated: ElevatedGates,
}

/// When the agent is told that a background command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitNotices {
    /// Never.
    Never,
    /// When it failed or said something.
    WhenTelling,
    /// Always.
    Always,
}

/// What a harmless program may be given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SafeBinRule {
    /// The least words that are not options.
    pub min_positional: u64,
    /// The most words that are not options; any number when absent.
    pub max_positional: Option<u64>,
    /// Options with a value that are allowed.
    pub value_flags: Vec<String>,
    /// Options that are refused.
    pub denied_flags: Vec<String>,
}

/// Who may leave the sandbox or the rules.
#[derive(Debug, Clone, PartialEq)]
pub struct ElevatedGates {
    /// The level a session starts with.
    pub default_level: ElevatedLevel,
    /// The setting that closes the gate for everybody, if one does.
    pub closed_by: Option<&'static str>,
    /// Who may, by channel: each list has to name the sender. The second is the agent's own.
    pub allow_from: Vec<BTreeMap<String, Vec<String>>>,
}

impl ExecSettings {
    /// The programs that are harmless when nothing is configured.
    pub const SAFE_BINS: [&str; 7] = ["jq", "cut", "uniq", "head", "tail", "tr", "wc"];
    /// The folders in which programs are trusted always.
    pub const SAFE_BIN_DIRS: [&str; 2] = ["/bin", "/usr/bin"];

    /// The settings of an agent.
    #[must_use]
    pub fn of(config: &Config, agent: &AgentId) -> Self {
        let entry = entry_of(config, agent);
        let tools = config.raw.tools.as_ref();
        let nothing = ExecTool::default();
        let all = tools.and_then(|tools| tools.exec.as_ref()).unwrap_or(&nothing);
        let of_agent = entry.and_then(|entry| entry.tools.as_ref()?.exec.as_ref());
        let own = of_agent.map_or(&nothing, |exec| &exec.shared);
        let notice = of_agent.and_then(|exec| exec.approval_running_notice_ms).map(|ms| ms.get());
        Self {
            host: own.host.or(all.host),
            security: own.security.or(all.security),
            ask: own.ask.or(all.ask),
            node: own.node.clone().or_else(|| all.node.clone()),
            path_prepend: own.path_prepend.clone().or_else(|| all.path_prepend.clone()).unwrap_or_default(),
            safe_bins: safe_bins(own.safe_bins.as_deref().or(all.safe_bins.as_deref())),
            safe_bin_dirs: safe_bin_dirs(all, own),
            safe_bin_profiles: profiles(all, own),
            background_after: background_after(own.background_ms.or(all.background_ms).map(|ms| ms.get())),
            timeout: Duration::from_secs(own.timeout_sec.or(all.timeout_sec).map_or(1800, |sec| sec.get())),
            remember: remember(own.cleanup_ms.or(all.cleanup_ms).map(|ms| ms.get())),
            exit_notice: exit_notices(all, own),
            running_notice: Some(Duration::from_millis(notice.unwrap_or(10_000)))
                .filter(|span| !span.is_zero()),
            sandbox: sandbox(config, entry),
            elevated: elevated(config, entry),
        }
    }
}

fn entry_of<'a>(config: &'a Config, agent: &AgentId) -> Option<&'a AgentEntry> {
    let agents = config.raw.agents.as_ref()?;
    agents.list.as_deref()?.iter().find(|entry| normal_id(&entry.id) == *agent)
}

fn safe_bins(written: Option<&[String]>) -> BTreeSet<String> {
    match written {
        None => ExecSettings::SAFE_BINS.iter().map(|name| (*name).to_owned()).collect(),
        Some(names) => {
            names.iter().map(|name| name.trim().to_lowercase()).filter(|name| !name.is_empty()).collect()
        }
    }
}

fn safe_bin_dirs(all: &ExecTool, own: &ExecTool) -> Vec<String> {
    let more = [all, own].into_iter().filter_map(|exec| exec.safe_bin_trusted_dirs.as_deref()).flatten();
    let written = more.map(|dir| dir.trim()).filter(|dir| !dir.is_empty());
    ExecSettings::SAFE_BIN_DIRS.into_iter().chain(written).map(str::to_owned).collect()
}

fn profiles(all: &ExecTool, own: &ExecTool) -> BTreeMap<String, SafeBinRule> {
    let both = all.safe_bin_profiles.iter().chain(&own.safe_bin_profiles);
    both.map(|(name, profile)| (name.trim().to_lowercase(), rule(profile))).collect()
}

fn rule(profile: &SafeBinProfile) -> SafeBinRule {
    let flags = |written: &Option<Vec<String>>| {
        written.iter().flatten().map(|flag| flag.trim().to_owned()).filter(|flag| !flag.is_empty()).collect()
    };
    SafeBinRule {
        min_positional: profile.min_positional.map_or(0, |count| count.get()),
        max_positional: profile.max_positional.map(|count| count.get()),
        value_flags: flags(&profile.allowed_value_flags),
        denied_flags: flags(&profile.denied_flags),
    }
}

fn background_after(written: Option<u64>) -> Duration {
    Duration::from_millis(written.unwrap_or(10_000).clamp(10, 120_000))
}

fn remember(written: Option<u64>) -> Duration {
    Duration::from_millis(written.unwrap_or(1_800_000).clamp(60_000, 10_800_000))
}

fn exit_notices(all: &ExecTool, own: &ExecTool) -> ExitNotices {
    let notify = own.notify_on_exit.or(all.notify_on_exit).unwrap_or(true);
    let empty = own.notify_on_exit_empty_success.or(all.notify_on_exit_empty_success).unwrap_or(false);
    match (notify, empty) {
        (false, _) => ExitNotices::Never,
        (true, false) => ExitNotices::WhenTelling,
        (true, true) => ExitNotices::Always,
    }
}

fn sandbox(config: &Config, entry: Option<&AgentEntry>) -> SandboxMode {
    let own = entry.and_then(|entry| entry.sandbox.as_ref()).and_then(|sandbox| sandbox.mode);
    let defaults = config.raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
    let all = defaults.and_then(|defaults| defaults.sandbox.as_ref()).and_then(|sandbox| sandbox.mode);
    own.or(all).unwrap_or(SandboxMode::Off)
}

fn elevated(config: &Config, entry: Option<&AgentEntry>) -> ElevatedGates {
    let all = config.raw.tools.as_ref().and_then(|tools| tools.shared.elevated.as_ref());
    let own = entry.and_then(|entry| entry.tools.as_ref()).and_then(|tools| tools.shared.elevated.as_ref());
    let closed = |gate: Option<&ElevatedTools>| gate.is_some_and(|gate| gate.enabled == Some(false));
    let closed_by = if closed(all) {
        Some("tools.elevated.enabled")
    } else if closed(own) {
        Some("agents.list[].tools.elevated.enabled")
    } else {
        None
    };
    let defaults = config.raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
    // The agent's own list narrows what is said for all; without one it adds nothing.
    let mut allow_from = vec![all.map(senders).unwrap_or_default()];
    allow_from.extend(own.map(senders).filter(|lists| !lists.is_empty()));
    ElevatedGates {
        default_level: defaults.and_then(|defaults| defaults.elevated_default).unwrap_or(ElevatedLevel::On),
        closed_by,
        allow_from,
    }
}

fn senders(gate: &ElevatedTools) -> BTreeMap<String, Vec<String>> {
    let text = |entry: &TextOrNumber| match entry {
        TextOrNumber::Text(text) => text.trim().to_owned(),
        TextOrNumber::Number(number) => number.to_string(),
    };
    let lists = gate.allow_from.iter();
    lists.map(|(channel, names)| (channel.trim().to_lowercase(), names.iter().map(text).collect())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{Context, Environment, Locations, Overrides, ProfileChoice};

    fn settings(file: Value, agent: &str) -> ExecSettings {
        let environment = Environment::fake([("HOME", "/home/ana")], "/home/ana");
        let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
        let context =
            Context { environment: &environment, locations: &locations, overrides: &Overrides::default() };
        let (config, _problems) = Config::resolve(serde_json::from_value(file).unwrap(), &context);
        ExecSettings::of(&config, &AgentId::new(agent).unwrap())
    }

    fn defaults() -> ExecSettings {
        ExecSettings {
            host: None,
            security: None,
            ask: None,
            node: None,
            path_prepend: Vec::new(),
            safe_bins: ExecSettings::SAFE_BINS.iter().map(|name| (*name).to_owned()).collect(),
            safe_bin_dirs: vec!["/bin".into(), "/usr/bin".into()],
            safe_bin_profiles: BTreeMap::new(),
            background_after: Duration::from_secs(10),
            timeout: Duration::from_secs(1800),
            remember: Duration::from_secs(1800),
            exit_notice: ExitNotices::WhenTelling,
            running_notice: Some(Duration::from_secs(10)),
            sandbox: SandboxMode::Off,
            elevated: ElevatedGates {
                default_level: ElevatedLevel::On,
                closed_by: None,
                allow_from: vec![BTreeMap::new()],
            },
        }
    }

    #[test]
    fn without_configuration_the_documented_defaults_hold() {
        assert_eq!(settings(json!({}), "main"), defaults());
    }

    #[test]
    fn what_an_agent_says_comes_before_what_is_said_for_all() {
        let file = json!({
            "tools": {
                "exec": { "host": "gateway", "security": "allowlist", "ask": "on-miss", "timeoutSec": 60,
                    "safeBinTrustedDirs": ["/opt/bin"], "backgroundMs": 1 },
                "elevated": { "allowFrom": { "Chat": [7, "ana"] } }
            },
            "agents": { "list": [{ "id": "Work", "sandbox": { "mode": "all" }, "tools": {
                "exec": { "security": "deny", "safeBins": [" Sort "], "safeBinTrustedDirs": ["/srv/bin"],
                    "notifyOnExit": false, "cleanupMs": 1, "approvalRunningNoticeMs": 0 },
                "elevated": { "enabled": false } } }] }
        });
        let expected = ExecSettings {
            host: Some(ExecHost::Gateway),
            security: Some(ExecSecurity::Deny),
            ask: Some(ExecAsk::OnMiss),
            safe_bins: BTreeSet::from(["sort".to_owned()]),
            safe_bin_dirs: ["/bin", "/usr/bin", "/opt/bin", "/srv/bin"].map(str::to_owned).to_vec(),
            background_after: Duration::from_millis(10),
            timeout: Duration::from_secs(60),
            remember: Duration::from_secs(60),
            exit_notice: ExitNotices::Never,
            running_notice: None,
            sandbox: SandboxMode::All,
            elevated: ElevatedGates {
                default_level: ElevatedLevel::On,
                closed_by: Some("agents.list[].tools.elevated.enabled"),
                allow_from: vec![BTreeMap::from([(
                    "chat".to_owned(),
                    vec!["7".to_owned(), "ana".to_owned()],
                )])],
            },
            ..defaults()
        };
        assert_eq!(settings(file, "work"), expected);
    }
}
