//! `sessions_spawn`: orders a sub-agent for the caller's session.

use std::sync::Arc;

use openclaw_ports::stores::Cleanup;
use openclaw_ports::tool::{DeskFault, SpawnRequest, ToolContext};
use serde_json::{Value, json};

use crate::flow::Inner;
use crate::subagents::{self, Spawn, handed_on};

pub(super) async fn spawn(
    flow: &Arc<Inner>,
    context: &ToolContext,
    request: SpawnRequest,
) -> Result<Value, DeskFault> {
    let cleanup = read(&request)?;
    let order = Spawn {
        requester: context.session.clone(),
        from: handed_on(&context.sender),
        task: request.task,
        label: request.label,
        agent: request.agent,
        model: request.model,
        thinking: request.thinking,
        timeout_seconds: request.run_timeout_seconds,
        cleanup,
    };
    let spawned = subagents::spawn(flow, order).await?;
    let row = &spawned.row;
    let mut answer = json!({
        "status": "accepted",
        "childSessionKey": row.child,
        "runId": row.run,
        "mode": "run",
        "note": "It works on its own now. Its result comes to this session by itself: do not wait for it or keep asking.",
    });
    if let (Some(model), Some(fields)) = (&spawned.model, answer.as_object_mut()) {
        fields.insert("modelApplied".to_owned(), json!(true));
        fields.insert("model".to_owned(), json!(model.to_string()));
    }
    Ok(answer)
}

/// What becomes of the session afterwards. Says what cannot be had here.
fn read(request: &SpawnRequest) -> Result<Cleanup, DeskFault> {
    if request.runtime.as_deref() == Some("acp") {
        return Err(DeskFault::Wrong(
            "No coding agent is connected, so runtime `acp` cannot be used. Leave `runtime` out for a sub-agent.".to_owned(),
        ));
    }
    if request.thread || request.mode.as_deref() == Some("session") {
        return Err(DeskFault::Wrong(
            "No connected channel can give a sub-agent a thread of its own. Leave `thread` out and use mode `run`.".to_owned(),
        ));
    }
    if request.cwd.as_deref().is_some_and(|cwd| !cwd.trim().is_empty()) {
        return Err(DeskFault::Wrong(
            "`cwd` goes with runtime `acp` only: a sub-agent works in its agent's workspace. Leave `cwd` out and name the \
             folder in `task`."
                .to_owned(),
        ));
    }
    match request.cleanup.as_deref() {
        None | Some("keep") => Ok(Cleanup::Keep),
        Some("delete") => Ok(Cleanup::Delete),
        Some(other) => Err(DeskFault::Wrong(format!("`cleanup` is `keep` or `delete`, not '{other}'."))),
    }
}
