//! What a JSON value holds beyond another one, as a small difference that can be stored and laid over it again.
//!
//! `line` computes it between what the domain writes and what a file had. A field with another name but the same value
//! is a rename, so an older spelling costs a few bytes, not a second copy. Pure; knows nothing of transcripts but one
//! shorthand: a bare text in the place of a list with one text piece.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The difference from one JSON value to another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Residue {
    /// None.
    #[default]
    Same,
    /// Another value altogether.
    Replace(Value),
    /// The text of the only piece in the place of the list of pieces.
    BareText,
    /// Differences in fields.
    Object(ObjectResidue),
    /// Differences in elements, by place.
    Array(BTreeMap<usize, Residue>),
}

/// The difference from one object to another.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ObjectResidue {
    /// Fields that have another name: the new name, and the one they had.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    renamed: BTreeMap<String, String>,
    /// Fields that are not there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    dropped: Vec<String>,
    /// Fields that are there in addition.
    #[serde(skip_serializing_if = "Map::is_empty")]
    added: Map<String, Value>,
    /// Fields that differ.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    inside: BTreeMap<String, Residue>,
}

impl Residue {
    /// The difference that turns `plain` into `actual`.
    #[must_use]
    pub fn between(plain: &Value, actual: &Value) -> Self {
        match (plain, actual) {
            (Value::Object(plain), Value::Object(actual)) => object_between(plain, actual),
            (Value::Array(plain), Value::Array(actual)) if plain.len() == actual.len() => {
                array_between(plain, actual)
            }
            (Value::Array(plain), Value::String(text)) if only_text(plain) == Some(text) => Self::BareText,
            _ if plain == actual => Self::Same,
            _ => Self::Replace(actual.clone()),
        }
    }

    /// Whether there is no difference.
    #[must_use]
    pub fn is_same(&self) -> bool {
        *self == Self::Same
    }

    /// Lays the difference over a value. Parts that no longer fit, because the value has changed since, are skipped.
    #[must_use]
    pub fn apply(&self, plain: Value) -> Value {
        match (self, plain) {
            (Self::Same, plain) => plain,
            (Self::Replace(actual), _) => actual.clone(),
            (Self::BareText, Value::Array(plain)) => match only_text(&plain) {
                Some(text) => Value::String(text.to_owned()),
                None => Value::Array(plain),
            },
            (Self::Object(residue), Value::Object(plain)) => Value::Object(residue.apply(plain)),
            (Self::Array(residues), Value::Array(plain)) => apply_array(residues, plain),
            (_, plain) => plain,
        }
    }
}

impl ObjectResidue {
    fn apply(&self, plain: Map<String, Value>) -> Map<String, Value> {
        let new_names: BTreeMap<&str, &str> =
            self.renamed.iter().map(|(new, old)| (old.as_str(), new.as_str())).collect();
        let mut actual = Map::new();
        for (name, value) in plain {
            if self.dropped.contains(&name) {
                continue;
            }
            if let Some(new) = new_names.get(name.as_str()) {
                actual.insert((*new).to_owned(), value);
                continue;
            }
            let value = match self.inside.get(&name) {
                Some(residue) => residue.apply(value),
                None => value,
            };
            actual.insert(name, value);
        }
        for (name, value) in &self.added {
            actual.entry(name.as_str()).or_insert_with(|| value.clone());
        }
        actual
    }
}

fn object_between(plain: &Map<String, Value>, actual: &Map<String, Value>) -> Residue {
    let mut residue = ObjectResidue::default();
    let mut missing: Vec<(&String, &Value)> =
        plain.iter().filter(|(name, _)| !actual.contains_key(*name)).collect();
    for (name, value) in actual {
        if let Some(plain) = plain.get(name) {
            let inside = Residue::between(plain, value);
            if !inside.is_same() {
                residue.inside.insert(name.clone(), inside);
            }
        } else if let Some(at) = missing.iter().position(|(_, plain)| *plain == value) {
            residue.renamed.insert(name.clone(), missing.remove(at).0.clone());
        } else {
            residue.added.insert(name.clone(), value.clone());
        }
    }
    residue.dropped = missing.into_iter().map(|(name, _)| name.clone()).collect();
    match residue == ObjectResidue::default() {
        true => Residue::Same,
        false => Residue::Object(residue),
    }
}

fn array_between(plain: &[Value], actual: &[Value]) -> Residue {
    let pairs = plain.iter().zip(actual).enumerate();
    let residues: BTreeMap<usize, Residue> = pairs
        .map(|(place, (plain, actual))| (place, Residue::between(plain, actual)))
        .filter(|(_, residue)| !residue.is_same())
        .collect();
    match residues.is_empty() {
        true => Residue::Same,
        false => Residue::Array(residues),
    }
}

fn apply_array(residues: &BTreeMap<usize, Residue>, plain: Vec<Value>) -> Value {
    let laid = plain.into_iter().enumerate().map(|(place, value)| match residues.get(&place) {
        Some(residue) => residue.apply(value),
        None => value,
    });
    Value::Array(laid.collect())
}

fn only_text(pieces: &[Value]) -> Option<&str> {
    match pieces {
        [Value::Object(piece)] if piece.get("type").and_then(Value::as_str) == Some("text") => {
            piece.get("text").and_then(Value::as_str)
        }
        _ => None,
    }
}
