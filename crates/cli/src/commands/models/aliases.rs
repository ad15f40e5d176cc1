//! `openclaw models aliases`: short names of models, written into `agents.defaults.models` of the configuration file.
//!
//! They hold for all agents. Each command is one edit of the file that keeps its comments.

use clap::Subcommand;
use openclaw_agent::ModelNames;
use openclaw_config::FileSnapshot;
use openclaw_ports::model::ModelCatalog;
use serde_json::{Map, Value, json};

use super::choices::{ListFormat, doubt, entry_key, read, save, start};
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print;

/// `openclaw models aliases`
#[derive(Debug, Subcommand)]
pub(super) enum AliasCommand {
    /// List the short names of models
    List(#[command(flatten)] ListFormat),
    /// Give a model a short name
    Add {
        /// The short name
        alias: String,
        /// The model, as provider/model
        model: String,
    },
    /// Take a short name away
    Remove {
        /// The short name
        alias: String,
    },
}

/// `openclaw models aliases …`.
pub(super) fn run(context: &Context, agent: Option<&str>, command: AliasCommand) -> anyhow::Result<Exit> {
    if agent.is_some() && !matches!(command, AliasCommand::List(_)) {
        return Err(misuse("short names hold for all agents; leave --agent out"));
    }
    let (snapshot, catalog) = start(context)?;
    match command {
        AliasCommand::List(format) => list_aliases(&snapshot, &catalog, format),
        AliasCommand::Add { alias, model } => add_alias(context, &snapshot, &catalog, alias.trim(), &model),
        AliasCommand::Remove { alias } => remove_alias(context, &snapshot, alias.trim()),
    }
}

fn list_aliases(snapshot: &FileSnapshot, catalog: &ModelCatalog, format: ListFormat) -> anyhow::Result<Exit> {
    let names = ModelNames::new(&snapshot.config, catalog);
    let mut aliases: Vec<(&str, String)> =
        names.aliases().into_iter().map(|(model, alias)| (alias, model.to_string())).collect();
    aliases.sort();
    if format.json {
        let map: Map<String, Value> =
            aliases.iter().map(|(alias, model)| ((*alias).to_owned(), json!(model))).collect();
        print::json(&json!({ "aliases": map }))?;
    } else if format.plain {
        for (alias, model) in aliases {
            print::line(&format!("{alias} {model}"))?;
        }
    } else if aliases.is_empty() {
        print::line(
            "No model has a short name; give one with `openclaw models aliases add <alias> <model>`.",
        )?;
    } else {
        let mut table = print::TextTable::new(&["Alias", "Model"]);
        for (alias, model) in aliases {
            table.row([alias, &model]);
        }
        print::line(&table.render())?;
    }
    Ok(Exit::Done)
}

fn add_alias(
    context: &Context,
    snapshot: &FileSnapshot,
    catalog: &ModelCatalog,
    alias: &str,
    model: &str,
) -> anyhow::Result<Exit> {
    let word = |letter: char| letter.is_ascii_alphanumeric() || ".:_-".contains(letter);
    if alias.is_empty() || !alias.chars().all(word) {
        return Err(misuse("a short name is made of letters, digits, dots, colons, dashes and underscores"));
    }
    let model = read(snapshot, catalog, model)?;
    let names = ModelNames::new(&snapshot.config, catalog);
    let taken =
        names.aliases().into_iter().find(|(of, name)| name.eq_ignore_ascii_case(alias) && **of != model);
    if let Some((of, name)) = taken {
        anyhow::bail!(
            "{name} is the short name of {of}; take it away first with `openclaw models aliases remove {name}`"
        );
    }
    doubt(catalog, &model)?;
    let key = entry_key(snapshot, &model);
    save(context, snapshot, json!({ "defaults": { "models": { key: { "alias": alias } } } }))?;
    print::line(&format!("{} means {model} now.", print::accent(alias)))?;
    if snapshot.config.models.allowed.is_empty() {
        print::note(
            "Short names stand in agents.defaults.models, and from now on only the models listed there may be chosen in chats.",
        )?;
    }
    Ok(Exit::Done)
}

fn remove_alias(context: &Context, snapshot: &FileSnapshot, alias: &str) -> anyhow::Result<Exit> {
    let has_it = |name: &Option<String>| name.as_deref().is_some_and(|name| name.eq_ignore_ascii_case(alias));
    let keys: Vec<&str> = snapshot
        .config
        .models
        .allowed
        .iter()
        .filter(|entry| has_it(&entry.alias))
        .map(|entry| entry.reference.as_str())
        .collect();
    if keys.is_empty() {
        anyhow::bail!("no model has the short name {alias}; `openclaw models aliases list` shows them");
    }
    let edits: Map<String, Value> =
        keys.into_iter().map(|key| (key.to_owned(), json!({ "alias": null }))).collect();
    save(context, snapshot, json!({ "defaults": { "models": edits } }))?;
    print::line(&format!("{alias} means nothing any more; the model stays allowed."))?;
    Ok(Exit::Done)
}
