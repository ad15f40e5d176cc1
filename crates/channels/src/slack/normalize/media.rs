//! Files that came with a message. Pure; nothing is fetched here.

use openclaw_types::{MediaKind, MediaRef};

use super::super::wire::{Attachment, File};

/// How many files of a message are looked at.
pub(super) const MOST: usize = 8;

/// The files of a message.
pub(super) fn of(files: &[File]) -> Vec<MediaRef> {
    files.iter().filter(|file| is_there(file)).take(MOST).filter_map(one).collect()
}

/// The files of a part below a message.
pub(super) fn of_part(part: &Attachment) -> Vec<MediaRef> {
    let mut files = of(&part.files);
    files.extend(part.image_url.as_ref().map(|address| MediaRef {
        kind: MediaKind::Image,
        handle: address.clone(),
        name: None,
        media_type: None,
        bytes: None,
    }));
    files
}

fn is_there(file: &File) -> bool {
    !matches!(file.mode.as_deref(), Some("tombstone" | "hidden_by_limit"))
}

fn one(file: &File) -> Option<MediaRef> {
    let address = file.url_private_download.as_ref().or(file.url_private.as_ref());
    let handle = match (address.filter(|address| !address.is_empty()), &file.id) {
        (Some(address), _) => address.clone(),
        // Files of other workspaces come by name only and have to be asked for.
        (None, Some(id)) => format!("file:{id}"),
        (None, None) => return None,
    };
    Some(MediaRef {
        kind: kind(file),
        handle,
        name: file.name.clone().filter(|name| !name.trim().is_empty()),
        media_type: media_type(file),
        bytes: file.size,
    })
}

/// Spoken messages come as films without a picture.
fn media_type(file: &File) -> Option<String> {
    let told = file.mimetype.clone().filter(|told| !told.is_empty())?;
    match (file.subtype.as_deref(), told.strip_prefix("video/")) {
        (Some("slack_audio"), Some(rest)) => Some(format!("audio/{rest}")),
        _ => Some(told),
    }
}

fn kind(file: &File) -> MediaKind {
    if file.subtype.as_deref() == Some("slack_audio") {
        return MediaKind::Voice;
    }
    let told = file.mimetype.as_deref().unwrap_or_default();
    match told.split('/').next().unwrap_or_default() {
        "image" if told == "image/gif" => MediaKind::Animation,
        "image" => MediaKind::Image,
        "video" => MediaKind::Video,
        "audio" => MediaKind::Audio,
        _ => MediaKind::Document,
    }
}
