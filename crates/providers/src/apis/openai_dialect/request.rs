//! What a request of either protocol says in the same words: limits, effort, tools, the system prompt, tool results.
//!
//! Pure decisions and the wire shape of a tool; each protocol's encoder puts them into a body of its own.

use openclaw_ports::model::{
    ApiName, FaultReason, HttpCall, ModelFault, ModelRequest, ModelTarget, ToolChoice,
};
use openclaw_types::{Content, ThinkingLevel, ToolResultMessage};
use serde::Serialize;

use super::headers;
use super::wire::Function;
use crate::history::{HistoryRules, IdRule, ImageRule};

/// What stands before the pictures that tools gave: results hold text only, so pictures follow them.
pub(in crate::apis) const PICTURES_FOLLOW: &str = "These pictures belong to the tool results above:";

/// What a result says whose only content is a picture.
const PICTURE_ONLY: &str = "(the result is a picture, shown below)";

/// The call that carries a body.
///
/// # Errors
/// When the body cannot be written as JSON.
pub(in crate::apis) fn call(
    url: String,
    target: &ModelTarget,
    body: &impl Serialize,
) -> Result<HttpCall, ModelFault> {
    // Prompt and tools with a short conversation take a little less.
    let mut text = Vec::with_capacity(64 * 1024);
    serde_json::to_writer(&mut text, body).map_err(|error| {
        ModelFault::new(FaultReason::Format, format!("the request could not be written: {error}"))
    })?;
    Ok(HttpCall { url, headers: headers(target), body: text })
}

/// What a target can take of a conversation. Ids are made fit by `CallIds`.
pub(in crate::apis) fn history_rules(api: ApiName, target: &ModelTarget) -> HistoryRules<'_> {
    HistoryRules {
        api,
        model: &target.model,
        ids: IdRule::Any,
        images: if target.sees_images { ImageRule::Keep } else { ImageRule::Describe },
    }
}

/// The most the model may write; nothing when neither side has a limit.
pub(in crate::apis) fn output_limit(request: &ModelRequest, target: &ModelTarget) -> Option<u64> {
    let most = target.max_output_tokens;
    let limit =
        request.max_output_tokens.map_or(most, |asked| if most == 0 { asked } else { asked.min(most) });
    (limit > 0).then_some(limit)
}

/// How hard the model should think, where it can and the server takes the word.
pub(in crate::apis) fn effort(request: &ModelRequest, target: &ModelTarget) -> Option<&'static str> {
    let wanted = request.thinking != ThinkingLevel::Off;
    (wanted && target.reasoning && target.compatibility.reasoning_effort).then(|| request.thinking.as_str())
}

/// The tools of a request.
pub(in crate::apis) fn functions<'a>(
    request: &'a ModelRequest,
    target: &ModelTarget,
) -> impl Iterator<Item = Function<'a>> {
    let strict = target.compatibility.strict_tools.then_some(false);
    request.tools.iter().map(move |tool| Function {
        name: &tool.name,
        description: &tool.description,
        parameters: &tool.parameters,
        strict,
    })
}

/// What is said about calling tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::apis) enum Choice<'a> {
    /// A word for all tools.
    Word(&'static str),
    /// This tool.
    Named(&'a str),
}

/// Whether the model must call a tool; nothing where it is free to choose.
///
/// # Errors
/// When it must call a tool that is not offered.
pub(in crate::apis) fn tool_choice(request: &ModelRequest) -> Result<Option<Choice<'_>>, ModelFault> {
    match &request.tool_choice {
        ToolChoice::Auto => Ok(None),
        ToolChoice::None if request.tools.is_empty() => Ok(None),
        ToolChoice::None => Ok(Some(Choice::Word("none"))),
        ToolChoice::Required if !request.tools.is_empty() => Ok(Some(Choice::Word("required"))),
        ToolChoice::Named(name) if request.tools.iter().any(|tool| tool.name == *name) => {
            Ok(Some(Choice::Named(name)))
        }
        ToolChoice::Required | ToolChoice::Named(_) => Err(ModelFault::new(
            FaultReason::Format,
            "the model must call a tool, but the request does not offer it; offer the tool or let the model choose",
        )),
    }
}

/// The words of a result whose pictures, that many of them, follow behind it.
pub(in crate::apis) fn result_text(result: &ToolResultMessage, pictures: usize) -> String {
    let texts: Vec<&str> = result.content.iter().filter_map(Content::as_text).collect();
    if texts.is_empty() && pictures > 0 { PICTURE_ONLY.to_owned() } else { texts.join("\n") }
}
