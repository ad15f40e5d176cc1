//! Sends a piece: into a room, as the answer to a command, or as a new post of a forum.
//!
//! The platform drops a message it has seen for some minutes only, and posts and later answers never. So a piece whose
//! fate is unknown is looked for (`look`).

mod album;
mod answers;
mod body;
mod look;
mod panel;
mod voice;

#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, Landed, SendMessage, Sent};
use openclaw_ports::stores::StoreError;
use openclaw_types::{
    Button, MediaFile, MediaKind, MessageId, Outgoing, PanelRow, PiecePayload, Pressed, Receipt, UnixMillis,
};
use serde_json::{Map, Value, json};

use super::destination::{Aside, DiscordDestination};
use super::known::DiscordKnown;
use super::rest::{ApiFault, Call};
use crate::shared::{AccountMemory, Method, UploadField};
use album::Way;
pub(super) use album::family;
pub(super) use answers::Answers;
use answers::{Pending, Turn};
pub(super) use body::{EPHEMERAL, reworded};
use body::{LONGEST_DATA, body, boxed, form_name, nonce, reference, title};
pub(super) use panel::{opened, window};
use voice::{Wave, wave};

/// A file that is somebody speaking.
const VOICE: u64 = 1 << 13;
/// The largest recording that is looked into.
const LARGEST_VOICE: u64 = 24 * 1024 * 1024;
/// The platform knows nothing of the interaction any more.
pub(super) const OVER: [u64; 3] = [10_015, 10_062, 50_027];
/// We may not answer messages there, since we may not read what was said before.
const NO_ANSWERS: u64 = 160_002;

/// The list of forms that buttons open.
pub(super) const FORMS: &str = "forms";

/// Sends pieces.
pub(super) struct DiscordSend {
    known: Arc<DiscordKnown>,
}

impl DiscordSend {
    pub(super) fn new(known: Arc<DiscordKnown>) -> Self {
        Self { known }
    }

    async fn in_room(&self, piece: &Outgoing, destination: &DiscordDestination) -> Result<Receipt, ApiFault> {
        let room = self.known.room(destination).await?;
        let mut body = with_files(piece, body(piece).map_err(wrong)?).await?;
        body.fields = boxed(body.fields, self.known.login.accent);
        let is_direct = matches!(destination.home, super::destination::Home::User(_));
        if !is_direct && self.known.channel(&room).await?.is_forum() {
            return self.as_post(piece, &room, body).await;
        }
        body.fields.insert("nonce".to_owned(), json!(nonce(&piece.key)));
        body.fields.insert("enforce_nonce".to_owned(), json!(true));
        body.fields
            .extend(reference(piece, &room).map(|answered| ("message_reference".to_owned(), answered)));
        let path = format!("/channels/{room}/messages");
        let sent = match self.known.api.call(body.clone().call(Method::POST, path.clone())).await {
            // What it answers cannot be answered. The words are worth more.
            Err(fault) if about_answer(&fault) && body.fields.remove("message_reference").is_some() => {
                self.known.api.call(body.call(Method::POST, path)).await?
            }
            other => other?,
        };
        Ok(receipt(&sent, None)?)
    }

    /// A forum takes posts only: a thread with its first message.
    async fn as_post(&self, piece: &Outgoing, room: &str, body: Body) -> Result<Receipt, ApiFault> {
        let post = json!({ "name": title(&piece.payload), "message": body.fields });
        let fields = post.as_object().cloned().unwrap_or_default();
        let body = Body { fields, files: body.files };
        let made = self.known.api.call(body.call(Method::POST, format!("/channels/{room}/threads"))).await?;
        let thread = made["id"].as_str().unwrap_or_default().to_owned();
        let first = made.get("message").filter(|message| message["id"].is_string()).unwrap_or(&made);
        Ok(receipt(first, Some(format!("channel:{thread}")))?)
    }

