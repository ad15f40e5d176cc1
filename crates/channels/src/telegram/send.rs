//! Sends a piece: words, a file, an album, or a poll, with what it answers and its buttons.
//!
//! The platform refuses some trimmings where their time is over: a quote that is gone, a private topic that was closed, a
//! picture that is too large to be shown as one. Such a call had no effect and is made once more without them.

mod album;
mod media;

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, SendMessage, Sent};
use openclaw_types::{
    MediaFile, MediaKind, MessageId, Outgoing, PiecePayload, Poll, Receipt, RichText, UnixMillis,
};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use super::api::{ApiFault, TelegramApi};
use super::config::TelegramLogin;
use super::format::{format, is_plain};
use super::memory::{KnownPoll, Memory};
use super::target::{ChatRef, TelegramDestination};
use super::wire::SentMessage;
use crate::shared::UploadField;
pub(super) use album::family;
use media::form;

/// How many answers a poll may have.
const OPTIONS: std::ops::RangeInclusive<usize> = 2..=12;
/// How long a poll may be open, in seconds.
const OPEN: std::ops::RangeInclusive<u64> = 5..=2_628_000;

/// Sends pieces.
pub(super) struct TelegramSend {
    api: TelegramApi,
    memory: Arc<Memory>,
    login: Arc<TelegramLogin>,
}

/// A call to make: its fields, and the files it carries, each with the name of its part.
struct Call<'a> {
    method: &'static str,
    fields: Map<String, Value>,
    files: Vec<(String, &'a MediaFile)>,
    private: bool,
}

impl TelegramSend {
    pub(super) fn new(api: TelegramApi, memory: Arc<Memory>, login: Arc<TelegramLogin>) -> Self {
        Self { api, memory, login }
    }

    /// The fields that every kind of piece has.
    async fn fields(&self, piece: &Outgoing, to: &TelegramDestination) -> Map<String, Value> {
        let mut fields = to.fields();
        if piece.silent {
            fields.insert("disable_notification".into(), Value::Bool(true));
        }
        // What answers nothing that can be here is said all the same.
        if let Some((reply, message)) =
            piece.reply.as_ref().and_then(|reply| Some((reply, number(&reply.message).ok()?)))
        {
            let mut parameters = json!({ "message_id": message, "allow_sending_without_reply": true });
            if let Some(quote) = reply.quote.as_ref().filter(|quote| !quote.trim().is_empty()) {
                parameters["quote"] = json!(quote);
            }
            fields.insert("reply_parameters".into(), parameters);
        }
        if !piece.buttons.is_empty() && self.login.buttons.covers(to.is_private()) {
            let mut rows = Vec::new();
            for row in piece.buttons.iter().filter(|row| !row.is_empty()) {
                let mut buttons = Vec::new();
                for button in row {
                    let data = self.memory.shorten(&button.data).await;
                    buttons.push(json!({ "text": button.text, "callback_data": data }));
                }
                rows.push(buttons);
            }
            fields.insert("reply_markup".into(), json!({ "inline_keyboard": rows }));
        }
        fields
    }

    async fn text(
        &self,
        piece: &Outgoing,
        to: &TelegramDestination,
        text: &RichText,
    ) -> Result<SentMessage, ChannelError> {
        let mut fields = self.fields(piece, to).await;
        put_text(&mut fields, "text", text);
        if !piece.link_preview {
            fields.insert("link_preview_options".into(), json!({ "is_disabled": true }));
        }
        let private = to.is_private();
        Ok(self.make(Call { method: "sendMessage", fields, files: Vec::new(), private }).await?)
    }

    async fn media(
        &self,
        piece: &Outgoing,
        to: &TelegramDestination,
        (file, kind, caption): (&MediaFile, MediaKind, &RichText),
    ) -> Result<SentMessage, ChannelError> {
        let mut shape = form(kind, &file.media_type);
        loop {
            // Words that cannot stand below a file follow it. That it was sent is remembered, so that a piece that is
            // tried again does not bring it twice.
            let follows = !caption.is_empty() && !shape.takes_words();
            if follows && self.memory.half(&piece.key).await.is_some() {
                return self.text(piece, to, caption).await;
            }
            let mut fields = self.fields(piece, to).await;
            if follows {
                fields.remove("reply_markup");
            } else if !caption.is_empty() {
                put_text(&mut fields, "caption", caption);
            }
            let (method, field) = shape.method();
            let files = vec![(field.to_owned(), file)];
            let call = Call { method, fields, files, private: to.is_private() };
            match (self.make::<SentMessage>(call).await, shape.instead()) {
                (Ok(sent), _) if follows => {
                    self.memory.note_sent(sent.chat.id, sent.message_id).await;
                    self.memory.note_half(&piece.key, sent.message_id).await;
                    return self.text(piece, to, caption).await;
                }
                (Ok(sent), _) => return Ok(sent),
                (Err(fault), Some((words, other))) if fault.says(words) => shape = other,
                (Err(fault), _) => return Err(fault.into()),
            }
        }
    }

