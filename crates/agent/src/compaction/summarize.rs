//! Asks a model to sum up a part of a conversation, in as many calls as its length needs.
//!
//! Each call gets a piece and the summary so far, and gives a summary of both. When a call fails, what is left is summed
//! up by rule, on top of what the model said until then. Dropping the future cancels the call under way.

use std::sync::Arc;

use futures_util::StreamExt;
use openclaw_ports::model::{CacheLifetime, ModelRequest};
use openclaw_types::{Content, Message, StopReason, ThinkingLevel};

use super::checkpoint::checkpoint;
use super::compact::CompactionWork;
use super::due::CompactionRoom;
use super::prompts::{Asking, SYSTEM, question};
use super::serialise::{transcript, written};
use crate::context::estimate_text_tokens;
use crate::{CallEvent, ModelCall, Models, Purpose};

/// What the words around a transcript take.
const AROUND: u64 = 1_500;
/// The least that one call sums up, however small the window is.
const LEAST_PIECE: u64 = 1_000;

/// What is summed up.
pub(super) struct SummaryPart<'a> {
    /// The messages.
    pub(super) messages: &'a [&'a Message],
    /// The summary of what came before them.
    pub(super) earlier: Option<&'a str>,
    /// Whether the last turn is cut in two.
    pub(super) mid_turn: bool,
}

/// Who wrote a summary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SummaryBy {
    /// A model.
    Model,
    /// A rule, as no model answered.
    Rule,
}

/// Sums up a part.
pub(super) async fn summarize(
    models: &Models,
    work: &CompactionWork<'_>,
    room: &CompactionRoom,
    part: &SummaryPart<'_>,
) -> (String, SummaryBy) {
    let most_words = summary_tokens(room);
    let piece = room.one_call.saturating_sub(AROUND.saturating_add(most_words)).max(LEAST_PIECE);
    let chunks = chunks(part.messages, piece);
    let mut summary = part.earlier.map(str::to_owned);
    for (index, chunk) in chunks.iter().enumerate() {
        let last = index + 1 == chunks.len();
        let asking = Asking {
            transcript: &transcript(&chunk.pieces, piece),
            earlier: summary.as_deref(),
            instructions: work.instructions.as_deref(),
            mid_turn: part.mid_turn && last,
        };
        match ask(models, work, &question(&asking), most_words).await {
            Ok(text) => summary = Some(text),
            Err(why) => {
                tracing::warn!(subsystem = "compaction", session = %work.session, "{why}; the summary is made by rule");
                let rest = part.messages.get(chunk.from..).unwrap_or_default();
                return (checkpoint(rest, summary.as_deref(), most_words), SummaryBy::Rule);
            }
        }
    }
    match summary {
        Some(summary) => (summary, SummaryBy::Model),
        None => (checkpoint(part.messages, None, most_words), SummaryBy::Rule),
    }
}

/// How long a summary may be.
pub(super) fn summary_tokens(room: &CompactionRoom) -> u64 {
    (room.reserve / 5 * 4).min(room.window / 8).max(256)
}

/// Messages that are summed up with one call, as text.
struct Chunk {
    from: usize,
    pieces: Vec<String>,
}

fn chunks(messages: &[&Message], most: u64) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut tokens = 0_u64;
    for (index, message) in messages.iter().enumerate() {
        let Some(text) = written(message) else { continue };
        let cost = estimate_text_tokens(&text);
        match chunks.last_mut() {
            Some(chunk) if tokens.saturating_add(cost) <= most => {
                chunk.pieces.push(text);
                tokens += cost;
            }
            _ => {
                chunks.push(Chunk { from: index, pieces: vec![text] });
                tokens = cost;
            }
        }
    }
    chunks
}

/// Asks once; which models and sign-ins are tried is decided by `Models`.
async fn ask(
    models: &Models,
    work: &CompactionWork<'_>,
    question: &str,
    most_words: u64,
) -> Result<String, String> {
    let request = ModelRequest {
        system: vec![SYSTEM.to_owned()].into(),
        max_output_tokens: Some(most_words),
        cache: CacheLifetime::Off,
        ..ModelRequest::asking(question)
    };
    let mut events = models.call(ModelCall {
        agent: work.agent.clone(),
        session: Some(work.key.to_string()),
        run: work.run.clone(),
        selection: work.selection.clone(),
        pin: work.pin.clone(),
        thinking: Some(ThinkingLevel::Low),
        purpose: Purpose::Answer,
        request: Arc::new(request),
    });
    while let Some(event) = events.next().await {
        match event {
            CallEvent::Done(done) => {
                let words = done
                    .completion
                    .content
                    .iter()
                    .filter_map(Content::as_text)
                    .collect::<Vec<_>>()
                    .join("\n");
                let stopped = matches!(done.completion.stop, StopReason::Error | StopReason::Aborted);
                return match words.trim() {
                    "" => Err("the model gave no summary".to_owned()),
                    _ if stopped => Err("the model did not finish the summary".to_owned()),
                    words => Ok(words.to_owned()),
                };
            }
            CallEvent::Failed(failed) => return Err(failed.message),
            CallEvent::Trying { .. } | CallEvent::Switched { .. } | CallEvent::Model(_) => {}
        }
    }
    Err("the call ended without an answer".to_owned())
}
