//! Finds the session that an agent names: by key, in full or short, or by the id of its transcript.
//!
//! Short names belong to the agent that uses them.

use openclaw_config::sections::SessionScope as Breadth;
use openclaw_config::{Config, SessionSettings};
use openclaw_ports::tool::SessionToolFault;
use openclaw_session::{SessionError, SessionSelector};
use openclaw_types::{AgentId, KeyContext, SessionBreadth, SessionKey};

use super::fault;
use crate::flow::Inner;

/// The session that an agent names.
pub(crate) async fn session(flow: &Inner, own: &AgentId, text: &str) -> Result<SessionKey, SessionToolFault> {
    let text = text.trim();
    let context = key_context(&flow.settings(), own);
    let key = SessionKey::resolve(text, &context);
    if let Ok(key) = &key {
        // A main session is there even before anybody spoke in it.
        if key.is_main(&context) || flow.parts.sessions.entry(key).await.map_err(fault)?.is_some() {
            return Ok(key.clone());
        }
    }
    match flow.parts.sessions.resolve(&SessionSelector::Id(text.to_owned())).await {
        Ok(found) => Ok(found),
        Err(SessionError::Missing { .. }) => Err(SessionToolFault::Wrong(format!(
            "There is no session '{text}'. Use a full key from sessions_list."
        ))),
        Err(SessionError::Refused { reason }) => Err(SessionToolFault::Wrong(reason)),
        Err(error) => Err(fault(error)),
    }
}

/// The session with a label.
pub(crate) async fn labelled(
    flow: &Inner,
    label: &str,
    agent: Option<AgentId>,
) -> Result<SessionKey, SessionToolFault> {
    let finding = SessionSelector::Label { label: label.to_owned(), agent, spawned_by: None };
    match flow.parts.sessions.resolve(&finding).await {
        Ok(found) => Ok(found),
        Err(SessionError::Missing { .. }) => Err(SessionToolFault::Wrong(format!(
            "There is no session with the label '{label}'. sessions_list shows which there are."
        ))),
        Err(SessionError::Refused { reason }) => Err(SessionToolFault::Wrong(reason)),
        Err(error) => Err(fault(error)),
    }
}

/// What short keys of an agent depend on.
pub(super) fn key_context(config: &Config, own: &AgentId) -> KeyContext {
    let breadth = match config.session.scope {
        Breadth::Global => SessionBreadth::Global,
        Breadth::PerSender => SessionBreadth::PerSender,
    };
    KeyContext::new(own, SessionSettings::MAIN_KEY, breadth)
}
