//! Reads messages and their pieces as transcript files and the gateway's clients have them.
//!
//! Knows every spelling found in the wild: block and plain content, `toolCall` and `tool_use`, both shapes of usage.

use serde_json::Value;

use super::fields::Fields;
use super::read_entry;
use super::tape::{Node, Tape};
use crate::{
    AbortMark, AssistantMessage, Content, Cost, Image, ImageData, Message, OtherContent, OtherMessage,
    Provenance, RedactedThinking, ShellMessage, StopReason, Text, Thinking, ToolCall, ToolOutcome,
    ToolResultMessage, Usage, UserMessage, Visibility,
};

/// Reads a message; `None` when the value is no object.
#[must_use]
pub fn read_message(value: &Value) -> Option<Message> {
    Fields::of(Tape::of(value).root()).map(message)
}

pub(super) fn message(from: Fields<'_>) -> Message {
    known_message(from).unwrap_or_else(|| Message::Other(OtherMessage { fields: from.to_map() }))
}

fn known_message(from: Fields<'_>) -> Option<Message> {
    match from.text("role")? {
        "user" => Some(Message::User(user(from))),
        "assistant" => Some(Message::Assistant(assistant(from))),
        "toolResult" | "tool_result" | "tool" => tool_result(from).map(Message::ToolResult),
        "bashExecution" => shell(from).map(Message::Shell),
        "custom" | "hookMessage" => {
            read_entry::custom_message(from, from.time("timestamp")).map(Message::Custom)
        }
        "compactionSummary" => Some(Message::CompactionSummary {
            summary: from.string("summary")?,
            tokens_before: from.count(&["tokensBefore"]),
            at: from.time("timestamp"),
        }),
        "branchSummary" => Some(Message::BranchSummary {
            summary: from.string("summary")?,
            from: from.parsed("fromId"),
            at: from.time("timestamp"),
        }),
        _ => None,
    }
}

fn user(from: Fields<'_>) -> UserMessage {
    UserMessage {
        content: contents(from.value("content")),
        at: from.time("timestamp"),
        provenance: from.value("provenance").or(from.value("inputProvenance")).and_then(provenance),
        idempotency_key: from.string("idempotencyKey"),
    }
}

fn provenance(value: Node<'_>) -> Option<Provenance> {
    let from = Fields::of(value)?;
    Some(Provenance {
        kind: serde_json::from_value(from.present("kind")?).ok()?,
        source_session: from.parsed("sourceSessionKey"),
        source_channel: from.parsed("sourceChannel"),
        source_tool: from.string("sourceTool"),
    })
}

fn assistant(from: Fields<'_>) -> AssistantMessage {
    AssistantMessage {
        content: contents(from.value("content")),
        api: from.string("api"),
        provider: from.parsed("provider"),
        model: from.string("model"),
        usage: from.object("usage").map(usage),
        stop: from.text("stopReason").map(StopReason::from_word),
        error: from.string("errorMessage"),
        at: from.time("timestamp"),
        idempotency_key: from.string("idempotencyKey"),
        abort: from.object("openclawAbort").and_then(abort),
    }
}

fn abort(from: Fields<'_>) -> Option<AbortMark> {
    let aborted = from.flag("aborted")?;
    aborted.then_some(AbortMark { origin: from.string("origin")?, run: from.parsed("runId")? })
}

fn tool_result(from: Fields<'_>) -> Option<ToolResultMessage> {
    let call = ["toolCallId", "toolUseId", "tool_call_id", "tool_use_id"]
        .iter()
        .find_map(|name| from.parsed(name))?;
    Some(ToolResultMessage {
        call,
        tool: from.any_string(&["toolName", "tool_name", "name"]).unwrap_or_default(),
        content: contents(from.value("content")),
        outcome: match from.flag("isError").or(from.flag("is_error")) {
            Some(true) => ToolOutcome::Failed,
            _ => ToolOutcome::Done,
        },
        details: from.present("details"),
        at: from.time("timestamp"),
    })
}

