//! What a server does differently from its protocol: told by its name and address, corrected by what people wrote.
//!
//! Pure. The order is: what the address tells, then the quirks of a known vendor, then the configuration.

use openclaw_config::sections::{MaxTokensField as RawField, ModelCompat, ThinkingFormat as RawFormat};
use openclaw_ports::model::{ApiName, Compatibility, MaxTokensField, ThinkingFormat};

/// A family of servers that behave alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum House {
    Cerebras,
    Xai,
    Mistral,
    Chutes,
    Deepseek,
    Zai,
    Opencode,
    Moonshot,
    Dashscope,
}

/// How each family is known: the vendor's name where it has one, and parts of addresses.
const HOUSES: &[(House, &str, &[&str])] = &[
    (House::Cerebras, "cerebras", &["cerebras.ai"]),
    (House::Xai, "xai", &["api.x.ai"]),
    (House::Mistral, "mistral", &["mistral.ai"]),
    (House::Chutes, "chutes", &["chutes.ai"]),
    (House::Deepseek, "deepseek", &["deepseek.com"]),
    (House::Zai, "zai", &["api.z.ai"]),
    (House::Opencode, "opencode", &["opencode.ai"]),
    (House::Moonshot, "moonshot", &["moonshot.ai", "moonshot.cn"]),
    (
        House::Dashscope,
        "dashscope",
        &["dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com"],
    ),
];

/// What the name and the address of a server tell. Protocols other than chat completions have no dialects.
pub(super) fn detect(provider: &str, api: ApiName, base_url: &str) -> Compatibility {
    let mut told = Compatibility::default();
    if api != ApiName::OpenaiCompletions {
        return told;
    }
    let address = base_url.to_ascii_lowercase();
    for (house, name, parts) in HOUSES {
        if provider == *name || parts.iter().any(|part| address.contains(part)) {
            house.note(&mut told);
        }
    }
    told
}

impl House {
    fn note(self, told: &mut Compatibility) {
        told.developer_role = false;
        if !matches!(self, Self::Moonshot | Self::Dashscope) {
            told.store = false;
        }
        match self {
            Self::Xai => told.reasoning_effort = false,
            Self::Zai => {
                told.reasoning_effort = false;
                told.thinking_format = ThinkingFormat::Object;
            }
            Self::Chutes => told.max_tokens_field = MaxTokensField::MaxTokens,
            Self::Mistral => {
                told.max_tokens_field = MaxTokensField::MaxTokens;
                told.tool_result_name = true;
                told.thinking_as_text = true;
                told.short_tool_ids = true;
            }
            _ => {}
        }
    }
}

/// Corrects what was told by what a person wrote.
pub(super) fn correct(told: &mut Compatibility, written: &ModelCompat) {
    let set = |flag: &mut bool, word: Option<bool>| {
        if let Some(word) = word {
            *flag = word;
        }
    };
    set(&mut told.store, written.supports_store);
    set(&mut told.developer_role, written.supports_developer_role);
    set(&mut told.reasoning_effort, written.supports_reasoning_effort);
    set(&mut told.usage_in_stream, written.supports_usage_in_streaming);
    set(&mut told.strict_tools, written.supports_strict_mode);
    set(&mut told.tool_result_name, written.requires_tool_result_name);
    set(&mut told.assistant_after_tool_result, written.requires_assistant_after_tool_result);
    set(&mut told.thinking_as_text, written.requires_thinking_as_text);
    set(&mut told.short_tool_ids, written.requires_mistral_tool_ids);
    if let Some(field) = written.max_tokens_field {
        told.max_tokens_field = match field {
            RawField::MaxCompletionTokens => MaxTokensField::MaxCompletionTokens,
            RawField::MaxTokens => MaxTokensField::MaxTokens,
        };
    }
    if let Some(format) = written.thinking_format {
        told.thinking_format = match format {
            RawFormat::Openai => ThinkingFormat::Effort,
            RawFormat::Zai => ThinkingFormat::Object,
            RawFormat::Qwen => ThinkingFormat::Switch,
        };
    }
}
