//! What kind of picture some Base64 holds, for pictures that came without a media type.

use openclaw_types::{Image, ImageData};

/// The media type to send: the one that is known, else what the first bytes look like.
pub(crate) fn media_type(image: &Image) -> &str {
    if let Some(known) = image.media_type.as_deref().filter(|known| !known.trim().is_empty()) {
        return known;
    }
    let ImageData::Inline(data) = &image.data else { return "image/png" };
    [("/9j/", "image/jpeg"), ("R0lGOD", "image/gif"), ("UklGR", "image/webp"), ("Qk", "image/bmp")]
        .into_iter()
        .find(|(start, _)| data.starts_with(start))
        .map_or("image/png", |(_, kind)| kind)
}
