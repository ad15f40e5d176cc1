//! Says a request as the body of a responses call.
//!
//! The conversation itself is said in `items`. The system prompt goes into `instructions`, which every server of this
//! protocol takes.

use openclaw_ports::model::{ApiName, CacheLifetime, HttpCall, ModelFault, ModelRequest, ModelTarget};
use sha2::{Digest, Sha256};

use super::items;
use super::wire::{Body, Choose, Reasoning, Tool};
use crate::apis::openai_dialect::{self as dialect, Choice};

/// The longest key for the prompt cache that the vendor takes.
const MAX_CACHE_KEY: usize = 64;

/// Which of the vendor's endpoints a target uses.
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
    let url = dialect::endpoint(&target.base_url, door.path(&target.base_url));
    dialect::call(url, target, &body(api, request, target, door)?)
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
        instructions: request.system.whole(),
        input: items::all(api, request, target),
        stream: true,
        store: target.compatibility.store.then_some(false),
        max_output_tokens: dialect::output_limit(request, target).filter(|_| platform),
        temperature: request.temperature.filter(|temperature| platform && temperature.is_finite()),
        reasoning: dialect::effort(request, target).map(|effort| Reasoning { effort, summary: "auto" }),
        // Models that can think do so unasked, and their thoughts are lost unless they come sealed.
        include: if target.reasoning { vec!["reasoning.encrypted_content"] } else { Vec::new() },
        prompt_cache_key: cache_key(request),
        prompt_cache_retention: cache_retention(request, target),
        tools: dialect::functions(request, target)
            .map(|function| Tool { kind: "function", function })
            .collect(),
        tool_choice: dialect::tool_choice(request)?.map(choose),
    })
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

fn choose(choice: Choice<'_>) -> Choose<'_> {
    match choice {
        Choice::Word(word) => Choose::Word(word),
        Choice::Named(name) => Choose::Function { kind: "function", name },
    }
}
