//! `openclaw config …`: reads and changes the configuration file, keeping comments and order.
//!
//! Works on the file, with or without a running gateway. Secrets are masked in everything that is printed. What makes
//! a configuration valid is decided in the `config` crate.

use clap::{Args, Subcommand};
use openclaw_config::{ConfigIssue, FileSnapshot, KeyPath, WriteError, config_schema, redact};
use serde_json::{Value, json};

use crate::context::Context;
use crate::exit::{Exit, Output, answering, misuse};
use crate::print;

/// `openclaw config`
#[derive(Debug, Args)]
pub(crate) struct ConfigArgs {
    /// Section for the wizard (not in this build)
    #[arg(long, value_name = "section")]
    section: Vec<String>,
    #[command(subcommand)]
    command: Option<ConfigCommand>,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print a value; secrets are masked
    Get {
        /// Path to the value, as in gateway.port or agents.list[0].id
        path: String,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Set a value
    Set {
        /// Path to the value, as in gateway.port or agents.list[0].id
        path: String,
        /// The value: JSON5, or else plain text
        #[arg(allow_hyphen_values = true)]
        value: String,
        /// Refuse a value that is no JSON5
        #[arg(long)]
        strict_json: bool,
        /// The same as --strict-json
        #[arg(long)]
        json: bool,
    },
    /// Remove a value
    Unset {
        /// Path to the value
        path: String,
    },
    /// Print where the file is
    File,
    /// Check the file
    Validate {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Print the JSON Schema of the file
    Schema,
}

/// Runs a command of the family.
pub(crate) fn run(context: &Context, arguments: ConfigArgs) -> anyhow::Result<Exit> {
    match arguments.command {
        None => Err(misuse(
            "the wizard is not in this build; see `openclaw config --help`, or edit the file that `openclaw config file` names",
        )),
        Some(_) if !arguments.section.is_empty() => {
            Err(misuse("--section belongs to the wizard, which is not in this build"))
        }
        Some(ConfigCommand::Get { path, json }) => answering(Output::of(json), || get(context, &path, json)),
        Some(ConfigCommand::Set { path, value, strict_json, json }) => {
            let reading = if strict_json || json { Reading::Strict } else { Reading::Lenient };
            set(context, &path, parse_value(&value, reading)?)
        }
        Some(ConfigCommand::Unset { path }) => unset(context, &path),
        Some(ConfigCommand::File) => {
            print::line(&context.locations.config_path.display().to_string())?;
            Ok(Exit::Done)
        }
        Some(ConfigCommand::Validate { json }) => validate(context, json),
        Some(ConfigCommand::Schema) => {
            print::json(&config_schema().schema)?;
            Ok(Exit::Done)
        }
    }
}

fn get(context: &Context, path: &str, json: bool) -> anyhow::Result<Exit> {
    let key: KeyPath = parse_path(path)?;
    let snapshot = context.read_config();
    if !snapshot.valid {
        print::note(&problems(&snapshot))?;
        return Ok(Exit::NotInOrder);
    }
    let shown = redact(&snapshot).config;
    let Some(value) = key.find(&shown) else {
        anyhow::bail!("Config path not found: {path}; nothing is set there");
    };
    match value {
        Value::String(text) if !json => print::line(text)?,
        value => print::json(value)?,
    }
    Ok(Exit::Done)
}

/// Whether text that is no JSON5 may stand for itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Lenient,
    Strict,
}

fn parse_value(text: &str, reading: Reading) -> anyhow::Result<Value> {
    match (json5::from_str::<Value>(text.trim()), reading) {
        (Ok(value), _) => Ok(value),
        (Err(_), Reading::Lenient) => Ok(Value::String(text.to_owned())),
        (Err(error), Reading::Strict) => Err(misuse(format!("the value is no JSON5: {error}"))),
    }
}

fn set(context: &Context, path: &str, value: Value) -> anyhow::Result<Exit> {
    let key = parse_path(path)?;
    match context.config_file().refusing_unknown_keys().set_value(&key, value) {
        Ok(snapshot) => {
            print::line(&format!("Updated {path}. {}", after_change(&snapshot)))?;
            for warning in &snapshot.warnings {
                print::note(&warning_line(warning))?;
            }
            Ok(Exit::Done)
        }
        Err(error) => refused(error),
    }
}

fn unset(context: &Context, path: &str) -> anyhow::Result<Exit> {
    let key = parse_path(path)?;
    match context.config_file().unset(&key) {
        Ok(snapshot) => {
            print::line(&format!("Removed {path}. {}", after_change(&snapshot)))?;
            Ok(Exit::Done)
        }
        Err(WriteError::NothingThere { .. }) => {
            anyhow::bail!("Config path not found: {path}; nothing is set there")
        }
        Err(error) => refused(error),
    }
}

fn after_change(snapshot: &FileSnapshot) -> &'static str {
    use openclaw_config::ReloadMode;
    match snapshot.config.gateway.reload.mode {
        ReloadMode::Off => "Restart the gateway to apply it.",
        _ => "A running gateway applies it by itself.",
    }
}

