//! How a command ends: the exit codes, in one place, and the last words on standard error.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | it failed, or what was checked is not in order |
//! | 2 | the command line cannot be understood, or asks for something this build does not do; for
//! `models status --check`: a sign-in runs out within a day |

use std::io::ErrorKind;
use std::process::ExitCode;

use serde_json::{Value, json};

use crate::call::listed_issues;
use crate::print;

/// The same table for `--help`.
pub(crate) const HELP: &str =
    "Exit codes: 0 done, 1 failed or not in order, 2 the command line was not understood.";

/// How a command ended when no error stopped it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// What was looked at is not in order; the command has said so itself.
    NotInOrder,
    /// What was looked at is in order, and soon will not be.
    OrderEndsSoon,
}

/// The command line asks for something that cannot be.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Misuse(pub(crate) String);

/// Builds the error for a command line that cannot be served.
pub(crate) fn misuse(text: impl Into<String>) -> anyhow::Error {
    Misuse(text.into()).into()
}

/// Whether a command prints for programs or for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Output {
    /// JSON; a failure is a result as well.
    Json,
    /// Text.
    Text,
}

impl Output {
    /// What `--json` asks for.
    pub(crate) fn of(json: bool) -> Self {
        if json { Self::Json } else { Self::Text }
    }
}

/// Runs a command that may print JSON: then what stops it is printed as JSON too, on standard output, with code 1. A
/// command line that cannot be served stays a usage error.
pub(crate) fn answering(output: Output, work: impl FnOnce() -> anyhow::Result<Exit>) -> anyhow::Result<Exit> {
    match work() {
        Err(error) if output == Output::Json && !error.is::<Misuse>() && !is_broken_pipe(&error) => {
            print::json(&failure_json(&error))?;
            Ok(Exit::NotInOrder)
        }
        other => other,
    }
}

fn failure_json(error: &anyhow::Error) -> Value {
    let mut out = json!({ "ok": false, "error": format!("{error:#}") });
    let issues = listed_issues(error);
    if !issues.is_empty() {
        out["issues"] = Value::Array(issues);
    }
    out
}

/// One fault a gateway listed: where, what, and what to do when that adds something.
fn issue_line(issue: &Value) -> String {
    let text = |key: &str| issue[key].as_str().unwrap_or_default();
    let path = if text("path").is_empty() { String::new() } else { format!("{}: ", text("path")) };
    let hint = Some(text("hint")).filter(|hint| print::adds_something(hint, text("message")));
    let hint = hint.map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("- {path}{}{hint}", text("message"))
}

/// Prints what stopped the command, if anything did, and gives the exit code.
pub(crate) fn finish(result: anyhow::Result<Exit>) -> ExitCode {
    match result {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::NotInOrder) => ExitCode::from(1),
        Ok(Exit::OrderEndsSoon) => ExitCode::from(2),
        // Whoever reads us has seen enough, as `head` does.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let issues: Vec<String> = listed_issues(&error).iter().map(issue_line).collect();
            print::failure(&error, &issues);
            ExitCode::from(if error.is::<Misuse>() { 2 } else { 1 })
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