fn shell(from: Fields<'_>) -> Option<ShellMessage> {
    Some(ShellMessage {
        command: from.string("command")?,
        output: from.string("output").unwrap_or_default(),
        exit_code: from.whole("exitCode"),
        cancelled: from.flag("cancelled").unwrap_or(false),
        truncated: from.flag("truncated").unwrap_or(false),
        full_output_path: from.string("fullOutputPath"),
        for_model: match from.flag("excludeFromContext") {
            Some(true) => Visibility::Hidden,
            _ => Visibility::Shown,
        },
        at: from.time("timestamp"),
    })
}

fn usage(from: Fields<'_>) -> Usage {
    let count = |names: &[&str]| from.count(names);
    let counted = Usage {
        input: count(&["input", "inputTokens", "input_tokens"]).unwrap_or(0),
        output: count(&["output", "outputTokens", "output_tokens"]).unwrap_or(0),
        cache_read: count(&["cacheRead", "cacheReadTokens", "cache_read_input_tokens"]).unwrap_or(0),
        cache_write: count(&["cacheWrite", "cacheWriteTokens", "cache_creation_input_tokens"]).unwrap_or(0),
        total_tokens: 0,
        reasoning: count(&["reasoning"]).unwrap_or(0),
        cost: from.object("cost").map(cost),
    };
    let total = count(&["totalTokens", "total", "total_tokens"]).unwrap_or_else(|| counted.sum());
    Usage { total_tokens: total, ..counted }
}

fn cost(from: Fields<'_>) -> Cost {
    let amount = |name: &str| from.amount(name).unwrap_or(0.0);
    Cost {
        input: amount("input"),
        output: amount("output"),
        cache_read: amount("cacheRead"),
        cache_write: amount("cacheWrite"),
        total: amount("total"),
    }
}

/// Reads the pieces of a message: a list, or a bare text.
pub(super) fn contents(value: Option<Node<'_>>) -> Vec<Content> {
    let Some(value) = value else { return Vec::new() };
    match value.text() {
        Some(text) => vec![Content::text(text)],
        None => value.elements().into_iter().flatten().map(content).collect(),
    }
}

fn content(value: Node<'_>) -> Content {
    let known = Fields::of(value).and_then(known_content);
    known.unwrap_or_else(|| Content::Other(OtherContent { value: value.to_value() }))
}

fn known_content(from: Fields<'_>) -> Option<Content> {
    match from.text("type")? {
        "text" | "output_text" | "input_text" => Some(Content::Text(Text {
            text: from.string("text")?,
            signature: from.any_string(&["textSignature"]),
        })),
        "thinking" => thinking(from),
        "redacted_thinking" => {
            Some(Content::RedactedThinking(RedactedThinking { data: from.string("data")? }))
        }
        "toolCall" | "toolUse" | "tool_use" | "tool_call" | "functionCall" => tool_call(from),
        "image" => image(from).map(Content::Image),
        _ => None,
    }
}

fn thinking(from: Fields<'_>) -> Option<Content> {
    let signature = from.any_string(&["thinkingSignature", "signature"]);
    match (from.flag("redacted"), signature) {
        (Some(true), Some(data)) => Some(Content::RedactedThinking(RedactedThinking { data })),
        (_, signature) => {
            let text = from.any_string(&["thinking", "text"])?;
            Some(Content::Thinking(Thinking { text, signature }))
        }
    }
}

fn tool_call(from: Fields<'_>) -> Option<Content> {
    Some(Content::ToolCall(ToolCall {
        id: from.parsed("id")?,
        name: from.string("name")?,
        arguments: ["arguments", "input", "args"].iter().find_map(|name| from.value(name))?.to_value(),
        signature: from.string("thoughtSignature"),
    }))
}

fn image(from: Fields<'_>) -> Option<Image> {
    let media = from.any_string(&["mimeType", "media_type"]);
    if let Some(data) = from.string("data") {
        return Some(Image { media_type: media, data: ImageData::Inline(data) });
    }
    if from.flag("omitted") == Some(true) {
        return Some(Image { media_type: media, data: ImageData::Omitted { bytes: from.count(&["bytes"]) } });
    }
    if let Some(url) = from.string("url") {
        return Some(Image { media_type: media, data: ImageData::Url(url) });
    }
    let source = from.object("source")?;
    let data = source.string("data").map(ImageData::Inline).or(source.string("url").map(ImageData::Url))?;
    Some(Image { media_type: source.any_string(&["media_type", "mimeType"]).or(media), data })
}
