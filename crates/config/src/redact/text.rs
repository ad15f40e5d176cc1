//! Hides secrets in a configuration text by position, and puts them back into a text that a client returns.
//!
//! Every other character stays as it is. What is put back is the stored text itself, so quotes, layout and comments
//! survive a round trip. It goes by position alone; `write::restore` knows what the text should mean and corrects
//! what moved.

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseResult, parse_to_ast};
use openclaw_schema::PathStep;

use super::REDACTED;
use super::comments::{self, Comment, KnownTexts};
use super::place::{HiddenPlaces, HiddenValue, hidden_places};
use crate::read::{options, parse};

const BYTE_ORDER_MARK: char = '\u{feff}';

/// A hidden comment was changed, or the stored text has no such comment.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LostComment;

/// Hides the secrets of a configuration text, leaving every other character as it is. `None` when it is not JSON5.
pub(crate) fn redact_text(text: &str, known: &KnownTexts) -> Option<String> {
    let body = text.trim_start_matches(BYTE_ORDER_MARK);
    let tree = tree(body)?;
    let places = hidden_places(tree.value.as_ref()?);
    let all = comments_of(&tree);
    let inside_hidden =
        |comment: &Comment<'_>| places.values.iter().any(|value| value.range.contains(&comment.range.start));
    let mut edits: Vec<(Range<usize>, String)> =
        places.values.iter().map(|value| (value.range.clone(), format!("\"{REDACTED}\""))).collect();
    for number in comments::hidden(body, &all, &places, known) {
        let comment = &all[number];
        if !inside_hidden(comment) {
            edits.push((comment.range.clone(), comments::mark(number, comment)));
        }
    }
    Some(format!("{}{}", &text[..text.len() - body.len()], spliced(body, edits)?))
}

/// Puts hidden comments back, and hidden values that stand where the stored text has them. Other marks stay.
pub(crate) fn restore_text(shown: &str, stored: &str) -> Result<String, LostComment> {
    if !shown.contains(REDACTED) {
        return Ok(shown.to_owned());
    }
    let body = shown.trim_start_matches(BYTE_ORDER_MARK);
    let Some(tree_shown) = tree(body) else { return Ok(shown.to_owned()) };
    let stored = stored.trim_start_matches(BYTE_ORDER_MARK);
    let tree_stored = tree(stored);
    let before = tree_stored.as_ref().map(comments_of).unwrap_or_default();
    let places =
        tree_stored.as_ref().and_then(|tree| tree.value.as_ref()).map(hidden_places).unwrap_or_default();
    let mut edits = Vec::new();
    for comment in comments_of(&tree_shown).iter().filter(|comment| comment.text.contains(REDACTED)) {
        let number = comments::marked_number(comment).ok_or(LostComment)?;
        let original = before.get(number).filter(|found| found.kind == comment.kind).ok_or(LostComment)?;
        edits.push((comment.range.clone(), stored[original.range.clone()].to_owned()));
    }
    if let Some(root) = &tree_shown.value {
        for mark in marks(root) {
            if let Some(original) = stored_value(&places, &mark) {
                edits.push((mark.range, stored[original.range.clone()].to_owned()));
            }
        }
    }
    let restored = spliced(body, edits).ok_or(LostComment)?;
    Ok(format!("{}{restored}", &shown[..shown.len() - body.len()]))
}

fn tree(body: &str) -> Option<ParseResult<'_>> {
    // Our own reader goes first: it refuses hostile depth before anything recurses.
    parse(body, 0).ok()?;
    let collect = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
    parse_to_ast(body, &collect, &options()).ok()
}

fn comments_of<'a>(tree: &ParseResult<'a>) -> Vec<Comment<'a>> {
    tree.comments.as_ref().map(comments::in_order).unwrap_or_default()
}

/// The one hidden value at the place of a mark.
fn stored_value<'a>(places: &'a HiddenPlaces, mark: &HiddenValue) -> Option<&'a HiddenValue> {
    let mut found = places.values.iter().filter(|value| value.path == mark.path);
    found.next().filter(|_| found.next().is_none())
}

/// The values of a text that are marks.
fn marks(root: &ast::Value<'_>) -> Vec<HiddenValue> {
    fn walk(value: &ast::Value<'_>, path: &mut Vec<PathStep>, found: &mut Vec<HiddenValue>) {
        match value {
            ast::Value::StringLit(text) if text.value == REDACTED => {
                found.push(HiddenValue { path: path.clone(), range: value.start()..value.end() });
            }
            ast::Value::Array(array) => {
                for (index, item) in array.elements.iter().enumerate() {
                    path.push(PathStep::Index(index));
                    walk(item, path, found);
                    path.pop();
                }
            }
            ast::Value::Object(object) => {
                for property in &object.properties {
                    path.push(PathStep::Key(property.name.as_str().to_owned()));
                    walk(&property.value, path, found);
                    path.pop();
                }
            }
            _ => {}
        }
    }
    let mut found = Vec::new();
    walk(root, &mut Vec::new(), &mut found);
    found
}

/// Replaces ranges that do not overlap.
fn spliced(body: &str, mut edits: Vec<(Range<usize>, String)>) -> Option<String> {
    edits.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(body.len());
    let mut copied = 0;
    for (range, text) in edits {
        out.push_str(body.get(copied..range.start)?);
        out.push_str(&text);
        copied = range.end;
    }
    out.push_str(body.get(copied..)?);
    Some(out)
}
