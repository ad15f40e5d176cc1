//! Shows the state of models to people. Pure.

use std::time::Duration;

use openclaw_protocol::events::ModelsSwitchPayload;
use openclaw_providers::SignInVendors;
use openclaw_types::{Money, ProviderId};

use super::expiry::Expiry;
use super::overview::{Overview, Unusable};
use super::probe::ProbeSummary;
use crate::context::Context;
use crate::print::{self, TextTable};

/// How many switches people see.
const SHOWN_SWITCHES: usize = 5;

/// The whole text.
pub(super) fn render(context: &Context, overview: &Overview) -> String {
    let mut parts = vec![choices(context, overview)];
    parts.push(section("Sign-ins", &sign_ins(overview)));
    let missing = overview.auth.missing_providers_in_use.iter().map(|provider| {
        format!(
            "- {} {}",
            print::bad(provider.as_str()),
            print::muted(&format!(
                "sign in with `openclaw models auth {} --provider {provider}`, or set its variable",
                way(provider)
            ))
        )
    });
    push(&mut parts, "Missing", missing.collect());
    push(&mut parts, "Left alone for now", overview.auth.unusable_profiles.iter().map(resting).collect());
    push(&mut parts, "Running out", running_out(overview));
    push(&mut parts, "Budgets", budgets(overview));
    push(&mut parts, "Switched lately", switches(overview));
    if let Some(probes) = &overview.auth.probes {
        parts.push(section("Tried", &tried(probes)));
    }
    parts.join("\n\n")
}

/// How one signs in at a vendor: many have a key only.
fn way(provider: &ProviderId) -> &'static str {
    let vendors = SignInVendors::known();
    if vendors.get(provider).is_some_and(|vendor| vendor.way.is_some()) { "login" } else { "add" }
}

fn section(title: &str, text: &str) -> String {
    format!("{}\n{text}", print::heading(title))
}

fn push(parts: &mut Vec<String>, title: &str, lines: Vec<String>) {
    if !lines.is_empty() {
        parts.push(section(title, &lines.join("\n")));
    }
}

fn choices(context: &Context, overview: &Overview) -> String {
    let mut table = TextTable::pairs();
    table.row(["Config", &context.short(&overview.config_path)]);
    if let Some(agent) = &overview.agent_id {
        table.row(["Agent", agent.as_str()]);
    }
    let default = if overview.default_model == overview.resolved_default {
        print::accent(&overview.resolved_default)
    } else {
        format!("{} ({})", print::accent(&overview.resolved_default), overview.default_model)
    };
    table.row(["Default", &default]);
    table.row(["Fallbacks", &listed(&overview.fallbacks)]);
    table.row(["Image model", overview.image_model.as_deref().unwrap_or("-")]);
    if !overview.image_fallbacks.is_empty() {
        table.row(["Image fallbacks", &listed(&overview.image_fallbacks)]);
    }
    let aliases: Vec<String> =
        overview.aliases.iter().map(|(alias, model)| format!("{alias} = {model}")).collect();
    table.row(["Aliases", &listed(&aliases)]);
    let allowed =
        if overview.allowed.is_empty() { "any model".to_owned() } else { listed(&overview.allowed) };
    table.row(["Allowed", &allowed]);
    table.render()
}

fn listed(items: &[String]) -> String {
    if items.is_empty() { "-".to_owned() } else { items.join(", ") }
}

fn sign_ins(overview: &Overview) -> String {
    if overview.auth.providers.is_empty() {
        return print::muted(
            "none; `openclaw models auth add` takes a key, `openclaw models auth login` opens a browser",
        );
    }
    let mut table = TextTable::new(&["Provider", "From", "Credential"]);
    for auth in &overview.auth.providers {
        let from = match auth.effective.kind {
            "profiles" => "stored",
            "env" => "environment",
            "models.json" => "configuration",
            "vendor" => "vendor",
            _ => "-",
        };
        let credential = match auth.profiles.labels.as_slice() {
            [] => auth.effective.detail.clone(),
            labels => labels.join(", "),
        };
        table.row([auth.provider.as_str(), from, &credential]);
    }
    table.render()
}

