//! Says a request as the body of a completions call.
//!
//! The conversation itself is said in `messages`. Fields that a server may not know are left out unless the target's
//! compatibility has them.

use openclaw_ports::model::{
    ApiName, FaultReason, HttpCall, MaxTokensField, ModelFault, ModelRequest, ModelTarget, ToolChoice,
};
use openclaw_types::ThinkingLevel;

use super::wire::{Body, Choose, Function, FunctionName, StreamOptions, Tool};
use super::{dialect, messages};

/// The call for a request. `api` is the name under which answers of this target are remembered.
pub(super) fn call(
    api: ApiName,
    request: &ModelRequest,
    target: &ModelTarget,
) -> Result<HttpCall, ModelFault> {
    let body = serde_json::to_vec(&body(api, request, target)?).map_err(|error| {
        ModelFault::new(FaultReason::Format, format!("the request could not be written: {error}"))
    })?;
    Ok(HttpCall {
        url: dialect::endpoint(&target.base_url, "/chat/completions"),
        headers: dialect::headers(target),
        body,
    })
}

fn body<'a>(
    api: ApiName,
    request: &'a ModelRequest,
    target: &'a ModelTarget,
) -> Result<Body<'a>, ModelFault> {
    let quirks = &target.compatibility;
    let limit =
        request.max_output_tokens.map_or(target.max_output_tokens, |asked| match target.max_output_tokens {
            0 => asked,
            most => asked.min(most),
        });
    let limit = (limit > 0).then_some(limit);
    let (max_completion_tokens, max_tokens) = match quirks.max_tokens_field {
        MaxTokensField::MaxCompletionTokens => (limit, None),
        MaxTokensField::MaxTokens => (None, limit),
    };
    Ok(Body {
        model: &target.model,
        messages: messages::all(api, request, target),
        stream: true,
        stream_options: quirks.usage_in_stream.then_some(StreamOptions { include_usage: true }),
        store: quirks.store.then_some(false),
        max_completion_tokens,
        max_tokens,
        temperature: request.temperature.filter(|temperature| temperature.is_finite()),
        reasoning_effort: effort(request, target),
        tools: tools(request, target),
        tool_choice: choose(request)?,
    })
}

fn effort(request: &ModelRequest, target: &ModelTarget) -> Option<&'static str> {
    let wanted = request.thinking != ThinkingLevel::Off;
    (wanted && target.reasoning && target.compatibility.reasoning_effort).then(|| request.thinking.as_str())
}

fn tools<'a>(request: &'a ModelRequest, target: &ModelTarget) -> Vec<Tool<'a>> {
    request
        .tools
        .iter()
        .map(|tool| Tool {
            kind: "function",
            function: Function {
                name: &tool.name,
                description: &tool.description,
                parameters: &tool.parameters,
                strict: target.compatibility.strict_tools.then_some(false),
            },
        })
        .collect()
}

fn choose(request: &ModelRequest) -> Result<Option<Choose<'_>>, ModelFault> {
    match &request.tool_choice {
        ToolChoice::Auto => Ok(None),
        ToolChoice::None if request.tools.is_empty() => Ok(None),
        ToolChoice::None => Ok(Some(Choose::Word("none"))),
        ToolChoice::Required if !request.tools.is_empty() => Ok(Some(Choose::Word("required"))),
        ToolChoice::Named(name) if request.tools.iter().any(|tool| tool.name == *name) => {
            Ok(Some(Choose::Function { kind: "function", function: FunctionName { name } }))
        }
        ToolChoice::Required | ToolChoice::Named(_) => Err(ModelFault::new(
            FaultReason::Format,
            "the model must call a tool, but the request does not offer it; offer the tool or let the model choose",
        )),
    }
}
