//! Tags in a model's words that tell how an answer is sent: `[[reply_to_current]]`, `[[reply_to:<id>]]`,
//! `[[audio_as_voice]]`.
//!
//! They are taken out and remembered. A tag that is not whole yet is held back, and taking one out never makes another.
//! `answer` calls this first, before it looks at lines.

/// The longest tag; what is longer is text.
const LONGEST: usize = 256;

/// How an answer is sent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tags {
    /// Which message it answers.
    pub reply_to: Option<ReplyTo>,
    /// Whether sound is sent as a voice message.
    pub voice: bool,
}

/// Which message an answer answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReplyTo {
    /// The one that led to it.
    Current,
    /// One by its id.
    Message(String),
}

/// Takes tags out of words as they come.
#[derive(Debug, Clone, Default)]
pub(crate) struct TagFilter {
    held: String,
    tags: Tags,
    last: Option<char>,
    /// A tag was just taken out, and what follows is not known yet.
    after_tag: bool,
}

/// What the beginning of a text is.
enum Beginning {
    /// A tag of so many bytes.
    Tag(usize, Tag),
    /// Perhaps a tag, when more comes.
    Unfinished,
    /// Perhaps a tag, if the one that begins at this place goes.
    Nested(usize),
    /// Text.
    Text,
}

enum Tag {
    Reply(ReplyTo),
    Voice,
}

impl TagFilter {
    /// Takes in words and puts out those that are surely none of a tag.
    pub(crate) fn push(&mut self, words: &str, out: &mut String) {
        let mut held = std::mem::take(&mut self.held);
        held.push_str(words);
        let mut at = 0;
        while let Some(offset) = held[at..].find('[') {
            self.release(&held[at..at + offset], out);
            at += offset;
            match self.settle(&mut held, at) {
                Settled::Taken(length) => {
                    at += length;
                    self.after_tag = true;
                }
                Settled::Text => {
                    self.release("[", out);
                    at += 1;
                }
                Settled::Unfinished => {
                    held.drain(..at);
                    self.held = held;
                    return;
                }
            }
        }
        self.release(&held[at..], out);
    }

    /// The tags so far.
    pub(crate) fn so_far(&self) -> &Tags {
        &self.tags
    }

    /// Puts out what was held back, and gives the tags.
    pub(crate) fn finish(&mut self, out: &mut String) -> Tags {
        // What is still held can only be the beginning of a tag; without its end its bracket is text.
        while let Some(rest) = self.held.strip_prefix('[').map(str::to_owned) {
            self.held.clear();
            self.release("[", out);
            self.push(&rest, out);
        }
        std::mem::take(&mut self.tags)
    }

    /// Decides about the bracket at `base`.
    fn settle(&mut self, held: &mut String, base: usize) -> Settled {
        let mut open = vec![base];
        while let Some(start) = open.last().copied() {
            match beginning(&held[start..]) {
                // Measured from the outermost bracket, so that it does not matter how the words are cut.
                Beginning::Tag(length, _) if start + length - base > LONGEST => return Settled::Text,
                Beginning::Tag(length, tag) => {
                    self.note(tag);
                    open.pop();
                    if open.is_empty() {
                        return Settled::Taken(length);
                    }
                    // Inside another tag a space stays, so that two halves never become a word.
                    held.replace_range(start..start + length, " ");
                }
                Beginning::Nested(inner) if start + inner - base <= LONGEST => open.push(start + inner),
                Beginning::Nested(_) | Beginning::Text => return Settled::Text,
                Beginning::Unfinished if held.len() - base > LONGEST => return Settled::Text,
                Beginning::Unfinished => return Settled::Unfinished,
            }
        }
        Settled::Text
    }

    fn note(&mut self, tag: Tag) {
        match tag {
            Tag::Voice => self.tags.voice = true,
            Tag::Reply(ReplyTo::Current) if self.tags.reply_to.is_some() => {}
            Tag::Reply(reply) => self.tags.reply_to = Some(reply),
        }
    }

