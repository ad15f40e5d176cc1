//! What the gateway says about accounts, in words for people. Pure.

use serde_json::{Value, json};

use super::text;
use crate::print::{self, TextTable};

/// Every account with its platform, in the order of the gateway.
fn each(answer: &Value) -> Vec<(String, &Value)> {
    let order = answer["channelOrder"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let all = order.flat_map(|id| {
        let label = answer["channelLabels"][id].as_str().unwrap_or(id).to_owned();
        let list = answer["channelAccounts"][id].as_array().into_iter().flatten();
        list.map(move |account| (label.clone(), account))
    });
    all.collect()
}

/// What is said when there is none.
pub(super) const NO_ACCOUNT: &str = "No account is configured. Add one with `openclaw channels add`.";

/// How the accounts are.
pub(super) fn status(answer: &Value) -> String {
    let all = each(answer);
    if all.is_empty() {
        return print::muted(NO_ACCOUNT);
    }
    let mut table = TextTable::new(&["Channel", "Account", "State", "Note"]);
    for (channel, one) in all {
        let on = |name: &str| one[name] == json!(true);
        let state = match (on("enabled"), on("configured"), on("linked"), on("running"), on("connected")) {
            (false, ..) => "off",
            (_, false, ..) => "not configured",
            (_, _, false, ..) => "not signed in",
            (_, _, _, false, _) => "stopped",
            (_, _, _, _, true) => "connected",
            _ => "down",
        };
        let probe = match (&one["probe"]["ok"], one["probe"]["error"].as_str()) {
            (Value::Bool(true), _) => "the platform answers".to_owned(),
            (_, Some(error)) => format!("the platform says: {error}"),
            _ => String::new(),
        };
        let trouble = text(&one["statusMessage"]);
        let note =
            [trouble, probe].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        table.row([channel, text(&one["accountId"]), state.to_owned(), note]);
    }
    table.render()
}

/// What accounts can do.
pub(super) fn capabilities(answer: &Value) -> String {
    let all = answer["channels"].as_array().cloned().unwrap_or_default();
    if all.is_empty() {
        return print::muted(NO_ACCOUNT);
    }
    let blocks: Vec<String> = all.iter().map(account).collect();
    blocks.join("\n\n")
}

fn account(one: &Value) -> String {
    let name = one["accountName"].as_str().map(|name| format!(" ({name})")).unwrap_or_default();
    let words = |list: &Value| {
        let words: Vec<&str> = list.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        words.join(", ")
    };
    let has = one["support"].as_object().into_iter().flatten();
    let has: Vec<&str> = has.filter(|(_, on)| **on == json!(true)).map(|(key, _)| key.as_str()).collect();
    let state = match (one["configured"] == json!(true), one["enabled"] == json!(true)) {
        (_, false) => "switched off",
        (false, _) => "not configured",
        _ => "configured",
    };
    let mut table = TextTable::pairs();
    table.row(["Conversations".to_owned(), words(&one["support"]["chatTypes"])]);
    table.row(["Has".to_owned(), has.join(", ")]);
    table.row(["Actions".to_owned(), words(&one["actions"])]);
    table.row(["State".to_owned(), state.to_owned()]);
    if !one["probe"].is_null() {
        table.row(["Platform".to_owned(), probe(&one["probe"])]);
    }
    if !one["channelPermissions"].is_null() {
        table.row(["There".to_owned(), one["channelPermissions"].to_string()]);
    }
    let title = format!("{} {}{name}", text(&one["label"]), text(&one["accountId"]));
    format!("{}\n{}", print::heading(&title), table.render())
}

fn probe(probe: &Value) -> String {
    match probe["error"].as_str() {
        Some(error) => format!("says: {error}"),
        None => "answers".to_owned(),
    }
}

/// What names mean.
pub(super) fn resolved(results: &Value) -> String {
    let mut table = TextTable::new(&["Name", "Id", "Note"]);
    for one in results.as_array().into_iter().flatten() {
        let note = [text(&one["name"]), text(&one["note"])];
        let note = note.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("; ");
        let id = one["id"].as_str().map_or_else(|| print::warn("unknown"), str::to_owned);
        table.row([text(&one["input"]), id, note]);
    }
    table.render()
}
