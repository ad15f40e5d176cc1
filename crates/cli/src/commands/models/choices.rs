//! `openclaw models set …`, `fallbacks` and `image-fallbacks`: which models answer, written into the configuration file,
//! for all agents or for one.
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
use crate::agents::{known_agent, valid_config};
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

    /// Refuses to edit for one agent what all have together.
    fn check(self, agent: Option<&str>) -> anyhow::Result<()> {
        match (self, agent) {
            (Self::Image, Some(_)) => {
                Err(misuse("models for pictures hold for all agents; leave --agent out"))
            }
            _ => Ok(()),
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
    pub(super) json: bool,
    /// Print one entry a line and nothing else
    #[arg(long)]
    pub(super) plain: bool,
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

/// The choice that a command edits.
struct Place {
    slot: Slot,
    /// The entry of `agents.list` it is in, by the id as the file spells it; nothing for what holds for all agents.
    entry: Option<String>,
    /// What is chosen there now.
    own: ModelPreference,
    /// The fallbacks that are tried now, also those that come from what holds for all.
    fallbacks: Vec<String>,
}

impl Place {
    fn find(snapshot: &FileSnapshot, agent: Option<&str>, slot: Slot) -> anyhow::Result<Self> {
        let shared = slot.of(snapshot);
        let fallbacks = shared.fallbacks.clone().unwrap_or_default();
        let all = Self { slot, entry: None, own: shared.clone(), fallbacks };
        let entries = snapshot.config.raw.agents.iter().flat_map(|agents| agents.list.iter().flatten());
        let mut ids = entries.map(|entry| &entry.id).peekable();
        let Some(written) = agent.filter(|_| slot == Slot::Answer) else { return Ok(all) };
        let agent = known_agent(snapshot, Some(written))?;
        // Where the file lists no agents there is only one, and what holds for all is its own.
        if ids.peek().is_none() {
            return Ok(all);
        }
        let Some(entry) = ids.find(|id| id.trim().eq_ignore_ascii_case(agent.as_str())) else {
            return Err(misuse(format!(
                "write the id {agent} into agents.list as it is here, or leave --agent out"
            )));
        };
        let own =
            snapshot.config.agents.get(&agent).and_then(|agent| agent.model.clone()).unwrap_or_default();
        let fallbacks = own.fallbacks.clone().unwrap_or(all.fallbacks);
        Ok(Self { slot, entry: Some(entry.clone()), own, fallbacks })
    }

    /// A title, with the agent it is about.
    fn titled(&self, title: &str) -> String {
        self.entry.as_ref().map_or_else(|| title.to_owned(), |entry| format!("{title} of {entry}"))
    }

    /// What is chosen there, with another list of fallbacks.
    fn with_list(&self, list: &[String]) -> Value {
        with_list(&self.own, list)
    }

    fn edit(&self, choice: Value) -> Value {
        let choice = json!({ self.slot.key(): choice });
        match &self.entry {
            None => json!({ "defaults": choice }),
            Some(id) => {
                let mut entry = choice;
                entry["id"] = json!(id);
                json!({ "list": [entry] })
            }
        }
    }
}

/// `openclaw models set` and `set-image`.
pub(super) fn set(context: &Context, agent: Option<&str>, slot: Slot, written: &str) -> anyhow::Result<Exit> {
    slot.check(agent)?;
    let (snapshot, catalog) = start(context)?;
    let place = Place::find(&snapshot, agent, slot)?;
    let model = read(&snapshot, &catalog, written)?;
    doubt(&catalog, &model)?;
    let mut choice = Map::from_iter([("primary".to_owned(), json!(model))]);
    if let Some(fallbacks) = &place.own.fallbacks {
        choice.insert("fallbacks".to_owned(), json!(fallbacks));
    }
    save(context, &snapshot, admitting(&snapshot, &model, place.edit(Value::Object(choice))))?;
    print::line(&format!("{}: {}", place.titled(slot.title()), print::accent(&model.to_string())))?;
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
        let mut choice = with_list(slot.of(&snapshot), &chosen.fallbacks);
        if let Some(primary) = &chosen.primary {
            choice["primary"] = json!(primary);
        }
        edit.insert(slot.key().to_owned(), choice);
        allowed.extend(chosen.fallbacks.iter().map(|model| (model.clone(), json!({}))));
    }
    if !snapshot.config.models.allowed.is_empty() {
        edit.insert("models".to_owned(), Value::Object(allowed));
    }
    save(context, &snapshot, json!({ "defaults": edit }))
}

/// `openclaw models fallbacks …` and `image-fallbacks …`.
pub(super) fn fallbacks(
    context: &Context,
    agent: Option<&str>,
    slot: Slot,
    command: FallbackCommand,
) -> anyhow::Result<Exit> {
    if !matches!(command, FallbackCommand::List(_)) {
        slot.check(agent)?;
    }
    let (snapshot, catalog) = start(context)?;
    let place = Place::find(&snapshot, agent, slot)?;
    let mut list = place.fallbacks.clone();
    let title = place.titled(slot.list_title());
    match command {
        FallbackCommand::List(format) => return list_fallbacks(&title, &list, format),
        FallbackCommand::Add { model } => {
            let model = read(&snapshot, &catalog, &model)?;
            doubt(&catalog, &model)?;
            if position(&snapshot, &catalog, &list, &model).is_some() {
                print::line(&format!("{model} is in the list already."))?;
                return Ok(Exit::Done);
            }
            list.push(model.to_string());
            let edit = place.edit(place.with_list(&list));
            save(context, &snapshot, admitting(&snapshot, &model, edit))?;
        }
        FallbackCommand::Remove { model } => {
            let model = read(&snapshot, &catalog, &model)?;
            let Some(at) = position(&snapshot, &catalog, &list, &model) else {
                anyhow::bail!(
                    "{model} is not in the list; `openclaw models {} list` shows what is",
                    slot.command()
                );
            };
            list.remove(at);
            save(context, &snapshot, place.edit(place.with_list(&list)))?;
        }
        FallbackCommand::Clear => {
            list.clear();
            save(context, &snapshot, place.edit(place.with_list(&list)))?;
        }
    }
    let shown = if list.is_empty() { "none".to_owned() } else { list.join(", ") };
    print::line(&format!("{title}: {shown}"))?;
    Ok(Exit::Done)
}

fn list_fallbacks(title: &str, list: &[String], format: ListFormat) -> anyhow::Result<Exit> {
    if format.json {
        print::json(&json!({ "fallbacks": list }))?;
    } else if format.plain {
        for model in list {
            print::line(model)?;
        }
    } else {
        print::line(&print::heading(&format!("{title} ({})", list.len())))?;
        for (place, model) in list.iter().enumerate() {
            print::line(&format!("{}. {model}", place + 1))?;
        }
    }
    Ok(Exit::Done)
}

/// Reads the file, which must be good, and the models there are.
pub(super) fn start(context: &Context) -> anyhow::Result<(FileSnapshot, ModelCatalog)> {
    let snapshot = valid_config(context)?;
    let catalog = built_in_catalog(context, &snapshot);
    Ok((snapshot, catalog))
}

pub(super) fn read(
    snapshot: &FileSnapshot,
    catalog: &ModelCatalog,
    written: &str,
) -> anyhow::Result<ModelRef> {
    let reference = ModelNames::new(&snapshot.config, catalog)
        .read(written)
        .map_err(|refusal| misuse(refusal.to_string()))?;
    Ok(reference.model)
}

/// Says when nobody knows the model: it may be new, or misspelt. A vendor that nobody knows can never answer, and is
/// refused.
pub(super) fn doubt(catalog: &ModelCatalog, model: &ModelRef) -> anyhow::Result<()> {
    if catalog.model(model).is_some() {
        return Ok(());
    }
    let Some(vendor) = catalog.provider(model.provider()) else {
        let known = catalog.providers.keys().map(|id| id.as_str());
        let hint = openclaw_schema::closest(model.provider().as_str(), known)
            .map_or_else(String::new, |name| format!(" Did you mean {name}/{}?", model.model()));
        anyhow::bail!(
            "no vendor is called {}.{hint} `openclaw models list --all` shows what there is; a server of your own is \
             written under models.providers first",
            model.provider()
        );
    };
    let known = vendor.models.iter().map(|facts| facts.id.as_str());
    let hint = openclaw_schema::closest(model.model(), known)
        .map_or_else(String::new, |name| format!(" Did you mean {}/{name}?", vendor.id));
    print::note(&format!(
        "{} {} is not among the models we know of {}.{hint} `openclaw models test {model}` tells whether it answers.",
        print::warn("warning:"),
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
fn with_list(chosen: &ModelPreference, list: &[String]) -> Value {
    let mut choice = Map::new();
    if let Some(primary) = &chosen.primary {
        choice.insert("primary".to_owned(), json!(primary));
    }
    choice.insert("fallbacks".to_owned(), json!(list));
    Value::Object(choice)
}

/// The edit, with the model added to the list of allowed ones where there is one.
fn admitting(snapshot: &FileSnapshot, model: &ModelRef, mut edit: Value) -> Value {
    if !snapshot.config.models.allowed.is_empty() {
        edit["defaults"]["models"] = json!({ entry_key(snapshot, model): {} });
    }
    edit
}

/// How the file spells a model in its list, when it is there.
pub(super) fn entry_key(snapshot: &FileSnapshot, model: &ModelRef) -> String {
    let written = model.to_string();
    let there =
        snapshot.config.models.allowed.iter().find(|entry| entry.reference.eq_ignore_ascii_case(&written));
    there.map_or(written, |entry| entry.reference.clone())
}

/// Edits `agents`.
pub(super) fn save(context: &Context, snapshot: &FileSnapshot, agents: Value) -> anyhow::Result<()> {
    let patch = json!({ "agents": agents }).to_string();
    context.config_file().patch(&patch, &BaseHash::Given(snapshot.hash.clone()))?;
    Ok(())
}
