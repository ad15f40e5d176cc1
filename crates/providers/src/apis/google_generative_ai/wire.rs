//! The shapes of the generative language interface, as far as we speak it.
//!
//! Requests are written strictly; answers are read leniently, since fields come and go with models and proxies.

use openclaw_ports::model::SharedText;
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Request {
    pub(super) contents: Vec<Contents>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) system_instruction: Option<SystemInstruction>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tools>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_config: Option<ToolConfig>,
    pub(super) generation_config: GenerationConfig,
}

/// A request to the endpoint for personal accounts.
#[derive(Debug, Serialize)]
pub(super) struct Envelope<'a> {
    pub(super) model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<&'a str>,
    pub(super) request: Request,
}

/// One turn.
#[derive(Debug, Serialize)]
pub(super) struct Contents {
    pub(super) role: Role,
    pub(super) parts: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    User,
    Model,
}

#[derive(Debug, Serialize)]
pub(super) struct SystemInstruction {
    pub(super) parts: Vec<SystemPart>,
}

#[derive(Debug, Serialize)]
pub(super) struct SystemPart {
    pub(super) text: SharedText,
}

/// A part of a turn; which field is set says what it is.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Part {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thought: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none", alias = "thought_signature")]
    pub(super) thought_signature: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) inline_data: Option<Blob>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) function_call: Option<FunctionCall>,
    #[serde(skip_serializing_if = "Option::is_none", skip_deserializing)]
    pub(super) function_response: Option<FunctionResponse>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Blob {
    pub(super) mime_type: String,
    pub(super) data: String,
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct FunctionCall {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) args: Option<Value>,
}

#[derive(Debug, Serialize)]
pub(super) struct FunctionResponse {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<String>,
    pub(super) name: String,
    pub(super) response: ResponseValue,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) parts: Vec<Part>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ResponseValue {
    Output(String),
    Error(String),
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Tools {
    pub(super) function_declarations: Vec<FunctionDeclaration>,
}

#[derive(Debug, Serialize)]
pub(super) struct FunctionDeclaration {
    pub(super) name: String,
    pub(super) description: SharedText,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) parameters: Option<Value>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ToolConfig {
    pub(super) function_calling_config: FunctionCallingConfig,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FunctionCallingConfig {
    pub(super) mode: &'static str,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) allowed_function_names: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct GenerationConfig {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking_config: Option<ThinkingConfig>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThinkingConfig {
    pub(super) include_thoughts: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking_level: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking_budget: Option<i64>,
}

/// One event of the answer.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Chunk {
    pub(super) candidates: Vec<Candidate>,
    pub(super) prompt_feedback: Option<PromptFeedback>,
    pub(super) usage_metadata: Option<UsageMetadata>,
    pub(super) model_version: Option<String>,
    pub(super) response_id: Option<String>,
    pub(super) error: Option<Status>,
    /// The event itself, where it comes in an envelope.
    pub(super) response: Option<Box<Chunk>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Candidate {
    pub(super) content: Option<CandidateContent>,
    pub(super) finish_reason: Option<String>,
    pub(super) finish_message: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct CandidateContent {
    pub(super) parts: Option<Vec<Part>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct PromptFeedback {
    pub(super) block_reason: Option<String>,
    pub(super) block_reason_message: Option<String>,
}

#[derive(Debug, Default, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct UsageMetadata {
    pub(super) prompt_token_count: Option<u64>,
    pub(super) cached_content_token_count: Option<u64>,
    pub(super) candidates_token_count: Option<u64>,
    pub(super) thoughts_token_count: Option<u64>,
    pub(super) tool_use_prompt_token_count: Option<u64>,
    pub(super) total_token_count: Option<u64>,
}

/// The body of a refusal.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ErrorBody {
    pub(super) error: Option<Status>,
}

/// Google's way to say what went wrong.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Status {
    pub(super) code: Option<u16>,
    pub(super) message: String,
    pub(super) status: String,
    pub(super) details: Vec<Detail>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Detail {
    /// A machine's word for the reason, in details about the error.
    pub(super) reason: Option<String>,
    /// A span such as `34.07s`, in details about trying again.
    pub(super) retry_delay: Option<String>,
}
