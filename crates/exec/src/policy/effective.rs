//! Which rules hold for a call: the configuration or what the session says instead, then whatever is stricter of the
//! approvals file and of the call itself.
//!
//! Without any word about a host, commands of an unsandboxed session run here with full rights, as in the original:
//! a fresh single-user installation is usable at once. Naming the host `gateway` brings the strict defaults. A sandbox
//! or a node that is asked for is never replaced by this machine in silence.

use openclaw_config::sections::{ElevatedLevel, ExecAsk, ExecHost, ExecSecurity, SandboxMode};
use openclaw_config::{ElevatedGates, ExecSettings};
use openclaw_ports::tool::ExecChoices;
use openclaw_types::{Sender, SenderRank};

use super::AllowEntry;

/// The rules that hold for a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExecRules {
    /// Which commands may run.
    pub security: ExecSecurity,
    /// What said so.
    pub security_from: &'static str,
    /// When a person is asked.
    pub ask: ExecAsk,
    /// What said so.
    pub ask_from: &'static str,
    /// What holds when nobody answers.
    pub ask_fallback: ExecSecurity,
    /// Whether the rules are left aside.
    pub(crate) bypass: Bypass,
}

/// Whether the rules are left aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bypass {
    /// They hold.
    No,
    /// Somebody who may do so switched them off for the session.
    Elevated,
}

/// A call that cannot be made at all. Says which rule and what would help.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct ExecRefusal(pub String);

/// What the approvals file says about an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileRules {
    pub(crate) security: Option<ExecSecurity>,
    pub(crate) ask: Option<ExecAsk>,
    pub(crate) ask_fallback: ExecSecurity,
    pub(crate) allow: Vec<AllowEntry>,
}

/// Everything that has a say.
pub(crate) struct Sources<'a> {
    pub(crate) settings: &'a ExecSettings,
    pub(crate) file: &'a FileRules,
    pub(crate) session: &'a ExecChoices,
    pub(crate) call: &'a ExecChoices,
    pub(crate) trustee: ExecPrincipal<'a>,
}

/// On whose behalf a command runs.
#[derive(Clone, Copy)]
pub(crate) struct ExecPrincipal<'a> {
    pub(crate) sender: &'a Sender,
    /// Whether the session is the agent's main one.
    pub(crate) in_main_session: bool,
}

/// The rules for a call.
///
/// # Errors
/// What the call asks for cannot be had, or may not be.
pub(crate) fn effective(sources: &Sources<'_>) -> Result<ExecRules, ExecRefusal> {
    let elevated = elevated(sources)?;
    let host = host(sources, elevated)?;
    if elevated == ElevatedLevel::Full {
        return Ok(ExecRules {
            security: ExecSecurity::Full,
            security_from: "elevated",
            ask: ExecAsk::Off,
            ask_from: "elevated",
            ask_fallback: ExecSecurity::Deny,
            bypass: Bypass::Elevated,
        });
    }
    let (mut security, mut security_from) = base_security(sources.settings, sources.session, host)?;
    let (mut ask, mut ask_from) = base_ask(sources.settings, sources.session)?;
    let stricter = [
        (sources.file.security, "exec-approvals.json"),
        (word(&sources.call.security, "security", security_word)?, "the call's security"),
    ];
    for (value, from) in stricter {
        if let Some(value) = value.filter(|value| strictness(*value) > strictness(security)) {
            (security, security_from) = (value, from);
        }
    }
    let stricter = [
        (sources.file.ask, "exec-approvals.json"),
        (word(&sources.call.ask, "ask", ask_word)?, "the call's ask"),
    ];
    for (value, from) in stricter {
        if let Some(value) = value.filter(|value| insistence(*value) > insistence(ask)) {
            (ask, ask_from) = (value, from);
        }
    }
    Ok(ExecRules {
        security,
        security_from,
        ask,
        ask_from,
        ask_fallback: sources.file.ask_fallback,
        bypass: Bypass::No,
    })
}

/// The option of the session that would be looser if it said what is wanted; nothing when all of them stay as strict.
///
/// For those who may not answer questions about commands: they may not switch them off either.
#[must_use]
pub fn loosened(
    settings: &ExecSettings,
    session: &ExecChoices,
    wanted: &ExecChoices,
) -> Option<&'static str> {
    let wanted = ExecChoices {
        host: wanted.host.clone().or_else(|| session.host.clone()),
        security: wanted.security.clone().or_else(|| session.security.clone()),
        ask: wanted.ask.clone().or_else(|| session.ask.clone()),
        ..ExecChoices::default()
    };
    // Words that are not understood let nothing run, so whatever replaces them may be looser.
    let Ok(now) = Standard::of(settings, session) else { return Some("exec") };
    let Ok(then) = Standard::of(settings, &wanted) else { return None };
    if then.runs_here && !now.runs_here {
        Some("host")
    } else if strictness(then.security) < strictness(now.security) {
        Some("security")
    } else if insistence(then.ask) < insistence(now.ask) {
        Some("ask")
    } else {
        None
    }
}