fn resting(unusable: &Unusable) -> String {
    let model = unusable.model.as_ref().map(|model| format!(" with {model}")).unwrap_or_default();
    let reason = unusable.reason.as_deref().map(|reason| format!(" ({reason})")).unwrap_or_default();
    let word = if unusable.kind == "disabled" { print::bad("switched off") } else { print::warn("rests") };
    let advice = match unusable.kind {
        "disabled" => format!(
            "; check the account at the vendor, then `openclaw models auth reset {}`",
            unusable.profile_id
        ),
        _ => String::new(),
    };
    format!(
        "- {}{model} {word}{reason} for {} more{advice}",
        unusable.profile_id,
        left(unusable.remaining_ms)
    )
}

fn running_out(overview: &Overview) -> Vec<String> {
    let profiles = overview.auth.oauth.profiles.iter().filter(|profile| profile.can_expire());
    let judged = profiles.filter_map(|profile| {
        let span = profile.remaining_ms.map(left).unwrap_or_default();
        let words = match profile.status {
            Expiry::Expired => print::bad("has run out; sign in again"),
            Expiry::Missing => print::bad("holds nothing that is good; sign in again"),
            Expiry::Expiring => print::warn(&format!("runs out in {span}")),
            Expiry::Ok | Expiry::Static => return None,
        };
        Some(format!("- {} {words}", profile.label))
    });
    judged.collect()
}

fn budgets(overview: &Overview) -> Vec<String> {
    let line = |budget: &super::budget::Budget| {
        let who = budget.agent.as_ref().map_or("all agents", |agent| agent.as_str());
        let [cap, spent, held] = [budget.cap, budget.spent, budget.held].map(Money::from_dollars);
        let held = if held == Money::ZERO { String::new() } else { format!(", {held} set aside") };
        let resets = left(budget.resets_at.saturating_sub(overview.now.0));
        format!("- {who}, this {}: {spent} of {cap} spent{held}; starts anew in {resets}", budget.window)
    };
    let mut lines: Vec<String> = overview.budgets.iter().map(line).collect();
    lines.extend(overview.unpriced_models.iter().map(|model| {
        format!(
            "- {} nobody knows what {model} costs, so no budget counts it; write its price into models.providers",
            print::warn("warning:")
        )
    }));
    lines
}

/// The last switches, the latest first.
fn switches(overview: &Overview) -> Vec<String> {
    let latest = overview.recent_switches.iter().rev().take(SHOWN_SWITCHES);
    let line = |switch: &ModelsSwitchPayload| {
        let ago = left(overview.now.0.saturating_sub(switch.ts.0));
        format!("- {ago} ago, {}: {}", switch.agent_id, switch.message)
    };
    latest.map(line).collect()
}

fn tried(probes: &ProbeSummary) -> String {
    let mut table = TextTable::new(&["Model", "Sign-in", "Result", "Time"]);
    let mut notes = Vec::new();
    for result in &probes.results {
        let model = result.model.as_ref().map_or_else(|| result.provider.to_string(), ToString::to_string);
        let status = if result.status == "ok" { print::good("ok") } else { print::bad(result.status) };
        let time = result.latency_ms.map_or_else(|| "-".to_owned(), |time| format!("{time} ms"));
        table.row([model, result.label.clone(), status, time]);
        if let Some(error) = &result.error {
            notes.push(format!("- {}: {error}", result.label));
        }
    }
    let mut text = if probes.results.is_empty() { "nothing to try".to_owned() } else { table.render() };
    for note in notes {
        text.push_str(&format!("\n{note}"));
    }
    text
}

fn left(millis: i64) -> String {
    print::span(Duration::from_millis(u64::try_from(millis).unwrap_or(0)))
}
