//! `sessions.*`: listing, finding, changing, ending and shortening conversations. Their cost is in `usage`.
//!
//! Sessions belong to the `session` crate; here requests are read and results take their wire shape. A session that is
//! changed at its root is stopped first: a run never writes into a transcript that was put away.

mod branch;
mod compact;
mod patch;
pub(super) mod recent;
mod row;

use std::sync::Arc;
use std::time::Duration;

use openclaw_flow::Whose;
use openclaw_protocol::methods::sessions::{
    PreviewItem, PreviewRole, PreviewStatus, SessionPreview, SessionsBranch, SessionsCompact,
    SessionsDefaults, SessionsDelete, SessionsDeleteParams, SessionsDeleteResult, SessionsList,
    SessionsListParams, SessionsListResult, SessionsPatch, SessionsPreview, SessionsPreviewParams,
    SessionsPreviewResult, SessionsReset, SessionsResetParams, SessionsResetResult, SessionsResolve,
    SessionsResolveParams, SessionsResolveResult,
};
use openclaw_protocol::{ErrorShape, NonEmpty, Yes};
use openclaw_session::{AnewReason, Leaving, ListQuery, SessionSelector};
use openclaw_types::{AgentId, SessionKey};

use super::agents::AgentServices;
use super::chat::session_fault;
use super::health::session_path;
use super::registry::{Call, Registry};
use crate::connection::Client;

pub(super) use row::model_of;

