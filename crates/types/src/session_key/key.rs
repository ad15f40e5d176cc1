//! The session key itself: built from parts or read from full text, always in normal form.
//!
//! Invariant: a key's parts are exactly what reading its text gives. Constructors print the parts and read them back,
//! so two keys are equal if and only if their texts are, whatever was put in.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::scope::{SessionScope, SessionThread};
use super::{parse, print};
use crate::{AgentId, SessionKeyError};

/// Longest key accepted from outside, in bytes.
const MAX_KEY_BYTES: usize = 4096;
/// How every key of an agent begins.
const PREFIX: &str = "agent:";

/// Names a session: whose it is, what it is about, and the thread it hangs in.
#[derive(Clone)]
pub struct SessionKey {
    agent: Option<AgentId>,
    scope: SessionScope,
    thread: Option<SessionThread>,
    text: Arc<str>,
}

impl SessionKey {
    /// The key of an agent's session. `Global` and `Unknown` belong to no agent and drop it.
    #[must_use]
    pub fn new(agent: &AgentId, scope: SessionScope) -> Self {
        match scope {
            SessionScope::Global => Self::global(),
            SessionScope::Unknown => Self::unknown(),
            scope => Self::of_rest(agent, &print::rest(&scope, None)),
        }
    }

    /// The key of the one session that everybody shares.
    #[must_use]
    pub fn global() -> Self {
        Self { agent: None, scope: SessionScope::Global, thread: None, text: "global".into() }
    }

    /// The key of runs whose conversation is not known.
    #[must_use]
    pub fn unknown() -> Self {
        Self { agent: None, scope: SessionScope::Unknown, thread: None, text: "unknown".into() }
    }

    /// The key of an agent's session with a name of its own; a name in one of the known forms becomes that form.
    ///
    /// # Errors
    /// `Empty`, `TooLong` or `ControlCharacter`, for names that cannot stand in a key.
    pub fn named(agent: &AgentId, name: &str) -> Result<Self, SessionKeyError> {
        let name = lowered(name)?;
        match name.trim_matches(':').trim().is_empty() {
            true => Err(SessionKeyError::Empty),
            false => Ok(Self::of_rest(agent, &name)),
        }
    }

    /// The session of a thread below this one; replaces the thread this key may have.
    #[must_use]
    pub fn with_thread(&self, thread: &SessionThread) -> Self {
        match &self.agent {
            Some(agent) => Self::of_rest(agent, &print::rest(&self.scope, Some(thread))),
            None => self.clone(),
        }
    }

    /// Replaces what the session is about and keeps agent and thread.
    pub(super) fn with_scope(&self, scope: &SessionScope) -> Self {
        match &self.agent {
            Some(agent) => Self::of_rest(agent, &print::rest(scope, self.thread.as_ref())),
            None => self.clone(),
        }
    }

    /// The session this thread hangs below; `None` when the key names no thread.
    #[must_use]
    pub fn without_thread(&self) -> Option<Self> {
        match (&self.agent, &self.thread) {
            (Some(agent), Some(_)) => Some(Self::of_rest(agent, &print::rest(&self.scope, None))),
            _ => None,
        }
    }

    /// Whose session it is; `None` for the two keys that belong to no agent.
    #[must_use]
    pub fn agent(&self) -> Option<&AgentId> {
        self.agent.as_ref()
    }

    /// Whose session it is, where sessions of no agent count as the default agent's.
    #[must_use]
    pub fn agent_or<'a>(&'a self, default: &'a AgentId) -> &'a AgentId {
        self.agent.as_ref().unwrap_or(default)
    }

    /// What the session is about.
    #[must_use]
    pub fn scope(&self) -> &SessionScope {
        &self.scope
    }

    /// The thread it hangs in.
    #[must_use]
    pub fn thread(&self) -> Option<&SessionThread> {
        self.thread.as_ref()
    }

    /// The full text, for printing at an edge.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The text without the agent in front, as it is shown inside one agent.
    #[must_use]
    pub fn short_text(&self) -> &str {
        match &self.agent {
            Some(agent) => self.text.get(PREFIX.len() + agent.as_str().len() + 1..).unwrap_or(&self.text),
            None => &self.text,
        }
    }

    /// Reads the rest of a key that belongs to `agent`; `rest` is neither empty nor holds control characters.
    pub(super) fn of_rest(agent: &AgentId, rest: &str) -> Self {
        let agent = match agent.is_sanitized() {
            true => agent.clone(),
            false => AgentId::sanitized(agent.as_str()),
        };
        let rest = rest.trim_end().to_lowercase();
        let (scope, thread) = parse::rest(&rest);
        let text = format!("{PREFIX}{agent}:{rest}").into();
        Self { agent: Some(agent), scope, thread, text }
    }
}

/// Checks a text from outside and brings it to lower case.
pub(super) fn lowered(text: &str) -> Result<String, SessionKeyError> {
    let lowered = text.trim().to_lowercase();
    if lowered.is_empty() {
        return Err(SessionKeyError::Empty);
    }
    if lowered.len() > MAX_KEY_BYTES {
        return Err(SessionKeyError::TooLong { max: MAX_KEY_BYTES });
    }
    match lowered.chars().any(char::is_control) {
        true => Err(SessionKeyError::ControlCharacter),
        false => Ok(lowered),
    }
}

/// Reads a full key from checked, lower-cased text; `None` when it is a short form.
pub(super) fn full(lowered: &str) -> Result<Option<SessionKey>, SessionKeyError> {
    match lowered {
        "global" => return Ok(Some(SessionKey::global())),
        "unknown" => return Ok(Some(SessionKey::unknown())),
        _ => {}
    }
    let Some(tail) = lowered.strip_prefix(PREFIX) else { return Ok(None) };
    match tail.split_once(':') {
        Some((agent, rest)) if !agent.trim().is_empty() && !rest.trim_matches(':').trim().is_empty() => {
            Ok(Some(SessionKey::of_rest(&AgentId::sanitized(agent), rest)))
        }
        _ => Err(SessionKeyError::Malformed(lowered.to_owned())),
    }
}

impl FromStr for SessionKey {
    type Err = SessionKeyError;

    /// Reads a full key. Short forms need a context; see `SessionKey::resolve`.
    fn from_str(text: &str) -> Result<Self, SessionKeyError> {
        let lowered = lowered(text)?;
        full(&lowered)?.ok_or(SessionKeyError::Short(lowered))
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.text)
    }
}

impl fmt::Debug for SessionKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "SessionKey({:?} as {:?} {:?})", self.text, self.scope, self.thread)
    }
}

impl PartialEq for SessionKey {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for SessionKey {}

impl PartialOrd for SessionKey {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for SessionKey {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl Hash for SessionKey {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl Serialize for SessionKey {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for SessionKey {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for SessionKey {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SessionKey".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "string", "minLength": 1 })
    }
}
