//! Hides secrets from what clients see of the configuration.
//!
//! Values at sensitive paths become a mark, in the values and, by position, in the raw text: nothing else of the text
//! changes. A value that is only a reference to a variable stays visible where it is written as one. `write` puts the
//! stored values back when a client sends the mark.

use jsonc_parser::ast;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, parse_to_ast};
use serde_json::Value;
use std::path::PathBuf;

use crate::read::{is_only_a_reference, options, parse};
use crate::schema::is_sensitive_path;
use crate::{ConfigIssue, FileSnapshot};

/// What stands in place of a secret.
pub const REDACTED: &str = "__OPENCLAW_REDACTED__";

/// A snapshot that may be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct RedactedSnapshot {
    /// The file.
    pub path: PathBuf,
    /// Whether it is there.
    pub exists: bool,
    /// Its text with secrets hidden; nothing when there is none, or when it is not JSON5 and so cannot be hidden in.
    pub text: Option<String>,
    /// SHA-256 of the text as it is on disk.
    pub hash: String,
    /// The file as written.
    pub parsed: Value,
    /// With includes and variables resolved.
    pub resolved: Value,
    /// What the program runs on, defaults apart.
    pub config: Value,
    /// Whether the program should run on it.
    pub valid: bool,
    /// What is wrong.
    pub issues: Vec<ConfigIssue>,
    /// What is odd but harmless.
    pub warnings: Vec<ConfigIssue>,
    /// Old keys that were understood.
    pub legacy_issues: Vec<ConfigIssue>,
}

/// Hides the secrets of a snapshot.
#[must_use]
pub fn redact(snapshot: &FileSnapshot) -> RedactedSnapshot {
    RedactedSnapshot {
        path: snapshot.path.clone(),
        exists: snapshot.exists,
        text: snapshot.text.as_deref().and_then(redact_text),
        hash: snapshot.hash.clone(),
        parsed: redact_value(&snapshot.parsed),
        resolved: redact_value(&snapshot.resolved),
        config: redact_value(&snapshot.effective),
        valid: snapshot.valid,
        issues: snapshot.issues.clone(),
        warnings: snapshot.warnings.clone(),
        legacy_issues: snapshot.legacy_issues.clone(),
    }
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

/// Hides the secrets of a configuration text, leaving every other character as it is. `None` when it is not JSON5.
pub(crate) fn redact_text(text: &str) -> Option<String> {
    // Our own reader goes first: it refuses hostile depth before anything recurses.
    parse(text, 0).ok()?;
    let body = text.trim_start_matches('\u{feff}');
    let tree = parse_to_ast(body, &CollectOptions::default(), &options()).ok()?;
    let mut secrets = Vec::new();
    collect(tree.value.as_ref()?, &mut Vec::new(), &mut secrets);
    let mut out = String::from(&text[..text.len() - body.len()]);
    let mut copied = 0;
    for (start, end) in secrets {
        out.push_str(body.get(copied..start)?);
        out.push('"');
        out.push_str(REDACTED);
        out.push('"');
        copied = end;
    }
    out.push_str(body.get(copied..)?);
    Some(out)
}

/// The ranges of secrets, in the order of the text.
fn collect<'a>(value: &'a ast::Value<'a>, path: &mut Vec<&'a str>, secrets: &mut Vec<(usize, usize)>) {
    match value {
        ast::Value::Array(array) => {
            path.push("[]");
            for item in &array.elements {
                collect(item, path, secrets);
            }
            path.pop();
        }
        _ if is_hidden(path, &Shape::of_ast(value)) => secrets.push((value.start(), value.end())),
        ast::Value::Object(object) => {
            for property in &object.properties {
                path.push(property.name.as_str());
                collect(&property.value, path, secrets);
                path.pop();
            }
        }
        _ => {}
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
        Shape::Text(text) => is_secret_place(path) && !is_only_a_reference(text),
        Shape::Other => is_secret_place(path) && path != ["env", "vars"],
    }
}

/// Whether a path holds secrets. Variables of the `env` section are taken as such whatever they are called.
fn is_secret_place(path: &[&str]) -> bool {
    match path {
        [] => false,
        ["env", name, ..] => *name != "shellEnv",
        _ => is_sensitive_path(path),
    }
}
