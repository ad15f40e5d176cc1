//! The wire of Converse: requests as they are sent, payloads of stream messages as they come.
//!
//! Unions are objects with one key. The payloads carry a field of padding, which is passed over like all that is unknown.

use openclaw_ports::model::SharedText;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::apis::blocks::SpokenTurn;

/// A request.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) system: Vec<SystemBlock>,
    pub(super) messages: Vec<SpokenTurn<Block>>,
    pub(super) inference_config: InferenceConfig,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_config: Option<ToolConfig>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) additional_model_request_fields: Option<Value>,
}

/// The numbers that every model knows.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct InferenceConfig {
    pub(super) max_tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
}

/// A part of the system prompt.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum SystemBlock {
    Text(SharedText),
    CachePoint(CachePoint),
}

/// Marks the end of a stretch to cache.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct CachePoint {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ttl: Option<&'static str>,
}

/// A piece of a turn.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Block {
    Text(String),
    Image(Picture),
    ReasoningContent(Reasoning),
    #[serde(rename_all = "camelCase")]
    ToolUse {
        tool_use_id: String,
        name: String,
        input: Value,
    },
    #[serde(rename_all = "camelCase")]
    ToolResult {
        tool_use_id: String,
        content: Vec<ResultBlock>,
        status: &'static str,
    },
    CachePoint(CachePoint),
}

/// A piece of what a tool answered.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum ResultBlock {
    Text(String),
    Image(Picture),
}

/// A picture.
#[derive(Debug, Serialize)]
pub(super) struct Picture {
    pub(super) format: &'static str,
    pub(super) source: PictureSource,
}

/// The bytes of a picture, in Base64.
#[derive(Debug, Serialize)]
pub(super) struct PictureSource {
    pub(super) bytes: String,
}

/// Thoughts.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Reasoning {
    ReasoningText {
        text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
    },
    RedactedContent(String),
}

/// The tools.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolConfig {
    pub(super) tools: Vec<Tool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<Choice>,
}

/// A tool, or the end of a stretch of tools to cache.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Tool {
    #[serde(rename_all = "camelCase")]
    ToolSpec {
        name: String,
        #[serde(skip_serializing_if = "String::is_empty")]
        description: SharedText,
        input_schema: InputSchema,
    },
    CachePoint(CachePoint),
}

/// The schema of a tool's arguments.
#[derive(Debug, Serialize)]
pub(super) struct InputSchema {
    pub(super) json: Value,
}

/// Whether to call a tool. Converse has no word for "none".
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) enum Choice {
    Any {},
    Tool { name: String },
}

/// `contentBlockStart`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BlockStart {
    pub(super) content_block_index: u64,
    pub(super) start: Option<Start>,
}

/// What begins.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Start {
    pub(super) tool_use: Option<CallStart>,
}

/// A tool call begins.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CallStart {
    #[serde(default)]
    pub(super) tool_use_id: String,
    #[serde(default)]
    pub(super) name: String,
}

/// `contentBlockDelta`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BlockDelta {
    pub(super) content_block_index: u64,
    pub(super) delta: Option<Delta>,
}

/// More of a block.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Delta {
    pub(super) text: Option<String>,
    pub(super) tool_use: Option<CallDelta>,
    pub(super) reasoning_content: Option<ReasoningDelta>,
}

/// More of a call's arguments.
#[derive(Debug, Deserialize)]
pub(super) struct CallDelta {
    pub(super) input: Option<String>,
}

/// More thoughts.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ReasoningDelta {
    pub(super) text: Option<String>,
    pub(super) signature: Option<String>,
    pub(super) redacted_content: Option<String>,
}

/// `contentBlockStop`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct BlockStop {
    pub(super) content_block_index: u64,
}

/// `messageStop`.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MessageStop {
    pub(super) stop_reason: Option<String>,
}

/// `metadata`.
#[derive(Debug, Deserialize)]
pub(super) struct Metadata {
    pub(super) usage: Option<Tokens>,
}

/// Tokens.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Tokens {
    pub(super) input_tokens: u64,
    pub(super) output_tokens: u64,
    pub(super) total_tokens: Option<u64>,
    pub(super) cache_read_input_tokens: Option<u64>,
    pub(super) cache_write_input_tokens: Option<u64>,
}

/// What a refusal says, in the stream and as a body.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ErrorBody {
    #[serde(rename = "__type")]
    pub(super) kind: Option<String>,
    #[serde(alias = "Message")]
    pub(super) message: Option<String>,
    #[serde(rename = "originalMessage")]
    pub(super) original: Option<String>,
}
