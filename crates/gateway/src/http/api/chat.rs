//! `/v1/chat/completions`: the shapes that programs for OpenAI's chat interface send and read.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::{Response, StatusCode};
use openclaw_flow::{SubmissionOptions, ToldLine};
use openclaw_types::{ApiInterface, ToolCall};
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask::{ApiQuestion, ApiRun, Made, ask, conversation, memory};
use super::caller::{Caller, Refused, RequestAddress, parse, read};
use super::closed::off;
use super::fetch::{Fetcher, Pieces};
use super::parts;
use super::speech::{Gone, Speech, streamed};
use crate::context::GatewayContext;
use crate::http::answers;
use crate::server::Arrived;

/// The largest request: pictures come inside of it.
const MOST_BYTES: usize = 20 * 1024 * 1024;

/// A request. What is not here is accepted and has no effect.
#[derive(Debug, Deserialize)]
struct Completion {
    model: Option<String>,
    messages: Option<Vec<Spoken>>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    user: Option<String>,
    tools: Option<Vec<Value>>,
    tool_choice: Option<Value>,
    max_tokens: Option<u64>,
    max_completion_tokens: Option<u64>,
    temperature: Option<f64>,
    reasoning_effort: Option<String>,
}

#[derive(Debug, Deserialize)]
struct StreamOptions {
    include_usage: Option<bool>,
}

#[derive(Debug, Deserialize)]
struct Spoken {
    role: Option<String>,
    content: Option<Value>,
    tool_call_id: Option<Value>,
    tool_calls: Option<Vec<Value>>,
}

/// What every piece of one answer carries.
struct Head {
    id: String,
    created: i64,
    model: String,
}

/// Answers a request.
pub(in crate::http) async fn answer(
    State(context): State<Arc<GatewayContext>>,
    Extension(arrived): Extension<Arrived>,
    request: Request,
) -> Response<Body> {
    if !context.config.current().gateway.http.chat_completions {
        return off("chatCompletions");
    }
    let (head, body) = request.into_parts();
    let caller = match Caller::admit(&context, arrived, head.headers) {
        Ok(caller) => caller,
        Err(answer) => return *answer,
    };
    match complete(&caller, body).await {
        Ok(response) => response,
        Err(refused) => refused.answer(),
    }
}

async fn complete(caller: &Caller, body: Body) -> Result<Response<Body>, Refused> {
    let completion: Completion = parse(&read(body, MOST_BYTES).await?)?;
    let model = completion.model.clone().filter(|model| !model.trim().is_empty());
    let head = Head {
        id: format!("chatcmpl_{}", uuid::Uuid::new_v4()),
        created: caller.context.clock.now().0 / 1000,
        model: model.unwrap_or_else(|| "openclaw".to_owned()),
    };
    let wants_usage =
        completion.stream_options.as_ref().and_then(|options| options.include_usage) == Some(true);
    let wants_stream = completion.stream == Some(true);
    let question = question(caller, completion, &head.model).await?;
    let mut asked = ask(caller, question).await?;
    if wants_stream {
        return Ok(streamed(&caller.context, |speech| speak(speech, asked, head, wants_usage)));
    }
    let made = asked.answer().await?;
    Ok(answers::json(StatusCode::OK, &whole(&head, &made)))
}

async fn question(caller: &Caller, completion: Completion, model: &str) -> Result<ApiQuestion, Refused> {
    let to = caller.addressee(&RequestAddress {
        interface: ApiInterface::ChatCompletions,
        model,
        user: completion.user.as_deref(),
        conversation: None,
    })?;
    let mut system = Vec::new();
    let mut lines = Vec::new();
    let mut fetcher = Fetcher::new(caller);
    for spoken in completion.messages.into_iter().flatten() {
        let pieces = parts::read(spoken.content.as_ref().unwrap_or(&Value::Null), &fetcher.rules)?;
        let role = spoken.role.as_deref().unwrap_or_default();
        if matches!(role, "system" | "developer") {
            system.push(parts::words(pieces));
            continue;
        }
        lines.extend(line(role, fetcher.complete(pieces).await?, &spoken)?);
    }
    let said = conversation(lines, memory(caller, &to).await?)
        .ok_or_else(|| Refused::wrong("Missing user message in `messages`."))?;
    let tools = parts::tools(completion.tools.as_ref())?;
    let tool_choice = parts::tool_choice(completion.tool_choice.as_ref(), &tools)?;
    let system = system.join("\n\n");
    let options = SubmissionOptions {
        thinking: parts::effort(completion.reasoning_effort),
        extra_system: (!system.trim().is_empty()).then_some(system),
        client_tools: tools,
        tool_choice,
        max_output_tokens: completion.max_completion_tokens.or(completion.max_tokens),
        temperature: completion.temperature,
        ..SubmissionOptions::default()
    };
    Ok(ApiQuestion { to, said, options })
}

