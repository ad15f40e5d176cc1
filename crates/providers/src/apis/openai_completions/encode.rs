//! Says a request as the body of a completions call.
//!
//! The conversation itself is said in `messages`. Fields that a server may not know are left out unless the target's
//! compatibility has them.

use openclaw_ports::model::{ApiName, HttpCall, MaxTokensField, ModelFault, ModelRequest, ModelTarget};

use super::messages;
use super::wire::{Body, Choose, FunctionName, StreamOptions, Tool};
use crate::apis::openai_dialect::{self as dialect, Choice};

/// The call for a request. `api` is the name under which answers of this target are remembered.
pub(super) fn call(
    api: ApiName,
    request: &ModelRequest,
    target: &ModelTarget,
) -> Result<HttpCall, ModelFault> {
    let url = dialect::endpoint(&target.base_url, "/chat/completions");
    dialect::call(url, target, &body(api, request, target)?)
}

fn body<'a>(
    api: ApiName,
    request: &'a ModelRequest,
    target: &'a ModelTarget,
) -> Result<Body<'a>, ModelFault> {
    let quirks = &target.compatibility;
    let limit = dialect::output_limit(request, target);
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
        reasoning_effort: dialect::effort(request, target),
        tools: dialect::functions(request, target)
            .map(|function| Tool { kind: "function", function })
            .collect(),
        tool_choice: dialect::tool_choice(request)?.map(choose),
    })
}

fn choose(choice: Choice<'_>) -> Choose<'_> {
    match choice {
        Choice::Word(word) => Choose::Word(word),
        Choice::Named(name) => Choose::Function { kind: "function", function: FunctionName { name } },
    }
}
