//! Sends pieces, and finds out whether one was sent.
//!
//! Every message carries its piece's key as metadata, which people do not see: a piece whose fate is unknown is looked
//! for by it. `change` edits, deletes, reacts and shows that we write; `stream` shows answers while they are made;
//! `upload` brings files.

mod blocks;
mod change;
mod desk;
mod emoji;
mod stream;
mod upload;

use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, SendMessage, Sent};
use openclaw_types::{MessageId, Outgoing, PiecePayload, Receipt, RichText, UnixMillis};
use serde_json::{Value, json};

use super::api::{As, Fault, SlackArguments};
use super::format::format;
use super::intake::next_cursor;
use super::target::SlackDestination;

pub(super) use change::SlackChange;
pub(super) use desk::{Desk, receipt_of};
pub(super) use stream::{SlackDraft, Streams};
pub(super) use upload::family;

#[cfg(test)]
pub(super) use {blocks::with_buttons, emoji::name as emoji_name, stream::settled};

/// What our metadata is called.
const METADATA: &str = "openclaw_message";
/// How far back a piece is looked for: longer than a piece waits in the outbox.
const BACK: Duration = Duration::from_secs(26 * 60 * 60);
/// How many pages of messages are looked through.
const PAGES: usize = 5;

/// Sends pieces.
pub(super) struct SlackSend {
    desk: Desk,
    streams: Streams,
}

impl SlackSend {
    /// Sends from a desk; answers that were streamed there end as messages.
    pub(super) fn new(desk: Desk, streams: Streams) -> Self {
        Self { desk, streams }
    }

    async fn words(&self, piece: &Outgoing, text: &RichText) -> Result<Receipt, ChannelError> {
        let written = format(text);
        if written.trim().is_empty() {
            return Err(ChannelError::Wrong { reason: "there is nothing to say".into() });
        }
        if let SlackDestination::OnlyFor { room, person } = self.desk.place(&piece.target)? {
            return self.only_for(&room, &person, piece, written).await;
        }
        if let Some(receipt) = self.streams.finish(&self.desk, piece, text).await? {
            return Ok(receipt);
        }
        let room = self.desk.room(&piece.target).await?;
        let mut arguments = SlackArguments::default()
            .with("channel", &room)
            .with("text", &written)
            .maybe("thread_ts", thread_of(piece))
            .json("metadata", &metadata(&piece.key));
        if !piece.link_preview {
            arguments = arguments.with("unfurl_links", "false").with("unfurl_media", "false");
        }
        if !piece.buttons.is_empty() {
            arguments = arguments.json("blocks", &blocks::with_buttons(&written, &piece.buttons));
        }
        let answer = self.desk.api.call(As::Us, "chat.postMessage", arguments).await?;
        let mut receipt = receipt_of(&answer)?;
        if let (true, Some(id)) = (room.starts_with('#'), answer["channel"].as_str()) {
            self.desk.known.chats(&room, id);
            receipt.moved_to = Some(SlackDestination::Room(id.to_owned()).to_string());
        }
        Ok(receipt)
    }

    /// Words that one person sees: the answer to a command where there is one to answer, else a passing message, else,
    /// where we are not in the conversation, a direct one.
    async fn only_for(
        &self,
        room: &str,
        person: &str,
        piece: &Outgoing,
        written: String,
    ) -> Result<Receipt, ChannelError> {
        if let Some(address) = self.desk.known.answer(room, person) {
            let body = json!({ "response_type": "ephemeral", "replace_original": false, "text": written });
            match self.desk.api.respond(address, body).await {
                Ok(()) => return passing(&piece.key),
                // The address has had its time; the person can still be reached in the conversation.
                Err(ChannelError::Refused { reason }) => {
                    tracing::debug!(subsystem = "channels", reason, "a command cannot be answered any more");
                }
                Err(error) => return Err(error),
            }
        }
        let arguments = SlackArguments::default()
            .with("channel", room)
            .with("user", person)
            .with("text", &written)
            .maybe("thread_ts", thread_of(piece));
        match self.desk.api.call(As::Us, "chat.postEphemeral", arguments).await {
            Ok(_) => passing(&piece.key),
            Err(fault) if fault.says(&["not_in_channel", "channel_not_found", "user_not_in_channel"]) => {
                let room = self.desk.chat(person).await?;
                let arguments = SlackArguments::default()
                    .with("channel", room)
                    .with("text", written)
                    .json("metadata", &metadata(&piece.key));
                receipt_of(&self.desk.api.call(As::Us, "chat.postMessage", arguments).await?)
            }
            Err(fault) => Err(fault.into()),
        }
    }

