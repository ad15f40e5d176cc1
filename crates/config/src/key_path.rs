//! Paths into the configuration as people write them: `agents.list[0].id`, `channels["my.id"].enabled`.
//!
//! Pure: parsing, printing, and looking a path up in a value. A number between dots is an index when an array is
//! there and a key otherwise, so `agents.list.0.id` works as well.

use std::fmt;
use std::str::FromStr;

use openclaw_schema::PathStep;
use serde_json::Value;

use crate::error::KeyPathError;

/// Names that no key may have.
const RESERVED: [&str; 3] = ["__proto__", "prototype", "constructor"];

/// The way from the root of the configuration to a value. Never empty when parsed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KeyPath(Vec<PathStep>);

impl KeyPath {
    /// A path of the given steps.
    #[must_use]
    pub fn new(steps: Vec<PathStep>) -> Self {
        Self(steps)
    }

    /// The steps from the root.
    #[must_use]
    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// The value at this path.
    #[must_use]
    pub fn find<'a>(&self, root: &'a Value) -> Option<&'a Value> {
        self.0.iter().try_fold(root, |value, step| step_into(value, step))
    }
}

impl FromStr for KeyPath {
    type Err = KeyPathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = |reason| KeyPathError { text: text.to_owned(), reason };
        let mut steps = Vec::new();
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err(fail("it is empty"));
        }
        while !rest.is_empty() {
            let (step, after) = if let Some(inside) = rest.strip_prefix('[') {
                bracket(inside).map_err(fail)?
            } else {
                let end = rest.find(['.', '[']).unwrap_or(rest.len());
                let key = rest[..end].trim();
                if key.is_empty() {
                    return Err(fail("a key is missing"));
                }
                (PathStep::Key(key.to_owned()), &rest[end..])
            };
            // Other programs that read the file take these names for something else than a key.
            if matches!(&step, PathStep::Key(key) if RESERVED.contains(&key.as_str())) {
                return Err(fail("__proto__, prototype and constructor cannot be keys"));
            }
            steps.push(step);
            rest = match after.strip_prefix('.') {
                Some("") => return Err(fail("it ends with a dot")),
                Some(next) if next.starts_with('[') => return Err(fail("a dot stands before a bracket")),
                Some(next) => next,
                None if after.is_empty() || after.starts_with('[') => after,
                None => return Err(fail("a dot or bracket is missing")),
            };
        }
        Ok(Self(steps))
    }
}

impl fmt::Display for KeyPath {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&dotted(&self.0))
    }
}

/// Reads what stands after an opening bracket: an index or a quoted key, and the bracket that closes it.
fn bracket(inside: &str) -> Result<(PathStep, &str), &'static str> {
    let inside = inside.trim_start();
    if let Some(quote) = inside.chars().next().filter(|first| matches!(first, '"' | '\'')) {
        let mut key = String::new();
        let mut letters = inside.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            if letter == '\\' {
                key.push(letters.next().ok_or("a quote is not closed")?.1);
            } else if letter == quote {
                let after =
                    inside[at + 1..].trim_start().strip_prefix(']').ok_or("a bracket is not closed")?;
                return Ok((PathStep::Key(key), after));
            } else {
                key.push(letter);
            }
        }
        return Err("a quote is not closed");
    }
    let (number, after) = inside.split_once(']').ok_or("a bracket is not closed")?;
    let index = number.trim().parse().ok().ok_or("brackets hold a number or a quoted key")?;
    Ok((PathStep::Index(index), after))
}

/// One step down, or `None` when nothing is there.
pub(crate) fn step_into<'a>(value: &'a Value, step: &PathStep) -> Option<&'a Value> {
    match (value, step) {
        (Value::Object(map), PathStep::Key(key)) => map.get(key),
        (Value::Array(items), PathStep::Index(index)) => items.get(*index),
        (Value::Array(items), PathStep::Key(key)) => items.get(key.parse::<usize>().ok()?),
        _ => None,
    }
}

/// Prints steps so that parsing gives them back. Keys that a dot would cut stand in quotes.
pub(crate) fn dotted(steps: &[PathStep]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            PathStep::Index(index) => text.push_str(&format!("[{index}]")),
            PathStep::Key(key) if is_plain(key) => {
                if !text.is_empty() {
                    text.push('.');
                }
                text.push_str(key);
            }
            PathStep::Key(key) => {
                text.push_str("[\"");
                text.push_str(&key.replace('\\', "\\\\").replace('"', "\\\""));
                text.push_str("\"]");
            }
        }
    }
    text
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.trim() == key && !key.contains(['.', '[', ']', '"', '\''])
}
