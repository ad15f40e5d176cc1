//! `sessions.patch`: the preferences of a session.
//!
//! Which words are known and what they lead to is decided in `session`; which models there are is known by `agent`.

use std::sync::Arc;

use openclaw_agent::{Reference, ResolvedModel as Found};
use openclaw_protocol::methods::sessions::{ResolvedModel, SessionsPatchParams, SessionsPatchResult};
use openclaw_protocol::{ErrorShape, NonEmpty, Yes};
use openclaw_session::{FieldChange, ModelPick, PatchBounds, SessionPatch};
use openclaw_types::{AgentId, ModelRef, SessionKey, ThinkingLevel};

use super::row::{entry, model_of};
use super::{refuse_web_chats, session_fault};
use crate::methods::agents::AgentServices;
use crate::methods::health::session_path;
use crate::methods::registry::Call;

/// Changes a session.
pub(super) async fn patch(
    services: Arc<AgentServices>,
    call: Call,
    params: SessionsPatchParams,
) -> Result<SessionsPatchResult, ErrorShape> {
    refuse_web_chats(&call.client, "patch")?;
    let key = services.key(params.key.as_str())?;
    let agent = services.agent_of(&key);
    let pick = pick(&services, &agent, params.model.as_ref())?;
    let bounds = bounds(&services, &key, &agent, pick.as_ref()).await?;
    let changes = changes(params, pick);
    let stored =
        services.sessions().patch(&key, changes, bounds).await.map_err(|error| session_fault(&error))?;
    let model = chosen(&stored.facts).unwrap_or_else(|| services.models().primary(&agent));
    Ok(SessionsPatchResult {
        ok: Yes,
        path: session_path(&services.config(), call.context.config_file.locations(), &agent),
        key: key.to_string(),
        entry: entry(&stored)?,
        resolved: Some(ResolvedModel {
            model_provider: Some(model.provider().to_string()),
            model: Some(model.model().to_owned()),
        }),
    })
}

fn chosen(facts: &openclaw_types::SessionFacts) -> Option<ModelRef> {
    facts.model_override.is_some().then(|| model_of(facts)).flatten()
}

/// The model a patch asks for. The agent's own model is no choice.
fn pick(
    services: &AgentServices,
    agent: &AgentId,
    wanted: Option<&Option<NonEmpty>>,
) -> Result<Option<ModelPick>, ErrorShape> {
    let text = match wanted {
        None => return Ok(None),
        Some(None) => return Ok(Some(ModelPick::Default)),
        Some(Some(text)) => text.as_str(),
    };
    let found = services
        .models()
        .resolve(agent, text)
        .map_err(|error| ErrorShape::invalid_request(error.to_string()))?;
    let model = reference(found);
    Ok(Some(match model == services.models().primary(agent) {
        true => ModelPick::Default,
        false => ModelPick::Model(model),
    }))
}

fn reference(found: Found) -> ModelRef {
    let Reference { model, .. } = found.reference;
    model
}

/// What a patch is held against: the levels of the model that the session has afterwards.
async fn bounds(
    services: &AgentServices,
    key: &SessionKey,
    agent: &AgentId,
    pick: Option<&ModelPick>,
) -> Result<PatchBounds, ErrorShape> {
    let model = match pick {
        Some(ModelPick::Model(model)) => model.clone(),
        Some(ModelPick::Default) => services.models().primary(agent),
        None => {
            let stored = services.sessions().entry(key).await.map_err(|error| session_fault(&error))?;
            let model = stored.and_then(|entry| chosen(&entry.facts));
            model.unwrap_or_else(|| services.models().primary(agent))
        }
    };
    let mut bounds = PatchBounds::default();
    let facts = services.models().facts(&model);
    if facts.is_some_and(|facts| facts.thinking.contains(&ThinkingLevel::XHigh)) {
        bounds.thinking.push(ThinkingLevel::XHigh);
    }
    Ok(bounds)
}

fn changes(params: SessionsPatchParams, model: Option<ModelPick>) -> SessionPatch {
    SessionPatch {
        label: change(params.label, |label| label.as_str().to_owned()),
        thinking_level: change(params.thinking_level, NonEmpty::into_string),
        verbose_level: change(params.verbose_level, NonEmpty::into_string),
        reasoning_level: change(params.reasoning_level, NonEmpty::into_string),
        response_usage: change(params.response_usage, |usage| usage.as_str().to_owned()),
        elevated_level: change(params.elevated_level, NonEmpty::into_string),
        exec_host: change(params.exec_host, NonEmpty::into_string),
        exec_security: change(params.exec_security, NonEmpty::into_string),
        exec_ask: change(params.exec_ask, NonEmpty::into_string),
        exec_node: change(params.exec_node, NonEmpty::into_string),
        model,
        spawned_by: change(params.spawned_by, NonEmpty::into_string),
        spawn_depth: change(params.spawn_depth, |depth| u64::try_from(depth.get()).unwrap_or(0)),
        send_policy: change(params.send_policy, |policy| policy.as_str().to_owned()),
        group_activation: change(params.group_activation, |activation| activation.as_str().to_owned()),
    }
}

/// Absent means that a field stays, null that it goes.
fn change<T, U>(field: Option<Option<T>>, read: impl FnOnce(T) -> U) -> FieldChange<U> {
    match field {
        None => FieldChange::Keep,
        Some(None) => FieldChange::Clear,
        Some(Some(value)) => FieldChange::Set(read(value)),
    }
}