    async fn as_answer(&self, piece: &Outgoing, pending: &Pending, turn: Turn) -> Result<Value, ApiFault> {
        let mut body = with_files(piece, body(piece).map_err(wrong)?).await?;
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

impl DiscordSend {
    /// Buttons as the platform takes them: what is too long, or there twice, goes under a name.
    async fn short(&self, rows: &[Vec<Button>]) -> Vec<Vec<Button>> {
        let mut seen: Vec<&str> = Vec::new();
        let mut short = Vec::new();
        for row in rows {
            let mut buttons = Vec::new();
            for button in row {
                let times = seen.iter().filter(|data| **data == button.data).count();
                seen.push(&button.data);
                let data = match times == 0 && AccountMemory::is_short(&button.data, LONGEST_DATA) {
                    true => button.data.clone(),
                    false => self.known.kept.shorten(&button.data, times).await,
                };
                buttons.push(Button { data, text: button.text.clone() });
            }
            short.push(buttons);
        }
        short
    }

    /// A payload as the platform takes it: what buttons carry is short, and a form is remembered for who opens it.
    async fn sendable(&self, piece: &Outgoing) -> PiecePayload {
        let PiecePayload::Panel(panel) = &piece.payload else { return piece.payload.clone() };
        let mut panel = panel.clone();
        let mut seen: Vec<String> = Vec::new();
        for row in &mut panel.rows {
            let PanelRow::Buttons(buttons) = row else { continue };
            for button in buttons {
                let Pressed::Says(data) = &mut button.does else { continue };
                let times = seen.iter().filter(|each| *each == data).count();
                seen.push(data.clone());
                if times > 0 || !AccountMemory::is_short(data, LONGEST_DATA) {
                    *data = self.known.kept.shorten(data, times).await;
                }
            }
        }
        if let Some(form) = &panel.form {
            self.known.kept.remember(FORMS, &form_name(&piece.key), json!(form)).await;
        }
        PiecePayload::Panel(panel)
    }

    /// Notes what a piece became that follows in an answer: nobody could find it.
    async fn note(&self, id: &str, key: &str, receipt: &Receipt) {
        if let Err(error) = self.known.answers.note(id, key, receipt.message.as_str()).await {
            tracing::warn!(subsystem = "channels", %error, "what was answered cannot be noted");
        }
    }
}

#[async_trait]
impl SendMessage for DiscordSend {
    async fn send(&self, piece: &Outgoing) -> Result<Receipt, ChannelError> {
        let destination = DiscordDestination::of(&piece.target).map_err(wrong)?;
        let piece = &Outgoing {
            buttons: self.short(&piece.buttons).await,
            payload: self.sendable(piece).await,
            ..piece.clone()
        };
        if let Aside::Interaction { id, .. } = &destination.aside
            && let Some((pending, turn)) = self.known.answers.claim(id, &piece.key).await.map_err(store)?
        {
            match self.put(piece, Way::Answer(&pending, turn)).await {
                Ok(receipt) => {
                    if turn == Turn::Later {
                        self.note(id, &piece.key, &receipt).await;
                    }
                    return Ok(receipt);
                }
                // Too late for an answer: the room has to do, or a chat with who alone may see it.
                Err(ApiFault { code, .. }) if OVER.contains(&code) => {}
                Err(fault) => return Err(fault.error),
            }
        }
        self.put(piece, Way::Room(&destination.in_the_open())).await.map_err(|fault| fault.error)
    }

    async fn find(&self, piece: &Outgoing, since: UnixMillis) -> Result<Sent, ChannelError> {
        let destination = DiscordDestination::of(&piece.target).map_err(wrong)?;
        if let Aside::Interaction { id, only } = &destination.aside
            && let Some(pending) = self.known.answers.find(id).await.map_err(store)?
        {
            if let Some(message) = pending.became(&piece.key) {
                return Ok(Sent::Yes(receipt(&json!({ "id": message }), None)?));
            }
            // The first place is filled again without anybody seeing it; others of one person's are shown to no bot.
            match (pending.is_first(&piece.key), only) {
                (true, _) => return Ok(Sent::No),
                (false, Some(_)) => return Ok(Sent::Unknown),
                (false, None) => {}
            }
        }
        look::look(&self.known, piece, &destination.in_the_open(), since).await
    }
}

/// Whether the platform complains about the message that is answered.
fn about_answer(fault: &ApiFault) -> bool {
    let refused = matches!(fault.error, ChannelError::Refused { .. });
    refused && (fault.code == NO_ANSWERS || fault.fields.iter().any(|field| field == "message_reference"))
}

/// What is sent: the fields, and the files.
#[derive(Clone)]
struct Body {
    fields: Map<String, Value>,
    files: Vec<MediaFile>,
}

impl Body {
    fn call(self, method: Method, path: String) -> Call {
        let fields = Value::Object(self.fields);
        if self.files.is_empty() {
            return Call::with(method, path, fields);
        }
        let mut parts =
            vec![UploadField::Text { name: "payload_json".to_owned(), value: fields.to_string() }];
        parts.extend(self.files.into_iter().enumerate().map(|(number, file)| UploadField::File {
            name: format!("files[{number}]"),
            file_name: file.name,
            media_type: file.media_type,
            path: PathBuf::from(file.path),
        }));
        Call::with_files(method, path, parts)
    }
}

/// Adds the files of a piece. A recording without words is shown as somebody speaking.
async fn with_files(piece: &Outgoing, mut fields: Map<String, Value>) -> Result<Body, ChannelError> {
    let (file, kind, caption) = match &piece.payload {
        PiecePayload::Media { file, kind, caption } => (file, kind, caption),
        PiecePayload::Album { items, .. } => {
            let described = items.iter().enumerate();
            let described =
                described.map(|(id, item)| json!({ "id": id.to_string(), "filename": item.file.name }));
            fields.insert("attachments".to_owned(), described.collect());
            return Ok(Body { fields, files: items.iter().map(|item| item.file.clone()).collect() });
        }
        PiecePayload::Text { .. } | PiecePayload::Poll(_) | PiecePayload::Panel(_) => {
            return Ok(Body { fields, files: Vec::new() });
        }
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
    Ok(Body { fields, files: vec![file.clone()] })
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

pub(super) fn store(error: StoreError) -> ChannelError {
    ChannelError::Unreachable {
        reason: format!("what is to be answered cannot be read: {error}"),
        landed: Landed::No,
    }
}
