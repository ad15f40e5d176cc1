//! What a call takes, before anyone has counted: tokens from bytes, money from prices.
//!
//! Four bytes are taken for a token, which is a little much for most texts. Pictures are counted by number: their
//! bytes say nothing about their price.

use std::io;

use openclaw_ports::model::{ApiName, CacheLifetime, ModelEvent, ModelFacts, ModelRequest, Prices};
use openclaw_types::{Content, Message, Money, ThinkingLevel, Usage};
use serde::Serialize;

const BYTES_PER_TOKEN: u64 = 4;

/// More than vendors take for a picture of the usual sizes.
const TOKENS_PER_PICTURE: u64 = 3_000;

/// The most that protocols add to the length of an answer for the thoughts before it.
const TOKENS_FOR_THOUGHTS: u64 = 16_384;

/// What a call may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Estimate {
    /// What is sent, in tokens.
    pub(crate) input_tokens: u64,
    /// What it costs at most; nothing where prices are not known.
    pub(crate) most: Money,
    /// What sending it costs; nothing where prices are not known.
    pub(crate) least: Money,
}

/// Estimates a call of a model.
pub(crate) fn estimate(request: &ModelRequest, facts: &ModelFacts) -> Estimate {
    let input_tokens = request_tokens(request);
    let wanted = request.max_output_tokens.unwrap_or(facts.max_output_tokens);
    let thoughts = if request.thinking == ThinkingLevel::Off { 0 } else { TOKENS_FOR_THOUGHTS };
    let output = wanted.saturating_add(thoughts).min(facts.max_output_tokens);
    let Some(prices) = prices_of(request, facts) else {
        return Estimate { input_tokens, most: Money::ZERO, least: Money::ZERO };
    };
    let dearest = Prices { input: prices.input.max(prices.cache_write), ..prices };
    let most = dearest.amount(&Usage { input: input_tokens, output, ..Usage::default() });
    let least = prices.amount(&Usage { input: input_tokens, ..Usage::default() });
    Estimate { input_tokens, most, least }
}

/// What a model's tokens cost in one call; nothing where that is not known.
///
/// What is kept for an hour costs twice the input. Answers do not say how long what they wrote is kept, so all of it
/// is taken to be kept as long as was asked for.
pub(crate) fn prices_of(request: &ModelRequest, facts: &ModelFacts) -> Option<Prices> {
    let keeps_by_the_hour = matches!(facts.api, ApiName::AnthropicMessages | ApiName::BedrockConverseStream);
    facts.prices.map(|prices| match request.cache {
        CacheLifetime::Long if keeps_by_the_hour => {
            Prices { cache_write: prices.cache_write.max(2.0 * prices.input), ..prices }
        }
        _ => prices,
    })
}

/// How much of an answer has come.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    /// Whether the request was given to the line.
    pub(crate) sent: bool,
    /// Whether the server began to answer.
    pub(crate) begun: bool,
    output_bytes: u64,
    thinking_bytes: u64,
}

impl Progress {
    /// Takes note of an event.
    pub(crate) fn saw(&mut self, event: &ModelEvent) {
        self.begun = true;
        match event {
            ModelEvent::Text { delta, .. } | ModelEvent::ToolCallArguments { delta, .. } => {
                self.output_bytes = self.output_bytes.saturating_add(length(delta));
            }
            ModelEvent::Thinking { delta, .. } => {
                self.thinking_bytes = self.thinking_bytes.saturating_add(length(delta));
            }
            _ => {}
        }
    }

    /// What was taken so far, as far as can be told.
    pub(crate) fn usage(&self, input_tokens: u64) -> Usage {
        let reasoning = self.thinking_bytes.div_ceil(BYTES_PER_TOKEN);
        let output = reasoning.saturating_add(self.output_bytes.div_ceil(BYTES_PER_TOKEN));
        let total_tokens = input_tokens.saturating_add(output);
        Usage { input: input_tokens, output, reasoning, total_tokens, ..Usage::default() }
    }
}

fn request_tokens(request: &ModelRequest) -> u64 {
    let mut count = Count::default();
    request.system.iter().for_each(|part| count.text(part));
    for tool in &request.tools {
        count.text(&tool.name);
        count.text(&tool.description);
        count.json(&tool.parameters);
    }
    request.messages.iter().for_each(|message| count.message(message));
    count.bytes.div_ceil(BYTES_PER_TOKEN).saturating_add(count.pictures.saturating_mul(TOKENS_PER_PICTURE))
}

#[derive(Debug, Default)]
struct Count {
    bytes: u64,
    pictures: u64,
}

impl Count {
    fn text(&mut self, text: &str) {
        self.bytes = self.bytes.saturating_add(length(text));
    }

    fn json(&mut self, value: &impl Serialize) {
        // Counting cannot fail: the writer takes everything and JSON values always serialise.
        if serde_json::to_writer(&mut *self, value).is_err() {
            tracing::debug!(subsystem = "models", "a value could not be measured");
        }
    }

    fn message(&mut self, message: &Message) {
        match message {
            Message::CompactionSummary { summary, .. } | Message::BranchSummary { summary, .. } => {
                self.text(summary)
            }
            Message::Shell(shell) => {
                self.text(&shell.command);
                self.text(&shell.output);
            }
            other => other.content().iter().for_each(|piece| self.piece(piece)),
        }
    }

    fn piece(&mut self, piece: &Content) {
        match piece {
            Content::Text(text) => self.text(&text.text),
            Content::Thinking(thinking) => self.text(&thinking.text),
            Content::RedactedThinking(sealed) => self.text(&sealed.data),
            Content::ToolCall(call) => {
                self.text(&call.name);
                self.json(&call.arguments);
            }
            Content::Image(_) => self.pictures = self.pictures.saturating_add(1),
            Content::Other(other) => self.json(&other.value),
        }
    }
}

impl io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes = self.bytes.saturating_add(u64::try_from(bytes.len()).unwrap_or(u64::MAX));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}
