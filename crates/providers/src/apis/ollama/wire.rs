//! The shapes of Ollama's native interface, as far as we speak it.
//!
//! Requests are written strictly; answers are read leniently, since versions differ in what they send.

use std::collections::BTreeMap;

use openclaw_ports::model::SharedText;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Serialize)]
pub(super) struct Request {
    pub(super) model: String,
    pub(super) messages: Vec<Turn>,
    pub(super) stream: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) think: Option<Think>,
    pub(super) options: Options,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct Turn {
    pub(super) role: &'static str,
    pub(super) content: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) images: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<Call>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_call_id: Option<String>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Call {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    pub(super) function: CallFunction,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct CallFunction {
    pub(super) name: String,
    pub(super) arguments: Option<Value>,
}

#[derive(Debug, Serialize)]
pub(super) struct Tool {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) function: ToolFunction,
}

#[derive(Debug, Serialize)]
pub(super) struct ToolFunction {
    pub(super) name: String,
    pub(super) description: SharedText,
    pub(super) parameters: Value,
}

/// Whether to think, or how hard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub(super) enum Think {
    Switch(bool),
    Level(&'static str),
}

#[derive(Debug, Serialize)]
pub(super) struct Options {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_ctx: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) num_predict: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
}

/// One line of the answer.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Line {
    pub(super) model: Option<String>,
    pub(super) message: Option<Said>,
    pub(super) done: bool,
    pub(super) done_reason: Option<String>,
    pub(super) prompt_eval_count: Option<u64>,
    pub(super) eval_count: Option<u64>,
    pub(super) error: Option<Value>,
    pub(super) status_code: Option<u16>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Said {
    pub(super) content: Option<String>,
    pub(super) thinking: Option<String>,
    /// What servers that imitate this one call the thoughts.
    pub(super) reasoning: Option<String>,
    /// Another such name.
    pub(super) reasoning_content: Option<String>,
    pub(super) tool_calls: Option<Vec<Call>>,
}

/// The body of a refusal: a text as a rule, an object from some proxies.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ErrorBody {
    pub(super) error: Option<Value>,
}

/// The list of models, from `/api/tags`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tags {
    pub(super) models: Option<Vec<Tag>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Tag {
    pub(super) name: String,
    pub(super) model: String,
    pub(super) size: Option<u64>,
    pub(super) details: Option<TagDetails>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct TagDetails {
    pub(super) family: Option<String>,
    pub(super) parameter_size: Option<String>,
}

/// One model, from `/api/show`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Shown {
    pub(super) parameters: Option<String>,
    pub(super) model_info: Option<BTreeMap<String, Value>>,
    pub(super) capabilities: Option<Vec<String>>,
}
