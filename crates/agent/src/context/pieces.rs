//! Cuts a text into the pieces that a tokenizer looks at one by one: words with the space before them, numbers of up
//! to three digits, runs of signs, runs of space.
//!
//! The rules are those of `o200k_base`, which publishes them as a regular expression; each function below is one of its
//! alternatives, in its order. Pure.

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory;

/// The ends of English contractions, which stay with their word.
const CONTRACTIONS: [&str; 7] = ["s", "t", "re", "ve", "m", "ll", "d"];
const DIGITS_TOGETHER: usize = 3;

/// What a character counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A capital letter.
    Upper,
    /// A small letter.
    Lower,
    /// A letter without case.
    Caseless,
    /// A mark on a letter: part of a word, but no letter.
    Mark,
    /// A digit or other number.
    Number,
    /// A line break.
    Break,
    /// Any other space.
    Space,
    /// Anything else.
    Sign,
}

impl Class {
    fn of(letter: char) -> Self {
        match letter {
            'a'..='z' => return Self::Lower,
            'A'..='Z' => return Self::Upper,
            '0'..='9' => return Self::Number,
            '\r' | '\n' => return Self::Break,
            letter if letter.is_whitespace() => return Self::Space,
            letter if letter.is_ascii() => return Self::Sign,
            _ => {}
        }
        match CodePointMapData::<GeneralCategory>::new().get(letter) {
            GeneralCategory::UppercaseLetter | GeneralCategory::TitlecaseLetter => Self::Upper,
            GeneralCategory::LowercaseLetter => Self::Lower,
            GeneralCategory::ModifierLetter | GeneralCategory::OtherLetter => Self::Caseless,
            GeneralCategory::NonspacingMark
            | GeneralCategory::SpacingMark
            | GeneralCategory::EnclosingMark => Self::Mark,
            GeneralCategory::DecimalNumber | GeneralCategory::LetterNumber | GeneralCategory::OtherNumber => {
                Self::Number
            }
            _ => Self::Sign,
        }
    }

    fn begins_words(self) -> bool {
        matches!(self, Self::Upper | Self::Caseless | Self::Mark)
    }

    fn ends_words(self) -> bool {
        matches!(self, Self::Lower | Self::Caseless | Self::Mark)
    }

    fn is_space(self) -> bool {
        matches!(self, Self::Space | Self::Break)
    }

    /// Whether it may stand before a word and belong to it.
    fn leads_words(self) -> bool {
        matches!(self, Self::Mark | Self::Space | Self::Sign)
    }

    fn is_sign(self) -> bool {
        matches!(self, Self::Mark | Self::Sign)
    }
}

/// The pieces of a text. Together they are the text.
pub(super) fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let letters: Vec<(usize, char, Class)> =
        text.char_indices().map(|(at, letter)| (at, letter, Class::of(letter))).collect();
    let mut next = 0;
    std::iter::from_fn(move || {
        let line = Line { letters: letters.get(next..).unwrap_or_default() };
        let begin = line.letters.first()?.0;
        next += line.first_piece().max(1);
        let end = letters.get(next).map_or(text.len(), |letter| letter.0);
        text.get(begin..end)
    })
}

/// The rest of a text.
struct Line<'a> {
    letters: &'a [(usize, char, Class)],
}

impl Line<'_> {
    /// How many characters the first piece has.
    fn first_piece(&self) -> usize {
        self.word()
            .or_else(|| self.number())
            .or_else(|| self.signs())
            .or_else(|| self.breaks())
            .unwrap_or_else(|| self.spaces())
    }

    fn class(&self, at: usize) -> Option<Class> {
        self.letters.get(at).map(|letter| letter.2)
    }

    fn run(&self, from: usize, belongs: impl Fn(Class) -> bool) -> usize {
        let rest = self.letters.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|letter| belongs(letter.2)).count()
    }

    /// A word that ends in small letters, else one in capitals; with one character before it where there is one.
    fn word(&self) -> Option<usize> {
        let led = self.class(0).is_some_and(Class::leads_words);
        let starts = || [led.then_some(1), Some(0)].into_iter().flatten();
        let end = starts()
            .find_map(|from| self.word_in_small(from))
            .or_else(|| starts().find_map(|from| self.word_in_capitals(from)))?;
        Some(self.with_contraction(end))
    }

    fn word_in_small(&self, from: usize) -> Option<usize> {
        let capitals = self.run(from, Class::begins_words);
        let end = self.run(capitals, Class::ends_words);
        if end > capitals {
            return Some(end);
        }
        // The capitals give back what may also end a word.
        (from..capitals).rev().find(|at| self.class(*at).is_some_and(Class::ends_words)).map(|at| at + 1)
    }

    fn word_in_capitals(&self, from: usize) -> Option<usize> {
        let capitals = self.run(from, Class::begins_words);
        (capitals > from).then(|| self.run(capitals, Class::ends_words))
    }

    fn with_contraction(&self, end: usize) -> usize {
        if self.letters.get(end).is_none_or(|letter| letter.1 != '\'') {
            return end;
        }
        let rest = self.letters.get(end + 1..).unwrap_or_default();
        let found = CONTRACTIONS.iter().find(|ending| {
            ending.len() <= rest.len()
                && ending.chars().zip(rest).all(|(wanted, letter)| folded(letter.1) == wanted)
        });
        found.map_or(end, |ending| end + 1 + ending.len())
    }

    fn number(&self) -> Option<usize> {
        let digits = self.run(0, |class| class == Class::Number);
        (digits > 0).then(|| digits.min(DIGITS_TOGETHER))
    }

    /// Signs with the space before them and the line breaks after them.
    fn signs(&self) -> Option<usize> {
        let from = usize::from(self.letters.first().is_some_and(|letter| letter.1 == ' '));
        let end = self.run(from, Class::is_sign);
        if end == from {
            return None;
        }
        let rest = self.letters.get(end..).unwrap_or_default();
        Some(end + rest.iter().take_while(|letter| matches!(letter.1, '\r' | '\n' | '/')).count())
    }

    /// Space up to its last line break.
    fn breaks(&self) -> Option<usize> {
        let end = self.run(0, Class::is_space);
        (0..end).rev().find(|at| self.class(*at) == Some(Class::Break)).map(|at| at + 1)
    }

    /// Space; the last one is left to the word behind it.
    fn spaces(&self) -> usize {
        let end = self.run(0, Class::is_space);
        if end < self.letters.len() && end > 1 { end - 1 } else { end }
    }
}

/// A letter without case. The long s is an s to regular expressions.
fn folded(letter: char) -> char {
    if letter == 'ſ' { 's' } else { letter.to_ascii_lowercase() }
}
