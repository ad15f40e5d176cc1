//! What a message says and shows: its words with links written out, its files, and what the platform tells beside them.

use openclaw_types::{MediaKind, MediaRef};

use super::super::wire::{Content, Entity, File, Location, Message};
use super::rich;

/// What a message says and shows.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Said {
    /// The words, or what stands for media without any.
    pub(super) text: String,
    /// The files.
    pub(super) media: Vec<MediaRef>,
    /// Other things that are told with it.
    pub(super) facts: Vec<(String, String)>,
}

/// What a message says and shows.
pub(super) fn said(message: &Message) -> Said {
    let (words, entities) = super::words(message);
    let words = expand(words, entities).trim().to_owned();
    let (shown, media) = shown(&message.content);
    // Words that describe a thing stand below what was written; the mark of a file only where nothing was.
    let mark = media.first().is_some_and(|first| shown == first.kind.placeholder()) || is_mark(&shown);
    let text = match (words.is_empty(), mark) {
        (true, _) => shown,
        (false, true) => words,
        (false, false) if shown.is_empty() => words,
        (false, false) => format!("{words}\n{shown}"),
    };
    Said { text, media, facts: facts(&message.content) }
}

fn is_mark(text: &str) -> bool {
    text.starts_with("<media:") && text.ends_with('>')
}

/// What stands for what a message shows, and its files.
pub(super) fn shown(content: &Content) -> (String, Vec<MediaRef>) {
    let media = files(content);
    let text = match (media.first(), described(content)) {
        (_, Some(words)) => words,
        (Some(first), None) => first.kind.placeholder().to_owned(),
        (None, None) => String::new(),
    };
    (text, media)
}

fn files(content: &Content) -> Vec<MediaRef> {
    // A moving picture comes as a document too, for programs that know no better.
    let document = content.document.as_ref().filter(|_| content.animation.is_none());
    let kinds = [
        (content.animation.as_ref(), MediaKind::Animation, Some("video/mp4")),
        (content.video.as_ref(), MediaKind::Video, Some("video/mp4")),
        (content.video_note.as_ref(), MediaKind::VideoNote, Some("video/mp4")),
        (content.voice.as_ref(), MediaKind::Voice, Some("audio/ogg")),
        (content.audio.as_ref(), MediaKind::Audio, None),
        (document, MediaKind::Document, None),
        (largest(&content.photo), MediaKind::Image, Some("image/jpeg")),
        (
            content.live_photo.as_ref().and_then(|live| largest(&live.photo)),
            MediaKind::Image,
            Some("image/jpeg"),
        ),
    ];
    let mut media: Vec<MediaRef> = kinds
        .into_iter()
        .filter_map(|(file, kind, usual)| file.map(|file| media_ref(file, kind, usual)))
        .collect();
    // Stickers that move have forms that no model looks at.
    if let Some(sticker) =
        content.sticker.as_ref().filter(|sticker| !sticker.is_animated && !sticker.is_video)
    {
        media.push(MediaRef {
            kind: MediaKind::Sticker,
            handle: sticker.file_id.clone(),
            name: None,
            media_type: Some("image/webp".to_owned()),
            bytes: sticker.file_size,
        });
    }
    media
}

fn largest(sizes: &[File]) -> Option<&File> {
    sizes.iter().max_by_key(|size| size.width.saturating_mul(size.height))
}

fn media_ref(file: &File, kind: MediaKind, usual: Option<&str>) -> MediaRef {
    MediaRef {
        kind,
        handle: file.file_id.clone(),
        name: file.file_name.clone(),
        media_type: file.mime_type.clone().or_else(|| usual.map(str::to_owned)),
        bytes: file.file_size,
    }
}

