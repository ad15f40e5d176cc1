//! How messages map to sessions.
//!
//! Only what routing reads; reset and maintenance rules stay raw until the code that applies them arrives.
//! `Config::resolve` calls this.

use super::problem::Problem;
use crate::sections::{DmScope, SessionScope, SessionSection};

/// How messages map to sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SessionSettings {
    /// Whether people have sessions of their own.
    pub scope: SessionScope,
    /// Which direct messages share a session.
    pub dm_scope: DmScope,
}

impl SessionSettings {
    /// The name of an agent's main session. It cannot be changed.
    pub const MAIN_KEY: &str = "main";
}

pub(super) fn resolve(raw: Option<&SessionSection>, problems: &mut Vec<Problem>) -> SessionSettings {
    let main_key = raw.and_then(|session| session.main_key.as_deref()).map(str::trim);
    if main_key.is_some_and(|key| !key.is_empty() && key != SessionSettings::MAIN_KEY) {
        problems.push(
            Problem::warning("session.mainKey", "has no effect: the main session is always called main")
                .hint("remove the key"),
        );
    }
    SessionSettings {
        scope: raw.and_then(|session| session.scope).unwrap_or(SessionScope::PerSender),
        dm_scope: raw.and_then(|session| session.dm_scope).unwrap_or(DmScope::Main),
    }
}
