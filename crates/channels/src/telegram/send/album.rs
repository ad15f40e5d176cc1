//! Sends several files as one album: one call, so that it is there as a whole or not at all.
//!
//! An album that the platform does not take is sent file by file, each shown as it can be. How far that came is
//! remembered, so that a piece that is tried again brings no file twice.

use openclaw_ports::channel::ChannelError;
use openclaw_types::{AlbumItem, MediaKind, Outgoing, RichText};
use serde_json::{Map, Value, json};

use super::media::form;
use super::{Call, TelegramSend, put_text};
use crate::telegram::api::ApiFault;
use crate::telegram::target::TelegramDestination;
use crate::telegram::wire::SentMessage;

/// What a file goes together with in an album.
pub(in crate::telegram) fn family(kind: MediaKind, media_type: &str) -> Option<&'static str> {
    form(kind, media_type).family()
}

impl TelegramSend {
    /// Sends an album; gives the number of its first message.
    pub(super) async fn album(
        &self,
        piece: &Outgoing,
        to: &TelegramDestination,
        (items, caption): (&[AlbumItem], &RichText),
    ) -> Result<i64, ChannelError> {
        if self.memory.half(&step(piece, 0)).await.is_some() {
            return self.one_by_one(piece, to, (items, caption)).await;
        }
        let mut fields = self.fields(piece, to).await;
        fields.insert("media".into(), described(items, caption));
        let files = items.iter().enumerate().map(|(number, item)| (part_name(number), &item.file)).collect();
        let call = Call { method: "sendMediaGroup", fields, files, private: to.is_private() };
        let sent: Vec<SentMessage> = match self.make(call).await {
            Ok(sent) => sent,
            Err(fault) if is_too_much(&fault) => {
                tracing::debug!(subsystem = "channels", ?fault, "an album is sent file by file");
                return self.one_by_one(piece, to, (items, caption)).await;
            }
            Err(fault) => return Err(fault.into()),
        };
        for message in &sent {
            self.memory.note_sent(message.chat.id, message.message_id).await;
        }
        let first = sent.first().map(|message| message.message_id);
        first.ok_or_else(|| ChannelError::Wrong {
            reason: "the platform made no message of an album".to_owned(),
        })
    }

    /// Sends the files of an album as messages of their own, from the first that was not sent before.
    async fn one_by_one(
        &self,
        piece: &Outgoing,
        to: &TelegramDestination,
        (items, caption): (&[AlbumItem], &RichText),
    ) -> Result<i64, ChannelError> {
        let mut first = None;
        let nothing = RichText::default();
        for (number, item) in items.iter().enumerate() {
            let step = step(piece, number);
            let message = match self.memory.half(&step).await {
                Some(before) => before,
                None => {
                    let (words, reply) = match number {
                        0 => (caption, piece.reply.clone()),
                        _ => (&nothing, None),
                    };
                    let single = Outgoing { reply, ..piece.clone() };
                    let sent = self.media(&single, to, (&item.file, item.kind, words)).await;
                    let message = self.noted(sent).await?;
                    self.memory.note_half(&step, message).await;
                    message
                }
            };
            first.get_or_insert(message);
        }
        first.ok_or_else(|| ChannelError::Wrong { reason: "an album without files".to_owned() })
    }
}

/// Names a file of a piece among what was sent of it before.
fn step(piece: &Outgoing, number: usize) -> String {
    format!("{}#{number}", piece.key)
}

fn part_name(number: usize) -> String {
    format!("file{number}")
}

/// The files as the platform wants them described, with the words below the first.
fn described(items: &[AlbumItem], caption: &RichText) -> Value {
    let item = |(number, item): (usize, &AlbumItem)| {
        let (_, kind) = form(item.kind, &item.file.media_type).method();
        let mut fields = Map::new();
        fields.insert("type".into(), json!(kind));
        fields.insert("media".into(), json!(format!("attach://{}", part_name(number))));
        if number == 0 && !caption.is_empty() {
            put_text(&mut fields, "caption", caption);
        }
        Value::Object(fields)
    };
    items.iter().enumerate().map(item).collect()
}

/// Whether the platform refuses an album whose files it may take one by one: too much for one call, or one of them is not
/// what it seems. A call that was refused had no effect.
fn is_too_much(fault: &ApiFault) -> bool {
    let refused = matches!(ChannelError::from(fault.clone()), ChannelError::Refused { .. });
    refused && matches!(fault, ApiFault::Said(no) if matches!(no.code, 400 | 413))
}
