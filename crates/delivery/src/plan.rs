//! Makes the pieces of an answer: the one place where words and files become what is sent.
//!
//! Files go first, the first of them with the words below it when they fit; words that do not fit follow in messages of
//! their own. Keys are `<stem>/<n>`, so that the same answer has the same keys after a crash. Files are named here, not
//! read: `flow` copies them and makes the piece whole with `PlannedMedia::with_file`.

use openclaw_types::{
    Button, MediaFile, MediaKind, Outgoing, PiecePayload, ReplyPlace, RichText, SendTarget, WritingRules,
};

use crate::answer::CleanAnswer;
use crate::chunk::{Room, chunk};
use crate::markdown::read_markdown;
use crate::media_path::{MediaRefusal, MediaSource, media_source};
use crate::notice::NoticeText;
use crate::prefix::with_prefix;
use crate::reply::{Position, Replies};

/// Where an answer goes, and how things are written there.
pub struct Destination<'a> {
    /// Where to.
    pub target: &'a SendTarget,
    /// Begins the key of every piece.
    pub stem: &'a str,
    /// How the account writes.
    pub manner: &'a WritingRules,
    /// How long words are there, markup and all.
    pub measure: &'a dyn Fn(&RichText) -> usize,
    /// The most words below a file, in the same measure.
    pub caption_most: usize,
    /// Whether files can be sent there.
    pub files: Files,
    /// What stands before the words.
    pub prefix: Option<&'a str>,
    /// Whether people are woken.
    pub sound: Sound,
    /// How films are shown.
    pub videos: Videos,
    /// Rows of buttons below the last piece of words.
    pub buttons: Vec<Vec<Button>>,
}

/// Whether files can be sent somewhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Files {
    /// They can.
    Sent,
    /// They cannot; addresses are written as words, other files are left out and people are told.
    Named,
}

/// Whether people are woken by a message.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Sound {
    /// As usual.
    #[default]
    Usual,
    /// Not at all.
    Silent,
}

/// How films are shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Videos {
    /// As films.
    #[default]
    Usual,
    /// As somebody speaking: small and round, where the platform has that.
    Notes,
    /// As pictures that move, where the platform has those.
    Loops,
}

/// One piece of an answer.
#[derive(Debug, Clone, PartialEq)]
pub enum Planned {
    /// Words: the piece is whole.
    Words(Outgoing),
    /// A file that has to be had first.
    Media(PlannedMedia),
}

/// A piece whose file has to be had first.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedMedia {
    /// The file or address as the answer names it.
    pub source: String,
    /// Whether sound is sent as somebody speaking.
    pub voice: bool,
    /// How a film is shown.
    pub videos: Videos,
    /// The words below it; empty for none.
    pub caption: RichText,
    piece: Outgoing,
}

impl PlannedMedia {
    /// The key of the piece.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.piece.key
    }

    /// The piece with its file. Sound and films that are to be somebody speaking become that.
    #[must_use]
    pub fn with_file(self, file: MediaFile, kind: MediaKind) -> Outgoing {
        let kind = match kind {
            MediaKind::Audio if self.voice => MediaKind::Voice,
            MediaKind::Video if self.videos == Videos::Notes => MediaKind::VideoNote,
            MediaKind::Video if self.videos == Videos::Loops => MediaKind::Animation,
            kind => kind,
        };
        Outgoing { payload: PiecePayload::Media { file, kind, caption: self.caption }, ..self.piece }
    }

    /// The piece without its file, which could not be had: its words, and a line below them that tells of the file.
    #[must_use]
    pub fn telling(self, line: &str) -> Outgoing {
        let words = &self.caption;
        let text = match words.text() {
            "" => RichText::plain(line),
            text => {
                RichText::new(format!("{text}\n\n{line}"), words.styles().to_vec(), words.links().to_vec())
            }
        };
        Outgoing { payload: PiecePayload::Text { text }, ..self.piece }
    }
}

