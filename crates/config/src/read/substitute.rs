//! Replaces `${NAME}` in texts by variables; `$${NAME}` stands for a literal `${NAME}`.
//!
//! Names are upper case: `[A-Z_][A-Z0-9_]*`; anything else after a dollar sign is left as it is. A variable that is
//! not set, or is empty, is reported with its path, and the text is left as written. Pure.

use openclaw_schema::PathStep;
use serde_json::Value;

use crate::Environment;

/// A variable that a value needs and that is not set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissingVariable {
    pub(crate) path: Vec<PathStep>,
    pub(crate) name: String,
}

/// A piece of a text.
enum Piece<'a> {
    Plain(&'a str),
    Escaped(&'a str),
    Reference(&'a str),
}

/// Replaces every reference in every text of `value`.
pub(crate) fn substitute(value: &Value, environment: &Environment) -> (Value, Vec<MissingVariable>) {
    let mut missing = Vec::new();
    let value = walk(value, environment, &mut Vec::new(), &mut missing);
    (value, missing)
}

/// Replaces the references of one text, or names the first variable that is not set.
pub(crate) fn substitute_text(text: &str, environment: &Environment) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    for piece in pieces(text) {
        match piece {
            Piece::Plain(plain) => out.push_str(plain),
            Piece::Escaped(name) => {
                out.push_str("${");
                out.push_str(name);
                out.push('}');
            }
            Piece::Reference(name) => match environment.get(name).filter(|value| !value.is_empty()) {
                Some(value) => out.push_str(value),
                None => return Err(name.to_owned()),
            },
        }
    }
    Ok(out)
}

/// Whether a text refers to a variable somewhere.
pub(crate) fn has_reference(text: &str) -> bool {
    pieces(text).any(|piece| matches!(piece, Piece::Reference(_)))
}

/// Whether a text is one reference and nothing else, so that showing it shows no secret.
pub(crate) fn is_only_a_reference(text: &str) -> bool {
    let mut all = pieces(text);
    matches!((all.next(), all.next()), (Some(Piece::Reference(_)), None))
}

fn walk(
    value: &Value,
    environment: &Environment,
    path: &mut Vec<PathStep>,
    missing: &mut Vec<MissingVariable>,
) -> Value {
    match value {
        Value::String(text) if text.contains('$') => match substitute_text(text, environment) {
            Ok(text) => Value::String(text),
            Err(name) => {
                missing.push(MissingVariable { path: path.clone(), name });
                value.clone()
            }
        },
        Value::Array(items) => {
            let mut out = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                path.push(PathStep::Index(index));
                out.push(walk(item, environment, path, missing));
                path.pop();
            }
            Value::Array(out)
        }
        Value::Object(map) => {
            let mut out = serde_json::Map::with_capacity(map.len());
            for (key, item) in map {
                path.push(PathStep::Key(key.clone()));
                out.insert(key.clone(), walk(item, environment, path, missing));
                path.pop();
            }
            Value::Object(out)
        }
        other => other.clone(),
    }
}

fn pieces(text: &str) -> impl Iterator<Item = Piece<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, after)) = rest.strip_prefix("$${").and_then(name) {
            rest = after;
            return Some(Piece::Escaped(name));
        }
        if let Some((name, after)) = rest.strip_prefix("${").and_then(name) {
            rest = after;
            return Some(Piece::Reference(name));
        }
        // At least one character is plain here; the next dollar sign may start something.
        let end =
            rest.char_indices().skip(1).find(|(_, letter)| *letter == '$').map_or(rest.len(), |(at, _)| at);
        let (plain, after) = rest.split_at(end);
        rest = after;
        Some(Piece::Plain(plain))
    })
}

/// Splits `NAME}rest`. Looks no further than the name, so that hostile texts stay cheap.
fn name(text: &str) -> Option<(&str, &str)> {
    let is_letter = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
    let length = text.bytes().take_while(is_letter).count();
    let (name, rest) = text.split_at(length);
    let starts_well = name.bytes().next().is_some_and(|first| !first.is_ascii_digit());
    rest.strip_prefix('}').filter(|_| starts_well).map(|rest| (name, rest))
}
