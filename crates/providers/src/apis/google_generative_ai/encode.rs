//! Says a request in Google's protocol: address, credential, limits, tools. The turns are made in `contents`.

use std::collections::BTreeMap;

use openclaw_ports::model::{
    FaultReason, HttpCall, ModelFault, ModelRequest, ModelTarget, SystemText, ToolChoice,
};
use openclaw_types::Secret;
use serde::Serialize;

use super::wire::{
    FunctionCallingConfig, FunctionDeclaration, GenerationConfig, Request, SystemInstruction, SystemPart,
    ToolConfig, Tools,
};
use super::{account, contents, schema, thinking};

/// The one call to make.
pub(super) fn call(request: &ModelRequest, target: &ModelTarget) -> Result<HttpCall, ModelFault> {
    let contents = contents::of(&request.messages, target);
    if contents.is_empty() {
        return Err(ModelFault::new(FaultReason::Format, "there is no message to answer"));
    }
    let most = request.max_output_tokens.unwrap_or(target.max_output_tokens);
    let body = Request {
        contents,
        system_instruction: system(&request.system),
        tools: tools(request),
        tool_config: tool_config(request),
        generation_config: GenerationConfig {
            max_output_tokens: (most > 0).then_some(most),
            temperature: request.temperature,
            thinking_config: thinking::config(request.thinking, target),
        },
    };
    if account::serves(&target.base_url) {
        return account::call(body, target, headers(target));
    }
    Ok(HttpCall { url: url(target), headers: headers(target), body: written(&body)? })
}

/// A body as bytes.
pub(super) fn written(body: &impl Serialize) -> Result<Vec<u8>, ModelFault> {
    serde_json::to_vec(body).map_err(|error| {
        ModelFault::new(FaultReason::Format, format!("the request cannot be written: {error}"))
    })
}

fn url(target: &ModelTarget) -> String {
    let base = target.base_url.trim_end_matches('/');
    let model = escaped(target.model.trim_matches('/'));
    let folder =
        if model.starts_with("models/") || model.starts_with("tunedModels/") { "" } else { "models/" };
    format!("{base}/{folder}{model}:streamGenerateContent?alt=sse")
}

/// The name as part of a path: nothing in it can begin a query or leave the path.
fn escaped(model: &str) -> String {
    let mut text = String::with_capacity(model.len());
    for byte in model.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' | b'@' => {
                text.push(char::from(byte))
            }
            other => text.push_str(&format!("%{other:02X}")),
        }
    }
    text.replace("..", "%2E%2E")
}

/// A key has its own header; a token of a signed-in account goes where tokens go. Configured headers win.
fn headers(target: &ModelTarget) -> BTreeMap<String, Secret<String>> {
    let mut headers =
        BTreeMap::from([("content-type".to_owned(), Secret::new("application/json".to_owned()))]);
    if let Some(credential) = &target.credential {
        let text = credential.reveal();
        if text.starts_with("ya29.") || target.compatibility.key_as_bearer {
            headers.insert("authorization".to_owned(), Secret::new(format!("Bearer {text}")));
        } else {
            headers.insert("x-goog-api-key".to_owned(), credential.clone());
        }
    }
    headers.extend(target.headers.iter().map(|(name, value)| (name.to_ascii_lowercase(), value.clone())));
    headers
}

fn system(prompt: &SystemText) -> Option<SystemInstruction> {
    let parts: Vec<SystemPart> = prompt.spoken().map(|text| SystemPart { text: text.clone() }).collect();
    (!parts.is_empty()).then_some(SystemInstruction { parts })
}

fn tools(request: &ModelRequest) -> Vec<Tools> {
    if request.tools.is_empty() {
        return Vec::new();
    }
    let function_declarations = request
        .tools
        .iter()
        .map(|tool| FunctionDeclaration {
            name: tool.name.clone(),
            description: tool.description.clone(),
            parameters: schema::cleaned(&tool.parameters),
        })
        .collect();
    vec![Tools { function_declarations }]
}

fn tool_config(request: &ModelRequest) -> Option<ToolConfig> {
    if request.tools.is_empty() {
        return None;
    }
    let (mode, allowed_function_names) = match &request.tool_choice {
        ToolChoice::Auto => return None,
        ToolChoice::None => ("NONE", Vec::new()),
        ToolChoice::Required => ("ANY", Vec::new()),
        ToolChoice::Named(name) => ("ANY", vec![name.clone()]),
    };
    Some(ToolConfig { function_calling_config: FunctionCallingConfig { mode, allowed_function_names } })
}