/// The pieces of an answer, in order. Silence has none.
#[must_use]
pub fn plan(answer: &CleanAnswer, to: &Destination<'_>, replies: &mut Replies) -> Vec<Planned> {
    if answer.marks.silent && answer.marks.media.is_empty() {
        return Vec::new();
    }
    let (media, words) = match to.files {
        Files::Sent => (answer.marks.media.as_slice(), answer.text.clone()),
        Files::Named => (&[][..], with_files_named(&answer.text, &answer.marks.media)),
    };
    let words = read_markdown(&with_prefix(to.prefix, &words), to.manner.tables);
    let caption = caption(&words.text, to, media.len());
    let mut pieces = Pieces { to, replies, answer, planned: Vec::new() };
    for (number, source) in media.iter().enumerate() {
        let caption = caption.clone().filter(|_| number == 0).unwrap_or_default();
        pieces.media(source, caption);
    }
    if caption.is_none() {
        let room = Room {
            limit: to.manner.text_limit,
            lines: to.manner.line_limit,
            mode: to.manner.chunks,
            measure: to.measure,
        };
        for text in chunk(&words, &room) {
            pieces.words(text);
        }
    }
    pieces.finish()
}

/// The words below the first file, when they fit there.
fn caption(words: &RichText, to: &Destination<'_>, files: usize) -> Option<RichText> {
    let fits = files > 0 && !words.is_empty() && (to.measure)(words) <= to.caption_most;
    fits.then(|| words.clone())
}

/// What people are told of the files that cannot be sent somewhere, a line for each. Addresses are not among them: those
/// are written as words.
#[must_use]
pub fn left_out(files: Files, media: &[String]) -> Vec<String> {
    match files {
        Files::Sent => Vec::new(),
        Files::Named => media.iter().filter_map(|source| named(source).err()).collect(),
    }
}

/// Words with what stands for files that cannot be sent: addresses, and what was left out.
fn with_files_named(words: &str, media: &[String]) -> String {
    let lines = media.iter().map(|source| named(source).unwrap_or_else(|left_out| left_out));
    let words = (!words.trim().is_empty()).then(|| words.to_owned());
    words.into_iter().chain(lines).collect::<Vec<_>>().join("\n\n")
}

/// What stands for a file that cannot be sent: its address, else a line that says so.
fn named(source: &str) -> Result<String, String> {
    match media_source(source) {
        Ok(MediaSource::Address(address)) => Ok(address),
        Ok(_file) => {
            Err(NoticeText::FileLeftOut { name: source.to_owned(), reason: MediaRefusal::NoFiles }.text())
        }
        Err(reason) => Err(NoticeText::FileLeftOut { name: source.to_owned(), reason }.text()),
    }
}

struct Pieces<'a, 'b> {
    to: &'a Destination<'a>,
    replies: &'b mut Replies,
    answer: &'a CleanAnswer,
    planned: Vec<Planned>,
}

impl Pieces<'_, '_> {
    fn words(&mut self, text: RichText) {
        let piece = self.piece(PiecePayload::Text { text });
        self.planned.push(Planned::Words(piece));
    }

    fn media(&mut self, source: &str, caption: RichText) {
        let piece = self.piece(PiecePayload::Text { text: RichText::default() });
        let (voice, videos) = (self.answer.marks.tags.voice, self.to.videos);
        let source = source.to_owned();
        self.planned.push(Planned::Media(PlannedMedia { source, voice, videos, caption, piece }));
    }

    fn piece(&mut self, payload: PiecePayload) -> Outgoing {
        let position = if self.planned.is_empty() { Position::First } else { Position::Later };
        let reply: Option<ReplyPlace> = self.replies.next(self.answer.marks.tags.reply_to.as_ref(), position);
        Outgoing {
            key: format!("{}/{}", self.to.stem, self.planned.len()),
            target: self.to.target.clone(),
            payload,
            reply,
            silent: self.to.sound == Sound::Silent,
            link_preview: self.to.manner.link_preview,
            buttons: Vec::new(),
        }
    }

    fn finish(mut self) -> Vec<Planned> {
        match self.planned.last_mut() {
            Some(Planned::Words(piece) | Planned::Media(PlannedMedia { piece, .. })) => {
                piece.buttons.clone_from(&self.to.buttons);
            }
            None => {}
        }
        self.planned
    }
}
