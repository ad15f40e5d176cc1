//! Reads what a client attaches: pictures, as base64 or as a data URL. Pure.
//!
//! What is no picture is left out, as clients expect; what is too large or broken is refused.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use openclaw_flow::Picture;
use serde_json::Value;

/// The largest picture, in bytes.
const MOST_BYTES: usize = 5_000_000;
/// How many pictures one message may have.
const MOST_PICTURES: usize = 20;

/// The pictures among the attachments.
pub(in crate::methods) fn pictures(attachments: &[Value]) -> Result<Vec<Picture>, String> {
    let mut pictures = Vec::new();
    for (index, attachment) in attachments.iter().enumerate() {
        if let Some(picture) = picture(attachment, &name(attachment, index))? {
            pictures.push(picture);
        }
        if pictures.len() > MOST_PICTURES {
            return Err(format!("attachments: at most {MOST_PICTURES} pictures in one message"));
        }
    }
    Ok(pictures)
}

fn name(attachment: &Value, index: usize) -> String {
    let named =
        attachment.get("fileName").and_then(Value::as_str).map(str::trim).filter(|name| !name.is_empty());
    named.map_or_else(|| format!("attachment-{}", index + 1), |name| name.chars().take(120).collect())
}

fn picture(attachment: &Value, name: &str) -> Result<Option<Picture>, String> {
    let Some(content) = attachment.get("content").and_then(Value::as_str) else { return Ok(None) };
    let (declared, data) = match content.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,")) {
        Some((kind, data)) => (Some(kind), data),
        None => (attachment.get("mimeType").and_then(Value::as_str), content),
    };
    let data: String = data.chars().filter(|letter| !letter.is_whitespace()).collect();
    if data.len() / 4 * 3 > MOST_BYTES + 3 {
        return Err(too_large(name, data.len() / 4 * 3));
    }
    let bytes =
        STANDARD.decode(&data).map_err(|_broken| format!("attachment {name}: invalid base64 content"))?;
    if bytes.len() > MOST_BYTES {
        return Err(too_large(name, bytes.len()));
    }
    let found = sniff(&bytes);
    let declared = declared.filter(|kind| kind.starts_with("image/")).map(str::to_owned);
    Ok(found
        .map(str::to_owned)
        .or(declared.filter(|_| bytes.is_empty()))
        .map(|media_type| Picture { media_type, data }))
}

fn too_large(name: &str, bytes: usize) -> String {
    format!("attachment {name}: exceeds size limit ({bytes} > {MOST_BYTES} bytes)")
}

/// The kind of a picture by its first bytes; what a client says about it counts for nothing.
fn sniff(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
