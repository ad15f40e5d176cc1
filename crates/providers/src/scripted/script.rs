//! One scripted answer, built step by step.
//!
//! A script says what happens, not how a protocol spells it. `beats` cuts it into what a player does next.

use std::time::Duration;

use openclaw_ports::model::FaultReason;
use openclaw_types::Usage;
use serde_json::Value;

use super::{Gate, Rejection};

/// What a script reports when it does not say what it took.
pub const SCRIPTED_USAGE: Usage =
    Usage { input: 12, output: 8, cache_read: 0, cache_write: 0, total_tokens: 20, reasoning: 0, cost: None };

/// How many characters a delta has when the script does not say.
const DELTA_CHARACTERS: usize = 12;

/// One scripted answer.
///
/// Words said one after the other make one piece, even with waits between them. A script that does not break off ends
/// as whole answers do, with a reason to stop and its usage.
#[derive(Debug, Clone)]
pub struct Script {
    pub(super) steps: Vec<ScriptStep>,
    pub(super) delta_characters: usize,
    pub(super) usage: Option<Usage>,
    pub(super) close: Close,
}

/// One step of a script.
#[derive(Debug, Clone)]
pub(super) enum ScriptStep {
    Think(String),
    Say(String),
    Call { id: Option<String>, name: String, arguments: Value },
    Hold(Gate),
    Pause(Duration),
    Silence,
    Stall,
    Cut,
    Malformed,
    Endless,
    Reject(Rejection),
}

/// How a whole answer ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Close {
    /// As its content says: behind a call the model waits for the tool.
    Natural,
    /// At the limit of tokens.
    Length,
    /// Because the vendor does not want to go on.
    Refused,
}

impl Script {
    /// A script without a step: an answer that is whole and empty.
    #[must_use]
    pub fn new() -> Self {
        Self {
            steps: Vec::new(),
            delta_characters: DELTA_CHARACTERS,
            usage: Some(SCRIPTED_USAGE),
            close: Close::Natural,
        }
    }

    /// Thinks.
    #[must_use]
    pub fn think(self, text: impl Into<String>) -> Self {
        self.step(ScriptStep::Think(text.into()))
    }

    /// Says words for people.
    #[must_use]
    pub fn say(self, text: impl Into<String>) -> Self {
        self.step(ScriptStep::Say(text.into()))
    }

    /// Calls a tool. The player names the call; names are never used twice.
    #[must_use]
    pub fn call_tool(self, name: impl Into<String>, arguments: Value) -> Self {
        self.step(ScriptStep::Call { id: None, name: name.into(), arguments })
    }

    /// Calls a tool under a given name. Protocols that know no such names leave it out.
    #[must_use]
    pub fn call_tool_as(self, id: impl Into<String>, name: impl Into<String>, arguments: Value) -> Self {
        self.step(ScriptStep::Call { id: Some(id.into()), name: name.into(), arguments })
    }

    /// Says nothing at all. The answer is whole all the same, and reports its usage.
    #[must_use]
    pub fn empty(self) -> Self {
        let kept = |step: &ScriptStep| {
            !matches!(step, ScriptStep::Think(_) | ScriptStep::Say(_) | ScriptStep::Call { .. })
        };
        Self { steps: self.steps.into_iter().filter(kept).collect(), ..self }
    }

    /// Waits until the gate is open.
    #[must_use]
    pub fn hold(self, gate: &Gate) -> Self {
        self.step(ScriptStep::Hold(gate.clone()))
    }

    /// Waits for a while, on the player's clock.
    #[must_use]
    pub fn pause(self, span: Duration) -> Self {
        self.step(ScriptStep::Pause(span))
    }

    /// Takes the call and never answers, not even with a status.
    #[must_use]
    pub fn silent(self) -> Self {
        self.step(ScriptStep::Silence)
    }

    /// Sends nothing more and keeps the connection open.
    #[must_use]
    pub fn stall(self) -> Self {
        self.step(ScriptStep::Stall)
    }

    /// Drops the connection in the middle of the answer.
    #[must_use]
    pub fn cut(self) -> Self {
        self.step(ScriptStep::Cut)
    }

    /// Sends a frame that is not of the protocol.
    #[must_use]
    pub fn malformed(self) -> Self {
        self.step(ScriptStep::Malformed)
    }

    /// Goes on saying things until the caller leaves.
    #[must_use]
    pub fn endless(self) -> Self {
        self.step(ScriptStep::Endless)
    }

    /// Rejects the call with this status, and the error that goes with it at the vendor.
    #[must_use]
    pub fn status(self, status: u16) -> Self {
        self.reject(Rejection::with_status(status))
    }

    /// Rejects the call with this status and asks to be left alone for a while.
    #[must_use]
    pub fn status_after(self, status: u16, wait: Duration) -> Self {
        self.reject(Rejection::with_status(status).retry_after(wait))
    }

    /// Rejects the call for this reason, with the vendor's usual status and words. Behind words, thoughts or calls it
    /// is an error in the middle of the answer.
    #[must_use]
    pub fn fault(self, reason: FaultReason) -> Self {
        self.reject(Rejection::new(reason))
    }

    /// Rejects the call in detail.
    #[must_use]
    pub fn reject(self, rejection: Rejection) -> Self {
        self.step(ScriptStep::Reject(rejection))
    }

    /// Ends because the vendor does not want to go on.
    #[must_use]
    pub fn refuse(self) -> Self {
        Self { close: Close::Refused, ..self }
    }

    /// Ends at the limit of tokens.
    #[must_use]
    pub fn length(self) -> Self {
        Self { close: Close::Length, ..self }
    }

    /// Reports this usage.
    #[must_use]
    pub fn usage(self, usage: Usage) -> Self {
        Self { usage: Some(usage), ..self }
    }

    /// Reports no usage, as some compatible servers do.
    #[must_use]
    pub fn without_usage(self) -> Self {
        Self { usage: None, ..self }
    }

    /// Cuts words, thoughts and arguments into pieces of so many characters.
    #[must_use]
    pub fn in_pieces_of(self, characters: usize) -> Self {
        Self { delta_characters: characters.max(1), ..self }
    }

    fn step(mut self, step: ScriptStep) -> Self {
        self.steps.push(step);
        self
    }
}

impl Default for Script {
    fn default() -> Self {
        Self::new()
    }
}
