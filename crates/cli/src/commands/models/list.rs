//! `openclaw models list`: the configured models, or all there are.
//!
//! Servers on this machine are asked only when their models are wanted, with `--all` or `--local`; nobody else is.

use std::collections::{BTreeMap, BTreeSet};

use clap::Args;
use openclaw_agent::ModelNames;
use openclaw_ports::model::{Credentials as _, ModelFacts, normal_provider};
use openclaw_types::{ModelRef, ProviderId};
use serde::Serialize;
use serde_json::json;

use super::desk::{ModelCommand, session};
use super::place::is_local;
use crate::context::Context;
use crate::exit::{Exit, Output, answering, misuse};
use crate::print::{self, TextTable};

/// `openclaw models list`
#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// List every model of every vendor
    #[arg(long)]
    all: bool,
    /// List models on this machine and its network only; servers that listen here are looked for
    #[arg(long)]
    local: bool,
    /// List models of this vendor only
    #[arg(long, value_name = "name")]
    provider: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Print one model a line and nothing else
    #[arg(long)]
    plain: bool,
}

/// One model of the list, in the form that programs read.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Row {
    key: String,
    name: String,
    input: &'static str,
    context_window: Option<u64>,
    local: Option<bool>,
    available: Option<bool>,
    tags: Vec<String>,
    missing: bool,
}

/// A model and the parts it plays.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Named {
    pub(super) model: ModelRef,
    pub(super) tags: Vec<String>,
}

/// Lists.
pub(super) fn run(context: &Context, agent: Option<&str>, arguments: &ListArgs) -> anyhow::Result<Exit> {
    if arguments.json && arguments.plain {
        return Err(misuse("choose --json or --plain, not both"));
    }
    let wanted = arguments.provider.as_deref().map(|name| normal_provider(name).into_owned());
    answering(Output::of(arguments.json), || {
        let rows =
            session(context, agent, async |session| rows(session, arguments, wanted.as_deref()).await)?;
        show(&rows, arguments)
    })
}

async fn rows(
    session: &ModelCommand<'_>,
    arguments: &ListArgs,
    wanted: Option<&str>,
) -> anyhow::Result<Vec<Row>> {
    if arguments.all || arguments.local {
        session.desk.find_local_servers().await;
    }
    let mut named = configured(session);
    if arguments.all || arguments.local {
        named = everything(session, &named);
    }
    let mut rows = Vec::new();
    let mut signed_in: BTreeMap<ProviderId, bool> = BTreeMap::new();
    for entry in named {
        let provider = entry.model.provider();
        if wanted.is_some_and(|wanted| provider.as_str() != wanted) {
            continue;
        }
        let facts = session.desk.models.facts(&entry.model);
        if arguments.local && !facts.as_ref().is_some_and(|facts| is_local(&facts.base_url)) {
            continue;
        }
        let available = match signed_in.get(provider) {
            Some(known) => *known,
            None => {
                let known = !session.desk.credentials.profiles(&session.agent, provider).await?.is_empty();
                signed_in.insert(provider.clone(), known);
                known
            }
        };
        rows.push(row(entry, facts.as_ref(), available));
    }
    Ok(rows)
}

fn row(entry: Named, facts: Option<&ModelFacts>, available: bool) -> Row {
    let key = entry.model.to_string();
    let mut tags = entry.tags;
    let Some(facts) = facts else {
        tags.push("missing".to_owned());
        return Row {
            name: key.clone(),
            key,
            input: "-",
            context_window: None,
            local: None,
            available: None,
            tags,
            missing: true,
        };
    };
    Row {
        key,
        name: facts.name.clone(),
        input: if facts.sees_images { "text+image" } else { "text" },
        context_window: Some(facts.context_window),
        local: Some(is_local(&facts.base_url)),
        available: Some(available),
        tags,
        missing: false,
    }
}

