//! `/v1/responses`: the shapes that programs for OpenAI's responses interface send and read.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{Extension, Request, State};
use axum::http::{Response, StatusCode};
use openclaw_flow::{SubmissionOptions, ToldLine};
use openclaw_types::{ApiInterface, ToolCall};
use serde::Deserialize;
use serde_json::{Value, json};

use super::ask::{ApiQuestion, ApiRun, Made, Memory, ask, conversation, memory};
use super::caller::{Addressee, Caller, Refused, RequestAddress, parse, read};
use super::closed::off;
use super::fetch::{Fetcher, Pieces};
use super::parts::{self, Piece};
use super::speech::{Gone, Speech, streamed};
use crate::context::GatewayContext;
use crate::http::answers;
use crate::server::Arrived;

/// The largest request, unless the configuration says otherwise.
const MOST_BYTES: usize = 20_000_000;

/// A request. What is not here is accepted and has no effect.
#[derive(Debug, Deserialize)]
struct Order {
    model: Option<String>,
    input: Option<Value>,
    instructions: Option<String>,
    tools: Option<Vec<Value>>,
    tool_choice: Option<Value>,
    stream: Option<bool>,
    max_output_tokens: Option<u64>,
    user: Option<String>,
    temperature: Option<f64>,
    metadata: Option<Value>,
    reasoning: Option<Effort>,
    previous_response_id: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Effort {
    effort: Option<String>,
}

/// What every picture of one answer carries.
struct Head {
    id: String,
    message: String,
    created_at: i64,
    model: String,
    metadata: Value,
    instructions: Option<String>,
    previous: Option<String>,
}

/// Answers a request.
pub(in crate::http) async fn answer(
    State(context): State<Arc<GatewayContext>>,
    Extension(arrived): Extension<Arrived>,
    request: Request,
) -> Response<Body> {
    if !context.config.current().gateway.http.responses {
        return off("responses");
    }
    let (head, body) = request.into_parts();
    let caller = match Caller::admit(&context, arrived, head.headers) {
        Ok(caller) => caller,
        Err(answer) => return *answer,
    };
    match respond(&caller, body).await {
        Ok(response) => response,
        Err(refused) => refused.answer(),
    }
}

async fn respond(caller: &Caller, body: Body) -> Result<Response<Body>, Refused> {
    let order: Order = parse(&read(body, most_bytes(caller)).await?)?;
    let Some(model) = order.model.clone().filter(|model| !model.trim().is_empty()) else {
        return Err(Refused::wrong("model: a name is needed, such as \"openclaw\""));
    };
    let to = addressee(caller, &order, &model).await?;
    let head = Head {
        id: response_id(&to),
        message: format!("msg_{}", uuid::Uuid::new_v4()),
        created_at: caller.context.clock.now().0 / 1000,
        model,
        metadata: order.metadata.clone().unwrap_or_else(|| json!({})),
        instructions: order.instructions.clone(),
        previous: order.previous_response_id.clone(),
    };
    let wants_stream = order.stream == Some(true);
    let question = question(caller, order, to).await?;
    let mut asked = ask(caller, question).await?;
    if wants_stream {
        return Ok(streamed(&caller.context, |speech| speak(Telling { speech, next: 0 }, asked, head)));
    }
    let made = asked.answer().await?;
    Ok(answers::json(StatusCode::OK, &finished(&head, &made, &made.text)))
}

fn most_bytes(caller: &Caller) -> usize {
    let config = caller.services.config();
    let endpoint = || config.raw.gateway.as_ref()?.http.as_ref()?.endpoints.as_ref()?.responses.as_ref();
    let written = endpoint().and_then(|endpoint| endpoint.max_body_bytes);
    written.and_then(|most| usize::try_from(most.get()).ok()).unwrap_or(MOST_BYTES)
}

async fn question(caller: &Caller, order: Order, to: Addressee) -> Result<ApiQuestion, Refused> {
    let mut system: Vec<String> = order.instructions.into_iter().collect();
    let lines = match order.input {
        Some(Value::String(text)) => vec![ToldLine::Person { text, pictures: Vec::new() }],
        Some(Value::Array(items)) => {
            let mut lines = Vec::new();
            let mut fetcher = Fetcher::new(caller);
            for item in &items {
                lines.extend(line(item, &mut system, &mut fetcher).await?);
            }
            joined(lines)
        }
        _ => return Err(Refused::wrong("input: Invalid input")),
    };
    let said = conversation(lines, memory(caller, &to).await?)
        .ok_or_else(|| Refused::wrong("Missing user message in `input`."))?;
    let tools = parts::tools(order.tools.as_ref())?;
    let tool_choice = parts::tool_choice(order.tool_choice.as_ref(), &tools)?;
    let system = system.join("\n\n");
    let options = SubmissionOptions {
        thinking: parts::effort(order.reasoning.and_then(|reasoning| reasoning.effort)),
        extra_system: (!system.trim().is_empty()).then_some(system),
        client_tools: tools,
        tool_choice,
        max_output_tokens: order.max_output_tokens,
        temperature: order.temperature,
        ..SubmissionOptions::default()
    };
    Ok(ApiQuestion { to, said, options })
}

/// Whom an order is for. An earlier response that nobody here knows any more is an error, as programs expect it.
async fn addressee(caller: &Caller, order: &Order, model: &str) -> Result<Addressee, Refused> {
    let earlier = order.previous_response_id.as_deref().map(str::trim).filter(|id| !id.is_empty());
    let named = RequestAddress {
        interface: ApiInterface::Responses,
        model,
        user: order.user.as_deref(),
        conversation: earlier.and_then(conversation_of),
    };
    let to = caller.addressee(&named)?;
    let (Some(earlier), Some(_)) = (earlier, to.conversation()) else { return Ok(to) };
    // Without a name of its own the conversation is known by its responses alone.
    if named.conversation.is_none() || memory(caller, &to).await? == Memory::Blank {
        return Err(Refused {
            status: StatusCode::BAD_REQUEST,
            kind: "invalid_request_error",
            code: Some("previous_response_not_found"),
            message: format!("Previous response with id '{earlier}' not found."),
        });
    }
    Ok(to)
}

/// The id of a response. It carries the conversation it belongs to, so that the next order can go on with it.
fn response_id(to: &Addressee) -> String {
    let own = uuid::Uuid::new_v4();
    match to.conversation() {
        Some(conversation) => format!("resp_{conversation}_{}", own.simple()),
        None => format!("resp_{own}"),
    }
}

fn conversation_of(response: &str) -> Option<uuid::Uuid> {
    let (conversation, _own) = response.strip_prefix("resp_")?.split_once('_')?;
    conversation.parse().ok()
}

/// One item of the input. What a system says goes to the prompt; what nobody knows is left out.
async fn line(
    item: &Value,
    system: &mut Vec<String>,
    fetcher: &mut Fetcher<'_>,
) -> Result<Option<ToldLine>, Refused> {
    Ok(Some(match item["type"].as_str().unwrap_or("message") {
        "message" => {
            let pieces = parts::read(&item["content"], &fetcher.rules)?;
            let role = item["role"].as_str().unwrap_or_default();
            if matches!(role, "system" | "developer") {
                system.push(parts::words(pieces));
                return Ok(None);
            }
            let Pieces { text, pictures } = fetcher.complete(pieces).await?;
            match role {
                "assistant" => ToldLine::Agent { text, calls: Vec::new() },
                _ => ToldLine::Person { text, pictures },
            }
        }
        "function_call" => {
            let call = parts::call(&item["call_id"], &item["name"], &item["arguments"])?;
            ToldLine::Agent { text: String::new(), calls: vec![call] }
        }
        "function_call_output" => {
            let call = parts::call_id(&item["call_id"])?;
            let output = match &item["output"] {
                content @ (Value::String(_) | Value::Array(_)) => parts::read(content, &fetcher.rules)?,
                other => vec![Piece::Text(other.to_string())],
            };
            let Pieces { text, pictures } = fetcher.complete(output).await?;
            ToldLine::Tool { call, text, pictures }
        }
        _ => return Ok(None),
    }))
}

/// Items of the agent in a row are one message: its words and all of its calls.
fn joined(lines: Vec<ToldLine>) -> Vec<ToldLine> {
    let mut whole: Vec<ToldLine> = Vec::with_capacity(lines.len());
    for line in lines {
        match (whole.last_mut(), line) {
            (
                Some(ToldLine::Agent { text, calls }),
                ToldLine::Agent { text: more_text, calls: more_calls },
            ) => {
                if !text.is_empty() && !more_text.is_empty() {
                    text.push_str("\n\n");
                }
                text.push_str(&more_text);
                calls.extend(more_calls);
            }
            (_, line) => whole.push(line),
        }
    }
    whole
}

/// The writing end, which numbers what it says.
struct Telling {
    speech: Speech,
    next: u64,
}

impl Telling {
    async fn tell(&mut self, name: &str, mut data: Value) -> Result<(), Gone> {
        data["type"] = name.into();
        data["sequence_number"] = self.next.into();
        self.next += 1;
        self.speech.event(name, &data).await
    }
}

async fn speak(mut telling: Telling, mut asked: ApiRun, head: Head) -> Result<(), Gone> {
    let begun = response(&head, "in_progress", Vec::new());
    telling.tell("response.created", json!({"response": begun})).await?;
    telling.tell("response.in_progress", json!({"response": begun})).await?;
    let mut heard = String::new();
    while let Some(words) = telling.speech.words(&asked).await? {
        say(&mut telling, &head, &heard, &words).await?;
        heard.push_str(&words);
    }
    let made = match asked.answer().await {
        Ok(made) => made,
        Err(refused) => return fail(telling, &head, &refused).await,
    };
    if let Some(words) = made.unheard(&heard) {
        say(&mut telling, &head, &heard, &words).await?;
        heard.push_str(&words);
    }
    if !heard.is_empty() {
        close(&mut telling, &head, &heard).await?;
    }
    let first = u64::from(!heard.is_empty());
    for (index, call) in (first..).zip(&made.calls) {
        tell_call(&mut telling, index, call).await?;
    }
    telling.tell("response.completed", json!({"response": finished(&head, &made, &heard)})).await?;
    telling.speech.done().await
}

/// Says more words; before the first of them, that a message begins.
async fn say(telling: &mut Telling, head: &Head, heard: &str, words: &str) -> Result<(), Gone> {
    if heard.is_empty() {
        let item = json!({"type": "message", "id": head.message, "role": "assistant", "content": [], "status": "in_progress"});
        telling.tell("response.output_item.added", json!({"output_index": 0, "item": item})).await?;
        telling.tell("response.content_part.added", placed(head, json!({"part": part("")}))).await?;
    }
    telling.tell("response.output_text.delta", placed(head, json!({"delta": words, "logprobs": []}))).await
}

async fn close(telling: &mut Telling, head: &Head, text: &str) -> Result<(), Gone> {
    telling.tell("response.output_text.done", placed(head, json!({"text": text, "logprobs": []}))).await?;
    telling.tell("response.content_part.done", placed(head, json!({"part": part(text)}))).await?;
    let item = message(head, text);
    telling.tell("response.output_item.done", json!({"output_index": 0, "item": item})).await
}

async fn tell_call(telling: &mut Telling, index: u64, asked_for: &ToolCall) -> Result<(), Gone> {
    let whole = call(asked_for);
    let mut begun = whole.clone();
    begun["status"] = "in_progress".into();
    begun["arguments"] = "".into();
    let place = |more: Value| {
        let mut data = json!({"output_index": index, "item_id": whole["id"]});
        if let (Some(data), Value::Object(more)) = (data.as_object_mut(), more) {
            data.extend(more);
        }
        data
    };
    let arguments = &whole["arguments"];
    telling.tell("response.output_item.added", json!({"output_index": index, "item": begun})).await?;
    telling.tell("response.function_call_arguments.delta", place(json!({"delta": arguments}))).await?;
    telling
        .tell(
            "response.function_call_arguments.done",
            place(json!({"arguments": arguments, "name": whole["name"]})),
        )
        .await?;
    telling.tell("response.output_item.done", json!({"output_index": index, "item": whole})).await
}

async fn fail(mut telling: Telling, head: &Head, refused: &Refused) -> Result<(), Gone> {
    let mut failed = response(head, "failed", Vec::new());
    failed["error"] = json!({"code": refused.kind, "message": refused.message});
    telling.tell("response.failed", json!({"response": failed})).await?;
    telling.speech.done().await
}

fn placed(head: &Head, more: Value) -> Value {
    let mut data = json!({"item_id": head.message, "output_index": 0, "content_index": 0});
    if let (Some(data), Value::Object(more)) = (data.as_object_mut(), more) {
        data.extend(more);
    }
    data
}

fn part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}

