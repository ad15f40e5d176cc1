//! Builds the one call for a request: turns of content blocks, points for the cache, a vendor's own fields.
//!
//! Pure. History has been made fit for this model before by `history`; what generation of Claude takes what is
//! decided by `apis::blocks`. Models of other vendors get only what Converse defines for all.

use std::borrow::Cow;
use std::collections::BTreeMap;

use openclaw_ports::model::{
    ApiName, CacheLifetime, FaultReason, HttpCall, ModelFault, ModelRequest, ModelTarget, SystemText,
    ToolChoice,
};
use openclaw_types::{Content, Image, ImageData, Message, Secret, Thinking, ToolOutcome, ToolResultMessage};
use serde_json::{Value, json};

use super::wire::{
    Block, CachePoint, Choice, InferenceConfig, InputSchema, Picture, PictureSource, Reasoning, Request,
    ResultBlock, SystemBlock, Tool, ToolConfig,
};
use crate::apis::blocks::{
    AnswerPlan, Claude, OPENING, PictureKind, Speaker, SpokenTurn, ThinkingPlan, alternate, is_cache_end,
    plan, tool_schema, tools_called,
};
use crate::history::{HistoryRules, IdRule, ImageRule, for_target};
use crate::sigv4::escaped;

/// The longest id of a tool call that the server takes.
const MAX_ID: usize = 64;
const INTERLEAVED_BETA: &str = "interleaved-thinking-2025-05-14";
const UNUSABLE_PICTURE: &str = "[a picture of a kind that the model does not take]";

/// Builds the call.
pub(super) fn call(request: &ModelRequest, target: &ModelTarget) -> Result<HttpCall, ModelFault> {
    let claude = Claude::of(&target.model);
    let plan = plan_for(request, target, claude.as_ref())?;
    let images = if target.sees_images { ImageRule::Keep } else { ImageRule::Describe };
    let ids = IdRule::Restricted { max_len: MAX_ID };
    let rules = HistoryRules { api: ApiName::BedrockConverseStream, model: &target.model, ids, images };
    let history = for_target(&request.messages, &rules);
    let cache = cache_point(request.cache, claude.as_ref());
    let mut messages = turns(&history, if claude.is_some() { Proof::Kept } else { Proof::Refused });
    if messages.is_empty() {
        return Err(ModelFault::new(
            FaultReason::Format,
            "the conversation has nothing to send to the model",
        ));
    }
    if let Some(last) = messages.last_mut().filter(|turn| turn.role == Speaker::User) {
        last.content.extend(cache.map(Block::CachePoint));
    }
    let tool_config = tools(request, &history, cache);
    let body = Request {
        system: system(&request.system, cache),
        messages,
        inference_config: InferenceConfig { max_tokens: plan.max_tokens, temperature: plan.temperature },
        additional_model_request_fields: own_fields(plan.thinking, tool_config.is_some(), claude.as_ref()),
        tool_config,
    };
    let body = serde_json::to_vec(&body)
        .map_err(|error| ModelFault::new(FaultReason::Format, format!("the request is no JSON: {error}")))?;
    let base = target.base_url.trim_end_matches('/');
    let url = format!("{base}/model/{}/converse-stream", escaped(target.model.as_bytes()));
    Ok(HttpCall { url, headers: headers(target), body })
}

/// Only Claude takes the fields for thinking; other models answer as they do by themselves.
fn plan_for(
    request: &ModelRequest,
    target: &ModelTarget,
    claude: Option<&Claude>,
) -> Result<AnswerPlan, ModelFault> {
    if claude.is_some() {
        return plan(request, target);
    }
    let limit = target.max_output_tokens.max(1);
    let max_tokens = request.max_output_tokens.unwrap_or(limit).clamp(1, limit);
    let temperature =
        request.temperature.filter(|value| value.is_finite()).map(|value| value.clamp(0.0, 1.0));
    Ok(AnswerPlan { thinking: ThinkingPlan::Unsaid, max_tokens, temperature })
}

