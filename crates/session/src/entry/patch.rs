//! Decides what a patch makes of a session.
//!
//! Pure: whether a label is taken and which levels a model offers comes from the caller. Nothing changes when one of
//! the fields is wrong.

use openclaw_types::{ModelRef, SessionEntry, SessionFacts, SessionKey, ThinkingLevel};

use super::levels;
use crate::SessionError;

/// The longest label, in letters.
const LABEL_LETTERS: usize = 64;

/// The words of a field.
struct Words {
    field: &'static str,
    known: &'static str,
    read: fn(&str) -> Option<&'static str>,
}

const VERBOSE: Words =
    Words { field: "verboseLevel", known: "\"on\"|\"off\"|\"full\"", read: levels::verbose_word };
const REASONING: Words =
    Words { field: "reasoningLevel", known: "\"on\"|\"off\"|\"stream\"", read: levels::reasoning_word };
const USAGE: Words =
    Words { field: "responseUsage", known: "\"off\"|\"tokens\"|\"full\"", read: levels::response_usage_word };
const ELEVATED: Words =
    Words { field: "elevatedLevel", known: "\"on\"|\"off\"|\"ask\"|\"full\"", read: levels::elevated_word };
const HOST: Words =
    Words { field: "execHost", known: "\"sandbox\"|\"gateway\"|\"node\"", read: levels::exec_host_word };
const SECURITY: Words = Words {
    field: "execSecurity",
    known: "\"deny\"|\"allowlist\"|\"full\"",
    read: levels::exec_security_word,
};
const ASK: Words =
    Words { field: "execAsk", known: "\"off\"|\"on-miss\"|\"always\"", read: levels::exec_ask_word };
const SEND: Words =
    Words { field: "sendPolicy", known: "\"allow\"|\"deny\"", read: levels::send_policy_word };
const ACTIVATION: Words =
    Words { field: "groupActivation", known: "\"mention\"|\"always\"", read: levels::group_activation_word };

/// What happens to one field.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum FieldChange<T> {
    /// It stays.
    #[default]
    Keep,
    /// It goes.
    Clear,
    /// It becomes this.
    Set(T),
}

/// A model for a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelPick {
    /// The agent's own; a choice made before goes.
    Default,
    /// This one.
    Model(ModelRef),
}

/// Changes of a session. Words are read as people write them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SessionPatch {
    /// The name a person gave.
    pub label: FieldChange<String>,
    /// How hard to think.
    pub thinking_level: FieldChange<String>,
    /// How much of the tools is shown.
    pub verbose_level: FieldChange<String>,
    /// Whether thoughts are shown.
    pub reasoning_level: FieldChange<String>,
    /// How much is told about the cost of an answer.
    pub response_usage: FieldChange<String>,
    /// Whether commands may leave the sandbox.
    pub elevated_level: FieldChange<String>,
    /// Where commands run.
    pub exec_host: FieldChange<String>,
    /// Which commands may run.
    pub exec_security: FieldChange<String>,
    /// When a person is asked.
    pub exec_ask: FieldChange<String>,
    /// On which node commands run.
    pub exec_node: FieldChange<String>,
    /// The model, found and allowed already.
    pub model: Option<ModelPick>,
    /// The session that started this one.
    pub spawned_by: FieldChange<String>,
    /// How deep below a person's session it is.
    pub spawn_depth: FieldChange<u64>,
    /// Whether answers may be sent.
    pub send_policy: FieldChange<String>,
    /// When the agent answers in a group.
    pub group_activation: FieldChange<String>,
}

/// What a patch is held against.
#[derive(Debug, Clone, PartialEq)]
pub struct PatchBounds {
    /// The levels of thinking that the session's model offers, the one the patch picks included.
    pub thinking: Vec<ThinkingLevel>,
}

impl Default for PatchBounds {
    fn default() -> Self {
        Self {
            thinking: ThinkingLevel::ALL.into_iter().filter(|level| *level != ThinkingLevel::XHigh).collect(),
        }
    }
}

/// Applies a patch to an entry.
pub(crate) fn apply(
    entry: &mut SessionEntry,
    key: &SessionKey,
    patch: &SessionPatch,
    bounds: &PatchBounds,
) -> Result<(), SessionError> {
    let mut facts = entry.facts.clone();
    lineage(&mut facts, key, patch)?;
    set(&mut facts.label, &patch.label, label)?;
    thinking(&mut facts, patch, bounds)?;
    word(&mut facts.verbose_level, &patch.verbose_level, &VERBOSE)?;
    word(&mut facts.reasoning_level, &patch.reasoning_level, &REASONING)?;
    word(&mut facts.response_usage, &patch.response_usage, &USAGE)?;
    // `off` is the same as saying nothing.
    facts.response_usage = facts.response_usage.take().filter(|level| level != "off");
    exec(&mut facts, patch)?;
    if let Some(pick) = &patch.model {
        model(&mut facts, pick);
    }
    word(&mut facts.send_policy, &patch.send_policy, &SEND)?;
    word(&mut facts.group_activation, &patch.group_activation, &ACTIVATION)?;
    entry.facts = facts;
    Ok(())
}

