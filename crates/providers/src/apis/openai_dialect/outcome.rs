//! The beginning and the end of an answer: who answers, what it took, and whether it is an answer at all.

use openclaw_ports::model::{Completion, ModelEvent, ModelFault};
use openclaw_types::{Content, StopReason, Usage};

use super::Pieces;
use crate::apis::shared::empty;

/// The longest name of an answer or a model that we keep.
const MAX_NAME: usize = 512;

/// What the server says about the answer as such.
#[derive(Debug, Default)]
pub(in crate::apis) struct Heading {
    response_id: Option<String>,
    model: Option<String>,
    announced: bool,
}

impl Heading {
    /// Takes the names that a frame gives; the first ones stay.
    pub(in crate::apis) fn learn(&mut self, response_id: Option<&str>, model: Option<&str>) {
        keep_first(&mut self.response_id, response_id);
        keep_first(&mut self.model, model);
    }

    /// Tells once that the answer has begun.
    pub(in crate::apis) fn announce(&mut self, events: &mut Vec<ModelEvent>) {
        if !self.announced {
            self.announced = true;
            let (response_id, model) = (self.response_id.clone(), self.model.clone());
            events.push(ModelEvent::Started { response_id, model });
        }
    }

    /// The answer's own name.
    pub(in crate::apis) fn response_id(&self) -> Option<&str> {
        self.response_id.as_deref()
    }
}

fn keep_first(kept: &mut Option<String>, given: Option<&str>) {
    if kept.is_none() {
        *kept = given.filter(|name| !name.is_empty() && name.len() <= MAX_NAME).map(str::to_owned);
    }
}

/// What is known when an answer ends.
#[derive(Debug)]
pub(in crate::apis) struct DialectOutcome {
    /// Why the model stopped, in the server's sense.
    pub(in crate::apis) stop: StopReason,
    /// What it took.
    pub(in crate::apis) usage: Option<Usage>,
}

/// Closes all pieces and gives the whole answer.
///
/// # Errors
/// When there is nothing in it.
pub(in crate::apis) fn conclude(
    heading: &Heading,
    pieces: &mut Pieces,
    outcome: DialectOutcome,
    events: &mut Vec<ModelEvent>,
) -> Result<Completion, ModelFault> {
    let content = pieces.close_all(events);
    if !content.iter().any(says_something) {
        return Err(empty());
    }
    let calls = content.iter().any(|piece| piece.as_tool_call().is_some());
    // Servers say `stop` behind a call, or announce calls that never came.
    let stop = match outcome.stop {
        StopReason::Stop if calls => StopReason::ToolUse,
        StopReason::ToolUse if !calls => StopReason::Stop,
        stop => stop,
    };
    Ok(Completion {
        content,
        stop,
        usage: outcome.usage,
        response_id: heading.response_id.clone(),
        model: heading.model.clone(),
    })
}

fn says_something(piece: &Content) -> bool {
    match piece {
        Content::Text(text) => !text.text.trim().is_empty(),
        Content::Thinking(thinking) => !thinking.text.trim().is_empty(),
        Content::ToolCall(_) => true,
        _ => false,
    }
}

/// The counts of tokens in the vendors' sense: what was read includes what came from the cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::apis) struct Tokens {
    /// All that was read.
    pub(in crate::apis) read: u64,
    /// Of that, what came from the cache.
    pub(in crate::apis) cached: u64,
    /// Of that, what was put into the cache.
    pub(in crate::apis) cache_write: u64,
    /// What was written.
    pub(in crate::apis) written: u64,
    /// What was thought; most servers have it in `written` already.
    pub(in crate::apis) reasoning: u64,
    /// All of it as the server adds up; zero when it does not.
    pub(in crate::apis) total: u64,
}

/// The usage in our sense; nothing when the server counted nothing, which some do for want of an answer.
pub(in crate::apis) fn usage(tokens: Tokens) -> Option<Usage> {
    if tokens == Tokens::default() {
        return None;
    }
    let both = tokens.read.saturating_add(tokens.written);
    // Whether thoughts are counted apart shows in the total alone; without one, more thoughts than words show it.
    let apart = match tokens.total {
        0 => tokens.reasoning > tokens.written,
        total => total == both.saturating_add(tokens.reasoning),
    };
    let output = if apart { tokens.written.saturating_add(tokens.reasoning) } else { tokens.written };
    let cached = tokens.cached.saturating_add(tokens.cache_write);
    let usage = Usage {
        input: tokens.read.saturating_sub(cached),
        output,
        cache_read: tokens.cached,
        cache_write: tokens.cache_write,
        total_tokens: tokens.total,
        reasoning: tokens.reasoning,
        cost: None,
    };
    Some(if tokens.total == 0 { Usage { total_tokens: usage.sum(), ..usage } } else { usage })
}