/// How strict a session is before the approvals file and the call have their say.
struct Standard {
    /// Whether commands run on this machine, as far as that can be said without knowing the session.
    runs_here: bool,
    security: ExecSecurity,
    ask: ExecAsk,
}

impl Standard {
    fn of(settings: &ExecSettings, session: &ExecChoices) -> Result<Self, ExecRefusal> {
        let host = word(&session.host, "host", host_word)?.or(settings.host);
        let (security, _) = base_security(settings, session, host)?;
        let (ask, _) = base_ask(settings, session)?;
        let runs_here = match host {
            Some(host) => host == ExecHost::Gateway,
            None => settings.sandbox == SandboxMode::Off,
        };
        Ok(Self { runs_here, security, ask })
    }
}

fn base_security(
    settings: &ExecSettings,
    session: &ExecChoices,
    host: Option<ExecHost>,
) -> Result<(ExecSecurity, &'static str), ExecRefusal> {
    if let Some(value) = word(&session.security, "security", security_word)? {
        return Ok((value, "the session's /exec security"));
    }
    Ok(match (settings.security, host) {
        (Some(value), _) => (value, "tools.exec.security"),
        (None, Some(_)) => (ExecSecurity::Allowlist, "the default security of tools.exec.host=gateway"),
        (None, None) => (ExecSecurity::Full, "the default security"),
    })
}

fn base_ask(settings: &ExecSettings, session: &ExecChoices) -> Result<(ExecAsk, &'static str), ExecRefusal> {
    if let Some(value) = word(&session.ask, "ask", ask_word)? {
        return Ok((value, "the session's /exec ask"));
    }
    Ok(settings.ask.map_or((ExecAsk::OnMiss, "the default ask"), |value| (value, "tools.exec.ask")))
}

/// The host that was named, if one was. Refuses those that are not here.
fn host(sources: &Sources<'_>, elevated: ElevatedLevel) -> Result<Option<ExecHost>, ExecRefusal> {
    if elevated != ElevatedLevel::Off {
        return Ok(Some(ExecHost::Gateway));
    }
    let settings = sources.settings;
    let session = word(&sources.session.host, "host", host_word)?;
    let named = session.or(settings.host);
    let meant = named.unwrap_or(if is_sandboxed(sources) { ExecHost::Sandbox } else { ExecHost::Gateway });
    let wanted = word(&sources.call.host, "host", host_word)?.unwrap_or(meant);
    if wanted != meant {
        return Err(ExecRefusal(format!(
            "this call asks for host={}, but commands of this session run on host={}. Leave host out, or change tools.exec.host",
            host_text(wanted),
            host_text(meant)
        )));
    }
    match wanted {
        ExecHost::Gateway => Ok(named),
        ExecHost::Sandbox => Err(ExecRefusal(
            "commands of this session belong into a sandbox, and this gateway has none. Set agents.defaults.sandbox.mode \
             to off or tools.exec.host to gateway to run them on this machine"
                .to_owned(),
        )),
        ExecHost::Node => Err(ExecRefusal(
            "commands of this session belong onto a node, and this gateway cannot run commands on nodes yet. Set \
             tools.exec.host to gateway to run them on this machine"
                .to_owned(),
        )),
    }
}

fn is_sandboxed(sources: &Sources<'_>) -> bool {
    match sources.settings.sandbox {
        SandboxMode::Off => false,
        SandboxMode::NonMain => !sources.trustee.in_main_session,
        SandboxMode::All => true,
    }
}

/// The level that holds: what the call or the session asks for, as far as the gates let the sender.
fn elevated(sources: &Sources<'_>) -> Result<ElevatedLevel, ExecRefusal> {
    let gates = &sources.settings.elevated;
    let session = word(&sources.session.elevated, "elevated", elevated_word)?;
    let wished = word(&sources.call.elevated, "elevated", elevated_word)?;
    let closed = elevated_obstacle(gates, sources.trustee.sender);
    match (wished, closed) {
        (Some(ElevatedLevel::Off), _) => Ok(ElevatedLevel::Off),
        (Some(_), Some(gate)) => Err(ExecRefusal(format!(
            "elevated is not open for this sender (rule: {gate}). Run the command without elevated, or have the owner \
             add the sender to tools.elevated.allowFrom"
        ))),
        // A call may ask to be elevated, but only the session says how far.
        (Some(_), None) if session == Some(ElevatedLevel::Full) => Ok(ElevatedLevel::Full),
        (Some(_), None) => Ok(ElevatedLevel::Ask),
        (None, Some(_)) => Ok(ElevatedLevel::Off),
        // The configured level is about leaving a sandbox; outside one there is nothing to leave.
        (None, None) if is_sandboxed(sources) => Ok(session.unwrap_or(gates.default_level)),
        (None, None) => Ok(session.unwrap_or(ElevatedLevel::Off)),
    }
}

