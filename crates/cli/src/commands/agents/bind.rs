//! `openclaw agents bindings`, `bind` and `unbind`: which conversations go to which agent.

use clap::Args;
use openclaw_config::{BaseHash, FileSnapshot};
use serde_json::{Value, json};

use super::bindings::{self, Parted, Wanted};
use crate::agents::{known_agent, valid_config};
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print;

/// `openclaw agents bindings`
#[derive(Debug, Args)]
pub(super) struct BindingsArgs {
    /// Only those of this agent
    #[arg(long, value_name = "id")]
    agent: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `openclaw agents bind`
#[derive(Debug, Args)]
pub(super) struct BindArgs {
    /// The agent [default: the one that answers when nothing else decides]
    #[arg(long, value_name = "id")]
    agent: Option<String>,
    /// A channel it answers; may be given several times
    #[arg(long, value_name = "channel[:accountId]")]
    bind: Vec<String>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// `openclaw agents unbind`
#[derive(Debug, Args)]
pub(super) struct UnbindArgs {
    /// The agent [default: the one that answers when nothing else decides]
    #[arg(long, value_name = "id")]
    agent: Option<String>,
    /// A channel it no longer answers; may be given several times
    #[arg(long, value_name = "channel[:accountId]")]
    bind: Vec<String>,
    /// Take all of its channels away
    #[arg(long, conflicts_with = "bind")]
    all: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// Shows bindings.
pub(super) fn show(context: &Context, arguments: &BindingsArgs) -> anyhow::Result<Exit> {
    let snapshot = valid_config(context)?;
    let agent = match &arguments.agent {
        Some(written) => Some(known_agent(&snapshot, Some(written))?),
        None => None,
    };
    let shown: Vec<Value> = written(&snapshot)
        .into_iter()
        .filter(|binding| agent.as_ref().is_none_or(|agent| bindings::owner(binding) == *agent))
        .collect();
    if arguments.json {
        let rows: Vec<Value> = shown
            .iter()
            .map(|binding| {
                json!({
                    "agentId": bindings::owner(binding),
                    "match": binding["match"],
                    "description": bindings::describe(binding),
                })
            })
            .collect();
        print::json(&rows)?;
    } else if shown.is_empty() {
        print::line("No conversation is bound to an agent; the default agent answers all of them.")?;
    } else {
        let mut table = print::TextTable::new(&["Agent", "Answers"]);
        for binding in &shown {
            table.row([bindings::owner(binding).to_string(), bindings::describe(binding)]);
        }
        print::line(&table.render())?;
    }
    Ok(Exit::Done)
}

/// Gives an agent channels.
pub(super) fn bind(context: &Context, arguments: &BindArgs) -> anyhow::Result<Exit> {
    let snapshot = valid_config(context)?;
    let agent = known_agent(&snapshot, arguments.agent.as_deref())?;
    let wanted = read(&arguments.bind)?;
    if wanted.is_empty() {
        return Err(misuse("say which channel with --bind <channel[:accountId]>"));
    }
    let done = bindings::join(&written(&snapshot), &agent, &wanted);
    if done.changes() {
        save(context, &snapshot, &done.next)?;
    }
    let exit = if done.conflicts.is_empty() { Exit::Done } else { Exit::NotInOrder };
    if arguments.json {
        print::json(&json!({
            "agentId": agent, "added": done.added, "updated": done.updated, "skipped": done.skipped,
            "conflicts": done.conflicts,
        }))?;
        return Ok(exit);
    }
    tell("Added", &done.added)?;
    tell("Updated", &done.updated)?;
    tell("There already", &done.skipped)?;
    warn_of(&done.conflicts)?;
    Ok(exit)
}

/// Takes channels away from an agent.
pub(super) fn unbind(context: &Context, arguments: &UnbindArgs) -> anyhow::Result<Exit> {
    let snapshot = valid_config(context)?;
    let agent = known_agent(&snapshot, arguments.agent.as_deref())?;
    let existing = written(&snapshot);
    let done: Parted = if arguments.all {
        bindings::part_all(&existing, &agent)
    } else {
        let wanted = read(&arguments.bind)?;
        if wanted.is_empty() {
            return Err(misuse("say which channel with --bind <channel[:accountId]>, or --all"));
        }
        bindings::part(&existing, &agent, &wanted)
    };
    if !done.removed.is_empty() {
        save(context, &snapshot, &done.next)?;
    }
    let exit = if done.conflicts.is_empty() { Exit::Done } else { Exit::NotInOrder };
    if arguments.json {
        print::json(&json!({
            "agentId": agent, "removed": done.removed, "missing": done.missing, "conflicts": done.conflicts,
        }))?;
        return Ok(exit);
    }
    if done.removed.is_empty() {
        print::line(&format!("Nothing was taken away from {agent}."))?;
    }
    tell("Removed", &done.removed)?;
    tell("Not there", &done.missing)?;
    warn_of(&done.conflicts)?;
    Ok(exit)
}

/// What a person wrote after `--bind`.
pub(super) fn read(texts: &[String]) -> anyhow::Result<Vec<Wanted>> {
    let filled = texts.iter().filter(|text| !text.trim().is_empty());
    filled.map(|text| Wanted::read(text).map_err(misuse)).collect()
}

/// The bindings as they are written; those of included files where this one has none.
pub(super) fn written(snapshot: &FileSnapshot) -> Vec<Value> {
    let own = snapshot.parsed["bindings"].as_array();
    own.or(snapshot.resolved["bindings"].as_array()).cloned().unwrap_or_default()
}

/// The patch that makes these the bindings.
pub(super) fn patch(next: &[Value]) -> Value {
    if next.is_empty() { Value::Null } else { json!(next) }
}

/// Says which channels another agent keeps.
pub(super) fn warn_of(conflicts: &[String]) -> anyhow::Result<()> {
    for conflict in conflicts {
        print::note(&format!(
            "{} {conflict} answers there already; take it away first with `openclaw agents unbind`",
            print::warn("left out:")
        ))?;
    }
    Ok(())
}

fn save(context: &Context, snapshot: &FileSnapshot, next: &[Value]) -> anyhow::Result<()> {
    let patch = json!({ "bindings": patch(next) }).to_string();
    context.config_file().patch(&patch, &BaseHash::Given(snapshot.hash.clone()))?;
    Ok(())
}

fn tell(title: &str, places: &[String]) -> anyhow::Result<()> {
    for place in places {
        print::line(&format!("{title}: {place}"))?;
    }
    Ok(())
}
