//! Puts files that stand next to each other into albums: one message, and one piece, where there were several.
//!
//! What goes together is the platform's to say. The words and what is answered are those of the first file; a file with
//! buttons stands alone, since nothing can hang below an album. An album has the key of its first piece.

use openclaw_types::{AlbumItem, MediaKind, Outgoing, PiecePayload};

/// How a platform makes albums.
pub struct AlbumRules {
    /// The most files in one.
    pub most: usize,
    /// Names what a file goes together with; nothing for one that stands alone.
    pub family: fn(MediaKind, &str) -> Option<&'static str>,
}

/// The pieces, with albums in the place of files that go together.
#[must_use]
pub fn with_albums(pieces: Vec<Outgoing>, rules: &AlbumRules) -> Vec<Outgoing> {
    let mut all: Vec<Outgoing> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match all.last_mut().filter(|last| rules.join(last, &piece)) {
            Some(last) => join(last, piece),
            None => all.push(piece),
        }
    }
    all
}

impl AlbumRules {
    /// Whether a piece goes into the album that another is, or begins.
    fn join(&self, last: &Outgoing, next: &Outgoing) -> bool {
        let PiecePayload::Media { kind, file, caption } = &next.payload else { return false };
        let (count, before) = match &last.payload {
            PiecePayload::Media { kind, file, .. } => (1, (self.family)(*kind, &file.media_type)),
            PiecePayload::Album { items, .. } => {
                let first = items.first();
                (items.len(), first.and_then(|item| (self.family)(item.kind, &item.file.media_type)))
            }
            PiecePayload::Text { .. } | PiecePayload::Poll(_) | PiecePayload::Panel(_) => return false,
        };
        let family = (self.family)(*kind, &file.media_type);
        family.is_some()
            && family == before
            && count < self.most
            && caption.is_empty()
            && last.buttons.is_empty()
            && next.buttons.is_empty()
            && last.target == next.target
            && (next.reply.is_none() || next.reply == last.reply)
    }
}

fn join(last: &mut Outgoing, next: Outgoing) {
    let PiecePayload::Media { file, kind, .. } = next.payload else { return };
    let new = AlbumItem { file, kind };
    match &mut last.payload {
        PiecePayload::Album { items, .. } => items.push(new),
        PiecePayload::Media { file, kind, caption } => {
            let first = AlbumItem { file: file.clone(), kind: *kind };
            last.payload = PiecePayload::Album { items: vec![first, new], caption: std::mem::take(caption) };
        }
        PiecePayload::Text { .. } | PiecePayload::Poll(_) | PiecePayload::Panel(_) => {}
    }
}
