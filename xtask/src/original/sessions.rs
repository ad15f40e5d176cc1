//! Sessions tended with the original's command line: listed, changed, found, begun anew and deleted.

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::conversation::{messages, row};
use super::{Step, World};
use crate::shell::run;

/// The session of these steps; the conversation's steps left it with words in it.
const KEY: &str = "agent:main:talk";

pub(super) const STEPS: &[Step] = &[
    Step { name: "sessions.list: newest first, with models and tokens", run: lists },
    Step { name: "sessions.patch: label, thinking and model", run: patches },
    Step { name: "sessions.resolve and sessions.preview: found by its label", run: finds },
    Step { name: "sessions: what ours exports is listed as the original's own", run: lists_exported },
    Step { name: "sessions.reset: empty, under a new id, settings kept", run: resets },
    Step { name: "sessions.delete: gone; the main one stays", run: deletes },
];

fn lists(world: &World) -> anyhow::Result<String> {
    let list = world.cli.call("sessions.list", &json!({"includeLastMessage": true}))?;
    let rows = list["sessions"].as_array().with_context(|| format!("no rows: {list:#}"))?;
    let keys: Vec<&str> = rows.iter().filter_map(|row| row["key"].as_str()).collect();
    ensure!(keys == [KEY, "agent:main:main"], "{list:#}");
    ensure!(list["defaults"]["model"] == "small" && list["count"] == 2, "{list:#}");
    ensure!(rows.iter().all(|row| row["totalTokens"].as_u64() > Some(0)), "{list:#}");
    Ok(keys.join(", "))
}

fn patches(world: &World) -> anyhow::Result<String> {
    let params = json!({"key": KEY, "label": "A talk", "thinkingLevel": "low", "model": "scripted/small"});
    let answer = world.cli.call("sessions.patch", &params)?;
    ensure!(answer["ok"] == true && answer["key"] == KEY, "{answer:#}");
    ensure!(answer["resolved"] == json!({"modelProvider": "scripted", "model": "small"}), "{answer:#}");
    let entry = &answer["entry"];
    ensure!(entry["label"] == "A talk" && entry["thinkingLevel"] == "low", "{answer:#}");
    // The list names the model of the last answer until there is a new one.
    let row = row(world, KEY)?;
    let seen = json!([row["label"], row["thinkingLevel"]]);
    ensure!(seen == json!(["A talk", "low"]), "{row:#}");
    Ok(seen.to_string())
}

fn finds(world: &World) -> anyhow::Result<String> {
    let found = world.cli.call("sessions.resolve", &json!({"label": "A talk"}))?;
    ensure!(found == json!({"ok": true, "key": KEY}), "{found:#}");
    let shown = world.cli.call("sessions.preview", &json!({"keys": [KEY], "limit": 1}))?;
    let preview = &shown["previews"][0];
    ensure!(preview["status"] == "ok" && preview["items"][0]["role"] == "assistant", "{shown:#}");
    Ok(preview["items"].to_string())
}

fn lists_exported(world: &World) -> anyhow::Result<String> {
    let folder = world.scratch.join("home/exported");
    // What an earlier time left there would be in the way.
    if folder.exists() {
        std::fs::remove_dir_all(&folder)?;
    }
    run(world.ours.command_line().args(["sessions", "export"]).arg(&folder))?;
    let store = folder.join("agents/main/sessions/sessions.json");
    let text = world.cli.run(&["sessions", "--json", "--store", &store.to_string_lossy()])?;
    let list: Value = serde_json::from_str(text.trim()).with_context(|| format!("no JSON:\n{text}"))?;
    let keys: Vec<&Value> =
        list["sessions"].as_array().into_iter().flatten().map(|row| &row["key"]).collect();
    ensure!(keys == [KEY, "agent:main:main"], "{list:#}");
    Ok(format!("{keys:?}"))
}

fn resets(world: &World) -> anyhow::Result<String> {
    let before = row(world, KEY)?["sessionId"].clone();
    let answer = world.cli.call("sessions.reset", &json!({"key": KEY}))?;
    ensure!(answer["ok"] == true && answer["entry"]["sessionId"] != before, "{answer:#}");
    let messages: Vec<Value> = messages(world, KEY)?;
    ensure!(messages.is_empty(), "messages are left: {messages:?}");
    let row = row(world, KEY)?;
    ensure!(row["label"] == "A talk" && row["thinkingLevel"] == "low", "{row:#}");
    Ok(format!("{before} became {}", answer["entry"]["sessionId"]))
}

fn deletes(world: &World) -> anyhow::Result<String> {
    let answer = world.cli.call("sessions.delete", &json!({"key": KEY}))?;
    ensure!(answer["ok"] == true && answer["deleted"] == true, "{answer:#}");
    ensure!(row(world, KEY).is_err(), "it is still listed");
    let main = world.cli.call("sessions.delete", &json!({"key": "main"}));
    ensure!(main.is_err(), "the main session was deleted");
    Ok(answer.to_string())
}