fn headers(target: &ModelTarget) -> BTreeMap<String, Secret<String>> {
    let fixed = [("content-type", "application/json"), ("accept", "application/vnd.amazon.eventstream")];
    let mut headers: BTreeMap<String, Secret<String>> =
        fixed.into_iter().map(|(name, value)| (name.to_owned(), Secret::new(value.to_owned()))).collect();
    if let Some(credential) = &target.credential {
        let bearer = format!("Bearer {}", credential.reveal().trim());
        headers.insert("authorization".to_owned(), Secret::new(bearer));
    }
    for (name, value) in &target.headers {
        headers.insert(name.to_ascii_lowercase(), value.clone());
    }
    headers
}

/// The mark for the cache, for models that have one. An hour is known from 4.5 on.
fn cache_point(lifetime: CacheLifetime, claude: Option<&Claude>) -> Option<CachePoint> {
    let claude = claude?;
    let caches = claude.version >= (3, 7) || (claude.version == (3, 5) && claude.family == "haiku");
    let ttl = match lifetime {
        CacheLifetime::Long if claude.version >= (4, 5) => Some("1h"),
        CacheLifetime::Short | CacheLifetime::Long => None,
        CacheLifetime::Off => return None,
    };
    caches.then_some(CachePoint { kind: "default", ttl })
}

fn own_fields(thinking: ThinkingPlan, has_tools: bool, claude: Option<&Claude>) -> Option<Value> {
    match thinking {
        ThinkingPlan::Unsaid => None,
        ThinkingPlan::Disabled => Some(json!({ "thinking": { "type": "disabled" } })),
        ThinkingPlan::Budget(tokens) => {
            let mut fields = json!({ "thinking": { "type": "enabled", "budget_tokens": tokens } });
            if has_tools && claude.is_some_and(|claude| claude.version >= (4, 0)) {
                fields["anthropic_beta"] = json!([INTERLEAVED_BETA]);
            }
            Some(fields)
        }
        ThinkingPlan::Adaptive { effort, display } => {
            let mut thinking = json!({ "type": "adaptive" });
            if let Some(display) = display {
                thinking["display"] = json!(display);
            }
            Some(json!({ "thinking": thinking, "output_config": { "effort": effort } }))
        }
        ThinkingPlan::EffortOnly(effort) => Some(json!({ "output_config": { "effort": effort } })),
    }
}

fn system(prompt: &SystemText, cache: Option<CachePoint>) -> Vec<SystemBlock> {
    let parts = prompt.spoken().count();
    let mut blocks = Vec::new();
    for (at, part) in prompt.spoken().enumerate() {
        blocks.push(SystemBlock::Text(part.clone()));
        if is_cache_end(at, parts) {
            blocks.extend(cache.map(SystemBlock::CachePoint));
        }
    }
    blocks
}

