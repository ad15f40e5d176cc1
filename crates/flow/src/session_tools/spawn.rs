//! `sessions_spawn`: orders a sub-agent for the caller's session.

use std::sync::Arc;

use openclaw_ports::stores::{Cleanup, SpawnMode};
use openclaw_ports::tool::{SessionToolFault, SpawnRequest, ToolContext};
use serde_json::{Value, json};

use crate::flow::Inner;
use crate::subagents::{self, Spawn, handed_on};

pub(super) async fn spawn(
    flow: &Arc<Inner>,
    context: &ToolContext,
    request: SpawnRequest,
) -> Result<Value, SessionToolFault> {
    let (mode, cleanup) = read(&request)?;
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
        mode,
        thread: request.thread.then(|| context.sender.clone()),
    };
    let spawned = subagents::spawn(flow, order).await?;
    let row = &spawned.row;
    let (mode, note) = match row.mode {
        SpawnMode::Run => (
            "run",
            "It works on its own now. Its result comes to this session by itself: do not wait for it or keep asking.",
        ),
        SpawnMode::Session => (
            "session",
            "It works in its own thread now, says there what it finds, and stays there for more. Nothing of it comes to this \
             session.",
        ),
    };
    let mut answer = json!({
        "status": "accepted", "childSessionKey": row.child, "runId": row.run, "mode": mode, "note": note,
    });
    if let (Some(model), Some(fields)) = (&spawned.model, answer.as_object_mut()) {
        fields.insert("modelApplied".to_owned(), json!(true));
        fields.insert("model".to_owned(), json!(model.to_string()));
    }
    let thread = spawned.thread.and_then(|target| target.thread);
    if let (Some(thread), Some(fields)) = (thread, answer.as_object_mut()) {
        fields.insert("threadId".to_owned(), json!(thread));
    }
    Ok(answer)
}

/// Whether the session stays for more, and what becomes of it afterwards. Says what cannot be had here.
fn read(request: &SpawnRequest) -> Result<(SpawnMode, Cleanup), SessionToolFault> {
    if request.runtime.as_deref() == Some("acp") {
        return Err(SessionToolFault::Wrong(
            "No coding agent is connected, so runtime `acp` cannot be used. Leave `runtime` out for a sub-agent.".to_owned(),
        ));
    }
    let mode = match (request.mode.as_deref(), request.thread) {
        (Some("session"), false) => {
            return Err(SessionToolFault::Wrong(
                "Mode `session` goes with `thread` true: people speak to such a sub-agent in its thread."
                    .to_owned(),
            ));
        }
        (Some("session") | None, true) => SpawnMode::Session,
        (Some("run") | None, _) => SpawnMode::Run,
        (Some(other), _) => {
            return Err(SessionToolFault::Wrong(format!("`mode` is `run` or `session`, not '{other}'.")));
        }
    };
    if request.cwd.as_deref().is_some_and(|cwd| !cwd.trim().is_empty()) {
        return Err(SessionToolFault::Wrong(
            "`cwd` goes with runtime `acp` only: a sub-agent works in its agent's workspace. Leave `cwd` out and name the \
             folder in `task`."
                .to_owned(),
        ));
    }
    match request.cleanup.as_deref() {
        None | Some("keep") => Ok((mode, Cleanup::Keep)),
        // A session that people go on with is not put away behind their back.
        Some("delete") if mode == SpawnMode::Session => Ok((mode, Cleanup::Keep)),
        Some("delete") => Ok((mode, Cleanup::Delete)),
        Some(other) => {
            Err(SessionToolFault::Wrong(format!("`cleanup` is `keep` or `delete`, not '{other}'.")))
        }
    }
}
