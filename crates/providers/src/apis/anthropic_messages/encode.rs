//! Builds the one call for a request: headers by kind of credential, turns of content blocks, marks for the cache.
//!
//! Pure. History has been made fit for this model before by `history`; what generation takes what is decided by
//! `apis::blocks`.

use std::borrow::Cow;
use std::collections::BTreeMap;

use openclaw_ports::model::{
    ApiName, CacheLifetime, FaultReason, HttpCall, ModelFault, ModelRequest, ModelTarget, SharedText,
    SystemText, ToolChoice,
};
use openclaw_types::{Content, Image, ImageData, Message, Secret, ToolOutcome, ToolResultMessage};
use serde_json::json;

use super::wire::{
    Block, CacheControl, Choice, OutputConfig, Request, ResultContent, Source, SystemBlock, ThinkingMode,
    Tool,
};
use crate::apis::blocks::{
    Claude, OPENING, PictureKind, Speaker, SpokenTurn, ThinkingPlan, alternate, is_cache_end, plan,
    tool_schema, tools_called,
};
use crate::history::{HistoryRules, IdRule, ImageRule, for_target};

/// The longest id of a tool call that servers take.
const MAX_ID: usize = 64;
/// The only server that is known to take a cache for an hour.
const VENDOR_HOST: &str = "api.anthropic.com";
/// How tokens from a login begin; they are sent as a bearer and need a beta header.
const LOGIN_TOKEN: &str = "sk-ant-oat";
const LOGIN_BETA: &str = "oauth-2025-04-20";
const INTERLEAVED_BETA: &str = "interleaved-thinking-2025-05-14";

/// Builds the call.
pub(super) fn call(request: &ModelRequest, target: &ModelTarget) -> Result<HttpCall, ModelFault> {
    let plan = plan(request, target)?;
    let images = if target.sees_images { ImageRule::Keep } else { ImageRule::Describe };
    let ids = IdRule::Restricted { max_len: MAX_ID };
    let rules = HistoryRules { api: ApiName::AnthropicMessages, model: &target.model, ids, images };
    let history = for_target(&request.messages, &rules);
    let cache = cache_control(request.cache, &target.base_url);
    let (tools, tool_choice) = tools(request, &history, cache);
    let mut messages = turns(&history, target);
    if messages.is_empty() {
        return Err(ModelFault::new(
            FaultReason::Format,
            "the conversation has nothing to send to the model",
        ));
    }
    mark_end(&mut messages, cache);
    let (thinking, output_config) = thinking(plan.thinking);
    let headers = headers(target, plan.thinking, !tools.is_empty());
    let body = Request {
        model: &target.model,
        max_tokens: plan.max_tokens,
        stream: true,
        temperature: plan.temperature,
        thinking,
        output_config,
        tools,
        tool_choice,
        system: system(&request.system, cache),
        messages,
    };
    let body = serde_json::to_vec(&body)
        .map_err(|error| ModelFault::new(FaultReason::Format, format!("the request is no JSON: {error}")))?;
    Ok(HttpCall { url: address(&target.base_url), headers, body })
}

fn address(base: &str) -> String {
    let base = base.trim_end_matches('/');
    let version = if base.ends_with("/v1") { "" } else { "/v1" };
    format!("{base}{version}/messages")
}

fn headers(
    target: &ModelTarget,
    thinking: ThinkingPlan,
    has_tools: bool,
) -> BTreeMap<String, Secret<String>> {
    let mut betas = Vec::new();
    let mut headers = BTreeMap::new();
    let mut set = |name: &str, value: String| headers.insert(name.to_owned(), Secret::new(value));
    set("content-type", "application/json".to_owned());
    set("accept", "text/event-stream".to_owned());
    set("anthropic-version", "2023-06-01".to_owned());
    if let Some(credential) = &target.credential {
        let credential = credential.reveal().trim();
        if credential.starts_with(LOGIN_TOKEN) {
            betas.push(LOGIN_BETA.to_owned());
            set("authorization", format!("Bearer {credential}"));
        } else if target.compatibility.key_as_bearer {
            set("authorization", format!("Bearer {credential}"));
        } else {
            set("x-api-key", credential.to_owned());
        }
    }
    let interleaves = Claude::of(&target.model).is_some_and(|claude| claude.version >= (4, 0));
    if interleaves && has_tools && matches!(thinking, ThinkingPlan::Budget(_)) {
        betas.push(INTERLEAVED_BETA.to_owned());
    }
    for (name, value) in &target.headers {
        let name = name.to_ascii_lowercase();
        if name == "anthropic-beta" {
            betas.push(value.reveal().clone());
        } else {
            headers.insert(name, value.clone());
        }
    }
    if !betas.is_empty() {
        headers.insert("anthropic-beta".to_owned(), Secret::new(betas.join(",")));
    }
    headers
}

fn cache_control(lifetime: CacheLifetime, base: &str) -> Option<CacheControl> {
    let ttl = match lifetime {
        CacheLifetime::Off => return None,
        CacheLifetime::Long if host(base) == VENDOR_HOST => Some("1h"),
        CacheLifetime::Short | CacheLifetime::Long => None,
    };
    Some(CacheControl { kind: "ephemeral", ttl })
}

fn host(base: &str) -> &str {
    let rest = base.split_once("://").map_or(base, |(_, rest)| rest);
    rest.split(['/', ':', '?']).next().unwrap_or_default()
}

