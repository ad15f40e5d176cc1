//! Says a request as the body of a responses call.
//!
//! The conversation itself is said in `items`. The system prompt goes into `instructions`, which every server of this
//! protocol takes.

use openclaw_ports::model::{
    ApiName, CacheLifetime, FaultReason, HttpCall, ModelFault, ModelRequest, ModelTarget, ToolChoice,
};
use openclaw_types::ThinkingLevel;
use sha2::{Digest, Sha256};

use super::wire::{Body, Choose, Reasoning, Tool};
use super::{dialect, items};

/// The longest key for the prompt cache that the vendor takes.
const MAX_CACHE_KEY: usize = 64;

/// Which of the vendor's doors a target uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Door {
    /// The public interface, paid by use.
    Platform,
    /// The interface behind a subscription's login: another path, and no say in the length or the temperature.
    Subscription,
}

impl Door {
    fn of(base_url: &str) -> Self {
        if base_url.contains("/backend-api") { Self::Subscription } else { Self::Platform }
    }

    fn path(self, base_url: &str) -> &'static str {
        let root = base_url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
        match self {
            Self::Subscription if !root.ends_with("/codex") => "/codex/responses",
            _ => "/responses",
        }
    }
}

/// The call for a request. `api` is the name under which answers of this target are remembered.
pub(super) fn call(
    api: ApiName,
    request: &ModelRequest,
    target: &ModelTarget,
) -> Result<HttpCall, ModelFault> {
    let door = Door::of(&target.base_url);
    let body = serde_json::to_vec(&body(api, request, target, door)?).map_err(|error| {
        ModelFault::new(FaultReason::Format, format!("the request could not be written: {error}"))
    })?;
    Ok(HttpCall {
        url: dialect::endpoint(&target.base_url, door.path(&target.base_url)),
        headers: dialect::headers(target),
        body,
    })
}

fn body<'a>(
    api: ApiName,
    request: &'a ModelRequest,
    target: &'a ModelTarget,
    door: Door,
) -> Result<Body<'a>, ModelFault> {
    let platform = door == Door::Platform;
    Ok(Body {
        model: &target.model,
        instructions: instructions(&request.system),
        input: items::all(api, request, target),
        stream: true,
        store: target.compatibility.store.then_some(false),
        max_output_tokens: limit(request, target).filter(|_| platform),
        temperature: request.temperature.filter(|temperature| platform && temperature.is_finite()),
        reasoning: reasoning(request, target),
        // Models that can think do so unasked, and their thoughts are lost unless they come sealed.
        include: if target.reasoning { vec!["reasoning.encrypted_content"] } else { Vec::new() },
        prompt_cache_key: cache_key(request),
        prompt_cache_retention: cache_retention(request, target),
        tools: tools(request, target),
        tool_choice: choose(request)?,
    })
}

fn instructions(parts: &[String]) -> Option<String> {
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.trim().is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

fn limit(request: &ModelRequest, target: &ModelTarget) -> Option<u64> {
    let most = target.max_output_tokens;
    let limit =
        request.max_output_tokens.map_or(most, |asked| if most == 0 { asked } else { asked.min(most) });
    (limit > 0).then_some(limit)
}

fn reasoning(request: &ModelRequest, target: &ModelTarget) -> Option<Reasoning> {
    let wanted = request.thinking != ThinkingLevel::Off;
    (wanted && target.reasoning && target.compatibility.reasoning_effort)
        .then(|| Reasoning { effort: request.thinking.as_str(), summary: "auto" })
}

fn cache_key(request: &ModelRequest) -> Option<String> {
    if request.cache == CacheLifetime::Off {
        return None;
    }
    let session = request.session.as_deref().filter(|session| !session.is_empty())?;
    if session.len() <= MAX_CACHE_KEY {
        return Some(session.to_owned());
    }
    Some(hex::encode(Sha256::digest(session.as_bytes())))
}

fn cache_retention(request: &ModelRequest, target: &ModelTarget) -> Option<&'static str> {
    // Only the vendor itself knows the field; compatible servers refuse it.
    let vendor = dialect::host_of(&target.base_url) == "api.openai.com";
    (request.cache == CacheLifetime::Long && vendor).then_some("24h")
}

fn tools<'a>(request: &'a ModelRequest, target: &ModelTarget) -> Vec<Tool<'a>> {
    request
        .tools
        .iter()
        .map(|tool| Tool {
            kind: "function",
            name: &tool.name,
            description: &tool.description,
            parameters: &tool.parameters,
            strict: target.compatibility.strict_tools.then_some(false),
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
            Ok(Some(Choose::Function { kind: "function", name }))
        }
        ToolChoice::Required | ToolChoice::Named(_) => Err(ModelFault::new(
            FaultReason::Format,
            "the model must call a tool, but the request does not offer it; offer the tool or let the model choose",
        )),
    }
}
