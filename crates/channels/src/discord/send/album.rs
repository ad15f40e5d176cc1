//! Sends several files in one message. Where that is too much for one, they go one by one; how far that came is remembered,
//! so that a piece that is tried again brings no file twice.

use openclaw_ports::channel::ChannelError;
use openclaw_types::{AlbumItem, MediaKind, Outgoing, PiecePayload, Receipt, RichText};
use serde_json::json;

use super::super::destination::DiscordDestination;
use super::super::rest::ApiFault;
use super::answers::{Pending, Turn};
use super::{DiscordSend, receipt, wrong};

/// What is sent has too many bytes for one message.
const TOO_LARGE: u64 = 40_005;
/// Where the files of albums are remembered that were sent one by one.
const SENT: &str = "album";

/// What a file goes together with: everything but a recording, which is shown as somebody speaking.
pub(in super::super) fn family(kind: MediaKind, _media_type: &str) -> Option<&'static str> {
    (kind != MediaKind::Voice).then_some("files")
}

/// Where a piece goes.
#[derive(Clone, Copy)]
pub(super) enum Way<'a> {
    /// Into a room.
    Room(&'a DiscordDestination),
    /// Into the answer to a command.
    Answer(&'a Pending, Turn),
}

impl DiscordSend {
    /// Sends a piece; an album file by file where it is too much for one message.
    pub(super) async fn put(&self, piece: &Outgoing, way: Way<'_>) -> Result<Receipt, ApiFault> {
        let PiecePayload::Album { items, caption } = &piece.payload else {
            return self.whole(piece, way).await;
        };
        if self.sent(&step(piece, 0)).await.is_some() {
            return self.one_by_one(piece, way, (items, caption)).await;
        }
        match self.whole(piece, way).await {
            Err(ApiFault { code: TOO_LARGE, .. }) => self.one_by_one(piece, way, (items, caption)).await,
            other => other,
        }
    }

    /// Sends a piece as one message.
    async fn whole(&self, piece: &Outgoing, way: Way<'_>) -> Result<Receipt, ApiFault> {
        match way {
            Way::Room(to) => self.in_room(piece, to).await,
            Way::Answer(pending, turn) => Ok(receipt(&self.as_answer(piece, pending, turn).await?, None)?),
        }
    }

    async fn one_by_one(
        &self,
        piece: &Outgoing,
        way: Way<'_>,
        (items, caption): (&[AlbumItem], &RichText),
    ) -> Result<Receipt, ApiFault> {
        let mut first: Option<Receipt> = None;
        for (number, item) in items.iter().enumerate() {
            let key = step(piece, number);
            let became = match self.sent(&key).await {
                Some(became) => became,
                None => {
                    let caption = if number == 0 { caption.clone() } else { RichText::default() };
                    let payload = PiecePayload::Media { file: item.file.clone(), kind: item.kind, caption };
                    let reply = piece.reply.clone().filter(|_| number == 0);
                    let single = Outgoing { key: key.clone(), payload, reply, ..piece.clone() };
                    let became = self.after(&single, way, first.as_ref()).await?;
                    self.known.kept.remember(SENT, &key, json!(became)).await;
                    became
                }
            };
            first.get_or_insert(became);
        }
        Ok(first.ok_or_else(|| ChannelError::Wrong { reason: "an album without files".to_owned() })?)
    }

    /// Sends a file of an album behind the first one. In a forum that one made a post, and the others go into it; in an
    /// answer the others follow it.
    async fn after(
        &self,
        single: &Outgoing,
        way: Way<'_>,
        first: Option<&Receipt>,
    ) -> Result<Receipt, ApiFault> {
        let post = first.and_then(|first| first.moved_to.as_deref());
        let post = post.map(DiscordDestination::read).transpose().map_err(wrong)?;
        let way = match (way, first, &post) {
            (Way::Room(_), _, Some(post)) => Way::Room(post),
            (Way::Answer(pending, _), Some(_), _) => Way::Answer(pending, Turn::Later),
            (way, _, _) => way,
        };
        self.whole(single, way).await
    }

    /// What a file became that was sent before.
    async fn sent(&self, key: &str) -> Option<Receipt> {
        self.known.kept.recall(SENT, key).await
    }
}

/// Names a file of a piece among what was sent of it before.
fn step(piece: &Outgoing, number: usize) -> String {
    format!("{}#{number}", piece.key)
}
