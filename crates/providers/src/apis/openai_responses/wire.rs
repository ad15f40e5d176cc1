//! The wire types of responses: the items that are sent, and the events that come back.
//!
//! Events are read in two steps: their kind and place first, their content only where the kind is one we use. Items
//! are kept raw beside their known fields, because reasoning goes back to the vendor as it came.

use std::borrow::Cow;

use openclaw_ports::model::SharedText;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::apis::openai_dialect::{Count, Function, InputDetails, OutputDetails};

/// The body of a call.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    pub(super) model: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) instructions: Option<&'a SharedText>,
    pub(super) input: Vec<Item>,
    pub(super) stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) store: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_output_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning: Option<Reasoning>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) include: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prompt_cache_key: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) prompt_cache_retention: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<Choose<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct Reasoning {
    pub(super) effort: &'static str,
    pub(super) summary: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Tool<'a> {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    #[serde(flatten)]
    pub(super) function: Function<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Choose<'a> {
    Word(&'static str),
    Function {
        #[serde(rename = "type")]
        kind: &'static str,
        name: &'a str,
    },
}

/// One item of the conversation.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Item {
    User { role: &'static str, content: Vec<InputPart> },
    Typed(TypedItem),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum TypedItem {
    Message {
        role: &'static str,
        content: Vec<OutputPart>,
        status: &'static str,
        id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        phase: Option<String>,
    },
    FunctionCall {
        #[serde(skip_serializing_if = "Option::is_none")]
        id: Option<String>,
        call_id: String,
        name: String,
        arguments: String,
    },
    FunctionCallOutput {
        call_id: String,
        output: String,
    },
    Reasoning(ReasoningItem),
}

/// Thoughts as the vendor gave them; both what is sent back and what a signature holds.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ReasoningItem {
    pub(super) id: String,
    #[serde(default)]
    pub(super) summary: Vec<Value>,
    #[serde(default, skip_serializing_if = "is_absent")]
    pub(super) content: Option<Vec<Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) encrypted_content: Option<String>,
}

fn is_absent(content: &Option<Vec<Value>>) -> bool {
    content.as_ref().is_none_or(Vec::is_empty)
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum InputPart {
    InputText { text: String },
    InputImage { detail: &'static str, image_url: String },
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum OutputPart {
    OutputText { text: String, annotations: [(); 0], logprobs: [(); 0] },
}

/// One event: its kind, its place, and its content still unread.
#[derive(Debug, Deserialize)]
pub(super) struct Event<'a> {
    #[serde(rename = "type", default, borrow)]
    pub(super) kind: Option<Cow<'a, str>>,
    #[serde(default)]
    pub(super) output_index: Option<u64>,
    #[serde(default)]
    pub(super) item_id: Option<String>,
    #[serde(default)]
    pub(super) summary_index: Option<u64>,
    #[serde(default, borrow)]
    pub(super) delta: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) arguments: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) item: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) response: Option<&'a RawValue>,
}

/// An item of an answer.
#[derive(Debug, Default, Deserialize)]
pub(super) struct OutputItem {
    #[serde(rename = "type", default)]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) call_id: Option<String>,
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) arguments: Option<String>,
    #[serde(default)]
    pub(super) phase: Option<String>,
    #[serde(default)]
    pub(super) summary: Option<Vec<ItemPart>>,
    #[serde(default)]
    pub(super) content: Option<Vec<ItemPart>>,
    #[serde(default)]
    pub(super) encrypted_content: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ItemPart {
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) refusal: Option<String>,
}

/// An answer as a whole.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Response<'a> {
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) status: Option<String>,
    #[serde(default, borrow)]
    pub(super) output: Option<Vec<&'a RawValue>>,
    #[serde(default)]
    pub(super) usage: Option<UsageCounts>,
    #[serde(default)]
    pub(super) error: Option<Value>,
    #[serde(default)]
    pub(super) incomplete_details: Option<IncompleteDetails>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct IncompleteDetails {
    #[serde(default)]
    pub(super) reason: Option<String>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct UsageCounts {
    #[serde(default)]
    pub(super) input_tokens: Count,
    #[serde(default)]
    pub(super) input_tokens_details: Option<InputDetails>,
    #[serde(default)]
    pub(super) output_tokens: Count,
    #[serde(default)]
    pub(super) output_tokens_details: Option<OutputDetails>,
    #[serde(default)]
    pub(super) total_tokens: Count,
}

/// What the signature of a text holds when there is more than the item's id.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct TextSignature {
    pub(super) v: u8,
    pub(super) id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) phase: Option<String>,
}
