//! What a message says, and which files hang on it.

use openclaw_types::{MediaKind, MediaRef};

use crate::discord::wire::{Attachment, Message, Sticker};

/// The flag of a message that is somebody speaking.
const IS_VOICE: u64 = 1 << 13;
/// Where stickers are.
const STICKERS: &str = "https://media.discordapp.net/stickers";
/// The longest name a thread of ours gets, in characters.
const LONGEST_NAME: usize = 80;

/// The words of a message; what stands for files, a poll or a box where it has none; what was forwarded after that.
pub(super) fn words(message: &Message) -> String {
    let own = own_words(message);
    let forwarded: Vec<String> = message
        .message_snapshots
        .iter()
        .map(|snapshot| own_words(&snapshot.message))
        .filter(|words| !words.is_empty())
        .collect();
    let parts = std::iter::once(own).chain(forwarded).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join("\n\n")
}

fn own_words(message: &Message) -> String {
    let content = message.content.trim();
    if !content.is_empty() {
        return content.to_owned();
    }
    let files = stand_in(message);
    if !files.is_empty() {
        return files;
    }
    if let Some(question) = message.poll.as_ref().and_then(|poll| poll.question.text.as_deref()) {
        return question.trim().to_owned();
    }
    let Some(embed) = message.embeds.first() else { return String::new() };
    let parts = [&embed.title, &embed.description].into_iter().flatten().map(|text| text.trim());
    parts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n")
}

/// What stands for files without words: their kinds, and how many of each.
fn stand_in(message: &Message) -> String {
    let mut counts: Vec<(&'static str, usize)> = Vec::new();
    for file in own_media(message) {
        let word = file.kind.placeholder();
        match counts.iter_mut().find(|(each, _)| *each == word) {
            Some((_, count)) => *count += 1,
            None => counts.push((word, 1)),
        }
    }
    let line = |(word, count): (&str, usize)| match count {
        1 => word.to_owned(),
        _ => format!("{word} ({count})"),
    };
    counts.into_iter().map(line).collect::<Vec<_>>().join("\n")
}

/// The files of a message, and of what it forwards.
pub(super) fn media(message: &Message) -> Vec<MediaRef> {
    let forwarded = message.message_snapshots.iter().flat_map(|snapshot| own_media(&snapshot.message));
    own_media(message).into_iter().chain(forwarded).collect()
}

fn own_media(message: &Message) -> Vec<MediaRef> {
    let speaks = message.flags & IS_VOICE != 0;
    let files =
        message.attachments.iter().filter(|file| !file.url.is_empty()).map(|file| attachment(file, speaks));
    files.chain(message.sticker_items.iter().map(sticker)).collect()
}

fn attachment(file: &Attachment, speaks: bool) -> MediaRef {
    let media_type = file.content_type.as_deref().map(|kind| kind.split(';').next().unwrap_or(kind).trim());
    let kind = match media_type.and_then(|kind| kind.split('/').next()) {
        Some("image") => MediaKind::Image,
        Some("video") => MediaKind::Video,
        Some("audio") if speaks => MediaKind::Voice,
        Some("audio") => MediaKind::Audio,
        Some(_) => MediaKind::Document,
        None => by_name(&file.filename),
    };
    MediaRef {
        kind,
        handle: file.url.clone(),
        name: Some(file.filename.clone()).filter(|name| !name.is_empty()),
        media_type: media_type.map(str::to_owned),
        bytes: file.size,
    }
}

fn by_name(name: &str) -> MediaKind {
    const PICTURES: &[&str] =
        &["avif", "bmp", "gif", "heic", "heif", "jpg", "jpeg", "png", "tif", "tiff", "webp"];
    let end = name.rsplit_once('.').map(|(_, end)| end.to_lowercase()).unwrap_or_default();
    if PICTURES.contains(&end.as_str()) { MediaKind::Image } else { MediaKind::Document }
}

fn sticker(sticker: &Sticker) -> MediaRef {
    // Drawings that move by themselves (Lottie) are fetched as the picture the platform makes of them.
    let (end, query, media_type) = match sticker.format_type {
        4 => ("gif", "", "image/gif"),
        3 => ("png", "?size=160", "image/png"),
        _ => ("png", "", "image/png"),
    };
    let name = if sticker.name.is_empty() { &sticker.id } else { &sticker.name };
    MediaRef {
        kind: MediaKind::Sticker,
        handle: format!("{STICKERS}/{}.{end}{query}", sticker.id),
        name: Some(format!("{name}.{end}")),
        media_type: Some(media_type.to_owned()),
        bytes: None,
    }
}

/// Other things a message says, as data: the answers of a poll.
pub(super) fn facts(message: &Message) -> Vec<(String, String)> {
    let Some(poll) = &message.poll else { return Vec::new() };
    let question = poll.question.text.clone().unwrap_or_default();
    let answers: Vec<&str> =
        poll.answers.iter().filter_map(|answer| answer.poll_media.text.as_deref()).collect();
    vec![("poll".to_owned(), format!("{question}: {}", answers.join(" / ")))]
}

/// What a thread at a message is called: its first words, without mentions.
pub(in super::super) fn thread_name(message: &Message) -> String {
    let mut plain = String::new();
    let mut rest = message.content.as_str();
    while let Some(at) = rest.find('<') {
        let (before, from) = rest.split_at(at);
        plain.push_str(before);
        match from.find('>').filter(|_| from[1..].starts_with(['@', '#', ':', 'a'])) {
            Some(end) => rest = &from[end + 1..],
            None => {
                plain.push('<');
                rest = &from[1..];
            }
        }
    }
    plain.push_str(rest);
    let words: Vec<&str> = plain.split_whitespace().collect();
    let name: String = words.join(" ").chars().take(LONGEST_NAME).collect();
    if name.trim().is_empty() { format!("Thread {}", message.id) } else { name.trim().to_owned() }
}