/// The models the configuration names, each with the parts it plays, in the order they are tried.
pub(super) fn configured(session: &ModelCommand<'_>) -> Vec<Named> {
    let catalog = session.desk.catalog();
    let config = &session.snapshot.config;
    let names = ModelNames::new(config, &catalog);
    let mut list: Vec<Named> = Vec::new();
    let mut add = |model: ModelRef, tag: String| match list.iter_mut().find(|named| named.model == model) {
        Some(named) => named.tags.push(tag),
        None => list.push(Named { model, tags: vec![tag] }),
    };
    let read = |text: &str| names.read(text).ok().map(|found| found.model);
    add(names.agent_primary(&session.agent), "default".to_owned());
    for (place, text) in config.models.default.fallbacks.iter().flatten().enumerate() {
        if let Some(model) = read(text) {
            add(model, format!("fallback#{}", place + 1));
        }
    }
    if let Some(model) = config.models.image.primary.as_deref().and_then(read) {
        add(model, "image".to_owned());
    }
    for (place, text) in config.models.image.fallbacks.iter().flatten().enumerate() {
        if let Some(model) = read(text) {
            add(model, format!("img-fallback#{}", place + 1));
        }
    }
    for (model, _) in names.allowed() {
        add(model.clone(), "configured".to_owned());
    }
    let aliases = names.aliases();
    for named in &mut list {
        if let Some(alias) = aliases.get(&named.model) {
            named.tags.push(format!("alias:{alias}"));
        }
    }
    list
}

/// All models by vendor and name, with the parts they play.
fn everything(session: &ModelCommand<'_>, configured: &[Named]) -> Vec<Named> {
    let catalog = session.desk.catalog();
    let listed = catalog.providers.values().flat_map(|vendor| {
        vendor.models.iter().filter_map(|facts| ModelRef::new(vendor.id.clone(), &facts.id).ok())
    });
    let all: BTreeSet<ModelRef> = listed.chain(configured.iter().map(|named| named.model.clone())).collect();
    all.into_iter()
        .map(|model| {
            let tags = configured.iter().find(|named| named.model == model);
            Named { tags: tags.map(|named| named.tags.clone()).unwrap_or_default(), model }
        })
        .collect()
}

fn show(rows: &[Row], arguments: &ListArgs) -> anyhow::Result<Exit> {
    if arguments.json {
        print::json(&json!({ "count": rows.len(), "models": rows }))?;
    } else if arguments.plain {
        for row in rows {
            print::line(&row.key)?;
        }
    } else if rows.is_empty() {
        print::line("No models found.")?;
    } else {
        print::line(&render(rows))?;
    }
    Ok(Exit::Done)
}

fn render(rows: &[Row]) -> String {
    let mut table = TextTable::new(&["Model", "Input", "Context", "Local", "Signed in", "Tags"]);
    for row in rows {
        let word = |value: Option<bool>| match value {
            Some(true) => print::good("yes"),
            Some(false) => "no".to_owned(),
            None => "-".to_owned(),
        };
        let context = row.context_window.map_or_else(|| "-".to_owned(), thousands);
        let tags = if row.missing { print::warn(&row.tags.join(",")) } else { row.tags.join(",") };
        let local = row.local.map_or("-", |local| if local { "yes" } else { "no" });
        table.row([
            row.key.clone(),
            row.input.to_owned(),
            context,
            local.to_owned(),
            word(row.available),
            tags,
        ]);
    }
    table.render()
}

/// `200k`, or `1.0M` from a million on.
pub(super) fn thousands(tokens: u64) -> String {
    match tokens {
        0..1_000 => tokens.to_string(),
        1_000..1_000_000 => format!("{}k", (tokens + 500) / 1_000),
        _ => format!("{}.{}M", tokens / 1_000_000, tokens % 1_000_000 / 100_000),
    }
}

#[cfg(test)]
mod tests {
    use super::{Row, render, thousands};
    use crate::print;

    #[test]
    fn people_see_round_numbers_of_tokens() {
        assert_eq!([512, 32_000, 131_072, 1_048_576].map(thousands), ["512", "32k", "131k", "1.0M"]);
    }

    #[test]
    fn a_model_nobody_knows_is_listed_as_missing() {
        let known = Row {
            key: "box/small".to_owned(),
            name: "Small".to_owned(),
            input: "text+image",
            context_window: Some(32_000),
            local: Some(true),
            available: Some(true),
            tags: vec!["default".to_owned(), "alias:s".to_owned()],
            missing: false,
        };
        let unknown = Row {
            key: "nope/thing".to_owned(),
            name: "nope/thing".to_owned(),
            input: "-",
            context_window: None,
            local: None,
            available: None,
            tags: vec!["configured".to_owned(), "missing".to_owned()],
            missing: true,
        };
        let text = print::without_colours(&render(&[known, unknown]));
        assert_eq!(
            text,
            "Model       Input       Context  Local  Signed in  Tags\n\
             box/small   text+image  32k      yes    yes        default,alias:s\n\
             nope/thing  -           -        -      -          configured,missing"
        );
    }
}
