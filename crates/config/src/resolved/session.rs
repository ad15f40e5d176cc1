//! How messages map to sessions, when sessions begin anew, and how long they are kept.
//!
//! Everything of the `session` section as it is meant. Deciding with it is the business of the `session` crate, of
//! routing and of delivery. `Config::resolve` calls this.

mod maintenance;
mod reset;
mod send;

#[cfg(test)]
mod tests;

use std::time::Duration;

pub use maintenance::{Care, MaintenanceSettings};
pub use reset::{ResetRule, ResetRules, SessionKind};
pub use send::{SendPolicy, SendRule, SendVerdict};

use super::problem::ConfigProblem;
use crate::sections::{DmScope, RawConfig, SessionScope, SessionSection, TypingMode};

/// The messages that begin a session anew, unless the file names others.
const RESET_TRIGGERS: [&str; 2] = ["/new", "/reset"];
/// How often two sessions may answer each other.
const PING_PONG_TURNS: u64 = 5;
/// The longest session that a thread begins with, in tokens.
const PARENT_FORK_TOKENS: u64 = 100_000;
/// How often the typing sign is renewed, in seconds.
const TYPING_SECONDS: u64 = 6;

/// How messages map to sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionSettings {
    /// Whether people have sessions of their own.
    pub scope: SessionScope,
    /// Which direct messages share a session.
    pub dm_scope: DmScope,
    /// The same person on several channels.
    pub identity_links: Vec<IdentityLink>,
    /// When sessions begin anew by themselves.
    pub reset: ResetRules,
    /// Messages that begin a session anew, as they were written.
    pub reset_triggers: Vec<String>,
    /// How old sessions are put away.
    pub maintenance: MaintenanceSettings,
    /// To which conversations answers may be sent.
    pub send_policy: SendPolicy,
    /// How often two sessions may answer each other.
    pub max_ping_pong_turns: u64,
    /// The longest session that a thread begins with, in tokens; nothing means any.
    pub parent_fork_max_tokens: Option<u64>,
    /// When and how often the typing sign is shown.
    pub typing: TypingSettings,
}

/// One person and the ids they have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdentityLink {
    /// What the person is called in session keys.
    pub name: String,
    /// Their ids, alone or with the channel in front, in lower case.
    pub ids: Vec<String>,
}

/// When and how often the typing sign is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TypingSettings {
    /// When it appears; nothing means at once, and in groups without a mention when the answer begins.
    pub mode: Option<TypingMode>,
    /// How often it is renewed.
    pub interval: Duration,
}

impl SessionSettings {
    /// The name of an agent's main session. It cannot be changed.
    pub const MAIN_KEY: &str = "main";
}

impl Default for SessionSettings {
    fn default() -> Self {
        settings(&RawConfig::default())
    }
}

pub(super) fn resolve(raw: &RawConfig, problems: &mut Vec<ConfigProblem>) -> SessionSettings {
    let main_key = raw.session.as_ref().and_then(|session| session.main_key.as_deref()).map(str::trim);
    if main_key.is_some_and(|key| !key.is_empty() && key != SessionSettings::MAIN_KEY) {
        problems.push(
            ConfigProblem::warning(
                "session.mainKey",
                "has no effect: the main session is always called main",
            )
            .hint("remove the key"),
        );
    }
    settings(raw)
}

fn settings(raw: &RawConfig) -> SessionSettings {
    let none = SessionSection::default();
    let session = raw.session.as_ref().unwrap_or(&none);
    let turns = session.agent_to_agent.as_ref().and_then(|agents| agents.max_ping_pong_turns);
    let fork = session.parent_fork_max_tokens.map_or(PARENT_FORK_TOKENS, |tokens| tokens.get());
    SessionSettings {
        scope: session.scope.unwrap_or(SessionScope::PerSender),
        dm_scope: session.dm_scope.unwrap_or(DmScope::Main),
        identity_links: identity_links(session),
        reset: reset::resolve(session),
        reset_triggers: reset_triggers(session),
        maintenance: maintenance::resolve(session.maintenance.as_ref()),
        send_policy: send::resolve(session.send_policy.as_ref()),
        max_ping_pong_turns: turns.map_or(PING_PONG_TURNS, |turns| turns.get()),
        parent_fork_max_tokens: (fork > 0).then_some(fork),
        typing: typing(raw, session),
    }
}

fn identity_links(session: &SessionSection) -> Vec<IdentityLink> {
    let links = session.identity_links.iter().map(|(name, ids)| IdentityLink {
        name: name.trim().to_owned(),
        ids: ids.iter().map(|id| id.trim().to_lowercase()).filter(|id| !id.is_empty()).collect(),
    });
    links.filter(|link| !link.name.is_empty()).collect()
}

fn reset_triggers(session: &SessionSection) -> Vec<String> {
    let written = session.reset_triggers.iter().flatten().map(|trigger| trigger.trim());
    let written: Vec<String> = written.filter(|trigger| !trigger.is_empty()).map(str::to_owned).collect();
    match written.is_empty() {
        true => RESET_TRIGGERS.map(str::to_owned).to_vec(),
        false => written,
    }
}

fn typing(raw: &RawConfig, session: &SessionSection) -> TypingSettings {
    let defaults = raw.agents.as_ref().and_then(|agents| agents.defaults.as_ref());
    let seconds = defaults
        .and_then(|defaults| defaults.typing_interval_seconds)
        .or(session.typing_interval_seconds)
        .map_or(TYPING_SECONDS, |seconds| seconds.get());
    TypingSettings {
        mode: session.typing_mode.or(defaults.and_then(|defaults| defaults.typing_mode)),
        interval: Duration::from_secs(seconds),
    }
}
