//! `session_status`: the card of a session, and another model for it where one is wanted.

use std::sync::Arc;

use openclaw_ports::tool::{SessionToolFault, StatusRequest, ToolContext};
use openclaw_session::Opening;
use openclaw_types::{ChannelId, ModelRef, SessionFacts, SessionKey};
use serde_json::{Value, json};

use super::fault;
use super::reference::session;
use super::visibility::{Act, view};
use crate::channels::{Talk, usual_model};
use crate::commands::{CardOf, status_card};
use crate::flow::Inner;
use crate::subagents::known_model;

pub(super) async fn status(
    flow: &Arc<Inner>,
    context: &ToolContext,
    request: StatusRequest,
) -> Result<Value, SessionToolFault> {
    let key = match request.session.as_deref().map(str::trim).filter(|text| !text.is_empty()) {
        Some(text) if text != "current" => session(flow, &context.agent, text).await?,
        _ => context.session.clone(),
    };
    let model = request.model.as_deref().map(str::trim).filter(|text| !text.is_empty());
    // Another model is a change of the session, not a look at it.
    let act = if model.is_some() { Act::Send } else { Act::Status };
    view(flow, context).await?.check(&key, act)?;
    let changed = match model {
        Some(model) => change_model(flow, &key, model).await?,
        None => false,
    };
    let agent = flow.parts.sessions.agent_of(&key);
    let entry = flow.parts.sessions.entry(&key).await.map_err(fault)?;
    let channel = entry.and_then(|entry| ChannelId::new(entry.facts.last_channel.as_deref()?).ok());
    let of = CardOf { agent: &agent, key: &key, channel: channel.as_ref(), submission: None };
    let text = status_card(flow, &of).await.map_err(fault)?;
    Ok(json!({ "ok": true, "sessionKey": key, "changedModel": changed, "statusText": text }))
}

/// Gives a session another model; false when it had it already.
async fn change_model(flow: &Inner, key: &SessionKey, text: &str) -> Result<bool, SessionToolFault> {
    let agent = flow.parts.sessions.agent_of(key);
    let wanted = match text.eq_ignore_ascii_case("default") {
        true => None,
        false => Some(known_model(flow, &agent, text)?),
    };
    let sessions = &flow.parts.sessions;
    let before = match sessions.entry(key).await.map_err(fault)? {
        Some(entry) => entry,
        None => sessions.open(Opening::new(key.clone(), None)).await.map_err(fault)?.entry,
    };
    let usual = usual_model(flow, &agent, &Talk { key, facts: &before.facts, submission: None });
    let wanted = wanted.filter(|model| *model != usual);
    if overridden(&before.facts) == wanted.as_ref().map(ModelRef::to_string) {
        return Ok(false);
    }
    let changed = sessions.change(key, move |entry| {
        let facts = &mut entry.facts;
        facts.provider_override = wanted.as_ref().map(|model| model.provider().as_str().to_owned());
        facts.model_override = wanted.as_ref().map(|model| model.model().to_owned());
        facts.auth_profile_override = None;
        facts.auth_profile_override_source = None;
        facts.auth_profile_override_compaction_count = None;
    });
    changed.await.map_err(fault)?;
    Ok(true)
}

fn overridden(facts: &SessionFacts) -> Option<String> {
    match (&facts.provider_override, &facts.model_override) {
        (Some(provider), Some(model)) => Some(format!("{provider}/{model}")),
        (None, model) => model.clone(),
        (Some(_), None) => None,
    }
}
