//! Stage: accepts a letter. It is durable before its sender is told, and taken once however often it is sent.

use openclaw_ports::stores::{Acceptance, InboxId, InboxKey, InboxMessage, InboxRow};
use openclaw_types::RunId;

use crate::error::FlowError;
use crate::flow::Inner;
use crate::letter::{Letter, Surface};
use crate::runs::{Ended, RunState};

/// A letter that was seen for the first time and is stored.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Accepted {
    id: InboxId,
    letter: Letter,
}

/// What became of a letter at the door.
#[derive(Debug)]
pub(crate) enum Arrival {
    /// It is new.
    New(Box<Accepted>),
    /// It came before, and its run is under way.
    InFlight,
    /// It came before and was dealt with.
    Ended(Option<Ended>),
}

impl Accepted {
    pub(crate) fn id(&self) -> InboxId {
        self.id
    }

    pub(crate) fn letter(&self) -> &Letter {
        &self.letter
    }

    pub(crate) fn run(&self) -> &RunId {
        &self.letter.run
    }

    /// A letter of the inbox that an earlier process accepted.
    pub(crate) fn found(row: &InboxRow) -> Result<Self, serde_json::Error> {
        Ok(Self { id: row.id, letter: serde_json::from_value(row.message.body.clone())? })
    }
}

/// Accepts a letter.
pub(crate) async fn accept(flow: &Inner, letter: Letter) -> Result<Arrival, FlowError> {
    if letter.text.trim().is_empty() && letter.pictures.is_empty() {
        return Err(FlowError::Empty);
    }
    match flow.runs.state(&letter.run) {
        RunState::Active(_) => return Ok(Arrival::InFlight),
        RunState::Ended(ended) => return Ok(Arrival::Ended(Some(ended))),
        RunState::Unknown => {}
    }
    let body = serde_json::to_value(&letter)
        .map_err(|error| FlowError::Wrong(format!("the message cannot be written down: {error}")))?;
    let key = letter_key(letter.surface, &letter.run);
    let message = InboxMessage { key, session: letter.key.clone(), at: letter.at, body };
    // Noted first, so that two clients that send the same letter at once cannot both start it.
    flow.runs.accepted(&letter.run, &letter.key, &letter.raw_key);
    match flow.parts.inbox.accept(message).await {
        Ok(Acceptance::New(id)) => Ok(Arrival::New(Box::new(Accepted { id, letter }))),
        Ok(Acceptance::Known(row)) if row.end.is_none() => Ok(Arrival::InFlight),
        Ok(Acceptance::Known(_)) => {
            flow.runs.forget(&letter.run);
            Ok(Arrival::Ended(None))
        }
        Err(error) => {
            flow.runs.forget(&letter.run);
            Err(error.into())
        }
    }
}

/// The key of a letter. One name for a message is enough on every surface: clients choose them at random.
pub(crate) fn letter_key(surface: Surface, run: &RunId) -> InboxKey {
    InboxKey { source: surface.as_str().to_owned(), account: String::new(), event: run.as_str().to_owned() }
}
