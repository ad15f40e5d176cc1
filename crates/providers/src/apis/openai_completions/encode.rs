//! Says a request as the body of a completions call.
//!
//! The conversation itself is said in `messages`. Fields that a server may not know are left out unless the target's
//! compatibility has them.

use std::borrow::Cow;

use openclaw_ports::model::{
    ApiName, HttpCall, MaxTokensField, ModelFault, ModelRequest, ModelTarget, ThinkingFormat,
};
use openclaw_types::{Message, ThinkingLevel};

use super::messages;
use super::wire::{Body, Choose, FunctionName, StreamOptions, ThinkingMode, Tool};
use crate::apis::openai_dialect::{self as dialect, Choice};
use crate::history::for_target;

/// The call for a request. `api` is the name under which answers of this target are remembered.
pub(super) fn call(
    api: ApiName,
    request: &ModelRequest,
    target: &ModelTarget,
) -> Result<HttpCall, ModelFault> {
    let url = dialect::endpoint(&target.base_url, "/chat/completions");
    let history = for_target(&request.messages, &dialect::history_rules(api, target));
    dialect::call(url, target, &body(request, &history, target)?)
}

fn body<'a>(
    request: &'a ModelRequest,
    history: &'a [Cow<'_, Message>],
    target: &'a ModelTarget,
) -> Result<Body<'a>, ModelFault> {
    let quirks = &target.compatibility;
    let limit = dialect::output_limit(request, target);
    let (max_completion_tokens, max_tokens) = match quirks.max_tokens_field {
        MaxTokensField::MaxCompletionTokens => (limit, None),
        MaxTokensField::MaxTokens => (None, limit),
    };
    let thinking = Thinking::of(request, target);
    Ok(Body {
        model: &target.model,
        messages: messages::all(&request.system, history, target),
        stream: true,
        stream_options: quirks.usage_in_stream.then_some(StreamOptions { include_usage: true }),
        store: quirks.store.then_some(false),
        max_completion_tokens,
        max_tokens,
        temperature: request.temperature.filter(|temperature| temperature.is_finite()),
        reasoning_effort: thinking.effort,
        thinking: thinking.mode,
        enable_thinking: thinking.switch,
        tools: dialect::functions(request, target)
            .map(|function| Tool { kind: "function", function })
            .collect(),
        tool_choice: dialect::tool_choice(request)?.map(choose),
    })
}

/// How a request asks for thoughts: in one of three fields, or in none.
#[derive(Default)]
struct Thinking {
    effort: Option<&'static str>,
    mode: Option<ThinkingMode>,
    switch: Option<bool>,
}

impl Thinking {
    fn of(request: &ModelRequest, target: &ModelTarget) -> Self {
        let wanted = request.thinking != ThinkingLevel::Off;
        match target.compatibility.thinking_format {
            ThinkingFormat::Effort => Self { effort: dialect::effort(request, target), ..Self::default() },
            _ if !target.reasoning => Self::default(),
            // Servers with an object or a switch think unless they are told not to.
            ThinkingFormat::Object => {
                let kind = if wanted { "enabled" } else { "disabled" };
                Self { mode: Some(ThinkingMode { kind }), ..Self::default() }
            }
            ThinkingFormat::Switch => Self { switch: Some(wanted), ..Self::default() },
        }
    }
}

fn choose(choice: Choice<'_>) -> Choose<'_> {
    match choice {
        Choice::Word(word) => Choose::Word(word),
        Choice::Named(name) => Choose::Function { kind: "function", function: FunctionName { name } },
    }
}
