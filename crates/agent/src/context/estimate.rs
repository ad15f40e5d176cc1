//! How many tokens a text or a message takes, guessed without a tokenizer.
//!
//! Cheap enough to be asked of every message on every turn: one pass over the bytes, nothing kept. Four letters of a
//! plain text make a token; scripts that tokenizers cut finer weigh more. Compaction, pruning and reports ask here;
//! what a call may cost is the business of `budget`, which errs to the other side.

use std::io;

use openclaw_types::{Content, ImageData, Message};
use serde::Serialize;

/// What a picture of the usual sizes takes.
const TOKENS_PER_PICTURE: u64 = 1_600;
/// What a message takes beside its words: who speaks, and where it ends.
const TOKENS_AROUND_A_MESSAGE: u64 = 4;
const QUARTERS_PER_TOKEN: u64 = 4;

/// Guesses how many tokens a message takes.
#[must_use]
pub fn estimate_tokens(message: &Message) -> u64 {
    let mut weight = Weight::default();
    weight.message(message);
    weight.tokens().saturating_add(TOKENS_AROUND_A_MESSAGE)
}

/// Guesses how many tokens a text takes.
#[must_use]
pub fn estimate_text_tokens(text: &str) -> u64 {
    let mut weight = Weight::default();
    weight.bytes(text.as_bytes());
    weight.tokens()
}

/// What was weighed so far, in quarters of a token.
#[derive(Debug, Default)]
struct Weight {
    quarters: u64,
    pictures: u64,
}

impl Weight {
    fn tokens(&self) -> u64 {
        self.quarters
            .div_ceil(QUARTERS_PER_TOKEN)
            .saturating_add(self.pictures.saturating_mul(TOKENS_PER_PICTURE))
    }

    fn message(&mut self, message: &Message) {
        match message {
            Message::CompactionSummary { summary, .. } | Message::BranchSummary { summary, .. } => {
                self.bytes(summary.as_bytes());
            }
            Message::Shell(shell) => {
                self.bytes(shell.command.as_bytes());
                self.bytes(shell.output.as_bytes());
            }
            other => other.content().iter().for_each(|piece| self.piece(piece)),
        }
    }

    fn piece(&mut self, piece: &Content) {
        match piece {
            Content::Text(text) => self.bytes(text.text.as_bytes()),
            Content::Thinking(thinking) => self.bytes(thinking.text.as_bytes()),
            Content::RedactedThinking(sealed) => self.bytes(sealed.data.as_bytes()),
            Content::ToolCall(call) => {
                self.bytes(call.name.as_bytes());
                self.json(&call.arguments);
            }
            Content::Image(image) => {
                let shown = !matches!(image.data, ImageData::Omitted { .. });
                self.pictures = self.pictures.saturating_add(u64::from(shown));
            }
            Content::Other(other) => self.json(&other.value),
        }
    }

    fn json(&mut self, value: &impl Serialize) {
        // Weighing cannot fail: the writer takes everything and JSON values always serialise.
        if serde_json::to_writer(&mut *self, value).is_err() {
            tracing::debug!(subsystem = "agent", "a value could not be weighed");
        }
    }

    /// A character is weighed by its first byte, which tells how long it is: one byte for plain letters, two for
    /// most other alphabets, three for the scripts of East and South Asia, four for signs and rare scripts.
    fn bytes(&mut self, bytes: &[u8]) {
        let quarters: u64 = bytes.iter().map(|byte| u64::from(quarters_of(*byte))).sum();
        self.quarters = self.quarters.saturating_add(quarters);
    }
}

fn quarters_of(byte: u8) -> u8 {
    u8::from(byte < 0x80)
        + 2 * u8::from((0xC0..0xE0).contains(&byte))
        + 4 * u8::from((0xE0..0xF0).contains(&byte))
        + 8 * u8::from(byte >= 0xF0)
}

impl io::Write for Weight {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.bytes(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
