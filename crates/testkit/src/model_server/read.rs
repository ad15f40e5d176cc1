//! Reads a request's body as a script sees it, protocol by protocol.

use openclaw_providers::{Asked, LastTurn};
use serde_json::Value;

use super::wire::Speech;

/// Who speaks in a turn, and what is said.
struct Turn {
    who: Who,
    text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Who {
    System,
    User,
    Assistant,
    Tool,
}

/// A request as a script sees it.
pub(super) fn asked(speech: Speech, model: &str, body: &Value) -> Asked {
    let turns = turns(speech, body);
    let texts = |who: Who| turns.iter().filter(move |turn| turn.who == who).map(|turn| turn.text.as_str());
    let mut system: Vec<&str> = texts(Who::System).collect();
    let above = ["system", "instructions", "systemInstruction"].map(|name| text_of(&body[name]));
    system.splice(0..0, above.iter().map(String::as_str).filter(|text| !text.is_empty()));
    let spoken: Vec<&Turn> = turns.iter().filter(|turn| turn.who != Who::System).collect();
    Asked {
        model: model.to_owned(),
        system: system.join("\n"),
        last_user: texts(Who::User).rfind(|text| !text.is_empty()).unwrap_or_default().to_owned(),
        last_turn: match spoken.last() {
            None => LastTurn::Nothing,
            Some(Turn { who: Who::Tool, text }) => LastTurn::ToolResult(text.clone()),
            Some(Turn { who: Who::Assistant, .. }) => LastTurn::Assistant,
            Some(_) => LastTurn::User,
        },
        tools: tools(body),
        thinking: thinks(body),
        turns: spoken.len(),
        pictures: conversation(speech, body).as_array().into_iter().flatten().map(pictures).sum(),
    }
}

fn conversation(speech: Speech, body: &Value) -> &Value {
    match speech {
        Speech::Responses => &body["input"],
        Speech::Google => &body["contents"],
        _ => &body["messages"],
    }
}

/// How many pictures a turn holds, where they are its own and not those of a tool's result.
fn pictures(turn: &Value) -> usize {
    let parts = turn["content"].as_array().or_else(|| turn["parts"].as_array());
    let is_picture = |part: &&Value| {
        matches!(part["type"].as_str(), Some("image" | "image_url" | "input_image"))
            || ["image", "inlineData"].into_iter().any(|name| part[name].is_object())
    };
    parts.into_iter().flatten().filter(is_picture).count()
}

fn turns(speech: Speech, body: &Value) -> Vec<Turn> {
    match conversation(speech, body) {
        Value::String(text) => vec![Turn { who: Who::User, text: text.clone() }],
        Value::Array(list) => list.iter().map(turn).collect(),
        _ => Vec::new(),
    }
}

fn turn(value: &Value) -> Turn {
    let results = results_in(value);
    if !results.is_empty() {
        return Turn { who: Who::Tool, text: results.join("\n") };
    }
    let who = match (value["role"].as_str(), value["type"].as_str()) {
        (Some("system" | "developer"), _) => Who::System,
        (Some("assistant" | "model"), _) | (_, Some("function_call" | "reasoning")) => Who::Assistant,
        (Some("tool"), _) => Who::Tool,
        _ => Who::User,
    };
    Turn { who, text: text_of(value) }
}

/// What tools answered, in protocols where that is a part of a turn or an item of its own.
fn results_in(value: &Value) -> Vec<String> {
    if value["type"] == "function_call_output" {
        return vec![text_of(&value["output"])];
    }
    let parts = value["content"].as_array().or_else(|| value["parts"].as_array());
    let result = |part: &Value| {
        if part["type"] == "tool_result" {
            return Some(text_of(&part["content"]));
        }
        if let Some(result) = part.get("toolResult") {
            return Some(text_of(&result["content"]));
        }
        let answered = part.get("functionResponse")?.get("response")?;
        let output = ["output", "result", "error"].into_iter().find_map(|name| answered[name].as_str());
        Some(output.map_or_else(|| answered.to_string(), str::to_owned))
    };
    parts.into_iter().flatten().filter_map(result).collect()
}

/// All words in a value, wherever the protocol keeps them.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(list) => {
            let texts: Vec<String> = list.iter().map(text_of).filter(|text| !text.is_empty()).collect();
            texts.join("\n")
        }
        Value::Object(fields) => ["text", "content", "parts"]
            .into_iter()
            .find_map(|name| fields.get(name))
            .map(text_of)
            .unwrap_or_default(),
        _ => String::new(),
    }
}

fn tools(body: &Value) -> Vec<String> {
    let list = body["tools"].as_array().or_else(|| body["toolConfig"]["tools"].as_array());
    let mut names = Vec::new();
    for tool in list.into_iter().flatten() {
        let declared = tool["functionDeclarations"].as_array();
        let own = [&tool["name"], &tool["function"]["name"], &tool["toolSpec"]["name"]];
        let all = declared.into_iter().flatten().map(|one| &one["name"]).chain(own);
        names.extend(all.filter_map(Value::as_str).map(str::to_owned));
    }
    names
}

fn thinks(body: &Value) -> bool {
    let off = |value: &Value| {
        value.is_null()
            || value == &Value::Bool(false)
            || value == "none"
            || value["type"] == "disabled"
            || value["effort"] == "none"
            || value["thinkingBudget"] == 0
    };
    [
        "/thinking",
        "/reasoning_effort",
        "/reasoning",
        "/generationConfig/thinkingConfig",
        "/additionalModelRequestFields/thinking",
        "/think",
        "/enable_thinking",
    ]
    .into_iter()
    .filter_map(|path| body.pointer(path))
    .any(|value| !off(value))
}
