//! Keys that the format has and this gateway does nothing with. Whoever writes one is told, instead of waiting for it.
//!
//! Whoever makes a key work takes its line out.

use openclaw_schema::Step;
use serde_json::Value;

use super::{Findings, Part};
use crate::issue::{ConfigIssue, Place};
use crate::key_path::dotted;

/// Keys without effect. `*` stands for every key, or every place of a list.
const UNUSED: &[&[&str]] = &[
    &["acp"],
    &["audio"],
    &["browser"],
    &["channels", "modelByChannel"],
    &["cron"],
    &["hooks"],
    &["messages", "messagePrefix"],
    &["messages", "statusReactions"],
    &["messages", "tts"],
    &["talk"],
    &["web"],
    &["agents", "defaults", "cliBackends"],
    &["agents", "defaults", "embeddedPi"],
    &["agents", "defaults", "heartbeat", "*"],
    &["agents", "defaults", "memorySearch"],
    &["agents", "defaults", "models", "*", "streaming"],
    &["agents", "defaults", "sandbox", "browser"],
    &["agents", "defaults", "sandbox", "docker"],
    &["agents", "defaults", "sandbox", "perSession"],
    &["agents", "defaults", "sandbox", "prune"],
    &["agents", "defaults", "sandbox", "scope"],
    &["agents", "defaults", "sandbox", "workspaceAccess"],
    &["agents", "defaults", "sandbox", "workspaceRoot"],
    &["agents", "list", "*", "heartbeat", "*"],
    &["agents", "list", "*", "memorySearch"],
    &["agents", "list", "*", "sandbox", "browser"],
    &["agents", "list", "*", "sandbox", "docker"],
    &["agents", "list", "*", "sandbox", "perSession"],
    &["agents", "list", "*", "sandbox", "prune"],
    &["agents", "list", "*", "sandbox", "scope"],
    &["agents", "list", "*", "sandbox", "workspaceAccess"],
    &["agents", "list", "*", "sandbox", "workspaceRoot"],
    &["agents", "list", "*", "skills"],
    &["channels", "*", "accounts", "*", "commands", "nativeSkills"],
    &["channels", "*", "accounts", "*", "guilds", "*", "slug"],
    &["channels", "*", "accounts", "*", "heartbeat"],
    &["channels", "*", "accounts", "*", "webhookHost"],
    &["channels", "*", "accounts", "*", "webhookPort"],
    &["channels", "*", "commands", "nativeSkills"],
    &["channels", "*", "guilds", "*", "slug"],
    &["channels", "*", "heartbeat"],
    &["channels", "*", "webhookHost"],
    &["channels", "*", "webhookPort"],
    &["commands", "nativeSkills"],
    &["session", "maintenance", "rotateBytes"],
    &["tools", "links"],
    &["tools", "media"],
];

/// What the model is told of heartbeats is used, though none are sent.
const TOLD: [&str; 2] = ["heartbeat", "prompt"];

/// Where files of the original lie wherever nobody says otherwise; whoever writes that loses nothing.
const USUAL_STORE: &str = "agents/{agentId}/sessions/sessions.json";

/// Adds a warning for each of them that is set.
pub(super) fn warn(config: &Value, place: &dyn Fn(&[Step], Part) -> Option<Place>, findings: &mut Findings) {
    let mut found = Vec::new();
    for pattern in UNUSED {
        look(config, pattern, &mut Vec::new(), &mut found);
    }
    for path in found {
        add(path, "not used by this gateway: it has no effect", place, findings);
    }
    for path in elsewhere(config) {
        let message = "not used by this gateway: it keeps what it stores in its state directory";
        add(path, message, place, findings);
    }
}

fn add(
    path: Vec<Step>,
    message: &str,
    place: &dyn Fn(&[Step], Part) -> Option<Place>,
    findings: &mut Findings,
) {
    findings.warnings.add(|| ConfigIssue {
        path: dotted(&path),
        message: message.to_owned(),
        hint: None,
        place: place(&path, Part::Key),
    });
}

/// The places that a pattern names.
fn look(value: &Value, pattern: &[&str], at: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    let Some((first, rest)) = pattern.split_first() else {
        let names: Vec<&str> = at
            .iter()
            .filter_map(|step| match step {
                Step::Key(name) => Some(name.as_str()),
                Step::Index(_) => None,
            })
            .collect();
        if !names.ends_with(&TOLD) && !asks_nothing(&names, value) {
            found.push(at.clone());
        }
        return;
    };
    let mut go = |step: Step, inner: &Value| {
        at.push(step);
        look(inner, rest, at, found);
        at.pop();
    };
    match value {
        Value::Object(keys) if *first == "*" => {
            keys.iter().for_each(|(name, inner)| go(Step::Key(name.clone()), inner));
        }
        Value::Object(keys) => {
            if let Some(inner) = keys.get(*first) {
                go(Step::Key((*first).to_owned()), inner);
            }
        }
        Value::Array(all) if *first == "*" => {
            all.iter().enumerate().for_each(|(number, inner)| go(Step::Index(number), inner));
        }
        _ => {}
    }
}

/// Whether a key asks for what is so anyway: a switch as the original's setup writes it into every file, heartbeats that
/// are off.
fn asks_nothing(names: &[&str], value: &Value) -> bool {
    match names.last() {
        Some(&"nativeSkills") => *value != Value::Bool(true),
        Some(&"every") => value.as_str().is_some_and(|every| every.trim().starts_with('0')),
        _ => false,
    }
}

/// Keys that say where things are stored, unless they say what is so anyway.
fn elsewhere(config: &Value) -> Vec<Vec<Step>> {
    let key = |name: &str| Step::Key(name.to_owned());
    let mut found = Vec::new();
    let store = config.pointer("/session/store").and_then(Value::as_str);
    if store.is_some_and(|store| !store.trim().is_empty() && !store.trim().ends_with(USUAL_STORE)) {
        found.push(vec![key("session"), key("store")]);
    }
    let agents = config.pointer("/agents/list").and_then(Value::as_array);
    for (number, agent) in agents.into_iter().flatten().enumerate() {
        let id = agent["id"].as_str().unwrap_or_default().trim().to_lowercase();
        let folder = agent["agentDir"].as_str().map(|folder| folder.trim().trim_end_matches('/'));
        if folder.is_some_and(|folder| !folder.is_empty() && !folder.ends_with(&format!("agents/{id}/agent")))
        {
            found.push(vec![key("agents"), key("list"), Step::Index(number), key("agentDir")]);
        }
    }
    found
}