    /// Puts words out. Between words on both sides of a tag a space stays, and no more than one.
    fn release(&mut self, words: &str, out: &mut String) {
        let mut words = words;
        if self.after_tag {
            words = words.trim_start_matches([' ', '\t']);
            let Some(first) = words.chars().next() else { return };
            if !first.is_whitespace() && self.last.is_some_and(|last| !last.is_whitespace()) {
                out.push(' ');
            }
            self.after_tag = false;
        }
        out.push_str(words);
        self.last = words.chars().next_back().or(self.last);
    }
}

enum Settled {
    /// A tag of so many bytes was taken.
    Taken(usize),
    Text,
    Unfinished,
}

fn beginning(text: &str) -> Beginning {
    let Some(body) = text.strip_prefix("[[") else {
        return if text == "[" { Beginning::Unfinished } else { Beginning::Text };
    };
    let inner = body.trim_start_matches([' ', '\t']);
    let at = |rest: &str| text.len() - rest.len();
    for (word, tag) in [("audio_as_voice", Tag::Voice), ("reply_to_current", Tag::Reply(ReplyTo::Current))] {
        match after_word(inner, word) {
            After::Rest(rest) => return closing(rest, at(rest), tag),
            After::Short => return Beginning::Unfinished,
            After::Cut(rest) => return Beginning::Nested(at(rest)),
            After::Other => {}
        }
    }
    match after_word(inner, "reply_to") {
        After::Rest(rest) => id(rest, at(rest)),
        After::Short => Beginning::Unfinished,
        After::Cut(rest) => Beginning::Nested(at(rest)),
        After::Other => Beginning::Text,
    }
}

/// What follows a word at the beginning of a text.
enum After<'a> {
    Rest(&'a str),
    /// The text ends inside the word.
    Short,
    /// A bracket stands inside the word.
    Cut(&'a str),
    Other,
}

fn after_word<'a>(text: &'a str, word: &str) -> After<'a> {
    let same = text.bytes().zip(word.bytes()).take_while(|(a, b)| a.eq_ignore_ascii_case(b)).count();
    match (same == word.len(), text.get(same..)) {
        (true, Some(rest)) => After::Rest(rest),
        (false, Some("")) => After::Short,
        (false, Some(rest)) if rest.starts_with('[') && same == 0 => After::Cut(rest),
        _ => After::Other,
    }
}

fn closing(rest: &str, at: usize, tag: Tag) -> Beginning {
    let trimmed = rest.trim_start_matches([' ', '\t']);
    let skipped = at + rest.len() - trimmed.len();
    if trimmed.starts_with("]]") {
        return Beginning::Tag(skipped + 2, tag);
    }
    match trimmed {
        "" | "]" => Beginning::Unfinished,
        other if other.starts_with('[') => Beginning::Nested(skipped),
        _ => Beginning::Text,
    }
}

/// Reads `: <id>]]`.
fn id(rest: &str, at: usize) -> Beginning {
    let trimmed = rest.trim_start_matches([' ', '\t']);
    let colon = at + rest.len() - trimmed.len();
    let Some(body) = trimmed.strip_prefix(':') else {
        return match trimmed {
            "" => Beginning::Unfinished,
            other if other.starts_with('[') => Beginning::Nested(colon),
            _ => Beginning::Text,
        };
    };
    match body.find(['[', ']', '\n']) {
        None => Beginning::Unfinished,
        Some(end) if body[end..].starts_with("]]") && !body[..end].trim().is_empty() => {
            let id = ReplyTo::Message(body[..end].trim().to_owned());
            Beginning::Tag(colon + 1 + end + 2, Tag::Reply(id))
        }
        Some(end) if &body[end..] == "]" => Beginning::Unfinished,
        Some(end) if body[end..].starts_with('[') => Beginning::Nested(colon + 1 + end),
        Some(_) => Beginning::Text,
    }
}
