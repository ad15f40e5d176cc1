//! `/tools/invoke`: another program calls one tool, without a model.
//!
//! Whoever has the gateway's secret is the owner. The tool has to pass the policy of the session it runs in and the
//! rules for HTTP; a tool that does not is not there. A caller that goes away stops the tool.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::{Response, StatusCode};
use openclaw_agent::{
    PromptMeasuring, PromptMode, Reasoning, RunInput, RunOrder, Selection, ToolCandidate, ToolVerdict,
    http_objection,
};
use openclaw_config::HttpToolRules;
use openclaw_ports::model::ToolChoice;
use openclaw_ports::tool::{ExecChoices, FileReach, Tool, ToolContext, ToolReply};
use openclaw_types::{
    AccountId, AgentId, ChannelId, Content, Image, ImageData, RunId, Sender, SessionId, SessionKey, ThreadId,
    ToolCallId, ToolOutcome,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tokio_util::sync::CancellationToken;

use super::caller::{Caller, Refused, parse, read};
use crate::context::GatewayContext;
use crate::http::answers;
use crate::server::Arrived;

/// The largest request.
const MOST_BYTES: usize = 2 * 1024 * 1024;

/// A request. Other keys are left out of account.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    tool: Option<String>,
    action: Option<String>,
    args: Option<Map<String, Value>>,
    session_key: Option<String>,
}

/// How a call failed.
struct Failed {
    status: StatusCode,
    kind: &'static str,
    message: String,
}

/// Answers a request.
pub(in crate::http) async fn answer(
    State(context): State<Arc<GatewayContext>>,
    Extension(arrived): Extension<Arrived>,
    request: Request,
) -> Response<Body> {
    let (head, body) = request.into_parts();
    let caller = match Caller::admit(&context, arrived, head.headers) {
        Ok(caller) => caller,
        Err(answer) => return *answer,
    };
    match invoke(&caller, body).await {
        Ok(Ok(result)) => answers::json(StatusCode::OK, &json!({"ok": true, "result": result})),
        Ok(Err(failed)) => {
            let error = json!({"type": failed.kind, "message": failed.message});
            answers::json(failed.status, &json!({"ok": false, "error": error}))
        }
        Err(refused) => refused.answer(),
    }
}

async fn invoke(caller: &Caller, body: Body) -> Result<Result<Value, Failed>, Refused> {
    let invocation: Invocation = parse(&read(body, MOST_BYTES).await?)?;
    let name = invocation.tool.as_deref().map(str::trim).unwrap_or_default();
    if name.is_empty() {
        return Err(Refused::wrong("tools.invoke requires body.tool"));
    }
    let session = invocation.session_key.as_deref().map(str::trim).filter(|key| !key.is_empty());
    let key = caller.services.key(session.unwrap_or("main"))?;
    let agent = caller.services.agent_of(&key);
    let order = order(caller, key, agent).await?;
    let Some(tool) = find(caller, name, &order).await else {
        return Ok(Err(Failed {
            status: StatusCode::NOT_FOUND,
            kind: "not_found",
            message: format!("Tool not available: {name}"),
        }));
    };
    let arguments = arguments(tool.as_ref(), &invocation);
    let stop = CancellationToken::new();
    let _stopped_with_the_caller = stop.clone().drop_guard();
    let context = tool_context(caller, &order, stop)?;
    Ok(shown(tool.call(&context, arguments).await))
}

/// The tool, when it is there, the policy gives it, and it may be called this way.
async fn find(caller: &Caller, name: &str, order: &RunOrder) -> Option<Arc<dyn Tool>> {
    let agent = caller.services.flow.agent();
    let wanted = openclaw_agent::canonical_tool_name(name);
    let tool = agent
        .parts()
        .tools
        .iter()
        .find(|tool| openclaw_agent::canonical_tool_name(tool.descriptor().name) == wanted)?;
    let rules = HttpToolRules::of(&caller.services.config().raw);
    let objection = http_objection(&rules, &ToolCandidate::from(tool.descriptor()));
    let given = agent.tools_for(order).await.judge(name) == ToolVerdict::Allowed;
    (objection.is_none() && given).then(|| Arc::clone(tool))
}

