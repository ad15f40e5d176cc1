//! Sends a piece: into a room, as the answer to a command, or as a new post of a forum.

mod answers;
mod body;
mod voice;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, Landed, SendMessage, Sent};
use openclaw_ports::stores::StoreError;
use openclaw_types::{MediaFile, MediaKind, MessageId, Outgoing, Payload, Receipt, UnixMillis};
use serde_json::{Map, Value, json};

use super::destination::{Aside, Destination};
use super::known::Known;
use super::rest::{ApiFault, Call};
use crate::shared::{Method, Part};
pub(super) use answers::Answers;
use answers::{Pending, Turn};
pub(super) use body::EPHEMERAL;
use body::{body, nonce, reference, words};
use voice::{Wave, wave};

/// A file that is somebody speaking.
const VOICE: u64 = 1 << 13;
/// The largest recording that is looked into.
const LARGEST_VOICE: u64 = 24 * 1024 * 1024;
/// The longest name of a post.
const LONGEST_NAME: usize = 100;
/// The platform knows nothing of the interaction any more.
const OVER: [u64; 3] = [10_015, 10_062, 50_027];

/// Sends pieces.
pub(super) struct DiscordSend {
    known: Arc<Known>,
}

impl DiscordSend {
    pub(super) fn new(known: Arc<Known>) -> Self {
        Self { known }
    }

    async fn in_room(&self, piece: &Outgoing, destination: &Destination) -> Result<Receipt, ChannelError> {
        let room = self.known.room(destination).await?;
        let mut body = with_file(piece, body(piece).map_err(wrong)?).await?;
        let is_direct = matches!(destination.home, super::destination::Home::User(_));
        if !is_direct && self.known.channel(&room).await?.is_forum() {
            return self.as_post(piece, &room, body).await;
        }
        // A thread's first message is in the room above and cannot be answered from within.
        if let Some(reply) = piece.reply.as_ref().filter(|reply| reply.message.as_str() != room) {
            body.fields.insert("message_reference".to_owned(), reference(reply.message.as_str()));
        }
        body.fields.insert("nonce".to_owned(), json!(nonce(&piece.key)));
        body.fields.insert("enforce_nonce".to_owned(), json!(true));
        let sent = self.known.api.call(body.call(Method::POST, format!("/channels/{room}/messages"))).await?;
        receipt(&sent, None)
    }

    /// A forum takes posts only: a thread with its first message.
    async fn as_post(&self, piece: &Outgoing, room: &str, body: Body) -> Result<Receipt, ChannelError> {
        let title = match &piece.payload {
            Payload::Poll(poll) => poll.question.clone(),
            other => words(other).map(|text| text.text().to_owned()).unwrap_or_else(|| body.file_name()),
        };
        let title = title.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("Post");
        let title: String = title.chars().take(LONGEST_NAME).collect();
        let mut fields = body.fields;
        let attachments = fields.remove("attachments");
        let mut post = Map::from_iter([("name".to_owned(), json!(title))]);
        if let Some(attachments) = attachments {
            fields.insert("attachments".to_owned(), attachments);
        }
        post.insert("message".to_owned(), Value::Object(fields));
        let body = Body { fields: post, file: body.file };
        let made = self.known.api.call(body.call(Method::POST, format!("/channels/{room}/threads"))).await?;
        let thread = made["id"].as_str().unwrap_or_default().to_owned();
        let first = made.get("message").filter(|message| message["id"].is_string()).unwrap_or(&made);
        receipt(first, Some(format!("channel:{thread}")))
    }

    async fn as_answer(&self, piece: &Outgoing, pending: &Pending, turn: Turn) -> Result<Value, ApiFault> {
        let mut body = with_file(piece, body(piece).map_err(wrong)?).await?;
        let way = format!("/webhooks/{}/{}", self.known.application, pending.token);
        let flags = body.fields.get("flags").and_then(Value::as_u64).unwrap_or(0);
        let call = match turn {
            Turn::First => {
                // Whether others see it was said when the command came.
                body.fields.remove("flags");
                body.call(Method::PATCH, format!("{way}/messages/@original"))
            }
            Turn::Later => {
                let flags = if pending.ephemeral { flags | EPHEMERAL } else { flags };
                body.fields.insert("flags".to_owned(), json!(flags));
                body.call(Method::POST, format!("{way}?wait=true"))
            }
        };
        self.known.api.call(call.unsigned()).await
    }
}

