//! What everything that writes needs: calls, what is known, and which conversation a target is.

use std::sync::Arc;

use openclaw_ports::Clock;
use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_types::{Button, MessageId, Receipt, SendTarget};
use serde_json::Value;

use super::super::api::{As, SlackApi, SlackArguments};
use super::super::known::SlackKnown;
use super::super::normalize::Us;
use super::super::target::{self, SlackDestination};
use super::blocks;
use crate::shared::AccountMemory;

/// What everything that writes needs. Cloning is cheap.
#[derive(Clone)]
pub(in super::super) struct Desk {
    /// Makes calls.
    pub(in super::super) api: SlackApi,
    /// Knows names and conversations.
    pub(in super::super) known: SlackKnown,
    /// Tells the time.
    pub(in super::super) clock: Arc<dyn Clock>,
    /// Who we are.
    pub(in super::super) us: Arc<Us>,
    /// What is remembered beyond a restart.
    pub(in super::super) kept: Arc<AccountMemory>,
}

impl Desk {
    /// Where a target is.
    pub(in super::super) fn place(&self, target: &SendTarget) -> Result<SlackDestination, ChannelError> {
        target::read(&target.to).map_err(|reason| ChannelError::Wrong { reason })
    }

    /// The conversation of a target; a direct chat is opened where it is not known.
    pub(in super::super) async fn room(&self, target: &SendTarget) -> Result<String, ChannelError> {
        match self.place(target)? {
            // Slack takes a name only where something is written.
            SlackDestination::Room(room) if room.starts_with('#') => {
                Ok(self.known.chat(&room).unwrap_or(room))
            }
            SlackDestination::Room(room) | SlackDestination::OnlyFor { room, .. } => Ok(room),
            SlackDestination::Person(person) => self.chat(&person).await,
        }
    }

    /// Buttons as Slack takes them: what is too long to be carried goes under a name.
    pub(super) async fn short(&self, rows: &[Vec<Button>]) -> Vec<Vec<Button>> {
        let mut short = rows.to_vec();
        for button in short.iter_mut().flatten() {
            if !button.data.is_empty() && !AccountMemory::is_short(&button.data, blocks::DATA) {
                button.data = self.kept.shorten(&button.data, 0).await;
            }
        }
        short
    }

    /// The direct chat with a person.
    pub(in super::super) async fn chat(&self, person: &str) -> Result<String, ChannelError> {
        if let Some(room) = self.known.chat(person) {
            return Ok(room);
        }
        let arguments = SlackArguments::default().with("users", person);
        let answer = self.api.call(As::Us, "conversations.open", arguments).await?;
        let room = answer["channel"]["id"].as_str().ok_or_else(|| ChannelError::Unreachable {
            reason: "conversations.open: the answer names no conversation".into(),
            landed: Landed::No,
        })?;
        self.known.chats(person, room);
        Ok(room.to_owned())
    }
}

/// The receipt for a message that Slack tells of.
pub(in super::super) fn receipt_of(answer: &Value) -> Result<Receipt, ChannelError> {
    let ts = answer["ts"].as_str().and_then(|ts| MessageId::new(ts).ok());
    let message = ts.ok_or_else(|| ChannelError::Unreachable {
        reason: "the answer does not name the message".into(),
        landed: Landed::Maybe,
    })?;
    Ok(Receipt { message, moved_to: None })
}
