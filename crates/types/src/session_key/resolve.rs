//! Completes the short session keys that people and clients send.
//!
//! `main`, a custom main key, a bare `group:<id>` or any other name belongs to the default agent. Needs to know three
//! settings, which come as a `KeyContext`; the gateway and the CLI build one from the config.

use super::key::{self, SessionKey};
use super::scope::SessionScope;
use crate::{AgentId, SessionKeyError};

/// The settings that short keys depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyContext {
    default_agent: AgentId,
    main_key: Box<str>,
    breadth: SessionBreadth,
}

/// How widely the main session is shared (`session.scope`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SessionBreadth {
    /// Every agent has a main session of its own.
    PerSender,
    /// There is one session for everybody, `global`.
    Global,
}

impl KeyContext {
    /// Takes the default agent and the main key as written in the config; an empty or unusable main key
    /// means `main`.
    #[must_use]
    pub fn new(default_agent: &AgentId, main_key: &str, breadth: SessionBreadth) -> Self {
        // `named` knows which names can stand in a key; one that cannot is as good as none.
        let main_key =
            SessionKey::named(default_agent, main_key).map_or("main".into(), |key| key.short_text().into());
        Self { default_agent: AgentId::sanitized(default_agent.as_str()), main_key, breadth }
    }

    /// The agent that short keys belong to.
    #[must_use]
    pub fn default_agent(&self) -> &AgentId {
        &self.default_agent
    }

    /// The name of every agent's main session, `main` unless configured.
    #[must_use]
    pub fn main_key(&self) -> &str {
        &self.main_key
    }

    /// How widely the main session is shared.
    #[must_use]
    pub fn breadth(&self) -> SessionBreadth {
        self.breadth
    }

    /// The main session of an agent, or the one that everybody shares.
    #[must_use]
    pub fn main_session(&self, agent: &AgentId) -> SessionKey {
        match self.breadth {
            SessionBreadth::Global => SessionKey::global(),
            SessionBreadth::PerSender => self.own_main_session(agent),
        }
    }

    fn own_main_session(&self, agent: &AgentId) -> SessionKey {
        SessionKey::of_rest(agent, &self.main_key)
    }
}

impl SessionKey {
    /// Completes and normalises a key from a client: short names go to the default agent, `main` and the configured
    /// main key to the main session, and older spellings become today's.
    ///
    /// # Errors
    /// `Empty`, `TooLong`, `ControlCharacter`, or `Malformed` for a text that begins with `agent:` but is no key.
    pub fn resolve(text: &str, context: &KeyContext) -> Result<Self, SessionKeyError> {
        let lowered = key::lowered(text)?;
        let found = match key::full(&lowered)? {
            Some(full) => full,
            None => Self::named(&context.default_agent, &lowered)?,
        };
        Ok(found.settled(context))
    }

    /// The same key with the main aliases and the older spellings replaced.
    #[must_use]
    pub fn settled(&self, context: &KeyContext) -> Self {
        match self.agent() {
            Some(agent) if self.is_main(context) => context.main_session(agent),
            _ => self.canonical(),
        }
    }

    /// Whether this is an agent's main session under any of its names, or the shared one where there is just one.
    #[must_use]
    pub fn is_main(&self, context: &KeyContext) -> bool {
        match self.agent() {
            Some(agent) => {
                *self == Self::new(agent, SessionScope::Main) || *self == context.own_main_session(agent)
            }
            None => context.breadth == SessionBreadth::Global && *self.scope() == SessionScope::Global,
        }
    }
}