/// How many sessions one preview shows.
const MOST_PREVIEWS: usize = 64;
/// How many messages of each.
const PREVIEW_ITEMS: usize = 12;
/// How long each may be, in letters.
const PREVIEW_LETTERS: usize = 240;
/// How long a run may take to stop.
const STOPPING: Duration = Duration::from_secs(15);

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<AgentServices>) {
    let known = Arc::clone(services);
    registry.bind::<SessionsList, _, _>(move |call, params| list(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<SessionsPreview, _, _>(move |call, params| preview(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<SessionsResolve, _, _>(move |_, params| resolve(Arc::clone(&known), params));
    let known = Arc::clone(services);
    registry.bind::<SessionsPatch, _, _>(move |call, params| patch::patch(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<SessionsReset, _, _>(move |_, params| reset(Arc::clone(&known), params));
    let known = Arc::clone(services);
    registry.bind::<SessionsDelete, _, _>(move |call, params| delete(Arc::clone(&known), call, params));
    let known = Arc::clone(services);
    registry.bind::<SessionsCompact, _, _>(move |_, params| compact::compact(Arc::clone(&known), params));
    let known = Arc::clone(services);
    registry.bind::<SessionsBranch, _, _>(move |_, params| branch::branch(Arc::clone(&known), params));
}

async fn list(
    services: Arc<AgentServices>,
    call: Call,
    params: SessionsListParams,
) -> Result<SessionsListResult, ErrorShape> {
    let agent = params.agent_id.as_ref().map(|agent| AgentId::sanitized(agent.as_str()));
    let query = ListQuery {
        limit: params.limit.and_then(|limit| usize::try_from(limit.get()).ok()),
        active_minutes: params.active_minutes.and_then(|minutes| u64::try_from(minutes.get()).ok()),
        label: params.label.map(|label| label.as_str().to_owned()),
        spawned_by: params.spawned_by.map(NonEmpty::into_string),
        agent: agent.clone(),
        search: params.search,
        include_global: params.include_global == Some(true),
        include_unknown: params.include_unknown == Some(true),
        titles: params.include_derived_titles == Some(true),
        last_messages: params.include_last_message == Some(true),
    };
    let found = services.sessions().list(&query).await.map_err(|error| session_fault(&error))?;
    let rows: Vec<_> = found.into_iter().map(|listed| row::row(&services, listed)).collect();
    let path = match agent {
        Some(agent) => session_path(&services.config(), call.context.config_file.locations(), &agent),
        None => "(multiple)".to_owned(),
    };
    Ok(SessionsListResult {
        ts: call.context.clock.now(),
        path,
        count: u64::try_from(rows.len()).unwrap_or(u64::MAX),
        defaults: defaults(&services),
        sessions: rows,
    })
}

/// The model of a session that names none.
fn defaults(services: &AgentServices) -> SessionsDefaults {
    let model = services.models().primary(&services.config().agents.default_agent);
    SessionsDefaults {
        context_tokens: services.models().window(&model).map(|window| window.tokens),
        model_provider: Some(model.provider().to_string()),
        model: Some(model.model().to_owned()),
    }
}

async fn preview(
    services: Arc<AgentServices>,
    call: Call,
    params: SessionsPreviewParams,
) -> Result<SessionsPreviewResult, ErrorShape> {
    let items = params.limit.and_then(|limit| usize::try_from(limit.get()).ok()).unwrap_or(PREVIEW_ITEMS);
    let letters =
        params.max_chars.and_then(|letters| usize::try_from(letters.get()).ok()).unwrap_or(PREVIEW_LETTERS);
    let mut previews = Vec::new();
    for written in params.keys.as_slice().iter().take(MOST_PREVIEWS) {
        let text = written.as_str().trim();
        let shown = match services.key(text) {
            Ok(key) => services.sessions().preview(&key, items, letters).await.ok(),
            Err(_no_key) => None,
        };
        let (status, items) = match shown {
            Some(preview) => (preview_status(preview.status), preview.items),
            None => (PreviewStatus::Error, Vec::new()),
        };
        let items = items.into_iter().map(|item| PreviewItem { role: role(item.role), text: item.text });
        previews.push(SessionPreview { key: text.to_owned(), status, items: items.collect() });
    }
    Ok(SessionsPreviewResult { ts: call.context.clock.now(), previews })
}

fn preview_status(status: openclaw_session::PreviewStatus) -> PreviewStatus {
    match status {
        openclaw_session::PreviewStatus::Ok => PreviewStatus::Ok,
        openclaw_session::PreviewStatus::Empty => PreviewStatus::Empty,
        openclaw_session::PreviewStatus::Missing => PreviewStatus::Missing,
    }
}

fn role(word: &str) -> PreviewRole {
    match word {
        "user" => PreviewRole::User,
        "assistant" => PreviewRole::Assistant,
        "tool" => PreviewRole::Tool,
        "system" => PreviewRole::System,
        _ => PreviewRole::Other,
    }
}

async fn resolve(
    services: Arc<AgentServices>,
    params: SessionsResolveParams,
) -> Result<SessionsResolveResult, ErrorShape> {
    let (key, id, label) = (params.key, params.session_id, params.label);
    let given = [key.is_some(), id.is_some(), label.is_some()].into_iter().filter(|given| *given).count();
    let finding = match (key, id, label) {
        _ if given > 1 => {
            return Err(ErrorShape::invalid_request(
                "Provide either key, sessionId, or label (not multiple)",
            ));
        }
        (Some(key), ..) => SessionSelector::Key(key.into_string()),
        (_, Some(id), _) => SessionSelector::Id(id.into_string()),
        (.., Some(label)) => SessionSelector::Label {
            label: label.as_str().to_owned(),
            agent: params.agent_id.map(|agent| AgentId::sanitized(agent.as_str())),
            spawned_by: params.spawned_by.map(NonEmpty::into_string),
        },
        (None, None, None) => {
            return Err(ErrorShape::invalid_request("Either key, sessionId, or label is required"));
        }
    };
    let key = services.sessions().resolve(&finding).await.map_err(|error| session_fault(&error))?;
    Ok(SessionsResolveResult { ok: Yes, key: key.to_string() })
}

async fn reset(
    services: Arc<AgentServices>,
    params: SessionsResetParams,
) -> Result<SessionsResetResult, ErrorShape> {
    let key = services.key(params.key.as_str())?;
    quiet(&services, &key, Whose::SessionAndSubagents).await?;
    let entry =
        services.sessions().reset(&key, AnewReason::Request).await.map_err(|error| session_fault(&error))?;
    Ok(SessionsResetResult { ok: Yes, key: key.to_string(), entry: row::entry(&entry)? })
}

async fn delete(
    services: Arc<AgentServices>,
    call: Call,
    params: SessionsDeleteParams,
) -> Result<SessionsDeleteResult, ErrorShape> {
    refuse_web_chats(&call.client, "delete")?;
    let key = services.key(params.key.as_str())?;
    if key == services.main_of(&services.config().agents.default_agent) {
        return Err(ErrorShape::invalid_request(format!("Cannot delete the main session ({key}).")));
    }
    quiet(&services, &key, Whose::SessionAndSubagents).await?;
    let leaving = if params.delete_transcript == Some(false) { Leaving::Keep } else { Leaving::Archive };
    let gone = services.sessions().delete(&key, leaving).await.map_err(|error| session_fault(&error))?;
    Ok(SessionsDeleteResult {
        ok: Yes,
        key: key.to_string(),
        deleted: gone.session.is_some(),
        archived: gone.archived.iter().map(ToString::to_string).collect(),
    })
}

/// Stops what a session is doing, with or without its sub-agents, and waits for it to be still.
pub(super) async fn quiet(
    services: &AgentServices,
    key: &SessionKey,
    whose: Whose,
) -> Result<(), ErrorShape> {
    services.flow.quiet(key, whose, STOPPING).await.map_err(|_busy| {
        ErrorShape::unavailable(format!("Session {key} is still active; try again in a moment."))
            .retry_after(1000)
    })
}

/// Programs that only chat do not change sessions from outside; the Control UI is more than that.
fn refuse_web_chats(client: &Client, what: &str) -> Result<(), ErrorShape> {
    if client.mode == "webchat" && client.program != "openclaw-control-ui" {
        return Err(ErrorShape::invalid_request(format!(
            "webchat clients cannot {what} sessions; use chat.send for session-scoped updates"
        )));
    }
    Ok(())
}
