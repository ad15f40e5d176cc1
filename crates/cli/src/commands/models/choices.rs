//! `openclaw models set …`, `aliases`, `fallbacks` and `image-fallbacks`: which models answer, written into the
//! configuration file.
//!
//! Each command is one edit of the file that keeps its comments. Where `agents.defaults.models` lists what is allowed,
//! a chosen model is added to it. A list that is not there is not begun: its first entry would forbid all others.

use clap::Subcommand;
use openclaw_agent::ModelNames;
use openclaw_config::{BaseHash, FileSnapshot, ModelPreference};
use openclaw_ports::model::ModelCatalog;
use openclaw_types::ModelRef;
use serde_json::{Map, Value, json};

use super::built_in_catalog;
use crate::context::Context;
use crate::exit::{Exit, misuse};
use crate::print;

/// Which choice of the configuration a command is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// The models that answer.
    Answer,
    /// The models that look at pictures.
    Image,
}

impl Slot {
    fn key(self) -> &'static str {
        match self {
            Self::Answer => "model",
            Self::Image => "imageModel",
        }
    }

    fn of(self, snapshot: &FileSnapshot) -> &ModelPreference {
        match self {
            Self::Answer => &snapshot.config.models.default,
            Self::Image => &snapshot.config.models.image,
        }
    }

    fn command(self) -> &'static str {
        match self {
            Self::Answer => "fallbacks",
            Self::Image => "image-fallbacks",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Answer => "Default model",
            Self::Image => "Image model",
        }
    }

    fn list_title(self) -> &'static str {
        match self {
            Self::Answer => "Fallbacks",
            Self::Image => "Image fallbacks",
        }
    }
}

/// How a list is printed.
#[derive(Debug, Clone, Copy, clap::Args)]
pub(super) struct ListFormat {
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print one entry a line and nothing else
    #[arg(long)]
    plain: bool,
}

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