fn thinking(plan: ThinkingPlan) -> (Option<ThinkingMode>, Option<OutputConfig>) {
    match plan {
        ThinkingPlan::Unsaid => (None, None),
        ThinkingPlan::Disabled => (Some(ThinkingMode::Disabled), None),
        ThinkingPlan::Budget(budget_tokens) => (Some(ThinkingMode::Enabled { budget_tokens }), None),
        ThinkingPlan::Adaptive { effort, display } => {
            (Some(ThinkingMode::Adaptive { display }), Some(OutputConfig { effort }))
        }
        ThinkingPlan::EffortOnly(effort) => (None, Some(OutputConfig { effort })),
    }
}

fn tools(
    request: &ModelRequest,
    history: &[Cow<'_, Message>],
    cache: Option<CacheControl>,
) -> (Vec<Tool>, Option<Choice>) {
    let mut tools: Vec<Tool> = request
        .tools
        .iter()
        .map(|tool| Tool {
            name: tool.name.clone(),
            description: tool.description.clone(),
            input_schema: tool_schema(&tool.parameters),
            cache_control: None,
        })
        .collect();
    if let Some(last) = tools.last_mut() {
        last.cache_control = cache;
    }
    let choice = match &request.tool_choice {
        _ if tools.is_empty() => None,
        ToolChoice::Auto => None,
        ToolChoice::None => Some(Choice::None),
        ToolChoice::Required => Some(Choice::Any),
        ToolChoice::Named(name) => Some(Choice::Tool { name: name.clone() }),
    };
    if !tools.is_empty() {
        return (tools, choice);
    }
    // Servers refuse a conversation with calls of tools that the request does not define.
    let gone: Vec<Tool> = tools_called(history)
        .into_iter()
        .map(|name| Tool {
            name,
            description: "Not available any more.".into(),
            input_schema: json!({ "type": "object", "properties": {} }),
            cache_control: None,
        })
        .collect();
    let choice = (!gone.is_empty()).then_some(Choice::None);
    (gone, choice)
}

fn system(prompt: &SystemText, cache: Option<CacheControl>) -> Vec<SystemBlock> {
    let parts = prompt.spoken().count();
    let marked = |(at, part): (usize, &SharedText)| {
        let cache_control = cache.filter(|_| is_cache_end(at, parts));
        SystemBlock { kind: "text", text: part.clone(), cache_control }
    };
    prompt.spoken().enumerate().map(marked).collect()
}

/// The conversation in turns that alternate, a person's first.
fn turns(history: &[Cow<'_, Message>], target: &ModelTarget) -> Vec<SpokenTurn<Block>> {
    let said = history.iter().filter_map(|message| match &**message {
        Message::User(user) => Some((Speaker::User, spoken(&user.content))),
        Message::ToolResult(result) => Some((Speaker::User, vec![tool_result(result)])),
        Message::Assistant(answer) => {
            let pieces = answer.content.iter().filter_map(|piece| answered(piece, target));
            Some((Speaker::Assistant, pieces.collect()))
        }
        _ => None,
    });
    alternate(said, || text(OPENING))
}

fn spoken(content: &[Content]) -> Vec<Block> {
    content
        .iter()
        .filter_map(|piece| match piece {
            Content::Text(words) if !words.text.trim().is_empty() => Some(text(&words.text)),
            Content::Image(image) => Some(picture(image)),
            _ => None,
        })
        .collect()
}

fn answered(piece: &Content, target: &ModelTarget) -> Option<Block> {
    match piece {
        Content::Text(words) => (!words.text.trim().is_empty()).then(|| text(&words.text)),
        Content::Thinking(thinking) => match thinking.signature.as_deref() {
            Some(signature) if !signature.is_empty() && !target.compatibility.thinking_as_text => {
                Some(Block::Thinking { thinking: thinking.text.clone(), signature: signature.to_owned() })
            }
            _ => (!thinking.text.trim().is_empty()).then(|| text(&thinking.text)),
        },
        Content::RedactedThinking(sealed) => Some(Block::RedactedThinking { data: sealed.data.clone() }),
        Content::ToolCall(call) => Some(Block::ToolUse {
            id: call.id.as_str().to_owned(),
            name: call.name.clone(),
            input: call.arguments.clone(),
        }),
        Content::Image(_) | Content::Other(_) => None,
    }
}

fn tool_result(result: &ToolResultMessage) -> Block {
    let blocks = spoken(&result.content);
    let has_picture = blocks.iter().any(|block| matches!(block, Block::Image { .. }));
    let content = if has_picture {
        ResultContent::Blocks(blocks)
    } else {
        let words: Vec<&str> = result.content.iter().filter_map(Content::as_text).collect();
        ResultContent::Text(words.join("\n"))
    };
    Block::ToolResult {
        tool_use_id: result.call.as_str().to_owned(),
        content,
        is_error: result.outcome == ToolOutcome::Failed,
        cache_control: None,
    }
}

fn picture(image: &Image) -> Block {
    let source = match &image.data {
        ImageData::Url(url) => Some(Source::Url { url: url.clone() }),
        ImageData::Inline(data) => PictureKind::of(image).map(|kind| Source::Base64 {
            media_type: format!("image/{}", kind.as_str()),
            data: data.clone(),
        }),
        ImageData::Omitted { .. } => None,
    };
    match source {
        Some(source) => Block::Image { source, cache_control: None },
        None => text("[a picture of a kind that the model does not take]"),
    }
}

fn text(text: &str) -> Block {
    Block::Text { text: text.to_owned(), cache_control: None }
}

/// Marks the end of the conversation, so that the next call reads all of it from the cache.
fn mark_end(turns: &mut [SpokenTurn<Block>], cache: Option<CacheControl>) {
    let Some(last) = turns.last_mut().filter(|turn| turn.role == Speaker::User) else { return };
    if let Some(
        Block::Text { cache_control, .. }
        | Block::Image { cache_control, .. }
        | Block::ToolResult { cache_control, .. },
    ) = last.content.last_mut()
    {
        *cache_control = cache;
    }
}