    /// Looks through the messages of a conversation, or of a thread, for a key.
    async fn look(&self, piece: &Outgoing) -> Result<Option<Receipt>, Fault> {
        let room = self.desk.room(&piece.target).await?;
        let thread = thread_of(piece);
        let method = if thread.is_some() { "conversations.replies" } else { "conversations.history" };
        let oldest = self.desk.clock.now().minus(BACK).0.div_euclid(1000);
        let mut cursor: Option<String> = None;
        for _ in 0..PAGES {
            let arguments = SlackArguments::default()
                .with("channel", &room)
                .maybe("ts", thread)
                .with("oldest", oldest.to_string())
                .with("limit", "200")
                .with("include_all_metadata", "true")
                .maybe("cursor", cursor.take());
            let answer = self.desk.api.call(As::Us, method, arguments).await?;
            let wanted = metadata(&piece.key);
            let mut messages = answer["messages"].as_array().into_iter().flatten();
            let found = messages.find(|message| {
                message["metadata"]["event_type"] == wanted["event_type"]
                    && message["metadata"]["event_payload"] == wanted["event_payload"]
            });
            if let Some(message) = found {
                return Ok(Some(receipt_of(message)?));
            }
            cursor = next_cursor(&answer);
            if cursor.is_none() {
                break;
            }
        }
        Ok(None)
    }
}

#[async_trait]
impl SendMessage for SlackSend {
    async fn send(&self, piece: &Outgoing) -> Result<Receipt, ChannelError> {
        let piece = &Outgoing { buttons: self.desk.short(&piece.buttons).await, ..piece.clone() };
        match &piece.payload {
            PiecePayload::Text { text } => self.words(piece, text).await,
            PiecePayload::Media { caption, .. } | PiecePayload::Album { caption, .. } => {
                self.streams.give_up(&self.desk, &piece.target).await;
                upload::send(&self.desk, piece, &piece.payload.files(), caption).await
            }
            PiecePayload::Poll(_) => Err(ChannelError::Wrong {
                reason: "Slack has no polls; write the question and its answers as a message".into(),
            }),
            PiecePayload::Panel(_) => Err(ChannelError::Wrong {
                reason: "menus and forms are not sent to Slack; use `buttons`".into(),
            }),
        }
    }

    async fn find(&self, piece: &Outgoing, _since: UnixMillis) -> Result<Sent, ChannelError> {
        let has_key = match piece.payload {
            PiecePayload::Text { .. } => true,
            PiecePayload::Media { .. } | PiecePayload::Album { .. } => {
                upload::is_half_sent(&self.desk, piece).await
            }
            PiecePayload::Poll(_) | PiecePayload::Panel(_) => false,
        };
        if !has_key || matches!(self.desk.place(&piece.target)?, SlackDestination::OnlyFor { .. }) {
            return Ok(Sent::Unknown);
        }
        match self.look(piece).await {
            Ok(Some(receipt)) => {
                self.streams.settle(piece, &receipt).await;
                Ok(Sent::Yes(receipt))
            }
            Ok(None) => Ok(Sent::No),
            // Without the right to read there, nobody can say.
            Err(Fault::Refused { .. }) => Ok(Sent::Unknown),
            Err(fault) => Err(fault.into()),
        }
    }
}

/// The thread a piece goes into: the one it is sent to, else the one of the message it answers.
fn thread_of(piece: &Outgoing) -> Option<&str> {
    let thread = piece.target.thread.as_ref().map(|thread| thread.as_str());
    thread.or_else(|| piece.reply.as_ref().map(|reply| reply.message.as_str()))
}

/// What a message of ours is known by.
fn metadata(key: &str) -> Value {
    json!({ "event_type": METADATA, "event_payload": { "key": key } })
}

/// The receipt of a message that nobody can name later.
fn passing(key: &str) -> Result<Receipt, ChannelError> {
    let message = MessageId::new(key).map_err(|error| ChannelError::Wrong { reason: error.to_string() })?;
    Ok(Receipt { message, moved_to: None })
}