/// Words for what is no file.
fn described(content: &Content) -> Option<String> {
    if let Some(words) = content.rich_message.as_ref().map(rich::words) {
        return Some(if words.is_empty() { "<media:rich>".to_owned() } else { words });
    }
    if let Some(venue) = &content.venue {
        let names = [venue.title.as_str(), venue.address.as_str()];
        let names: Vec<&str> = names.into_iter().filter(|name| !name.trim().is_empty()).collect();
        return Some(format!("📍 {} ({})", names.join(" — "), coordinates(&venue.location)));
    }
    if let Some(location) = &content.location {
        return Some(match location.live_period {
            Some(_) => format!("🛰 Live location: {}", coordinates(location)),
            None => format!("📍 {}", coordinates(location)),
        });
    }
    if let Some(contact) = &content.contact {
        let name = super::joined(&contact.first_name, contact.last_name.as_deref());
        return Some(format!("👤 Contact: {name} {}", contact.phone_number).trim().to_owned());
    }
    if let Some(dice) = &content.dice {
        return Some(format!("{} {}", dice.emoji, dice.value));
    }
    if let Some(poll) = &content.poll {
        let options = poll.options.iter().map(|option| format!("\n- {}", option.text));
        return Some(format!("📊 Poll: {}{}", poll.question, options.collect::<String>()));
    }
    if let Some(list) = &content.checklist {
        let tasks = list.tasks.iter().map(|task| {
            let mark = if task.completion_date.is_some() { "x" } else { " " };
            format!("\n- [{mark}] {}", task.text)
        });
        return Some(format!("☑ {}{}", list.title, tasks.collect::<String>()));
    }
    let named = [
        content.game.as_ref().map(|game| format!("🎮 Game: {}", game.title)),
        content.invoice.as_ref().map(|invoice| format!("🧾 Invoice: {}", invoice.title)),
        content.sticker.as_ref().map(|_| "<media:sticker>".to_owned()),
        content.story.as_ref().map(|_| "<media:story>".to_owned()),
        content.paid_media.as_ref().map(|_| "<media:paid>".to_owned()),
    ];
    named.into_iter().flatten().next()
}

fn coordinates(location: &Location) -> String {
    let accuracy = location.horizontal_accuracy.map(|metres| format!(" ±{}m", metres.round()));
    format!("{:.6}, {:.6}{}", location.latitude, location.longitude, accuracy.unwrap_or_default())
}

/// What is told for programs as well as for readers.
fn facts(content: &Content) -> Vec<(String, String)> {
    let mut facts = Vec::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            facts.push((name.to_owned(), value));
        }
    };
    if let Some(sticker) = &content.sticker {
        add("sticker_emoji", sticker.emoji.clone());
        add("sticker_set", sticker.set_name.clone());
        add("sticker_file_id", Some(sticker.file_id.clone()));
    }
    let location = content.venue.as_ref().map(|venue| &venue.location).or(content.location.as_ref());
    if let Some(location) = location {
        add("location_lat", Some(format!("{:.6}", location.latitude)));
        add("location_lon", Some(format!("{:.6}", location.longitude)));
        add("location_accuracy", location.horizontal_accuracy.map(|metres| metres.to_string()));
        let source = match (&content.venue, location.live_period) {
            (Some(_), _) => "place",
            (None, Some(_)) => "live",
            (None, None) => "pin",
        };
        add("location_source", Some(source.to_owned()));
    }
    if let Some(venue) = &content.venue {
        add("location_name", Some(venue.title.clone()));
        add("location_address", Some(venue.address.clone()));
    }
    if let Some(contact) = &content.contact {
        add("contact_name", Some(super::joined(&contact.first_name, contact.last_name.as_deref())));
        add("contact_phone", Some(contact.phone_number.clone()));
    }
    facts
}

/// Words with the addresses of links written out, as `[words](address)`.
pub(super) fn expand(text: &str, entities: &[Entity]) -> String {
    let mut links: Vec<(&Entity, &str)> = entities
        .iter()
        .filter(|entity| entity.kind == "text_link")
        .filter_map(|entity| Some((entity, entity.url.as_deref()?)))
        .collect();
    links.sort_by_key(|(entity, _)| entity.offset);
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for (entity, address) in links {
        let Some((start, end)) = bounds(text, entity.offset, entity.length) else { continue };
        if start < done {
            continue;
        }
        out.push_str(&text[done..start]);
        out.push_str(&format!("[{}]({address})", &text[start..end]));
        done = end;
    }
    out.push_str(&text[done..]);
    out
}

/// A part of a text by offsets as UTF-16 counts; nothing where they lie outside or within a character.
pub(super) fn part(text: &str, offset: usize, length: usize) -> Option<&str> {
    let (start, end) = bounds(text, offset, length)?;
    text.get(start..end)
}

fn bounds(text: &str, offset: usize, length: usize) -> Option<(usize, usize)> {
    let end = offset.checked_add(length)?;
    let start = byte(text, offset)?;
    Some((start, start + byte(text.get(start..)?, end - offset)?))
}

/// The byte at which so many units of UTF-16 are over.
fn byte(text: &str, units: usize) -> Option<usize> {
    let mut seen = 0;
    for (at, letter) in text.char_indices() {
        if seen == units {
            return Some(at);
        }
        seen += letter.len_utf16();
    }
    (seen == units).then_some(text.len())
}
