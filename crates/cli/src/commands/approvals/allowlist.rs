//! `openclaw approvals allowlist add` and `remove`: commands that are always allowed, by agent.

use clap::Subcommand;
use openclaw_types::AgentId;
use serde_json::{Map, Value, json};

use super::file::{PlaceArgs, load, save, show};
use crate::context::Context;
use crate::exit::{Exit, Output, answering, misuse};
use crate::print;

/// `openclaw approvals allowlist`
#[derive(Debug, Subcommand)]
pub(super) enum AllowlistCommand {
    /// Always allow the commands that fit a pattern of paths
    Add {
        /// The pattern, such as /usr/bin/rg or ~/bin/*
        pattern: String,
        /// Only for this agent [default: * for all]
        #[arg(long, value_name = "id")]
        agent: Option<String>,
        #[command(flatten)]
        place: PlaceArgs,
    },
    /// Take a pattern away
    Remove {
        /// The pattern
        pattern: String,
        /// Of this agent [default: * for all]
        #[arg(long, value_name = "id")]
        agent: Option<String>,
        #[command(flatten)]
        place: PlaceArgs,
    },
}

/// What happens to a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    Add,
    Remove,
}

/// Changes the list.
pub(super) fn run(context: &Context, command: &AllowlistCommand) -> anyhow::Result<Exit> {
    let (change, pattern, agent, place) = match command {
        AllowlistCommand::Add { pattern, agent, place } => (Change::Add, pattern, agent, place),
        AllowlistCommand::Remove { pattern, agent, place } => (Change::Remove, pattern, agent, place),
    };
    answering(Output::of(place.json), || {
        let pattern = pattern.trim();
        if pattern.is_empty() {
            return Err(misuse("a pattern is needed, such as /usr/bin/rg"));
        }
        let before = load(context, place)?;
        let agent = agent_key(agent.as_deref());
        let file = before.shown["file"].clone();
        let next = match change {
            Change::Add => with_pattern(file, &agent, pattern),
            Change::Remove => without_pattern(file, &agent, pattern),
        };
        let Some(next) = next else {
            print::line(match change {
                Change::Add => "It is in the list already.",
                Change::Remove => "It is not in the list; `openclaw approvals get` shows what is.",
            })?;
            return Ok(Exit::Done);
        };
        let after = save(context, place, &before, next)?;
        show(context, place, &after)
    })
}

/// The agent as the file names it: `*` for all, else as everywhere.
fn agent_key(written: Option<&str>) -> String {
    match written.map(str::trim).filter(|agent| !agent.is_empty()) {
        None | Some("*") => "*".to_owned(),
        Some(agent) => AgentId::sanitized(agent).as_str().to_owned(),
    }
}

/// The file with a pattern more; nothing when it is there.
fn with_pattern(mut file: Value, agent: &str, pattern: &str) -> Option<Value> {
    let mut list = list(&file, agent);
    if list.iter().any(|entry| is_pattern(entry, pattern)) {
        return None;
    }
    list.push(json!({ "pattern": pattern }));
    file["version"] = json!(1);
    if !file["agents"].is_object() {
        file["agents"] = json!({});
    }
    if !file["agents"][agent].is_object() {
        file["agents"][agent] = json!({});
    }
    file["agents"][agent]["allowlist"] = Value::Array(list);
    Some(file)
}

/// The file with a pattern less; nothing when it is not there. An agent about which nothing is left goes as well.
fn without_pattern(mut file: Value, agent: &str, pattern: &str) -> Option<Value> {
    let before = list(&file, agent);
    let left: Vec<Value> = before.iter().filter(|entry| !is_pattern(entry, pattern)).cloned().collect();
    if left.len() == before.len() {
        return None;
    }
    let agents = file.get_mut("agents").and_then(Value::as_object_mut)?;
    let entry: &mut Map<String, Value> = agents.get_mut(agent).and_then(Value::as_object_mut)?;
    match left.is_empty() {
        true => entry.remove("allowlist"),
        false => entry.insert("allowlist".to_owned(), Value::Array(left)),
    };
    if entry.is_empty() {
        agents.remove(agent);
    }
    Some(file)
}

fn list(file: &Value, agent: &str) -> Vec<Value> {
    file["agents"][agent]["allowlist"].as_array().cloned().unwrap_or_default()
}

fn is_pattern(entry: &Value, pattern: &str) -> bool {
    entry["pattern"].as_str().map(str::trim) == Some(pattern)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_comes_once_and_leaves_nothing_behind() {
        let empty = json!({ "version": 1, "agents": {} });
        let one = with_pattern(empty.clone(), "*", "/bin/ls").unwrap();
        assert_eq!(
            one,
            json!({ "version": 1, "agents": { "*": { "allowlist": [{ "pattern": "/bin/ls" }] } } })
        );
        assert_eq!(with_pattern(one.clone(), "*", "/bin/ls"), None);
        let two = with_pattern(one.clone(), "*", "/bin/df").unwrap();
        assert_eq!(without_pattern(two, "*", "/bin/df"), Some(one.clone()));
        assert_eq!(without_pattern(one.clone(), "main", "/bin/ls"), None);
        assert_eq!(without_pattern(one, "*", "/bin/ls"), Some(empty));
    }
}
