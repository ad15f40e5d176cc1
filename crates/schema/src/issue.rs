//! What can be wrong with a value, where, and how it is said.
//!
//! One enum for all problems, so that callers decide by variant and never by text: the configuration treats
//! `UnknownKey` as a warning, the protocol as a refusal.

use std::fmt::Write as _;

use serde_json::Value;

/// One step from a value to a value inside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathStep {
    /// Into an object.
    Key(String),
    /// Into an array.
    Index(usize),
}

/// Something wrong with a value.
#[derive(Debug, Clone, PartialEq)]
pub struct Issue {
    /// The way from the root to the value, or to the object that lacks or should not have a key.
    pub path: Vec<PathStep>,
    /// What is wrong with it.
    pub problem: SchemaProblem,
}

/// The kinds of wrong.
#[derive(Debug, Clone, PartialEq)]
pub enum SchemaProblem {
    /// A closed object has a key it does not know.
    UnknownKey {
        /// The key.
        key: String,
        /// A known key that looks much like it.
        suggestion: Option<String>,
    },
    /// A required key is not there.
    MissingKey {
        /// The key.
        key: String,
    },
    /// The value is of another JSON type.
    WrongType {
        /// What the schema wants, in words.
        expected: String,
        /// What was found.
        found: &'static str,
    },
    /// The value is not among the allowed ones.
    NotAllowed {
        /// The allowed values.
        allowed: Vec<Value>,
        /// An allowed text that looks much like the one found.
        suggestion: Option<String>,
    },
    /// A number lies outside its range.
    OutOfRange {
        /// The range, in words.
        wanted: String,
    },
    /// A text, list or object has the wrong size.
    WrongSize {
        /// The size, in words.
        wanted: String,
    },
    /// A text does not have the wanted form.
    Pattern {
        /// The regular expression of the schema.
        pattern: String,
    },
    /// None of several alternatives fits and none is clearly meant.
    NoAlternative {
        /// The alternatives, in words.
        expected: Vec<String>,
    },
}

impl Issue {
    /// The place as a JSON pointer; empty at the root.
    #[must_use]
    pub fn pointer(&self) -> String {
        let mut text = String::new();
        for step in &self.path {
            text.push('/');
            match step {
                PathStep::Key(key) => text.push_str(&key.replace('~', "~0").replace('/', "~1")),
                PathStep::Index(index) => push_display(&mut text, index),
            }
        }
        text
    }

    /// The place as people write it, `agents.list[0].id`; empty at the root. An unknown or missing key is part of it.
    #[must_use]
    pub fn dotted(&self) -> String {
        let mut text = String::new();
        for step in &self.path {
            push_step(&mut text, step);
        }
        if let SchemaProblem::UnknownKey { key, .. } | SchemaProblem::MissingKey { key } = &self.problem {
            push_step(&mut text, &PathStep::Key(key.clone()));
        }
        text
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> String {
        self.problem.message()
    }
}

impl SchemaProblem {
    fn message(&self) -> String {
        match self {
            Self::UnknownKey { key, suggestion: None } => format!("unexpected property '{key}'"),
            Self::UnknownKey { key, suggestion: Some(near) } => {
                format!("unexpected property '{key}' (did you mean '{near}'?)")
            }
            Self::MissingKey { key } => format!("must have required property '{key}'"),
            Self::WrongType { expected, found } => format!("must be {expected}, found {found}"),
            Self::NotAllowed { allowed, suggestion } => {
                let list = allowed.iter().map(Value::to_string).collect::<Vec<_>>().join(", ");
                let near = suggestion
                    .as_ref()
                    .map(|near| format!(" (did you mean \"{near}\"?)"))
                    .unwrap_or_default();
                format!("must be one of {list}{near}")
            }
            Self::OutOfRange { wanted } | Self::WrongSize { wanted } => format!("must be {wanted}"),
            Self::Pattern { pattern } => format!("must match the pattern {pattern}"),
            Self::NoAlternative { expected } => format!("must be {}", expected.join(" or ")),
        }
    }
}

fn push_step(text: &mut String, step: &PathStep) {
    match step {
        PathStep::Key(key) => {
            if !text.is_empty() {
                text.push('.');
            }
            text.push_str(key);
        }
        PathStep::Index(index) => {
            text.push('[');
            push_display(text, index);
            text.push(']');
        }
    }
}

fn push_display(text: &mut String, value: impl std::fmt::Display) {
    if write!(text, "{value}").is_err() {
        text.push('?');
    }
}