/// The tools of the request. Converse refuses a conversation with calls when no tool is defined, and cannot be told
/// to call none: where tools may not be called, only those that the conversation mentions are defined, as gone.
fn tools(
    request: &ModelRequest,
    history: &[Cow<'_, Message>],
    cache: Option<CachePoint>,
) -> Option<ToolConfig> {
    let choice = match &request.tool_choice {
        _ if request.tools.is_empty() => return tools_gone(history),
        ToolChoice::None => return tools_gone(history),
        ToolChoice::Auto => None,
        ToolChoice::Required => Some(Choice::Any {}),
        ToolChoice::Named(name) => Some(Choice::Tool { name: name.clone() }),
    };
    let defined = request.tools.iter().map(|tool| Tool::ToolSpec {
        name: tool.name.clone(),
        description: tool.description.clone(),
        input_schema: InputSchema { json: tool_schema(&tool.parameters) },
    });
    let tools = defined.chain(cache.map(Tool::CachePoint)).collect();
    Some(ToolConfig { tools, tool_choice: choice })
}

fn tools_gone(history: &[Cow<'_, Message>]) -> Option<ToolConfig> {
    let tools: Vec<Tool> = tools_called(history)
        .into_iter()
        .map(|name| Tool::ToolSpec {
            name,
            description: "Not available now; do not call it.".into(),
            input_schema: InputSchema { json: json!({ "type": "object", "properties": {} }) },
        })
        .collect();
    (!tools.is_empty()).then_some(ToolConfig { tools, tool_choice: None })
}

/// Whether a model takes back the proofs of thoughts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Proof {
    Kept,
    Refused,
}

/// The conversation in turns that alternate, a person's first.
fn turns(history: &[Cow<'_, Message>], proof: Proof) -> Vec<SpokenTurn<Block>> {
    let said = history.iter().filter_map(|message| match &**message {
        Message::User(user) => Some((Speaker::User, user.content.iter().filter_map(spoken).collect())),
        Message::ToolResult(result) => Some((Speaker::User, vec![tool_result(result)])),
        Message::Assistant(answer) => {
            let pieces = answer.content.iter().filter_map(|piece| answered(piece, proof));
            Some((Speaker::Assistant, pieces.collect()))
        }
        _ => None,
    });
    alternate(said, || Block::Text(OPENING.to_owned()))
}

fn spoken(piece: &Content) -> Option<Block> {
    match piece {
        Content::Text(words) => words_of(&words.text).map(Block::Text),
        Content::Image(image) => Some(match picture(image) {
            Some(picture) => Block::Image(picture),
            None => Block::Text(described(image)),
        }),
        _ => None,
    }
}

fn answered(piece: &Content, proof: Proof) -> Option<Block> {
    match piece {
        Content::Text(words) => words_of(&words.text).map(Block::Text),
        Content::Thinking(thinking) => thought(thinking, proof),
        Content::RedactedThinking(sealed) => {
            Some(Block::ReasoningContent(Reasoning::RedactedContent(sealed.data.clone())))
        }
        Content::ToolCall(call) => Some(Block::ToolUse {
            tool_use_id: call.id.as_str().to_owned(),
            name: call.name.clone(),
            input: call.arguments.clone(),
        }),
        Content::Image(_) | Content::Other(_) => None,
    }
}

/// Claude wants its proof back and refuses thoughts without one; other models refuse the proof.
fn thought(thinking: &Thinking, proof: Proof) -> Option<Block> {
    let signature = thinking.signature.clone().filter(|signature| !signature.is_empty());
    let text = thinking.text.clone();
    match (proof, signature) {
        (Proof::Kept, None) => words_of(&text).map(Block::Text),
        (Proof::Kept, signature) => {
            Some(Block::ReasoningContent(Reasoning::ReasoningText { text, signature }))
        }
        (Proof::Refused, _) => words_of(&text)
            .map(|text| Block::ReasoningContent(Reasoning::ReasoningText { text, signature: None })),
    }
}

fn tool_result(result: &ToolResultMessage) -> Block {
    let pieces = result.content.iter().filter_map(|piece| match piece {
        Content::Text(words) => words_of(&words.text).map(ResultBlock::Text),
        Content::Image(image) => Some(match picture(image) {
            Some(picture) => ResultBlock::Image(picture),
            None => ResultBlock::Text(described(image)),
        }),
        _ => None,
    });
    Block::ToolResult {
        tool_use_id: result.call.as_str().to_owned(),
        content: pieces.collect(),
        status: match result.outcome {
            ToolOutcome::Done => "success",
            ToolOutcome::Failed => "error",
        },
    }
}

fn picture(image: &Image) -> Option<Picture> {
    let ImageData::Inline(data) = &image.data else { return None };
    let kind = PictureKind::of(image)?;
    Some(Picture { format: kind.as_str(), source: PictureSource { bytes: data.clone() } })
}

fn described(image: &Image) -> String {
    match &image.data {
        ImageData::Url(url) => format!("[a picture at {url}, not shown]"),
        ImageData::Inline(_) | ImageData::Omitted { .. } => UNUSABLE_PICTURE.to_owned(),
    }
}

fn words_of(text: &str) -> Option<String> {
    (!text.trim().is_empty()).then(|| text.to_owned())
}
