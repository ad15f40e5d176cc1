//! Says what a file is: by its first bytes, by its name and by what a platform told only where they say little.
//!
//! Neither a name nor a platform makes a picture, sound or film of what is none.

use std::io::Read as _;
use std::path::Path;

use openclaw_types::MediaKind;

const UNKNOWN: &str = "application/octet-stream";
const ZIP: &str = "application/zip";

/// The first bytes of a file.
pub(crate) fn head(path: &Path) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What a file is.
pub(crate) fn sniffed(bytes: &[u8], name: &str) -> (String, MediaKind) {
    let extension = name.rsplit_once('.').map(|(_, end)| end.to_ascii_lowercase()).unwrap_or_default();
    let media_type = match by_bytes(bytes) {
        Some(ZIP) => archive(&extension),
        Some(known) => known,
        None => text(&extension),
    };
    let kind = match media_type.split('/').next() {
        // Drawn by a program that reads it; platforms take it for a file.
        Some("image") if media_type != "image/svg+xml" => MediaKind::Image,
        Some("audio") => MediaKind::Audio,
        Some("video") => MediaKind::Video,
        _ => MediaKind::Document,
    };
    (media_type.to_owned(), kind)
}

/// What a file is, where its bytes say little and a platform says more.
pub(crate) fn or_told(found: String, told: Option<&str>) -> String {
    let told = told.map(|told| told.split(';').next().unwrap_or(told).trim().to_ascii_lowercase());
    let shown = |told: &String| ["image/", "audio/", "video/"].iter().any(|kind| told.starts_with(kind));
    match (found.as_str(), told.filter(|told| !told.is_empty() && !shown(told))) {
        (UNKNOWN, Some(told)) => told,
        (ZIP, Some(told)) if told.starts_with("application/") && told != UNKNOWN => told,
        _ => found,
    }
}

fn by_bytes(bytes: &[u8]) -> Option<&'static str> {
    Some(match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'B', b'M', _, _, _, _, 0, 0, 0, 0, ..] => "image/bmp",
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => "image/tiff",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [b'O', b'g', b'g', b'S', ..] => "audio/ogg",
        [b'I', b'D', b'3', ..] | [0xff, 0xfb | 0xf3 | 0xf2, ..] => "audio/mpeg",
        [0xff, 0xf1 | 0xf9, ..] => "audio/aac",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => "audio/wav",
        [b'f', b'L', b'a', b'C', ..] => "audio/flac",
        [b'#', b'!', b'A', b'M', b'R', ..] => "audio/amr",
        [_, _, _, _, b'f', b't', b'y', b'p', brand @ ..] => by_brand(brand),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => "video/webm",
        [b'%', b'P', b'D', b'F', ..] => "application/pdf",
        [b'P', b'K', 3, 4, ..] => ZIP,
        [0x1f, 0x8b, ..] => "application/gzip",
        [b'7', b'z', 0xbc, 0xaf, 0x27, 0x1c, ..] => "application/x-7z-compressed",
        [b'R', b'a', b'r', b'!', 0x1a, 7, ..] => "application/vnd.rar",
        _ => return None,
    })
}

/// Many kinds of files begin alike; the brand behind that tells them apart.
fn by_brand(brand: &[u8]) -> &'static str {
    match brand.get(..4).unwrap_or_default() {
        b"heic" | b"heix" | b"heim" | b"heis" => "image/heic",
        b"mif1" | b"msf1" => "image/heif",
        b"avif" | b"avis" => "image/avif",
        b"M4A " | b"M4B " => "audio/mp4",
        b"qt  " => "video/quicktime",
        brand if brand.starts_with(b"3g") => "video/3gpp",
        _ => "video/mp4",
    }
}

/// What an archive holds, by its name.
fn archive(extension: &str) -> &'static str {
    match extension {
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "pptx" => "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "odt" => "application/vnd.oasis.opendocument.text",
        "ods" => "application/vnd.oasis.opendocument.spreadsheet",
        "odp" => "application/vnd.oasis.opendocument.presentation",
        "epub" => "application/epub+zip",
        "jar" => "application/java-archive",
        "apk" => "application/vnd.android.package-archive",
        _ => ZIP,
    }
}

/// Texts have no mark of their own.
fn text(extension: &str) -> &'static str {
    match extension {
        "txt" | "log" => "text/plain",
        "md" | "markdown" => "text/markdown",
        "html" | "htm" => "text/html",
        "css" => "text/css",
        "csv" => "text/csv",
        "svg" => "image/svg+xml",
        "json" => "application/json",
        "xml" => "application/xml",
        "yaml" | "yml" => "application/yaml",
        "js" | "mjs" => "text/javascript",
        _ => UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_its_bytes_say_and_its_name_only_adds_to_that() {
        use MediaKind::{Audio, Document, Image, Video};
        let docx = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
        let rows: &[(&[u8], &str, &str, MediaKind)] = &[
            (b"\x89PNG\r\n", "a.txt", "image/png", Image),
            (b"RIFF....WEBPVP8 ", "a", "image/webp", Image),
            (b"\0\0\0\x18ftypheic", "a.mp4", "image/heic", Image),
            (b"\0\0\0\x18ftypmif1", "a", "image/heif", Image),
            (b"\0\0\0\x18ftypavif", "a", "image/avif", Image),
            (b"\0\0\0\x18ftypM4A ", "a", "audio/mp4", Audio),
            (b"\0\0\0\x18ftypqt  ", "a", "video/quicktime", Video),
            (b"\0\0\0\x18ftyp3gp4", "a", "video/3gpp", Video),
            (b"\0\0\0\x18ftypisom", "a", "video/mp4", Video),
            (b"PK\x03\x04....", "Submission.DOCX", docx, Document),
            (b"PK\x03\x04....", "all.zip", "application/zip", Document),
            (b"<svg/>", "a.svg", "image/svg+xml", Document),
            (b"<p>", "a.html", "text/html", Document),
            (b"a: 1", "a.yml", "application/yaml", Document),
            (b"hello", "a.png", "application/octet-stream", Document),
            (b"", "", "application/octet-stream", Document),
        ];
        for (bytes, name, media_type, kind) in rows {
            assert_eq!(sniffed(bytes, name), ((*media_type).to_owned(), *kind), "{name}");
        }
    }

    #[test]
    fn a_platform_is_believed_where_the_bytes_say_little() {
        let rows = [
            (UNKNOWN, Some("text/x-python; charset=utf-8"), "text/x-python"),
            (UNKNOWN, Some("image/png"), UNKNOWN),
            (UNKNOWN, None, UNKNOWN),
            (ZIP, Some("application/epub+zip"), "application/epub+zip"),
            (ZIP, Some("application/octet-stream"), ZIP),
            ("image/png", Some("text/plain"), "image/png"),
        ];
        for (found, told, expected) in rows {
            assert_eq!(or_told(found.to_owned(), told), expected, "{found} {told:?}");
        }
    }
}
