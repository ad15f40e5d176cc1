//! Says what a file is, by its first bytes; by its name only where they say nothing.

use std::path::Path;

use openclaw_types::MediaKind;

/// The first bytes of a file.
pub(crate) fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    use std::io::Read as _;
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What a file is, by its first bytes; by its name only where they say nothing.
pub(crate) fn sniffed(bytes: &[u8], name: &str) -> (String, MediaKind) {
    let known = match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        [b'O', b'g', b'g', b'S', ..] => Some("audio/ogg"),
        [b'I', b'D', b'3', ..] | [0xff, 0xfb | 0xf3 | 0xf2, ..] => Some("audio/mpeg"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => Some("audio/wav"),
        [b'f', b'L', b'a', b'C', ..] => Some("audio/flac"),
        [_, _, _, _, b'f', b't', b'y', b'p', b'M', b'4', b'A', ..] => Some("audio/mp4"),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some("video/mp4"),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => Some("video/webm"),
        [b'%', b'P', b'D', b'F', ..] => Some("application/pdf"),
        [b'P', b'K', 3, 4, ..] => Some("application/zip"),
        _ => None,
    };
    let by_name = || match name.rsplit('.').next().map(str::to_ascii_lowercase).as_deref() {
        Some("txt" | "md" | "log") => "text/plain",
        Some("json") => "application/json",
        Some("csv") => "text/csv",
        _ => "application/octet-stream",
    };
    let media_type = known.unwrap_or_else(by_name);
    let kind = match media_type.split('/').next() {
        Some("image") => MediaKind::Image,
        Some("audio") => MediaKind::Audio,
        Some("video") => MediaKind::Video,
        _ => MediaKind::Document,
    };
    (media_type.to_owned(), kind)
}
