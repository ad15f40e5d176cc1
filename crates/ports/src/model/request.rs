//! What is asked of a model, and of which model on which server, in words that no wire protocol owns.

use std::collections::BTreeMap;
use std::sync::Arc;

use openclaw_types::{Content, Message, Secret, ThinkingLevel, UserMessage};

use super::written::{SharedText, SystemText, ToolSchema};

/// One call of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelRequest {
    /// The system prompt, in parts that change at different times: stable parts first, so that caches hit.
    pub system: SystemText,
    /// The conversation, oldest first.
    pub messages: Vec<Arc<Message>>,
    /// What the model may call.
    pub tools: Vec<ToolSpec>,
    /// Whether it must.
    pub tool_choice: ToolChoice,
    /// How hard it should think.
    pub thinking: ThinkingLevel,
    /// The most it may write; the target's limit when absent.
    pub max_output_tokens: Option<u64>,
    /// How freely it writes.
    pub temperature: Option<f64>,
    /// Whether and how long the vendor should keep the prompt.
    pub cache: CacheLifetime,
    /// Names the conversation for vendors that route by it.
    pub session: Option<String>,
}

impl ModelRequest {
    /// One question of a person, and nothing else.
    #[must_use]
    pub fn asking(words: &str) -> Self {
        let question = UserMessage { content: vec![Content::text(words)], ..UserMessage::default() };
        Self {
            system: SystemText::default(),
            messages: vec![Arc::new(Message::User(question))],
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            thinking: ThinkingLevel::Off,
            max_output_tokens: None,
            temperature: None,
            cache: CacheLifetime::Off,
            session: None,
        }
    }
}

/// A tool as the model sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolSpec {
    /// Its name.
    pub name: String,
    /// What it does, for the model.
    pub description: SharedText,
    /// The JSON Schema of its arguments.
    pub parameters: ToolSchema,
}

/// Whether the model must call a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ToolChoice {
    /// As it likes.
    #[default]
    Auto,
    /// No tool.
    None,
    /// Some tool.
    Required,
    /// This tool.
    Named(String),
}

/// How long the vendor should keep the prompt.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum CacheLifetime {
    /// Not at all.
    Off,
    /// The vendor's short time, five minutes as a rule.
    #[default]
    Short,
    /// An hour.
    Long,
}

/// One model on one server.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelTarget {
    /// The model's name as the server knows it.
    pub model: String,
    /// The root of the server's interface.
    pub base_url: String,
    /// The key or token; nothing for servers that need none.
    pub credential: Option<Secret<String>>,
    /// Headers that are added to each call.
    pub headers: BTreeMap<String, Secret<String>>,
    /// The most it can write.
    pub max_output_tokens: u64,
    /// The most it can read.
    pub context_window: u64,
    /// Whether it can think.
    pub reasoning: bool,
    /// Whether it can see pictures.
    pub sees_images: bool,
    /// What the server does differently.
    pub compatibility: Compatibility,
}

/// What a compatible server does differently from the protocol it speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compatibility {
    /// Which field limits the output.
    pub max_tokens_field: MaxTokensField,
    /// Whether it knows the developer role.
    pub developer_role: bool,
    /// Whether it knows the `store` field.
    pub store: bool,
    /// Whether it takes `strict` tool schemas.
    pub strict_tools: bool,
    /// Whether it knows an effort of reasoning.
    pub reasoning_effort: bool,
    /// Whether it reports usage while streaming when asked.
    pub usage_in_stream: bool,
    /// Whether a tool result must repeat the tool's name.
    pub tool_result_name: bool,
    /// Whether the assistant must speak between a tool result and the person.
    pub assistant_after_tool_result: bool,
    /// Whether thinking is sent back as plain text.
    pub thinking_as_text: bool,
    /// Whether ids of tool calls must be nine letters or digits.
    pub short_tool_ids: bool,
    /// How thinking is asked for.
    pub thinking_format: ThinkingFormat,
    /// Whether the key goes into `Authorization` where the protocol has a header of its own for it.
    pub key_as_bearer: bool,
}

impl Default for Compatibility {
    /// A server that does everything as the protocol says.
    fn default() -> Self {
        Self {
            max_tokens_field: MaxTokensField::MaxCompletionTokens,
            developer_role: true,
            store: true,
            strict_tools: true,
            reasoning_effort: true,
            usage_in_stream: true,
            tool_result_name: false,
            assistant_after_tool_result: false,
            thinking_as_text: false,
            short_tool_ids: false,
            thinking_format: ThinkingFormat::Effort,
            key_as_bearer: false,
        }
    }
}

/// The field that limits the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaxTokensField {
    /// `max_completion_tokens`.
    MaxCompletionTokens,
    /// `max_tokens`.
    MaxTokens,
}

/// How a server is asked to think.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThinkingFormat {
    /// With an effort.
    Effort,
    /// With a `thinking` object.
    Object,
    /// With a switch, `enable_thinking`.
    Switch,
}
