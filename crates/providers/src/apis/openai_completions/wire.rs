//! The wire types of chat completions: what is sent, and what comes back chunk by chunk.
//!
//! Reading is lenient where compatible servers differ (null for nothing, texts as lists of parts, numbers as texts);
//! what is not needed is not read.

use std::borrow::Cow;
use std::fmt;

use openclaw_ports::model::SharedText;
use serde::de::{Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::apis::openai_dialect::{Count, Function, InputDetails, OutputDetails};

/// The body of a call.
#[derive(Debug, Serialize)]
pub(super) struct Body<'a> {
    pub(super) model: &'a str,
    pub(super) messages: Vec<Message<'a>>,
    pub(super) stream: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stream_options: Option<StreamOptions>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) store: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_completion_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) max_tokens: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) temperature: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_effort: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) thinking: Option<ThinkingMode>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) enable_thinking: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tools: Vec<Tool<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tool_choice: Option<Choose<'a>>,
}

/// The `thinking` object of servers that have one.
#[derive(Debug, Serialize)]
pub(super) struct ThinkingMode {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct StreamOptions {
    pub(super) include_usage: bool,
}

#[derive(Debug, Serialize)]
#[serde(tag = "role", rename_all = "lowercase")]
pub(super) enum Message<'a> {
    System {
        content: SharedText,
    },
    Developer {
        content: SharedText,
    },
    User {
        content: UserContent<'a>,
    },
    Assistant(AssistantMessage<'a>),
    Tool {
        content: String,
        tool_call_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<&'a str>,
    },
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum UserContent<'a> {
    Text(Cow<'a, str>),
    Parts(Vec<Part<'a>>),
}

#[derive(Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Part<'a> {
    Text { text: &'a str },
    ImageUrl { image_url: ImageUrl },
}

#[derive(Debug, Serialize)]
pub(super) struct ImageUrl {
    pub(super) url: String,
}

#[derive(Debug, Default, Serialize)]
pub(super) struct AssistantMessage<'a> {
    pub(super) content: Option<Cow<'a, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_content: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) reasoning_text: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) reasoning_details: Vec<Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) tool_calls: Vec<Call<'a>>,
}

#[derive(Debug, Serialize)]
pub(super) struct Call<'a> {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) function: CalledFunction<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) extra_content: Option<Value>,
}

#[derive(Debug, Serialize)]
pub(super) struct CalledFunction<'a> {
    pub(super) name: &'a str,
    pub(super) arguments: String,
}

#[derive(Debug, Serialize)]
pub(super) struct Tool<'a> {
    #[serde(rename = "type")]
    pub(super) kind: &'static str,
    pub(super) function: Function<'a>,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Choose<'a> {
    Word(&'static str),
    Function {
        #[serde(rename = "type")]
        kind: &'static str,
        function: FunctionName<'a>,
    },
}

#[derive(Debug, Serialize)]
pub(super) struct FunctionName<'a> {
    pub(super) name: &'a str,
}

/// One chunk of an answer, or a whole answer that was not streamed.
#[derive(Debug, Deserialize)]
pub(super) struct Chunk {
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) model: Option<String>,
    #[serde(default)]
    pub(super) choices: Option<Vec<Choice>>,
    #[serde(default)]
    pub(super) usage: Option<UsageCounts>,
    #[serde(default)]
    pub(super) error: Option<Value>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Choice {
    #[serde(default)]
    pub(super) index: Count,
    #[serde(default)]
    pub(super) delta: Option<Delta>,
    #[serde(default)]
    pub(super) message: Option<Delta>,
    #[serde(default)]
    pub(super) finish_reason: Option<String>,
    #[serde(default)]
    pub(super) usage: Option<UsageCounts>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct Delta {
    #[serde(default)]
    pub(super) content: Words,
    #[serde(default)]
    pub(super) refusal: Words,
    #[serde(default)]
    pub(super) reasoning_content: Words,
    #[serde(default)]
    pub(super) reasoning: Words,
    #[serde(default)]
    pub(super) reasoning_text: Words,
    #[serde(default)]
    pub(super) reasoning_details: Option<Vec<Map<String, Value>>>,
    #[serde(default)]
    pub(super) tool_calls: Option<Vec<CallDelta>>,
    #[serde(default)]
    pub(super) function_call: Option<FunctionDelta>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct CallDelta {
    #[serde(default)]
    pub(super) index: Option<u64>,
    #[serde(default)]
    pub(super) id: Option<String>,
    #[serde(default)]
    pub(super) function: Option<FunctionDelta>,
    #[serde(default)]
    pub(super) extra_content: Option<Map<String, Value>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct FunctionDelta {
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) arguments: Option<Value>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct UsageCounts {
    #[serde(default)]
    pub(super) prompt_tokens: Count,
    #[serde(default)]
    pub(super) completion_tokens: Count,
    #[serde(default)]
    pub(super) total_tokens: Count,
    #[serde(default)]
    pub(super) cached_tokens: Count,
    #[serde(default)]
    pub(super) prompt_cache_hit_tokens: Count,
    #[serde(default)]
    pub(super) prompt_tokens_details: Option<InputDetails>,
    #[serde(default)]
    pub(super) completion_tokens_details: Option<OutputDetails>,
}

/// Text that a server writes as a string, as a list of parts, as null, or as something we do not know.
#[derive(Debug, Default)]
pub(super) enum Words {
    #[default]
    None,
    Text(String),
    Parts(Vec<WordsPart>),
}

/// A part of a text: words, or thoughts that hold parts again.
#[derive(Debug, Default, Deserialize)]
pub(super) struct WordsPart {
    #[serde(default)]
    pub(super) text: Option<String>,
    #[serde(default)]
    pub(super) thinking: Option<Vec<ThoughtPart>>,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct ThoughtPart {
    #[serde(default)]
    pub(super) text: Option<String>,
}

impl<'de> Deserialize<'de> for Words {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(WordsVisitor)
    }
}

struct WordsVisitor;

impl<'de> Visitor<'de> for WordsVisitor {
    type Value = Words;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("text")
    }

    fn visit_str<E>(self, text: &str) -> Result<Words, E> {
        Ok(Words::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Words, E> {
        Ok(Words::Text(text))
    }

    fn visit_unit<E>(self) -> Result<Words, E> {
        Ok(Words::None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Words, E> {
        Ok(Words::None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Words, E> {
        Ok(Words::None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Words, E> {
        Ok(Words::None)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Words, E> {
        Ok(Words::None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Words, A::Error> {
        let mut parts = Vec::new();
        while let Some(part) = list.next_element()? {
            parts.push(part);
        }
        Ok(Words::Parts(parts))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Words, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Words::None)
    }
}
