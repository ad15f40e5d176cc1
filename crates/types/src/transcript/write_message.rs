//! Writes messages and their pieces in today's spelling of transcript files, which is also that of the gateway.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Number, Value};

use super::stamp;
use super::write_entry::{custom_message, put, value};
use crate::{
    AbortMark, AssistantMessage, Content, Cost, Image, ImageData, Message, OtherContent, Provenance,
    ShellMessage, ToolCall, ToolOutcome, ToolResultMessage, Usage, UserMessage, Visibility,
};

/// Writes a message.
#[must_use]
pub fn write_message(message: &Message) -> Value {
    value(&WrittenMessage(message))
}

/// A message as it is written.
pub(super) struct WrittenMessage<'a>(pub(super) &'a Message);

impl Serialize for WrittenMessage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(message) = *self;
        if let Message::Other(of) = message {
            return of.fields.serialize(serializer);
        }
        let mut to = serializer.serialize_map(None)?;
        put(&mut to, "role", role(message))?;
        match message {
            Message::User(of) => user(&mut to, of)?,
            Message::Assistant(of) => assistant(&mut to, of)?,
            Message::ToolResult(of) => tool_result(&mut to, of)?,
            Message::Shell(of) => shell(&mut to, of)?,
            Message::Custom(of) => custom_message(&mut to, of)?,
            Message::CompactionSummary { summary, tokens_before, .. } => {
                put(&mut to, "summary", Some(summary.as_str()))?;
                put(&mut to, "tokensBefore", *tokens_before)?;
            }
            Message::BranchSummary { summary, from, .. } => {
                put(&mut to, "summary", Some(summary.as_str()))?;
                put(&mut to, "fromId", from.as_ref().map(|id| id.as_str()))?;
            }
            Message::Other(_) => {}
        }
        put(&mut to, "timestamp", message.at().map(stamp::millis))?;
        to.end()
    }
}

fn role(message: &Message) -> Option<&'static str> {
    match message {
        Message::User(_) => Some("user"),
        Message::Assistant(_) => Some("assistant"),
        Message::ToolResult(_) => Some("toolResult"),
        Message::Shell(_) => Some("bashExecution"),
        Message::Custom(_) => Some("custom"),
        Message::CompactionSummary { .. } => Some("compactionSummary"),
        Message::BranchSummary { .. } => Some("branchSummary"),
        Message::Other(_) => None,
    }
}

fn user<M: SerializeMap>(to: &mut M, of: &UserMessage) -> Result<(), M::Error> {
    put(to, "content", Some(Contents(&of.content)))?;
    put(to, "idempotencyKey", of.idempotency_key.as_deref())?;
    put(to, "provenance", of.provenance.as_ref().map(WrittenProvenance))
}

struct WrittenProvenance<'a>(&'a Provenance);

impl Serialize for WrittenProvenance<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(of) = *self;
        let mut to = serializer.serialize_map(None)?;
        put(&mut to, "kind", Some(&of.kind))?;
        put(&mut to, "sourceSessionKey", of.source_session.as_ref().map(|key| key.as_str()))?;
        put(&mut to, "sourceChannel", of.source_channel.as_ref().map(|channel| channel.as_str()))?;
        put(&mut to, "sourceTool", of.source_tool.as_deref())?;
        to.end()
    }
}

fn assistant<M: SerializeMap>(to: &mut M, of: &AssistantMessage) -> Result<(), M::Error> {
    put(to, "content", Some(Contents(&of.content)))?;
    put(to, "api", of.api.as_deref())?;
    put(to, "provider", of.provider.as_ref().map(|provider| provider.as_str()))?;
    put(to, "model", of.model.as_deref())?;
    put(to, "usage", of.usage.as_ref().map(WrittenUsage))?;
    put(to, "stopReason", of.stop.as_ref().map(|stop| stop.as_str()))?;
    put(to, "errorMessage", of.error.as_deref())?;
    put(to, "idempotencyKey", of.idempotency_key.as_deref())?;
    put(to, "openclawAbort", of.abort.as_ref().map(WrittenAbort))
}

struct WrittenAbort<'a>(&'a AbortMark);

impl Serialize for WrittenAbort<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut to = serializer.serialize_map(None)?;
        to.serialize_entry("aborted", &true)?;
        to.serialize_entry("origin", &self.0.origin)?;
        to.serialize_entry("runId", &self.0.run)?;
        to.end()
    }
}