/// `openclaw models fallbacks` and `image-fallbacks`
#[derive(Debug, Subcommand)]
pub(super) enum FallbackCommand {
    /// List the models that are tried when the first fails
    List(#[command(flatten)] ListFormat),
    /// Add a model at the end
    Add {
        /// The model, as provider/model or by its short name
        model: String,
    },
    /// Take a model out
    Remove {
        /// The model, as provider/model or by its short name
        model: String,
    },
    /// Take all models out
    Clear,
}

/// `openclaw models set` and `set-image`.
pub(super) fn set(context: &Context, slot: Slot, written: &str) -> anyhow::Result<Exit> {
    let (snapshot, catalog) = start(context)?;
    let model = read(&snapshot, &catalog, written)?;
    doubt(&catalog, &model)?;
    let mut choice = Map::from_iter([("primary".to_owned(), json!(model))]);
    if let Some(fallbacks) = &slot.of(&snapshot).fallbacks {
        choice.insert("fallbacks".to_owned(), json!(fallbacks));
    }
    save(context, &snapshot, admitting(&snapshot, &model, json!({ slot.key(): choice })))?;
    print::line(&format!("{}: {}", slot.title(), print::accent(&model.to_string())))?;
    Ok(Exit::Done)
}

/// What was chosen for one slot. A first choice that is not given stays as it is, and so does a slot without models.
pub(super) struct Chosen {
    /// The model tried first.
    pub(super) primary: Option<String>,
    /// The models tried when it fails.
    pub(super) fallbacks: Vec<String>,
}

/// Writes what a scan chose, in one edit.
pub(super) fn take_found(context: &Context, answer: &Chosen, image: &Chosen) -> anyhow::Result<()> {
    let (snapshot, _) = start(context)?;
    let mut edit = Map::new();
    let mut allowed = Map::new();
    for (slot, chosen) in [(Slot::Answer, answer), (Slot::Image, image)] {
        if chosen.fallbacks.is_empty() {
            continue;
        }
        let mut choice = with_list(slot, &snapshot, &chosen.fallbacks);
        if let Some(primary) = &chosen.primary {
            choice["primary"] = json!(primary);
        }
        edit.insert(slot.key().to_owned(), choice);
        allowed.extend(chosen.fallbacks.iter().map(|model| (model.clone(), json!({}))));
    }
    if !snapshot.config.models.allowed.is_empty() {
        edit.insert("models".to_owned(), Value::Object(allowed));
    }
    save(context, &snapshot, Value::Object(edit))
}

/// `openclaw models aliases …`.
pub(super) fn aliases(context: &Context, command: AliasCommand) -> anyhow::Result<Exit> {
    let (snapshot, catalog) = start(context)?;
    match command {
        AliasCommand::List(format) => list_aliases(&snapshot, &catalog, format),
        AliasCommand::Add { alias, model } => add_alias(context, &snapshot, &catalog, alias.trim(), &model),
        AliasCommand::Remove { alias } => remove_alias(context, &snapshot, alias.trim()),
    }
}

/// `openclaw models fallbacks …` and `image-fallbacks …`.
pub(super) fn fallbacks(context: &Context, slot: Slot, command: FallbackCommand) -> anyhow::Result<Exit> {
    let (snapshot, catalog) = start(context)?;
    let mut list = slot.of(&snapshot).fallbacks.clone().unwrap_or_default();
    match command {
        FallbackCommand::List(format) => return list_fallbacks(slot, &list, format),
        FallbackCommand::Add { model } => {
            let model = read(&snapshot, &catalog, &model)?;
            doubt(&catalog, &model)?;
            if position(&snapshot, &catalog, &list, &model).is_some() {
                print::line(&format!("{model} is in the list already."))?;
                return Ok(Exit::Done);
            }
            list.push(model.to_string());
            let edit = json!({ slot.key(): with_list(slot, &snapshot, &list) });
            save(context, &snapshot, admitting(&snapshot, &model, edit))?;
        }
        FallbackCommand::Remove { model } => {
            let model = read(&snapshot, &catalog, &model)?;
            let Some(place) = position(&snapshot, &catalog, &list, &model) else {
                anyhow::bail!(
                    "{model} is not in the list; `openclaw models {} list` shows what is",
                    slot.command()
                );
            };
            list.remove(place);
            save(context, &snapshot, json!({ slot.key(): with_list(slot, &snapshot, &list) }))?;
        }
        FallbackCommand::Clear => {
            list.clear();
            save(context, &snapshot, json!({ slot.key(): with_list(slot, &snapshot, &list) }))?;
        }
    }
    let shown = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    print::line(&format!("{}: {shown}", slot.list_title()))?;
    Ok(Exit::Done)
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
        let mut table = print::Table::new(&["Alias", "Model"]);
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
    save(context, snapshot, json!({ "models": { key: { "alias": alias } } }))?;
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
    save(context, snapshot, json!({ "models": edits }))?;
    print::line(&format!("{alias} means nothing any more; the model stays allowed."))?;
    Ok(Exit::Done)
}

fn list_fallbacks(slot: Slot, list: &[String], format: ListFormat) -> anyhow::Result<Exit> {
    if format.json {
        print::json(&json!({ "fallbacks": list }))?;
    } else if format.plain {
        for model in list {
            print::line(model)?;
        }
    } else {
        print::line(&print::heading(&format!("{} ({})", slot.list_title(), list.len())))?;
        for (place, model) in list.iter().enumerate() {
            print::line(&format!("{}. {model}", place + 1))?;
        }
    }
    Ok(Exit::Done)
}

/// Reads the file, which must be good, and the models there are.
fn start(context: &Context) -> anyhow::Result<(FileSnapshot, ModelCatalog)> {
    let snapshot = context.read_config();
    if !snapshot.valid {
        anyhow::bail!(
            "{} is not valid; `openclaw config validate` says what is wrong, `openclaw doctor --fix` repairs what it can",
            context.short(&snapshot.path)
        );
    }
    let catalog = built_in_catalog(&snapshot);
    Ok((snapshot, catalog))
}

fn read(snapshot: &FileSnapshot, catalog: &ModelCatalog, written: &str) -> anyhow::Result<ModelRef> {
    let reference = ModelNames::new(&snapshot.config, catalog)
        .read(written)
        .map_err(|refusal| misuse(refusal.to_string()))?;
    Ok(reference.model)
}

/// Says when nobody knows the model: it may be new, or misspelt.
fn doubt(catalog: &ModelCatalog, model: &ModelRef) -> anyhow::Result<()> {
    if catalog.model(model).is_some() {
        return Ok(());
    }
    let warning = print::warn("warning:");
    let Some(vendor) = catalog.provider(model.provider()) else {
        let known = catalog.providers.keys().map(|id| id.as_str());
        let hint = openclaw_schema::closest(model.provider().as_str(), known)
            .map_or_else(String::new, |name| format!("; did you mean {name}?"));
        print::note(&format!(
            "{warning} no provider is called {}{hint} Add it under models.providers, or choose one of `openclaw models list --all`.",
            model.provider()
        ))?;
        return Ok(());
    };
    let known = vendor.models.iter().map(|facts| facts.id.as_str());
    let hint = openclaw_schema::closest(model.model(), known)
        .map_or_else(String::new, |name| format!(" Did you mean {}/{name}?", vendor.id));
    print::note(&format!(
        "{warning} {} is not among the models we know of {}.{hint} `openclaw models test {model}` tells whether it answers.",
        model.model(),
        vendor.name
    ))?;
    Ok(())
}

fn position(
    snapshot: &FileSnapshot,
    catalog: &ModelCatalog,
    list: &[String],
    model: &ModelRef,
) -> Option<usize> {
    let names = ModelNames::new(&snapshot.config, catalog);
    list.iter().position(|written| names.read(written).is_ok_and(|found| found.model == *model))
}

/// The choice with another list of fallbacks.
fn with_list(slot: Slot, snapshot: &FileSnapshot, list: &[String]) -> Value {
    let mut choice = Map::new();
    if let Some(primary) = &slot.of(snapshot).primary {
        choice.insert("primary".to_owned(), json!(primary));
    }
    choice.insert("fallbacks".to_owned(), json!(list));
    Value::Object(choice)
}

/// The edit, with the model added to the list of allowed ones where there is one.
fn admitting(snapshot: &FileSnapshot, model: &ModelRef, mut edit: Value) -> Value {
    if !snapshot.config.models.allowed.is_empty() {
        edit["models"] = json!({ entry_key(snapshot, model): {} });
    }
    edit
}

/// How the file spells a model in its list, when it is there.
fn entry_key(snapshot: &FileSnapshot, model: &ModelRef) -> String {
    let written = model.to_string();
    let there =
        snapshot.config.models.allowed.iter().find(|entry| entry.reference.eq_ignore_ascii_case(&written));
    there.map_or(written, |entry| entry.reference.clone())
}

/// Edits `agents.defaults`.
fn save(context: &Context, snapshot: &FileSnapshot, defaults: Value) -> anyhow::Result<()> {
    let patch = json!({ "agents": { "defaults": defaults } }).to_string();
    context.config_file().patch(&patch, &BaseHash::Given(snapshot.hash.clone()))?;
    Ok(())
}
