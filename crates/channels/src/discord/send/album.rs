//! Sends several files in one message. Where that is too much for one, they go one by one; how far that came is remembered,
//! so that a piece that is tried again brings no file twice.

use openclaw_ports::channel::ChannelError;
use openclaw_types::{AlbumItem, MediaKind, Outgoing, Payload, Receipt, RichText};
use serde_json::json;

use super::super::destination::Destination;
use super::super::rest::ApiFault;
use super::{DiscordSend, receipt, wrong};

/// What is sent has too many bytes for one message.
const TOO_LARGE: u64 = 40_005;
/// Where the files of albums are remembered that were sent one by one.
const SENT: &str = "album";

/// What a file goes together with: everything but a recording, which is shown as somebody speaking.
pub(in super::super) fn family(kind: MediaKind, _media_type: &str) -> Option<&'static str> {
    (kind != MediaKind::Voice).then_some("files")
}

impl DiscordSend {
    /// Sends an album.
    pub(super) async fn album(
        &self,
        piece: &Outgoing,
        to: &Destination,
        (items, caption): (&[AlbumItem], &RichText),
    ) -> Result<Receipt, ChannelError> {
        if self.sent(&step(piece, 0)).await.is_some() {
            return self.one_by_one(piece, to, (items, caption)).await;
        }
        match self.in_room(piece, to).await {
            Err(ApiFault { code: TOO_LARGE, .. }) => self.one_by_one(piece, to, (items, caption)).await,
            other => other.map_err(|fault| fault.error),
        }
    }

    async fn one_by_one(
        &self,
        piece: &Outgoing,
        to: &Destination,
        (items, caption): (&[AlbumItem], &RichText),
    ) -> Result<Receipt, ChannelError> {
        let mut first: Option<Receipt> = None;
        for (number, item) in items.iter().enumerate() {
            let key = step(piece, number);
            let became = match self.sent(&key).await {
                Some(message) => receipt(&json!({ "id": message }), None)?,
                None => {
                    let caption = if number == 0 { caption.clone() } else { RichText::default() };
                    let payload = Payload::Media { file: item.file.clone(), kind: item.kind, caption };
                    let reply = piece.reply.clone().filter(|_| number == 0);
                    let single = Outgoing { key: key.clone(), payload, reply, ..piece.clone() };
                    // In a forum the first one makes a post, and the others go into it.
                    let post = first.as_ref().and_then(|first| first.moved_to.as_deref());
                    let post = post.map(Destination::read).transpose().map_err(wrong)?;
                    let to = post.as_ref().unwrap_or(to);
                    let became = self.in_room(&single, to).await.map_err(|fault| fault.error)?;
                    self.known.kept.remember(SENT, &key, json!(became.message.as_str())).await;
                    became
                }
            };
            first.get_or_insert(became);
        }
        first.ok_or_else(|| ChannelError::Wrong { reason: "an album without files".to_owned() })
    }

    async fn sent(&self, key: &str) -> Option<String> {
        self.known.kept.recall(SENT, key).await
    }
}

/// Names a file of a piece among what was sent of it before.
fn step(piece: &Outgoing, number: usize) -> String {
    format!("{}#{number}", piece.key)
}