fn tool_result<M: SerializeMap>(to: &mut M, of: &ToolResultMessage) -> Result<(), M::Error> {
    put(to, "toolCallId", Some(of.call.as_str()))?;
    put(to, "toolName", Some(of.tool.as_str()))?;
    put(to, "content", Some(Contents(&of.content)))?;
    put(to, "details", of.details.as_ref())?;
    put(to, "isError", Some(of.outcome == ToolOutcome::Failed))
}

fn shell<M: SerializeMap>(to: &mut M, of: &ShellMessage) -> Result<(), M::Error> {
    put(to, "command", Some(of.command.as_str()))?;
    put(to, "output", Some(of.output.as_str()))?;
    put(to, "exitCode", of.exit_code)?;
    put(to, "cancelled", Some(of.cancelled))?;
    put(to, "truncated", Some(of.truncated))?;
    put(to, "fullOutputPath", of.full_output_path.as_deref())?;
    put(to, "excludeFromContext", (of.for_model == Visibility::Hidden).then_some(true))
}

struct WrittenUsage<'a>(&'a Usage);

impl Serialize for WrittenUsage<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(of) = *self;
        let mut to = serializer.serialize_map(None)?;
        put(&mut to, "input", Some(of.input))?;
        put(&mut to, "output", Some(of.output))?;
        put(&mut to, "cacheRead", Some(of.cache_read))?;
        put(&mut to, "cacheWrite", Some(of.cache_write))?;
        put(&mut to, "totalTokens", Some(of.total_tokens))?;
        put(&mut to, "reasoning", (of.reasoning > 0).then_some(of.reasoning))?;
        put(&mut to, "cost", of.cost.as_ref().map(WrittenCost))?;
        to.end()
    }
}

struct WrittenCost<'a>(&'a Cost);

impl Serialize for WrittenCost<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self(of) = *self;
        let mut to = serializer.serialize_map(None)?;
        put(&mut to, "input", Some(amount(of.input)))?;
        put(&mut to, "output", Some(amount(of.output)))?;
        put(&mut to, "cacheRead", Some(amount(of.cache_read)))?;
        put(&mut to, "cacheWrite", Some(amount(of.cache_write)))?;
        put(&mut to, "total", Some(amount(of.total)))?;
        to.end()
    }
}

/// Whole amounts are written without a fraction, as the original does.
fn amount(value: f64) -> Value {
    const LARGEST_WHOLE: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < LARGEST_WHOLE {
        return Value::from(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// The pieces of a message as they are written.
pub(super) struct Contents<'a>(pub(super) &'a [Content]);

impl Serialize for Contents<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(WrittenContent))
    }
}

struct WrittenContent<'a>(&'a Content);

impl Serialize for WrittenContent<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Content::Other(OtherContent { value }) = self.0 {
            return value.serialize(serializer);
        }
        let mut to = serializer.serialize_map(None)?;
        match self.0 {
            Content::Text(of) => {
                put(&mut to, "type", Some("text"))?;
                put(&mut to, "text", Some(of.text.as_str()))?;
                put(&mut to, "textSignature", of.signature.as_deref())?;
            }
            Content::Thinking(of) => {
                put(&mut to, "type", Some("thinking"))?;
                put(&mut to, "thinking", Some(of.text.as_str()))?;
                put(&mut to, "thinkingSignature", of.signature.as_deref())?;
            }
            Content::RedactedThinking(of) => {
                put(&mut to, "type", Some("redacted_thinking"))?;
                put(&mut to, "data", Some(of.data.as_str()))?;
            }
            Content::ToolCall(of) => tool_call(&mut to, of)?,
            Content::Image(of) => image(&mut to, of)?,
            Content::Other(_) => {}
        }
        to.end()
    }
}

fn tool_call<M: SerializeMap>(to: &mut M, of: &ToolCall) -> Result<(), M::Error> {
    put(to, "type", Some("toolCall"))?;
    put(to, "id", Some(of.id.as_str()))?;
    put(to, "name", Some(of.name.as_str()))?;
    put(to, "arguments", Some(&of.arguments))?;
    put(to, "thoughtSignature", of.signature.as_deref())
}

fn image<M: SerializeMap>(to: &mut M, of: &Image) -> Result<(), M::Error> {
    put(to, "type", Some("image"))?;
    match &of.data {
        ImageData::Inline(data) => put(to, "data", Some(data.as_str()))?,
        ImageData::Url(url) => put(to, "url", Some(url.as_str()))?,
        ImageData::Omitted { bytes } => {
            put(to, "omitted", Some(true))?;
            put(to, "bytes", *bytes)?;
        }
    }
    put(to, "mimeType", of.media_type.as_deref())
}
