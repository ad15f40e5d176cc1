//! A model's words, without what is meant for the gateway.
//!
//! Tags go first, then lines, then space at both ends. Words as they come and the whole text give the same answer,
//! however the words are cut.

use crate::lines::LineFilter;
use crate::tags::{TagFilter, Tags};

/// What people get of a model's words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CleanAnswer {
    /// The words.
    pub text: String,
    /// What was taken out of them.
    pub marks: Marks,
}

/// What was taken out of a model's words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Marks {
    /// How the answer is sent.
    pub tags: Tags,
    /// Files and addresses that belong to it, in order.
    pub media: Vec<String>,
    /// Whether nothing is to be said: silence was asked for, and no word is left beside it.
    pub silent: bool,
}

/// Cleans an answer that is whole.
#[must_use]
pub fn clean(text: &str) -> CleanAnswer {
    let mut live = LiveAnswer::new();
    let mut words = live.push(text);
    let (rest, marks) = live.finish();
    words.push_str(&rest);
    CleanAnswer { text: words, marks }
}

/// Cleans an answer while its words come. What `push` and `finish` give, joined, is what `clean` gives.
#[derive(Debug, Clone)]
pub struct LiveAnswer {
    tags: TagFilter,
    lines: LineFilter,
    /// Space that is put out when a word follows it.
    space: String,
    has_words: bool,
}

impl LiveAnswer {
    /// Before the first word.
    #[must_use]
    pub fn new() -> Self {
        Self { tags: TagFilter::default(), lines: LineFilter::new(), space: String::new(), has_words: false }
    }

    /// Takes in words and gives those that can be shown now.
    #[must_use]
    pub fn push(&mut self, words: &str) -> String {
        let mut untagged = String::new();
        self.tags.push(words, &mut untagged);
        let mut shown = String::new();
        self.lines.push(&untagged, &mut shown);
        self.trim(&shown)
    }

    /// How the answer is sent, as far as it is known: for whoever sends a part before the end.
    #[must_use]
    pub fn tags(&self) -> &Tags {
        self.tags.so_far()
    }

    /// Gives what was attached so far, for whoever sends it before the end. `finish` gives only the rest.
    #[must_use]
    pub fn take_media(&mut self) -> Vec<String> {
        self.lines.take_media()
    }

    /// Gives the words that were held back, and what was taken out.
    #[must_use]
    pub fn finish(mut self) -> (String, Marks) {
        let mut untagged = String::new();
        let tags = self.tags.finish(&mut untagged);
        let mut shown = String::new();
        self.lines.push(&untagged, &mut shown);
        let taken = self.lines.finish(&mut shown);
        let rest = self.trim(&shown);
        let silent = taken.said_silence && !self.has_words;
        (rest, Marks { tags, media: taken.media, silent })
    }

    fn trim(&mut self, words: &str) -> String {
        let words = if self.has_words { words } else { words.trim_start() };
        let visible = words.trim_end();
        if visible.is_empty() {
            self.space.push_str(words);
            return String::new();
        }
        let mut shown = std::mem::take(&mut self.space);
        shown.push_str(visible);
        self.space.push_str(&words[visible.len()..]);
        self.has_words = true;
        shown
    }
}

impl Default for LiveAnswer {
    fn default() -> Self {
        Self::new()
    }
}