/// One message of the conversation. Roles that nobody knows are left out.
fn line(role: &str, pieces: Pieces, spoken: &Spoken) -> Result<Option<ToldLine>, Refused> {
    let Pieces { text, pictures } = pieces;
    Ok(Some(match role {
        "user" => ToldLine::Person { text, pictures },
        "assistant" => {
            let calls = spoken.tool_calls.iter().flatten();
            let calls = calls.map(|call| {
                parts::call(&call["id"], &call["function"]["name"], &call["function"]["arguments"])
            });
            ToldLine::Agent { text, calls: calls.collect::<Result<_, _>>()? }
        }
        "tool" => {
            let call = parts::call_id(spoken.tool_call_id.as_ref().unwrap_or(&Value::Null))?;
            ToldLine::Tool { call, text, pictures }
        }
        // The old form names no call.
        "function" => {
            ToldLine::Person { text: format!("[Result of the client's function] {text}"), pictures }
        }
        _ => return Ok(None),
    }))
}

fn whole(head: &Head, made: &Made) -> Value {
    let mut message = json!({"role": "assistant", "content": made.text, "refusal": null});
    if !made.calls.is_empty() {
        message["tool_calls"] = made.calls.iter().map(call).collect();
        if made.text.is_empty() {
            message["content"] = Value::Null;
        }
    }
    json!({
        "id": head.id,
        "object": "chat.completion",
        "created": head.created,
        "model": head.model,
        "choices": [{"index": 0, "message": message, "logprobs": null, "finish_reason": reason(made)}],
        "usage": usage(made),
    })
}

async fn speak(speech: Speech, mut asked: ApiRun, head: Head, wants_usage: bool) -> Result<(), Gone> {
    speech.data(&chunk(&head, json!({"role": "assistant", "content": ""}), Value::Null)).await?;
    let mut heard = String::new();
    while let Some(words) = speech.words(&asked).await? {
        speech.data(&chunk(&head, json!({"content": words}), Value::Null)).await?;
        heard.push_str(&words);
    }
    let made = match asked.answer().await {
        Ok(made) => made,
        Err(refused) => {
            speech.data(&json!({"error": {"message": refused.message, "type": refused.kind}})).await?;
            return speech.done().await;
        }
    };
    if let Some(words) = made.unheard(&heard) {
        speech.data(&chunk(&head, json!({"content": words}), Value::Null)).await?;
    }
    for (index, asked_for) in made.calls.iter().enumerate() {
        let mut call = call(asked_for);
        call["index"] = index.into();
        speech.data(&chunk(&head, json!({"tool_calls": [call]}), Value::Null)).await?;
    }
    speech.data(&chunk(&head, json!({}), reason(&made).into())).await?;
    if wants_usage {
        let mut last = chunk(&head, json!({}), Value::Null);
        last["choices"] = json!([]);
        last["usage"] = usage(&made);
        speech.data(&last).await?;
    }
    speech.done().await
}

fn chunk(head: &Head, delta: Value, finish_reason: Value) -> Value {
    json!({
        "id": head.id,
        "object": "chat.completion.chunk",
        "created": head.created,
        "model": head.model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}],
    })
}

fn call(call: &ToolCall) -> Value {
    let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
    json!({"id": call.id, "type": "function", "function": function})
}

fn reason(made: &Made) -> &'static str {
    match (made.calls.is_empty(), made.cut) {
        (false, _) => "tool_calls",
        (true, true) => "length",
        (true, false) => "stop",
    }
}

fn usage(made: &Made) -> Value {
    json!({
        "prompt_tokens": made.read(),
        "completion_tokens": made.usage.output,
        "total_tokens": made.read() + made.usage.output,
        "prompt_tokens_details": {"cached_tokens": made.usage.cache_read},
        "completion_tokens_details": {"reasoning_tokens": made.usage.reasoning},
    })
}
