//! How a file is shown, by what it is to be and what it is. Pure.

use openclaw_types::MediaKind;

/// A way the platform shows a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Photo,
    Animation,
    Video,
    VideoNote,
    Audio,
    Voice,
    Sticker,
    Document,
}

impl Form {
    /// The call, and the field for the file.
    pub(super) fn method(self) -> (&'static str, &'static str) {
        match self {
            Self::Photo => ("sendPhoto", "photo"),
            Self::Animation => ("sendAnimation", "animation"),
            Self::Video => ("sendVideo", "video"),
            Self::VideoNote => ("sendVideoNote", "video_note"),
            Self::Audio => ("sendAudio", "audio"),
            Self::Voice => ("sendVoice", "voice"),
            Self::Sticker => ("sendSticker", "sticker"),
            Self::Document => ("sendDocument", "document"),
        }
    }

    /// What it goes together with in an album: films with pictures, other files with those of their kind.
    pub(super) fn family(self) -> Option<&'static str> {
        match self {
            Self::Photo | Self::Video => Some("pictures"),
            Self::Audio => Some("sounds"),
            Self::Document => Some("files"),
            Self::Animation | Self::VideoNote | Self::Voice | Self::Sticker => None,
        }
    }

    /// Whether words can stand below it.
    pub(super) fn takes_words(self) -> bool {
        !matches!(self, Self::VideoNote | Self::Sticker)
    }

    /// What the platform says where it will not show a file so, and how it is shown then.
    pub(super) fn instead(self) -> Option<(&'static [&'static str], Self)> {
        match self {
            Self::Photo => Some((
                &[
                    "PHOTO_INVALID_DIMENSIONS",
                    "IMAGE_PROCESS_FAILED",
                    "too big for a photo",
                    "PHOTO_SAVE_FILE_INVALID",
                ],
                Self::Document,
            )),
            // People can forbid voice messages to themselves.
            Self::Voice => Some((&["VOICE_MESSAGES_FORBIDDEN"], Self::Audio)),
            Self::VideoNote => Some((&["VOICE_MESSAGES_FORBIDDEN"], Self::Video)),
            _ => None,
        }
    }
}

/// How a file is shown.
pub(super) fn form(kind: MediaKind, media_type: &str) -> Form {
    let media_type = media_type.split(';').next().unwrap_or_default().trim().to_lowercase();
    let is = |any: &[&str]| any.contains(&media_type.as_str());
    match kind {
        MediaKind::Image | MediaKind::Animation if is(&["image/gif"]) => Form::Animation,
        MediaKind::Image if is(&["image/jpeg", "image/jpg", "image/png", "image/webp"]) => Form::Photo,
        MediaKind::Animation if is(&["video/mp4"]) => Form::Animation,
        MediaKind::VideoNote if is(&["video/mp4"]) => Form::VideoNote,
        MediaKind::Video | MediaKind::VideoNote if is(&["video/mp4", "video/quicktime"]) => Form::Video,
        MediaKind::Voice
            if is(&[
                "audio/ogg",
                "audio/opus",
                "audio/mpeg",
                "audio/mp3",
                "audio/mp4",
                "audio/m4a",
                "audio/x-m4a",
            ]) =>
        {
            Form::Voice
        }
        MediaKind::Audio | MediaKind::Voice
            if is(&["audio/mpeg", "audio/mp3", "audio/mp4", "audio/m4a", "audio/x-m4a", "audio/ogg"]) =>
        {
            Form::Audio
        }
        MediaKind::Sticker if is(&["image/webp", "video/webm", "application/x-tgsticker"]) => Form::Sticker,
        MediaKind::Sticker if is(&["image/png", "image/jpeg"]) => Form::Photo,
        _ => Form::Document,
    }
}