/// The order of a run as the policy would see it.
async fn order(caller: &Caller, key: SessionKey, agent: AgentId) -> Result<RunOrder, Refused> {
    let broken = |error: openclaw_types::IdError| Refused::broken(error.to_string());
    let entry = caller.services.sessions().entry(&key).await;
    let entry = entry.map_err(|error| Refused::unreadable(&error))?;
    let session = match entry {
        Some(entry) => entry.session_id.clone(),
        None => SessionId::new(uuid::Uuid::new_v4().to_string()).map_err(broken)?,
    };
    Ok(RunOrder {
        run: RunId::new(format!("invoke-{}", uuid::Uuid::new_v4())).map_err(broken)?,
        agent,
        key,
        session,
        entry: None,
        input: RunInput::Messages(Vec::new()),
        model: Selection::Default,
        pin: None,
        thinking: None,
        reasoning: Reasoning::Hidden,
        prompt: PromptMode::Full,
        extra_system: None,
        client_tools: Vec::new(),
        tool_choice: ToolChoice::Auto,
        max_output_tokens: None,
        temperature: None,
        timeout: None,
        sender: sender(caller),
        exec: ExecChoices::default(),
        workspace: None,
        depth: 0,
        turns: None,
        report: PromptMeasuring::Unwanted,
        room: None,
    })
}

/// The owner, writing from where the headers say.
fn sender(caller: &Caller) -> Sender {
    Sender {
        channel: caller.header("x-openclaw-message-channel").and_then(|text| ChannelId::new(text).ok()),
        account: caller.header("x-openclaw-account-id").and_then(|text| AccountId::new(text).ok()),
        to: caller.header("x-openclaw-message-to"),
        thread: caller.header("x-openclaw-thread-id").and_then(|text| ThreadId::new(text).ok()),
        ..Sender::owner()
    }
}

fn tool_context(
    caller: &Caller,
    order: &RunOrder,
    cancel: CancellationToken,
) -> Result<ToolContext, Refused> {
    let call = ToolCallId::new(order.run.as_str()).map_err(|error| Refused::broken(error.to_string()))?;
    let state_dir = &caller.services.flow.agent().parts().surroundings.state_dir;
    let agent_dir = caller.services.config().places.agent_dir(state_dir, &order.agent);
    Ok(ToolContext {
        run: order.run.clone(),
        call,
        agent: order.agent.clone(),
        session: order.key.clone(),
        session_id: order.session.clone(),
        workspace: caller.services.workspace_of(&order.agent),
        files: FileReach::Workspace,
        keep: openclaw_agent::agent_outputs(&agent_dir),
        model: Some(caller.services.models().primary(&order.agent)),
        sees_images: false,
        sender: order.sender.clone(),
        exec: order.exec.clone(),
        progress: Arc::new(|_nobody_looks| {}),
        cancel,
    })
}

/// The arguments; an action that stands beside them goes in where the tool knows one.
fn arguments(tool: &dyn Tool, invocation: &Invocation) -> Value {
    let mut arguments = invocation.args.clone().unwrap_or_default();
    if let Some(action) = &invocation.action
        && tool.descriptor().parameters["properties"].get("action").is_some()
    {
        arguments.entry("action").or_insert_with(|| Value::String(action.clone()));
    }
    Value::Object(arguments)
}

fn shown(reply: ToolReply) -> Result<Value, Failed> {
    let output = match reply {
        ToolReply::Output(output) => output,
        ToolReply::Refused(message) => {
            return Err(Failed { status: StatusCode::FORBIDDEN, kind: "tool_error", message });
        }
        ToolReply::Fault(error) => {
            tracing::error!(%error, "a tool that was called over HTTP is broken");
            return Err(Failed {
                status: StatusCode::INTERNAL_SERVER_ERROR,
                kind: "tool_error",
                message: "tool execution failed".to_owned(),
            });
        }
    };
    if output.outcome == ToolOutcome::Failed {
        let words: Vec<&str> = output.content.iter().filter_map(|piece| piece.as_text()).collect();
        let message = words.join("\n");
        return Err(Failed { status: StatusCode::BAD_REQUEST, kind: "tool_error", message });
    }
    let content: Vec<Value> = output.content.iter().filter_map(piece).collect();
    let mut result = json!({"content": content});
    if let Some(details) = output.details {
        result["details"] = details;
    }
    Ok(result)
}

/// A piece of a result as programs read it. Thoughts and calls are no results.
fn piece(content: &Content) -> Option<Value> {
    match content {
        Content::Image(Image { media_type, data: ImageData::Inline(data) }) => {
            Some(json!({"type": "image", "data": data, "mimeType": media_type}))
        }
        other => other.as_text().map(|text| json!({"type": "text", "text": text})),
    }
}