#[async_trait]
impl SendMessage for DiscordSend {
    async fn send(&self, piece: &Outgoing) -> Result<Receipt, ChannelError> {
        let destination = Destination::of(&piece.target).map_err(wrong)?;
        if let Aside::Interaction(id) = &destination.aside
            && let Some((pending, turn)) = self.known.answers.claim(id, &piece.key).await.map_err(store)?
        {
            match self.as_answer(piece, &pending, turn).await {
                Ok(sent) => return receipt(&sent, None),
                // Too late for an answer: the room has to do.
                Err(ApiFault { code, .. }) if OVER.contains(&code) => {}
                Err(fault) => return Err(fault.error),
            }
        }
        self.in_room(piece, &destination).await
    }

    async fn find(&self, _piece: &Outgoing, _since: UnixMillis) -> Result<Sent, ChannelError> {
        Ok(Sent::Unknown)
    }
}

/// What is sent: the fields, and the file.
struct Body {
    fields: Map<String, Value>,
    file: Option<MediaFile>,
}

impl Body {
    fn call(self, method: Method, path: String) -> Call {
        let fields = Value::Object(self.fields);
        let Some(file) = self.file else { return Call::with(method, path, fields) };
        let parts = vec![
            Part::Text { name: "payload_json".to_owned(), value: fields.to_string() },
            Part::File {
                name: "files[0]".to_owned(),
                file_name: file.name,
                media_type: file.media_type,
                path: PathBuf::from(file.path),
            },
        ];
        Call::with_files(method, path, parts)
    }

    fn file_name(&self) -> String {
        self.file.as_ref().map(|file| file.name.clone()).unwrap_or_default()
    }
}

/// Adds the file of a piece. A recording without words is shown as somebody speaking.
async fn with_file(piece: &Outgoing, mut fields: Map<String, Value>) -> Result<Body, ChannelError> {
    let Payload::Media { file, kind, caption } = &piece.payload else {
        return Ok(Body { fields, file: None });
    };
    let mut attachment = json!({ "id": "0", "filename": file.name });
    if *kind == MediaKind::Voice
        && caption.is_empty()
        && piece.buttons.is_empty()
        && let Some(wave) = recording(file).await?
    {
        attachment["duration_secs"] = json!(wave.seconds);
        attachment["waveform"] = json!(wave.bars);
        let flags = fields.get("flags").and_then(Value::as_u64).unwrap_or(0);
        fields.insert("flags".to_owned(), json!(flags | VOICE));
    }
    fields.insert("attachments".to_owned(), json!([attachment]));
    Ok(Body { fields, file: Some(file.clone()) })
}

async fn recording(file: &MediaFile) -> Result<Option<Wave>, ChannelError> {
    let trouble = |error: std::io::Error| ChannelError::Unreachable {
        reason: format!("the file to send cannot be read: {error}"),
        landed: Landed::No,
    };
    if tokio::fs::metadata(&file.path).await.map_err(trouble)?.len() > LARGEST_VOICE {
        return Ok(None);
    }
    let bytes = tokio::fs::read(&file.path).await.map_err(trouble)?;
    Ok(wave(&bytes))
}

fn receipt(sent: &Value, moved_to: Option<String>) -> Result<Receipt, ChannelError> {
    let id = sent["id"].as_str().unwrap_or_default();
    let message = MessageId::new(id).map_err(|_empty| ChannelError::Unreachable {
        reason: "Discord did not say which message it made".to_owned(),
        landed: Landed::Maybe,
    })?;
    Ok(Receipt { message, moved_to })
}

fn wrong(reason: String) -> ChannelError {
    ChannelError::Wrong { reason }
}

fn store(error: StoreError) -> ChannelError {
    ChannelError::Unreachable {
        reason: format!("what is to be answered cannot be read: {error}"),
        landed: Landed::No,
    }
}
