//! Decides which comments of a configuration text may hold a secret, and what stands in their place.
//!
//! A comment has no path, so the decision is generous: one that names a sensitive key before a colon or an equals
//! sign, repeats a hidden value, holds what looks like a credential, or stands among secrets is hidden as a whole.
//! Its mark has the comment's number, by which `text` finds it again. Pure.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use jsonc_parser::CommentMap;
use jsonc_parser::ast::CommentKind;
use jsonc_parser::common::Ranged as _;
use serde_json::Value;

use super::REDACTED;
use super::place::{HiddenPlaces, add_hidden_texts};
use crate::FileSnapshot;
use crate::schema::may_name_a_secret;

/// Shorter values are not looked for in comments: they would be found in any word.
const MIN_KNOWN_CHARS: usize = 4;
/// Letters mixed with digits of at least this length are taken for a credential.
const MIN_CREDENTIAL_CHARS: usize = 16;

/// A comment with its delimiters.
pub(super) struct Comment<'a> {
    pub(super) range: Range<usize>,
    pub(super) kind: CommentKind,
    pub(super) text: &'a str,
}

/// Hidden values that comments may repeat.
#[derive(Default)]
pub(crate) struct KnownTexts(BTreeSet<String>);

impl KnownTexts {
    /// The hidden values of a snapshot, as written and as resolved.
    pub(super) fn of(snapshot: &FileSnapshot) -> Self {
        let mut texts = BTreeSet::new();
        for config in [&snapshot.parsed, &snapshot.source, &snapshot.resolved] {
            add_hidden_texts(config, &mut texts);
        }
        let auth = &snapshot.config.gateway.auth;
        texts.extend(
            [&auth.token, &auth.password].into_iter().flatten().map(|secret| secret.reveal().clone()),
        );
        let mut known = Self::default();
        texts.iter().for_each(|text| known.add(text));
        known
    }

    /// Adds the lines of a value, plain and as they are written between quotes.
    fn add(&mut self, value: &str) {
        let escaped = Value::from(value).to_string();
        let written = escaped.trim_matches('"');
        let lines = value.lines().chain([written]).map(str::trim);
        self.0.extend(lines.filter(|line| line.chars().count() >= MIN_KNOWN_CHARS).map(str::to_owned));
    }

    fn are_in(&self, comment: &str) -> bool {
        self.0.iter().any(|known| comment.contains(known.as_str()))
    }
}

/// All comments of a text, in its order.
pub(super) fn in_order<'a>(found: &CommentMap<'a>) -> Vec<Comment<'a>> {
    let by_start: BTreeMap<usize, Comment<'a>> = found
        .values()
        .flat_map(|comments| comments.iter())
        .map(|comment| {
            let range = comment.start()..comment.end();
            (range.start, Comment { range, kind: comment.kind(), text: comment.text() })
        })
        .collect();
    by_start.into_values().collect()
}

/// The numbers of the comments that must not be shown. `body` is the text the comments are of.
pub(super) fn hidden(
    body: &str,
    comments: &[Comment<'_>],
    places: &HiddenPlaces,
    known: &KnownTexts,
) -> Vec<usize> {
    let mut hidden = Vec::new();
    // The end of a line comment that goes on in the next one, as in a setting that was commented out line by line.
    let mut unfinished: Option<usize> = None;
    for (number, comment) in comments.iter().enumerate() {
        let among_secrets = places.containers.iter().any(|range| range.contains(&comment.range.start));
        let named = secret_name(comment.text);
        let continued = comment.kind == CommentKind::Line
            && unfinished.is_some_and(|end| is_next_line(body, end..comment.range.start));
        if named.is_some()
            || continued
            || among_secrets
            || comment.text.contains(REDACTED)
            || known.are_in(comment.text)
            || holds_a_credential(comment.text)
        {
            hidden.push(number);
        }
        let goes_on = continued || named.is_some_and(is_unfinished);
        unfinished = (comment.kind == CommentKind::Line && goes_on).then_some(comment.range.end);
    }
    hidden
}

/// What stands in place of a comment.
pub(super) fn mark(number: usize, comment: &Comment<'_>) -> String {
    match comment.kind {
        CommentKind::Line => format!("// {REDACTED} {number}"),
        CommentKind::Block => format!("/* {REDACTED} {number} */"),
    }
}

/// The number in a mark. `None` when it was tampered with.
pub(super) fn marked_number(comment: &Comment<'_>) -> Option<usize> {
    comment.text.trim().strip_prefix(REDACTED)?.trim().parse().ok()
}

/// What follows the first name of a secret that stands before a colon or an equals sign.
fn secret_name(text: &str) -> Option<&str> {
    text.match_indices([':', '=']).find_map(|(at, sign)| {
        let before = text[..at].trim_end().trim_end_matches(['"', '\'', '`', ']', '*']).trim_end();
        let is_part = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '-' | '$');
        let start = before.len()
            - before.chars().rev().take_while(|letter| is_part(*letter)).map(char::len_utf8).sum::<usize>();
        may_name_a_secret(&before[start..]).then(|| &text[at + sign.len()..])
    })
}

/// Whether what follows a name on its line is not the whole value.
fn is_unfinished(rest: &str) -> bool {
    let count = |letters: &[char]| rest.matches(letters).count();
    let quotes = ['"', '\'', '`'].iter().any(|quote| rest.matches(*quote).count() % 2 == 1);
    rest.trim().is_empty()
        || quotes
        || rest.trim_end().ends_with('\\')
        || count(&['{', '[']) > count(&['}', ']'])
}

fn holds_a_credential(text: &str) -> bool {
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| {
        word.len() >= MIN_CREDENTIAL_CHARS
            && word.contains(|letter: char| letter.is_ascii_digit())
            && word.contains(|letter: char| letter.is_ascii_alphabetic())
    })
}

fn is_next_line(body: &str, between: Range<usize>) -> bool {
    body.get(between).is_some_and(|gap| gap.trim().is_empty() && gap.matches('\n').count() <= 1)
}