    async fn poll(
        &self,
        piece: &Outgoing,
        to: &TelegramDestination,
        poll: &Poll,
    ) -> Result<SentMessage, ChannelError> {
        let wrong = |reason: &str| Err(ChannelError::Wrong { reason: reason.to_owned() });
        if !OPTIONS.contains(&poll.options.len()) {
            return wrong("a Telegram poll has 2 to 12 answers");
        }
        if poll.seconds.is_some_and(|seconds| !OPEN.contains(&seconds)) {
            return wrong("a Telegram poll is open for 5 seconds to 30 days");
        }
        let mut fields = self.fields(piece, to).await;
        let options: Vec<Value> = poll.options.iter().map(|text| json!({ "text": text })).collect();
        fields.insert("question".into(), json!(poll.question));
        fields.insert("options".into(), json!(options));
        if poll.most > 1 {
            fields.insert("allows_multiple_answers".into(), Value::Bool(true));
        }
        if let Some(anonymous) = poll.anonymous {
            fields.insert("is_anonymous".into(), Value::Bool(anonymous));
        }
        if let Some(seconds) = poll.seconds {
            fields.insert("open_period".into(), json!(seconds));
        }
        let private = to.is_private();
        let call = Call { method: "sendPoll", fields, files: Vec::new(), private };
        let sent: SentMessage = self.make(call).await?;
        if let Some(made) = &sent.poll {
            let known = KnownPoll {
                chat: sent.chat.id,
                topic: to.topic,
                question: poll.question.clone(),
                options: poll.options.clone(),
            };
            self.memory.note_poll(&made.id, &known).await;
        }
        Ok(sent)
    }

    /// Makes a call, and once more without what the platform says is over.
    async fn make<T: DeserializeOwned>(&self, mut call: Call<'_>) -> Result<T, ApiFault> {
        loop {
            let fields = call.fields.clone();
            let made = match call.files.is_empty() {
                true => self.api.call(call.method, fields).await,
                false => {
                    let files = call.files.iter().map(|(name, file)| part(name, file)).collect();
                    self.api.upload(call.method, fields, files).await
                }
            };
            match made {
                Err(fault) if soften(&mut call, &fault) => {}
                other => return other,
            }
        }
    }

    /// The number of a message of ours, which is remembered.
    async fn noted(&self, sent: Result<SentMessage, ChannelError>) -> Result<i64, ChannelError> {
        let sent = sent?;
        self.memory.note_sent(sent.chat.id, sent.message_id).await;
        Ok(sent.message_id)
    }
}

#[async_trait]
impl SendMessage for TelegramSend {
    async fn send(&self, piece: &Outgoing) -> Result<Receipt, ChannelError> {
        let to = TelegramDestination::of(&piece.target)?;
        if let ChatRef::Id(id) = to.chat
            && let Some(now) = self.memory.moved(id).await
        {
            return Err(ChannelError::Moved { to: now.to_string() });
        }
        let sent = match &piece.payload {
            PiecePayload::Text { text } => self.noted(self.text(piece, &to, text).await).await,
            PiecePayload::Media { file, kind, caption } => {
                self.noted(self.media(piece, &to, (file, *kind, caption)).await).await
            }
            PiecePayload::Album { items, caption } => self.album(piece, &to, (items, caption)).await,
            PiecePayload::Poll(poll) => self.noted(self.poll(piece, &to, poll).await).await,
            PiecePayload::Panel(_) => Err(ChannelError::Wrong {
                reason: "Telegram has no menus and forms; use `buttons`".to_owned(),
            }),
        };
        // What follows goes there at once.
        if let (Err(ChannelError::Moved { to: now }), ChatRef::Id(id)) = (&sent, &to.chat)
            && let Ok(now) = now.parse()
        {
            self.memory.note_moved(*id, now).await;
        }
        let message = MessageId::new(sent?.to_string())
            .map_err(|error| ChannelError::Wrong { reason: error.to_string() })?;
        Ok(Receipt { message, moved_to: None })
    }

    async fn find(&self, _piece: &Outgoing, _since: UnixMillis) -> Result<Sent, ChannelError> {
        Ok(Sent::Unknown)
    }
}

/// Takes out what the platform says is over. Nothing that can be taken out is there twice, so this ends.
fn soften(call: &mut Call<'_>, fault: &ApiFault) -> bool {
    if fault.says(&["quote"])
        && let Some(reply) = call.fields.get_mut("reply_parameters").and_then(Value::as_object_mut)
    {
        return reply.remove("quote").is_some();
    }
    // Topics of a private chat can be switched off. A topic of a group that is gone stays an error: its words are not
    // for the others.
    if call.private && fault.says(&["message thread not found"]) {
        return call.fields.remove("message_thread_id").is_some();
    }
    false
}

/// Puts words into a call, as markup where they have any.
pub(super) fn put_text(fields: &mut Map<String, Value>, name: &str, text: &RichText) {
    if is_plain(text) {
        fields.insert(name.to_owned(), json!(text.text()));
    } else {
        fields.insert(name.to_owned(), json!(format(text)));
        fields.insert("parse_mode".into(), json!("HTML"));
    }
}

/// The number of a message.
pub(super) fn number(message: &MessageId) -> Result<i64, ChannelError> {
    message.as_str().parse().map_err(|_not_a_number| ChannelError::Wrong {
        reason: format!("\"{message}\" is no Telegram message: messages are numbers"),
    })
}

fn part(field: &str, file: &MediaFile) -> UploadField {
    UploadField::File {
        name: field.to_owned(),
        file_name: file.name.clone(),
        media_type: file.media_type.clone(),
        path: file.path.clone().into(),
    }
}
