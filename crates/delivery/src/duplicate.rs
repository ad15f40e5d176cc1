//! What was said already: an answer that repeats what the `message` tool sent to the same place is not sent again.
//!
//! Compared without case, white space and emoji. Short words are never taken for a repetition.

use std::collections::BTreeSet;

use openclaw_types::SendTarget;

use crate::answer::CleanAnswer;

/// Words shorter than this are never taken for a repetition, in characters.
const SHORTEST: usize = 10;

/// Something that was sent during the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SentText {
    /// Where to.
    pub target: SendTarget,
    /// The words.
    pub text: String,
    /// Files and addresses that went with it.
    pub media: Vec<String>,
}

/// An answer without what was said to the same place already: its words go when they repeat, its files when they were
/// sent. Nothing left means that nothing is to be sent.
#[must_use]
pub fn without_repetition(
    answer: CleanAnswer,
    said: &[SentText],
    target: &SendTarget,
) -> Option<CleanAnswer> {
    let there: Vec<&SentText> = said.iter().filter(|said| said.target == *target).collect();
    let mut answer = answer;
    if repeats(&answer.text, there.iter().map(|said| said.text.as_str())) {
        answer.text.clear();
    }
    let sent: BTreeSet<&str> = there.iter().flat_map(|said| &said.media).map(|media| bare(media)).collect();
    answer.marks.media.retain(|media| !sent.contains(bare(media)));
    (!answer.text.trim().is_empty() || !answer.marks.media.is_empty()).then_some(answer)
}

/// Whether words repeat something that was said: it holds them, or they add little to it. Words that say much more are
/// news.
#[must_use]
pub fn repeats<'a>(words: &str, said: impl IntoIterator<Item = &'a str>) -> bool {
    let words = compared(words);
    let adds_little = |said: &str| words.contains(said) && said.len() * 2 >= words.len();
    long_enough(&words)
        && said
            .into_iter()
            .map(compared)
            .any(|said| long_enough(&said) && (said.contains(&words) || adds_little(&said)))
}

fn bare(media: &str) -> &str {
    let media = media.trim();
    let media = media.strip_prefix("file://").unwrap_or(media);
    media.strip_prefix("./").unwrap_or(media)
}

fn long_enough(words: &str) -> bool {
    words.chars().count() >= SHORTEST
}

fn compared(words: &str) -> String {
    let plain: String = words.chars().filter(|c| !is_emoji(*c)).flat_map(char::to_lowercase).collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Pictures, and what is put behind letters to make them pictures.
fn is_emoji(c: char) -> bool {
    matches!(c,
        '\u{00A9}' | '\u{00AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}'
        | '\u{2194}'..='\u{21AA}' | '\u{231A}'..='\u{23FF}' | '\u{24C2}' | '\u{25AA}'..='\u{25FE}'
        | '\u{2600}'..='\u{27BF}' | '\u{2934}'..='\u{2935}' | '\u{2B05}'..='\u{2B55}' | '\u{3030}'
        | '\u{303D}' | '\u{3297}' | '\u{3299}' | '\u{1F000}'..='\u{1FAFF}' | '\u{FE0F}' | '\u{200D}')
}