/// Who started a session is said once and never taken back: what it may do hangs on it.
fn lineage(facts: &mut SessionFacts, key: &SessionKey, patch: &SessionPatch) -> Result<(), SessionError> {
    let spawned_by = match &patch.spawned_by {
        FieldChange::Keep => None,
        FieldChange::Clear if facts.spawned_by.is_some() => {
            return Err(SessionError::refused("spawnedBy cannot be cleared once set"));
        }
        FieldChange::Clear => None,
        FieldChange::Set(by) if by.trim().is_empty() => {
            return Err(SessionError::refused("invalid spawnedBy: empty"));
        }
        FieldChange::Set(by) => Some(by.trim().to_owned()),
    };
    let depth = match &patch.spawn_depth {
        FieldChange::Keep => None,
        FieldChange::Clear if facts.spawn_depth.is_some() => {
            return Err(SessionError::refused("spawnDepth cannot be cleared once set"));
        }
        FieldChange::Clear => None,
        FieldChange::Set(depth) => Some(*depth),
    };
    once(&mut facts.spawned_by, spawned_by, "spawnedBy", key)?;
    once(&mut facts.spawn_depth, depth, "spawnDepth", key)
}

fn once<T: PartialEq>(
    field: &mut Option<T>,
    value: Option<T>,
    name: &str,
    key: &SessionKey,
) -> Result<(), SessionError> {
    let Some(value) = value else { return Ok(()) };
    if !key.is_subagent() {
        return Err(SessionError::refused(format!("{name} is only supported for subagent:* sessions")));
    }
    if field.as_ref().is_some_and(|there| *there != value) {
        return Err(SessionError::refused(format!("{name} cannot be changed once set")));
    }
    *field = Some(value);
    Ok(())
}

fn label(written: &str) -> Result<String, SessionError> {
    let label = written.trim();
    match label.chars().count() {
        0 => Err(SessionError::refused("invalid label: empty")),
        letters if letters > LABEL_LETTERS => {
            Err(SessionError::refused(format!("invalid label: too long (max {LABEL_LETTERS})")))
        }
        _ => Ok(label.to_owned()),
    }
}

/// The label a patch sets, checked; nothing when it sets none.
pub(crate) fn wanted_label(patch: &SessionPatch) -> Result<Option<String>, SessionError> {
    match &patch.label {
        FieldChange::Set(written) => label(written).map(Some),
        FieldChange::Keep | FieldChange::Clear => Ok(None),
    }
}

fn thinking(
    facts: &mut SessionFacts,
    patch: &SessionPatch,
    bounds: &PatchBounds,
) -> Result<(), SessionError> {
    set(&mut facts.thinking_level, &patch.thinking_level, |written| {
        let level = levels::thinking_word(written).filter(|level| bounds.thinking.contains(level));
        level.map(|level| level.as_str().to_owned()).ok_or_else(|| {
            let offered: Vec<&str> = bounds.thinking.iter().map(|level| level.as_str()).collect();
            SessionError::refused(format!("invalid thinkingLevel (use {})", offered.join("|")))
        })
    })?;
    let highest = ThinkingLevel::XHigh;
    if facts.thinking_level.as_deref() == Some(highest.as_str()) && !bounds.thinking.contains(&highest) {
        facts.thinking_level = Some(ThinkingLevel::High.as_str().to_owned());
    }
    Ok(())
}

fn exec(facts: &mut SessionFacts, patch: &SessionPatch) -> Result<(), SessionError> {
    word(&mut facts.elevated_level, &patch.elevated_level, &ELEVATED)?;
    word(&mut facts.exec_host, &patch.exec_host, &HOST)?;
    word(&mut facts.exec_security, &patch.exec_security, &SECURITY)?;
    word(&mut facts.exec_ask, &patch.exec_ask, &ASK)?;
    set(&mut facts.exec_node, &patch.exec_node, |node| match node.trim() {
        "" => Err(SessionError::refused("invalid execNode: empty")),
        node => Ok(node.to_owned()),
    })
}

/// Another model takes another sign-in, so the one that was chosen goes with the old model.
fn model(facts: &mut SessionFacts, pick: &ModelPick) {
    match pick {
        ModelPick::Default => {
            facts.provider_override = None;
            facts.model_override = None;
            // Without a choice lists would show the model that answered last as the session's own.
            facts.model_provider = None;
            facts.model = None;
        }
        ModelPick::Model(model) => {
            facts.provider_override = Some(model.provider().as_str().to_owned());
            facts.model_override = Some(model.model().to_owned());
        }
    }
    facts.auth_profile_override = None;
    facts.auth_profile_override_source = None;
    facts.auth_profile_override_compaction_count = None;
}

fn word(field: &mut Option<String>, change: &FieldChange<String>, words: &Words) -> Result<(), SessionError> {
    set(field, change, |written| {
        let refused = || SessionError::refused(format!("invalid {} (use {})", words.field, words.known));
        (words.read)(written).map(str::to_owned).ok_or_else(refused)
    })
}

fn set(
    field: &mut Option<String>,
    change: &FieldChange<String>,
    read: impl FnOnce(&str) -> Result<String, SessionError>,
) -> Result<(), SessionError> {
    match change {
        FieldChange::Keep => {}
        FieldChange::Clear => *field = None,
        FieldChange::Set(written) => *field = Some(read(written)?),
    }
    Ok(())
}
