//! Decides which values are hidden, in plain values and in syntax trees alike.
//!
//! By place: `schema` says which paths are sensitive. A value that is only a reference to a variable stays visible.
//! `shown` and `text` apply the decision.

use std::collections::BTreeSet;
use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use openclaw_schema::PathStep;
use serde_json::Value;

use super::REDACTED;
use crate::read::is_only_a_reference;
use crate::schema::is_sensitive_path;

/// A hidden value of a text.
pub(super) struct HiddenValue {
    pub(super) path: Vec<PathStep>,
    pub(super) range: Range<usize>,
}

/// What of a text is hidden because of its place.
#[derive(Default)]
pub(super) struct HiddenPlaces {
    /// In the order of the text.
    pub(super) values: Vec<HiddenValue>,
    /// Objects and lists that hold nothing but secrets, so that comments in them are taken as such too.
    pub(super) containers: Vec<Range<usize>>,
}

/// Hides the secrets of a configuration value.
#[must_use]
pub fn redact_value(config: &Value) -> Value {
    fn walk<'a>(value: &'a Value, path: &mut Vec<&'a str>) -> Value {
        match value {
            Value::Array(items) => {
                path.push("[]");
                let items = items.iter().map(|item| walk(item, path)).collect();
                path.pop();
                Value::Array(items)
            }
            _ if is_hidden(path, &Shape::of(value)) => Value::String(REDACTED.to_owned()),
            Value::Object(map) => {
                let mut out = serde_json::Map::with_capacity(map.len());
                for (key, inner) in map {
                    path.push(key);
                    out.insert(key.clone(), walk(inner, path));
                    path.pop();
                }
                Value::Object(out)
            }
            other => other.clone(),
        }
    }
    walk(config, &mut Vec::new())
}

/// Adds every text at a hidden place, and every number as it is printed.
pub(super) fn add_hidden_texts(config: &Value, texts: &mut BTreeSet<String>) {
    fn add_all(value: &Value, texts: &mut BTreeSet<String>) {
        match value {
            Value::String(text) => {
                texts.insert(text.clone());
            }
            Value::Number(number) => {
                texts.insert(number.to_string());
            }
            Value::Array(items) => items.iter().for_each(|item| add_all(item, texts)),
            Value::Object(map) => map.values().for_each(|inner| add_all(inner, texts)),
            Value::Null | Value::Bool(_) => {}
        }
    }
    fn walk<'a>(value: &'a Value, path: &mut Vec<&'a str>, texts: &mut BTreeSet<String>) {
        match value {
            _ if is_hidden(path, &Shape::of(value)) => add_all(value, texts),
            Value::Array(items) => {
                path.push("[]");
                items.iter().for_each(|item| walk(item, path, texts));
                path.pop();
            }
            Value::Object(map) => {
                for (key, inner) in map {
                    path.push(key);
                    walk(inner, path, texts);
                    path.pop();
                }
            }
            _ => {}
        }
    }
    walk(config, &mut Vec::new(), texts);
}

/// Finds what is hidden in a syntax tree.
pub(super) fn hidden_places(root: &ast::Value<'_>) -> HiddenPlaces {
    let mut search = Search::default();
    search.value(root);
    search.found
}

#[derive(Default)]
struct Search<'a> {
    /// What sensitivity is decided by; `[]` for an entry of a list.
    keys: Vec<&'a str>,
    path: Vec<PathStep>,
    found: HiddenPlaces,
}

impl<'a> Search<'a> {
    fn value(&mut self, value: &'a ast::Value<'a>) {
        let range = value.start()..value.end();
        match value {
            ast::Value::Array(array) => {
                self.note_container("[]", range);
                for (index, item) in array.elements.iter().enumerate() {
                    self.inner("[]", PathStep::Index(index), item);
                }
            }
            _ if is_hidden(&self.keys, &Shape::of_ast(value)) => {
                self.found.values.push(HiddenValue { path: self.path.clone(), range });
            }
            ast::Value::Object(object) => {
                self.note_container("*", range);
                for property in &object.properties {
                    let key = property.name.as_str();
                    self.inner(key, PathStep::Key(key.to_owned()), &property.value);
                }
            }
            _ => {}
        }
    }

    fn inner(&mut self, key: &'a str, step: PathStep, value: &'a ast::Value<'a>) {
        self.keys.push(key);
        self.path.push(step);
        self.value(value);
        self.path.pop();
        self.keys.pop();
    }

    fn note_container(&mut self, any_key: &'a str, range: Range<usize>) {
        self.keys.push(any_key);
        if is_sensitive_path(&self.keys) {
            self.found.containers.push(range);
        }
        self.keys.pop();
    }
}

/// What matters about a value for hiding it.
enum Shape<'a> {
    Text(&'a str),
    /// A number or an object: hidden as a whole.
    Other,
    /// Nothing that could be a secret.
    Harmless,
}

impl<'a> Shape<'a> {
    fn of(value: &'a Value) -> Self {
        match value {
            Value::String(text) => Self::Text(text),
            Value::Number(_) | Value::Object(_) => Self::Other,
            Value::Null | Value::Bool(_) | Value::Array(_) => Self::Harmless,
        }
    }

    fn of_ast(value: &'a ast::Value<'a>) -> Self {
        match value {
            ast::Value::StringLit(text) => Self::Text(&text.value),
            ast::Value::NumberLit(_) | ast::Value::Object(_) => Self::Other,
            ast::Value::BooleanLit(_) | ast::Value::NullKeyword(_) | ast::Value::Array(_) => Self::Harmless,
        }
    }
}

fn is_hidden(path: &[&str], shape: &Shape<'_>) -> bool {
    match shape {
        Shape::Harmless => false,
        Shape::Text(text) => is_sensitive_path(path) && !is_only_a_reference(text),
        Shape::Other => is_sensitive_path(path) && path != ["env", "vars"],
    }
}
