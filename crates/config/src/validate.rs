//! Checks a configuration against the schema and sorts what it finds.
//!
//! One validator for the loader, the CLI, doctor and the gateway's methods. An unknown key is a warning and is left
//! out of what runs; a wrong value is an issue with its place and what to do. Pure.

mod platforms;
mod unused;

use std::collections::HashSet;
use std::sync::LazyLock;

use openclaw_ports::channel::ChannelKind;
use openclaw_schema::{Checker, Issue, PathStep, SchemaProblem};
use serde_json::{Map, Value};

use crate::issue::{ConfigIssue, FilePosition, IssueList};
use crate::key_path::dotted;
use crate::schema::root_schema;
use crate::sections::RawConfig;

static CHECKER: LazyLock<Checker> = LazyLock::new(|| Checker::from_value(root_schema()));

/// What is found at a path: the key for an unknown one, else the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IssuePart {
    /// The place of the key.
    Key,
    /// The place of the value.
    Value,
}

/// What the loader has found so far, and adds to.
#[derive(Default)]
pub(crate) struct Findings {
    pub(crate) issues: IssueList,
    pub(crate) warnings: IssueList,
}

/// The outcome of a check.
pub(crate) struct Checked {
    /// The configuration without unknown keys.
    pub(crate) effective: Value,
    /// What of it could be read, wrong values left out.
    pub(crate) raw: RawConfig,
    /// The keys nobody knows, and the sections of platforms that do not exist here.
    pub(crate) unknown: Vec<Vec<PathStep>>,
}

/// Checks a configuration. `place` finds where something is written; `unusable` are paths already known to be wrong;
/// `owners` know the form of the sections below `channels`.
pub(crate) fn check(
    config: &Value,
    unusable: &[Vec<PathStep>],
    owners: &[Box<dyn ChannelKind>],
    place: &dyn Fn(&[PathStep], IssuePart) -> Option<FilePosition>,
    findings: &mut Findings,
) -> Checked {
    let mut unknown = Vec::new();
    let mut wrong: HashSet<String> = unusable.iter().map(|path| dotted(path)).collect();
    for issue in problems(config).into_iter().chain(platforms::problems(config, owners)) {
        let path = full_path(&issue);
        match &issue.problem {
            SchemaProblem::UnknownKey { key, suggestion } => {
                findings
                    .warnings
                    .add(|| unknown_key(&path, key, suggestion.as_deref(), place(&path, IssuePart::Key)));
                unknown.push(path);
            }
            _ => {
                wrong.insert(dotted(&issue.path));
                findings.issues.add(|| wrong_value(&issue, &path, place(&path, IssuePart::Value)));
            }
        }
    }
    let effective = without(config, &unknown.iter().map(|path| dotted(path)).collect());
    let usable = if wrong.is_empty() { effective.clone() } else { without(&effective, &wrong) };
    unused::warn(&effective, place, findings);
    unknown.extend(platforms::judge(&usable, owners, place, findings));
    let (raw, unread) = read_sections(usable);
    findings.issues.extend(unread.into_iter().map(|section| {
        let path = [PathStep::Key(section)];
        ConfigIssue {
            path: dotted(&path),
            message: "this section has a value of a form that is not understood".to_owned(),
            hint: Some("compare it with: openclaw config schema".to_owned()),
            place: place(&path, IssuePart::Value),
        }
    }));
    Checked { effective, raw, unknown }
}

fn problems(config: &Value) -> Vec<Issue> {
    // Nothing is required, so an empty configuration is fine; a start without a file need not build the checker.
    if config.as_object().is_some_and(Map::is_empty) { Vec::new() } else { CHECKER.check(config) }
}

/// The path of what the issue is about; an unknown or missing key is part of it.
fn full_path(issue: &Issue) -> Vec<PathStep> {
    let mut path = issue.path.clone();
    if let SchemaProblem::UnknownKey { key, .. } | SchemaProblem::MissingKey { key } = &issue.problem {
        path.push(PathStep::Key(key.clone()));
    }
    path
}

/// What a warning about an unknown key ends with.
const IGNORED: &str = ", ignored";

/// A warning about an unknown key as the reason why a write is refused.
pub(crate) fn as_refusal(warning: &ConfigIssue) -> ConfigIssue {
    let message = warning.message.strip_suffix(IGNORED).unwrap_or(&warning.message);
    ConfigIssue { message: message.to_owned(), place: None, ..warning.clone() }
}

fn unknown_key(
    path: &[PathStep],
    key: &str,
    suggestion: Option<&str>,
    place: Option<FilePosition>,
) -> ConfigIssue {
    ConfigIssue {
        path: dotted(path),
        message: format!("unknown key '{key}'{IGNORED}"),
        hint: Some(match suggestion {
            Some(near) => format!("did you mean '{near}'?"),
            None => "remove it, or check its spelling and indentation".to_owned(),
        }),
        place,
    }
}

fn wrong_value(issue: &Issue, path: &[PathStep], place: Option<FilePosition>) -> ConfigIssue {
    let hint = match &issue.problem {
        SchemaProblem::MissingKey { key } => format!("add '{key}'"),
        SchemaProblem::NotAllowed { suggestion: Some(near), .. } => format!("write \"{near}\""),
        _ => format!(
            "change the value, or remove it to use the default: openclaw config unset {}",
            dotted(path)
        ),
    };
    ConfigIssue { path: dotted(path), message: issue.message(), hint: Some(hint), place }
}

/// A copy without the values at these paths.
fn without(value: &Value, paths: &HashSet<String>) -> Value {
    fn copy(value: &Value, at: &mut Vec<PathStep>, paths: &HashSet<String>) -> Option<Value> {
        if paths.contains(&dotted(at)) && !at.is_empty() {
            return None;
        }
        Some(match value {
            Value::Array(items) => {
                let mut kept = Vec::with_capacity(items.len());
                for (index, item) in items.iter().enumerate() {
                    at.push(PathStep::Index(index));
                    kept.extend(copy(item, at, paths));
                    at.pop();
                }
                Value::Array(kept)
            }
            Value::Object(map) => {
                let mut kept = Map::with_capacity(map.len());
                for (key, item) in map {
                    at.push(PathStep::Key(key.clone()));
                    kept.extend(copy(item, at, paths).map(|item| (key.clone(), item)));
                    at.pop();
                }
                Value::Object(kept)
            }
            other => other.clone(),
        })
    }
    if paths.is_empty() {
        return value.clone();
    }
    copy(value, &mut Vec::new(), paths).unwrap_or(Value::Null)
}

/// Reads the typed form. When that fails, finds the sections to blame and reads the others.
fn read_sections(config: Value) -> (RawConfig, Vec<String>) {
    let Value::Object(sections) = config else { return (RawConfig::default(), Vec::new()) };
    if let Ok(raw) = serde_json::from_value(Value::Object(sections.clone())) {
        return (raw, Vec::new());
    }
    let (mut readable, mut unread) = (Map::new(), Vec::new());
    for (name, section) in sections {
        let alone = Value::Object(Map::from_iter([(name.clone(), section.clone())]));
        if serde_json::from_value::<RawConfig>(alone).is_ok() {
            readable.insert(name, section);
        } else {
            unread.push(name);
        }
    }
    (serde_json::from_value(Value::Object(readable)).unwrap_or_default(), unread)
}