fn message(head: &Head, text: &str) -> Value {
    let content = [part(text)];
    json!({"type": "message", "id": head.message, "role": "assistant", "content": content, "status": "completed"})
}

fn call(call: &ToolCall) -> Value {
    json!({
        "type": "function_call",
        "id": format!("fc_{}", call.id),
        "call_id": call.id,
        "name": call.name,
        "arguments": call.arguments.to_string(),
        "status": "completed",
    })
}

fn finished(head: &Head, made: &Made, text: &str) -> Value {
    let said = (!text.is_empty()).then(|| message(head, text));
    let output: Vec<Value> = said.into_iter().chain(made.calls.iter().map(call)).collect();
    // A response whose tools are still to be called counts as not complete, and so does one that was cut off.
    let status = if made.calls.is_empty() && !made.cut { "completed" } else { "incomplete" };
    let mut whole = response(head, status, output);
    if made.cut {
        whole["incomplete_details"] = json!({"reason": "max_output_tokens"});
    }
    whole["usage"] = json!({
        "input_tokens": made.read(),
        "input_tokens_details": {"cached_tokens": made.usage.cache_read},
        "output_tokens": made.usage.output,
        "output_tokens_details": {"reasoning_tokens": made.usage.reasoning},
        "total_tokens": made.read() + made.usage.output,
    });
    whole
}

fn response(head: &Head, status: &str, output: Vec<Value>) -> Value {
    json!({
        "id": head.id,
        "object": "response",
        "created_at": head.created_at,
        "status": status,
        "error": null,
        "incomplete_details": null,
        "instructions": head.instructions,
        "metadata": head.metadata,
        "model": head.model,
        "output": output,
        "parallel_tool_calls": true,
        "previous_response_id": head.previous,
        "temperature": null,
        "tool_choice": "auto",
        "tools": [],
        "top_p": null,
        "usage": null,
    })
}
