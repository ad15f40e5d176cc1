//! The wire of the Messages API: requests as they are sent, stream events as they come.
//!
//! Events are one flat shape with everything optional: servers that follow the protocol loosely leave out much of it.

use std::borrow::Cow;

use openclaw_ports::model::SharedText;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::apis::blocks::SpokenTurn;

/// A request.
#[derive(Debug, Serialize)]
pub(super) struct Request<'a> {
    pub(super) model: &'a str,
    pub(super) max_tokens: u64,
    pub(super) stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking: Option<ThinkingMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) output_config: Option<OutputConfig>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<Choice>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) system: Vec<SystemBlock>,
    pub(super) messages: Vec<SpokenTurn<Block>>,
}

/// How to think.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum ThinkingMode {
    Enabled {
        budget_tokens: u64,
    },
    Adaptive {
        #[serde(skip_serializing_if = "Option::is_none")]
        display: Option<&'static str>,
    },
    Disabled,
}

/// How hard to work.
#[derive(Debug, Serialize)]
pub(super) struct OutputConfig {
    pub(super) effort: &'static str,
}

/// A tool.
#[derive(Debug, Serialize)]
pub(super) struct Tool {
    pub(super) name: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) description: SharedText,
    pub(super) input_schema: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cache_control: Option<CacheControl>,
}

/// Whether to call a tool.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Choice {
    None,
    Any,
    Tool { name: String },
}

/// Marks the end of a stretch to cache.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct CacheControl {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ttl: Option<&'static str>,
}

/// A part of the system prompt: a text block.
#[derive(Debug, Serialize)]
pub(super) struct SystemBlock {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) text: SharedText,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) cache_control: Option<CacheControl>,
}

/// A piece of a turn.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Block {
    Text {
        text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Image {
        source: Source,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
    Thinking {
        thinking: String,
        signature: String,
    },
    RedactedThinking {
        data: String,
    },
    ToolUse {
        id: String,
        name: String,
        input: Value,
    },
    ToolResult {
        tool_use_id: String,
        content: ResultContent,
        #[serde(skip_serializing_if = "is_false")]
        is_error: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        cache_control: Option<CacheControl>,
    },
}

/// Where a picture is.
#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Source {
    Base64 { media_type: String, data: String },
    Url { url: String },
}

/// What a tool answered: plain text where that is enough, for servers that know nothing else.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum ResultContent {
    Text(String),
    Blocks(Vec<Block>),
}

fn is_false(value: &bool) -> bool {
    !value
}

/// An event of the stream.
#[derive(Debug, Deserialize)]
pub(super) struct Frame<'a> {
    #[serde(rename = "type", borrow)]
    pub(super) kind: Option<Cow<'a, str>>,
    pub(super) index: Option<u64>,
    pub(super) message: Option<Head>,
    pub(super) content_block: Option<BlockStart>,
    pub(super) delta: Option<Delta>,
    pub(super) usage: Option<Tokens>,
    pub(super) error: Option<Value>,
}

/// The head of an answer.
#[derive(Debug, Deserialize)]
pub(super) struct Head {
    pub(super) id: Option<String>,
    pub(super) model: Option<String>,
    pub(super) usage: Option<Tokens>,
}

/// The start of a block.
#[derive(Debug, Deserialize)]
pub(super) struct BlockStart {
    #[serde(rename = "type")]
    pub(super) kind: String,
    pub(super) text: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) data: Option<String>,
    pub(super) id: Option<String>,
    pub(super) name: Option<String>,
    pub(super) input: Option<Value>,
}

/// More of a block, or of the message.
#[derive(Debug, Deserialize)]
pub(super) struct Delta {
    pub(super) text: Option<String>,
    pub(super) thinking: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) partial_json: Option<String>,
    pub(super) stop_reason: Option<String>,
    pub(super) stop_details: Option<StopDetails>,
}

/// Why the vendor refused.
#[derive(Debug, Deserialize)]
pub(super) struct StopDetails {
    pub(super) category: Option<String>,
    pub(super) explanation: Option<String>,
}

/// Tokens; later counts replace earlier ones.
#[derive(Debug, Default, Clone, Copy, Deserialize)]
pub(super) struct Tokens {
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    pub(super) cache_read_input_tokens: Option<u64>,
    pub(super) cache_creation_input_tokens: Option<u64>,
}

/// What a refusal says, in the stream and as a body.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorBody {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    pub(super) message: Option<String>,
}
