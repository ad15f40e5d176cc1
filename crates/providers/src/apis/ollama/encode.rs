//! Says a request in Ollama's protocol.
//!
//! The server has no way to force a tool call, and no system prompt apart from a first message. Its context is as
//! large as each request says, so the window always goes along: without it the server quietly forgets the beginning.

use std::collections::BTreeMap;

use openclaw_ports::model::{
    ApiName, FaultReason, HttpCall, ModelFault, ModelRequest, ModelTarget, ToolChoice,
};
use openclaw_types::{AssistantMessage, Content, ImageData, Message, Secret, ThinkingLevel, ToolOutcome};
use serde_json::json;

use super::wire::{Call, CallFunction, Options, Request, Think, Tool, ToolFunction, Turn};
use crate::history::{HistoryRules, IdRule, ImageRule, for_target};

/// The one call to make.
pub(super) fn call(request: &ModelRequest, target: &ModelTarget) -> Result<HttpCall, ModelFault> {
    let most = request.max_output_tokens.unwrap_or(target.max_output_tokens);
    let turns = turns(request, target);
    if turns.iter().all(|turn| turn.role == "system") {
        return Err(ModelFault::new(FaultReason::Format, "there is no message to answer"));
    }
    let body = Request {
        model: target.model.clone(),
        messages: turns,
        stream: true,
        tools: tools(request)?,
        think: think(request.thinking, target),
        options: Options {
            num_ctx: (target.context_window > 0).then_some(target.context_window),
            num_predict: (most > 0).then_some(most),
            temperature: request.temperature,
        },
    };
    let body = serde_json::to_vec(&body).map_err(|error| {
        ModelFault::new(FaultReason::Format, format!("the request cannot be written: {error}"))
    })?;
    Ok(HttpCall { url: url(&target.base_url), headers: headers(target), body })
}

/// The address of the chat. Configurations often hold the address of the OpenAI-like interface beside it.
fn url(base: &str) -> String {
    let base = base.trim().trim_end_matches('/');
    let base = base.strip_suffix("/v1").or_else(|| base.strip_suffix("/api")).unwrap_or(base);
    format!("{}/api/chat", base.trim_end_matches('/'))
}

fn headers(target: &ModelTarget) -> BTreeMap<String, Secret<String>> {
    let mut headers =
        BTreeMap::from([("content-type".to_owned(), Secret::new("application/json".to_owned()))]);
    if let Some(credential) = &target.credential {
        headers.insert("authorization".to_owned(), Secret::new(format!("Bearer {}", credential.reveal())));
    }
    headers.extend(target.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())));
    headers
}

fn tools(request: &ModelRequest) -> Result<Vec<Tool>, ModelFault> {
    match request.tool_choice {
        ToolChoice::None => return Ok(Vec::new()),
        ToolChoice::Auto => {}
        ToolChoice::Required | ToolChoice::Named(_) => {
            let said = "this model server cannot be made to call a tool; use another protocol for that";
            return Err(ModelFault::new(FaultReason::Format, said));
        }
    }
    let tool = |tool: &openclaw_ports::model::ToolSpec| Tool {
        kind: "function",
        function: ToolFunction {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: match &*tool.parameters {
                schema if schema.is_object() => schema.clone(),
                _ => json!({ "type": "object", "properties": {} }),
            },
        },
    };
    Ok(request.tools.iter().map(tool).collect())
}

/// Most models only know on and off; the gpt-oss family knows levels and is never off.
fn think(level: ThinkingLevel, target: &ModelTarget) -> Option<Think> {
    if !target.reasoning {
        return None;
    }
    if !target.model.contains("gpt-oss") {
        return Some(Think::Switch(level != ThinkingLevel::Off));
    }
    Some(Think::Level(match level {
        ThinkingLevel::Off | ThinkingLevel::Minimal | ThinkingLevel::Low => "low",
        ThinkingLevel::Medium => "medium",
        ThinkingLevel::High | ThinkingLevel::XHigh => "high",
    }))
}

fn turns(request: &ModelRequest, target: &ModelTarget) -> Vec<Turn> {
    let rules = HistoryRules {
        api: ApiName::Ollama,
        model: &target.model,
        ids: IdRule::Any,
        images: if target.sees_images { ImageRule::Keep } else { ImageRule::Describe },
    };
    let mut turns = Vec::new();
    let system: Vec<&str> =
        request.system.iter().map(|part| part.trim()).filter(|part| !part.is_empty()).collect();
    if !system.is_empty() {
        turns.push(Turn { role: "system", content: system.join("\n\n"), ..Turn::default() });
    }
    // Templates show pictures only in turns of the person, so those of results wait for the last result.
    let mut waiting: Vec<String> = Vec::new();
    for message in for_target(&request.messages, &rules) {
        match &*message {
            Message::User(user) => {
                waiting.extend(pictures(&user.content));
                let images = std::mem::take(&mut waiting);
                turns.push(Turn { role: "user", content: text(&user.content), images, ..Turn::default() });
            }
            Message::Assistant(answer) => {
                show(&mut turns, &mut waiting);
                turns.push(assistant(answer));
            }
            Message::ToolResult(result) => {
                waiting.extend(pictures(&result.content));
                turns.push(Turn {
                    role: "tool",
                    content: match result.outcome {
                        ToolOutcome::Done => text(&result.content),
                        ToolOutcome::Failed => format!("Error: {}", text(&result.content)),
                    },
                    tool_name: Some(result.tool.clone()),
                    tool_call_id: Some(result.call.to_string()),
                    ..Turn::default()
                });
            }
            _ => {}
        }
    }
    show(&mut turns, &mut waiting);
    turns
}

/// Shows the pictures of results in a turn of their own.
fn show(turns: &mut Vec<Turn>, waiting: &mut Vec<String>) {
    if !waiting.is_empty() {
        let content = "Pictures in the results above:".to_owned();
        turns.push(Turn { role: "user", content, images: std::mem::take(waiting), ..Turn::default() });
    }
}

fn assistant(answer: &AssistantMessage) -> Turn {
    let thoughts: Vec<&str> = answer
        .content
        .iter()
        .filter_map(|piece| match piece {
            Content::Thinking(thinking) => Some(thinking.text.as_str()),
            _ => None,
        })
        .collect();
    Turn {
        role: "assistant",
        content: text(&answer.content),
        thinking: (!thoughts.is_empty()).then(|| thoughts.join("\n")),
        tool_calls: answer
            .tool_calls()
            .map(|call| Call {
                id: Some(call.id.to_string()),
                function: CallFunction { name: call.name.clone(), arguments: Some(call.arguments.clone()) },
            })
            .collect(),
        ..Turn::default()
    }
}

fn text(content: &[Content]) -> String {
    let lines: Vec<String> = content
        .iter()
        .filter_map(|piece| match piece {
            Content::Text(text) => Some(text.text.clone()),
            // The protocol takes pictures only by value.
            Content::Image(image) => match &image.data {
                ImageData::Url(url) => Some(format!("[picture at {url}]")),
                _ => None,
            },
            _ => None,
        })
        .collect();
    lines.join("\n")
}

fn pictures(content: &[Content]) -> impl Iterator<Item = String> {
    content.iter().filter_map(|piece| match piece {
        Content::Image(image) => match &image.data {
            ImageData::Inline(data) => Some(data.clone()),
            _ => None,
        },
        _ => None,
    })
}