/// The setting that keeps a sender from elevated commands; nothing when they may.
///
/// The owner who comes in through the gateway itself has no platform; lists name them under `webchat`.
#[must_use]
pub fn elevated_obstacle(gates: &ElevatedGates, sender: &Sender) -> Option<String> {
    if let Some(setting) = gates.closed_by {
        return Some(setting.to_owned());
    }
    let channel = match (&sender.channel, sender.standing) {
        (Some(channel), _) => channel.as_str().to_lowercase(),
        (None, SenderRank::Owner) => "webchat".to_owned(),
        (None, SenderRank::Guest | SenderRank::System) => return Some("tools.elevated.allowFrom".to_owned()),
    };
    let named =
        |names: &Vec<String>| names.iter().any(|name| name == "*" || is_sender(name, &channel, sender));
    let open = gates.allow_from.iter().all(|lists| lists.get(&channel).is_some_and(named));
    (!open).then(|| format!("tools.elevated.allowFrom.{channel}"))
}

/// Names of people can be chosen by anybody; only the platform's own id counts.
fn is_sender(name: &str, channel: &str, sender: &Sender) -> bool {
    let Some(peer) = &sender.peer else { return false };
    let name = name.to_lowercase();
    let name = name.strip_prefix(channel).and_then(|rest| rest.strip_prefix(':')).unwrap_or(&name);
    name == peer.as_str().to_lowercase()
}

/// Reads a word that a session or a call says. What is not understood is refused, never taken for something laxer.
fn word<T>(
    written: &Option<String>,
    what: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, ExecRefusal> {
    let Some(text) = written.as_deref().map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    match read(&text.to_lowercase()) {
        Some(value) => Ok(Some(value)),
        None => Err(ExecRefusal(format!("{what}={text} is not a value that exec knows"))),
    }
}

pub(crate) fn security_word(text: &str) -> Option<ExecSecurity> {
    match text {
        "deny" => Some(ExecSecurity::Deny),
        "allowlist" => Some(ExecSecurity::Allowlist),
        "full" => Some(ExecSecurity::Full),
        _ => None,
    }
}

pub(crate) fn ask_word(text: &str) -> Option<ExecAsk> {
    match text {
        "off" => Some(ExecAsk::Off),
        "on-miss" => Some(ExecAsk::OnMiss),
        "always" => Some(ExecAsk::Always),
        _ => None,
    }
}

fn host_word(text: &str) -> Option<ExecHost> {
    match text {
        "sandbox" => Some(ExecHost::Sandbox),
        "gateway" => Some(ExecHost::Gateway),
        "node" => Some(ExecHost::Node),
        _ => None,
    }
}

fn host_text(host: ExecHost) -> &'static str {
    match host {
        ExecHost::Sandbox => "sandbox",
        ExecHost::Gateway => "gateway",
        ExecHost::Node => "node",
    }
}

fn elevated_word(text: &str) -> Option<ElevatedLevel> {
    match text {
        "off" | "false" => Some(ElevatedLevel::Off),
        "on" | "true" => Some(ElevatedLevel::On),
        "ask" => Some(ElevatedLevel::Ask),
        "full" => Some(ElevatedLevel::Full),
        _ => None,
    }
}

pub(crate) fn security_text(security: ExecSecurity) -> &'static str {
    match security {
        ExecSecurity::Deny => "deny",
        ExecSecurity::Allowlist => "allowlist",
        ExecSecurity::Full => "full",
    }
}

pub(crate) fn ask_text(ask: ExecAsk) -> &'static str {
    match ask {
        ExecAsk::Off => "off",
        ExecAsk::OnMiss => "on-miss",
        ExecAsk::Always => "always",
    }
}

fn strictness(security: ExecSecurity) -> u8 {
    match security {
        ExecSecurity::Full => 0,
        ExecSecurity::Allowlist => 1,
        ExecSecurity::Deny => 2,
    }
}

fn insistence(ask: ExecAsk) -> u8 {
    match ask {
        ExecAsk::Off => 0,
        ExecAsk::OnMiss => 1,
        ExecAsk::Always => 2,
    }
}
