//! `/models`, and the list behind `/model list` and `/model <number>`.
//!
//! Vendors that an agent cannot sign in to are left out where the configuration names no list: nobody could use them.

use std::collections::{BTreeMap, BTreeSet};

use openclaw_agent::ListedModel;
use openclaw_inbound::commands::ModelsPage;
use openclaw_types::{ModelRef, ProviderId};

use crate::commands::{CommandCall, CommandTrouble};

/// How many models a numbered list shows.
const NUMBERED: usize = 40;

/// Providers with the number of their models, or the models of one.
pub(in crate::commands) async fn models(
    call: &CommandCall<'_>,
    page: &ModelsPage,
) -> Result<String, CommandTrouble> {
    let listed = choices(call).await?;
    let Some(provider) = &page.provider else { return Ok(providers(&listed)) };
    let mut of_one: Vec<&ListedModel> = listed
        .iter()
        .filter(|model| model.model.provider().as_str().eq_ignore_ascii_case(provider))
        .collect();
    let everything;
    if of_one.is_empty() {
        everything = call.models().list(call.agent());
        of_one = everything
            .iter()
            .filter(|model| model.model.provider().as_str().eq_ignore_ascii_case(provider))
            .collect();
    }
    Ok(match of_one.is_empty() {
        true => format!("⚠️ No models of \"{provider}\" can be chosen here.\n\n{}", providers(&listed)),
        false => paged(provider, &of_one, page),
    })
}

/// The models that can be chosen, numbered.
pub(super) async fn numbered(call: &CommandCall<'_>, now: &ModelRef) -> Result<String, CommandTrouble> {
    let listed = choices(call).await?;
    if listed.is_empty() {
        return Ok("⚠️ No models can be chosen yet: add a key for a provider first.".to_owned());
    }
    let mut lines = vec![format!("🧠 Model: {now}"), "Choose with /model <number>:".to_owned()];
    for (place, model) in listed.iter().take(NUMBERED).enumerate() {
        lines.push(format!("{}. {}", place + 1, line(model)));
    }
    if listed.len() > NUMBERED {
        lines.push(format!("… and {} more; /models <provider> lists them.", listed.len() - NUMBERED));
    }
    Ok(lines.join("\n"))
}

/// The models that an agent may use and could sign in to.
pub(super) async fn choices(call: &CommandCall<'_>) -> Result<Vec<ListedModel>, CommandTrouble> {
    let listed = call.models().list(call.agent());
    let Some(credentials) = &call.handles().credentials else { return Ok(listed) };
    if !call.settings().models.allowed.is_empty() {
        return Ok(listed);
    }
    let vendors: BTreeSet<ProviderId> = listed.iter().map(|model| model.model.provider().clone()).collect();
    let mut reachable = BTreeSet::new();
    for vendor in vendors {
        if !credentials.profiles(call.agent(), &vendor).await?.is_empty() {
            reachable.insert(vendor);
        }
    }
    reachable.insert(call.models().primary(call.agent()).provider().clone());
    Ok(listed.into_iter().filter(|model| reachable.contains(model.model.provider())).collect())
}

fn providers(listed: &[ListedModel]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for model in listed {
        *counts.entry(model.model.provider().as_str()).or_default() += 1;
    }
    if counts.is_empty() {
        return "⚠️ No models can be chosen yet: add a key for a provider first.".to_owned();
    }
    let mut lines = vec!["🧠 Providers:".to_owned()];
    lines.extend(counts.iter().map(|(provider, count)| format!("• {provider} ({count})")));
    lines.push(
        "List the models of one with /models <provider>; choose one with /model <provider/model>.".to_owned(),
    );
    lines.join("\n")
}

fn paged(provider: &str, models: &[&ListedModel], page: &ModelsPage) -> String {
    let size = if page.all { models.len() } else { page.size }.max(1);
    let pages = models.len().div_ceil(size);
    let number = page.page.clamp(1, pages.max(1));
    let mut lines = vec![format!("🧠 Models of {provider}: {} (page {number} of {pages})", models.len())];
    lines
        .extend(models.iter().skip((number - 1) * size).take(size).map(|model| format!("• {}", line(model))));
    if number < pages {
        lines.push(format!("More: /models {provider} {}; everything: /models {provider} all", number + 1));
    }
    lines.push("Choose: /model <provider/model>".to_owned());
    lines.join("\n")
}

fn line(model: &ListedModel) -> String {
    match &model.alias {
        Some(alias) => format!("{} ({alias})", model.model),
        None => model.model.to_string(),
    }
}