fn refused(error: WriteError) -> anyhow::Result<Exit> {
    let WriteError::Invalid { issues } = error else { return Err(error.into()) };
    let lines: Vec<String> = issues.iter().map(issue_line).collect();
    print::note(&format!("{} the change was not written:\n{}", print::bad("error:"), lines.join("\n")))?;
    Ok(Exit::NotInOrder)
}

fn validate(context: &Context, json: bool) -> anyhow::Result<Exit> {
    let snapshot = context.read_config();
    let exit = if snapshot.valid { Exit::Done } else { Exit::NotInOrder };
    if json {
        print::json(&json!({
            "valid": snapshot.valid,
            "path": snapshot.path,
            "exists": snapshot.exists,
            "issues": snapshot.issues,
            "warnings": snapshot.warnings,
            "legacyIssues": snapshot.legacy_issues,
        }))?;
        return Ok(exit);
    }
    if !snapshot.valid {
        print::note(&problems(&snapshot))?;
    }
    for warning in snapshot.warnings.iter().chain(&snapshot.legacy_issues) {
        print::line(&warning_line(warning))?;
    }
    if snapshot.valid {
        let note = if snapshot.exists { "" } else { " (not there; defaults apply)" };
        print::line(&format!("{} {}{note}", print::good("Config valid:"), context.short(&snapshot.path)))?;
    }
    Ok(exit)
}

/// What is wrong with a file, for standard error.
fn problems(snapshot: &FileSnapshot) -> String {
    let mut lines = vec![format!("{} {} is not valid", print::bad("error:"), snapshot.path.display())];
    lines.extend(snapshot.issues.iter().map(issue_line));
    lines.push("Edit the file, or let `openclaw doctor --fix` repair what it can.".to_owned());
    lines.join("\n")
}

fn issue_line(issue: &ConfigIssue) -> String {
    format!("- {}", issue_text(issue))
}

fn warning_line(issue: &ConfigIssue) -> String {
    format!("{} {}", print::warn("warning:"), issue_text(issue))
}

/// One line about an issue, with its hint when that adds something to the message.
pub(crate) fn issue_text(issue: &ConfigIssue) -> String {
    let adds = issue.hint.as_deref().is_some_and(|hint| print::adds_something(hint, &issue.message));
    if adds { issue.to_string() } else { ConfigIssue { hint: None, ..issue.clone() }.to_string() }
}

fn parse_path(text: &str) -> anyhow::Result<KeyPath> {
    text.parse().map_err(|error: openclaw_config::KeyPathError| misuse(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_json5_or_else_plain_text() {
        let cases = [
            ("28790", json!(28790)),
            ("true", json!(true)),
            ("null", Value::Null),
            ("{a: 1, b: ['x',],}", json!({ "a": 1, "b": ["x"] })),
            ("'quoted'", json!("quoted")),
            ("plain words", json!("plain words")),
            ("+491234", json!(491_234)),
        ];
        for (text, value) in cases {
            assert_eq!(parse_value(text, Reading::Lenient).unwrap(), value, "{text}");
        }
        assert!(parse_value("plain words", Reading::Strict).is_err());
    }
}
