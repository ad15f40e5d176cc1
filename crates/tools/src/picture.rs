//! Pictures that models see: which kinds, how large, and how they are told from other files. Pure.
//!
//! Used by the tools that read files and by the one that asks about pictures.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use openclaw_types::{Image, ImageData};

/// The largest picture that is read. Whoever calls the tool makes it fit for its model.
pub(crate) const LARGEST: u64 = 24_000_000;

/// The media type of a picture, told by its first bytes; nothing for anything that models do not see.
pub(crate) fn sniff(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', 0x0d, 0x0a, 0x1a, 0x0a, ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

/// A picture for a model.
pub(crate) fn picture(media_type: &str, bytes: &[u8]) -> Image {
    Image { media_type: Some(media_type.to_owned()), data: ImageData::Inline(STANDARD.encode(bytes)) }
}
