//! The configuration as clients see it: with the values that apply where the file says nothing. Pure.
//!
//! Forms show these values instead of empty fields. They are never part of the file: `write` takes them out again when
//! a client sends back what it was shown. What a platform does without a setting is said by its form.

use openclaw_ports::channel::ChannelKind;
use serde_json::{Map, Value, json};

/// What applies everywhere. `resolved` reads the same values; a test holds one against the other.
fn general() -> Value {
    json!({
        "commands": { "native": "auto", "nativeSkills": "auto", "restart": true, "ownerDisplay": "raw" },
        "messages": { "ackReactionScope": "group-mentions" },
        "agents": { "defaults": {
            "maxConcurrent": 4, "subagents": { "maxConcurrent": 8 }, "compaction": { "mode": "safeguard" },
        } },
    })
}

/// What applies in a `logging` section. A configuration without one is shown without one.
fn of_logging() -> Value {
    json!({ "redactSensitive": "tools" })
}

/// The defaults of the platforms whose sections stand in the configuration, by platform.
pub(crate) fn of_platforms(config: &Value, owners: &[Box<dyn ChannelKind>]) -> Map<String, Value> {
    let sections = config.get("channels");
    let for_all = sections.and_then(|sections| sections.get("defaults")?.get("groupPolicy"));
    let mut found = Map::new();
    for owner in owners {
        let id = owner.descriptor().id;
        if !sections.and_then(|sections| sections.get(id)).is_some_and(Value::is_object) {
            continue;
        }
        let form = owner.form();
        let keys = form.get("properties").and_then(Value::as_object).into_iter().flatten();
        let mut defaults: Map<String, Value> =
            keys.filter_map(|(key, form)| Some((key.clone(), form.get("default")?.clone()))).collect();
        if let (Some(policy), Some(default)) = (for_all, defaults.get_mut("groupPolicy")) {
            default.clone_from(policy);
        }
        found.insert(id.to_owned(), Value::Object(defaults));
    }
    found
}

/// The configuration with all defaults in place. What it says itself stays.
pub(crate) fn with_shown_defaults(config: &Value, platforms: &Map<String, Value>) -> Value {
    let mut shown = config.clone();
    add_missing(&mut shown, &general());
    if let Some(logging) = shown.get_mut("logging") {
        add_missing(logging, &of_logging());
    }
    for (id, defaults) in platforms {
        if let Some(section) = shown.get_mut("channels").and_then(|sections| sections.get_mut(id)) {
            add_missing(section, defaults);
        }
    }
    shown
}

/// What a client sends back of a configuration that it was shown `filled`, without the defaults that `stored` does not
/// have. `None` when there is nothing to take out: a text that lacks one of the general defaults was not made from what
/// was shown, and a default in it is meant.
pub(crate) fn strip_echoed_defaults(
    sent: &Value,
    stored: &Value,
    platforms: &Map<String, Value>,
) -> Option<Value> {
    if !names_every_default(sent, &general()) {
        return None;
    }
    let mut kept = sent.clone();
    take_out(&mut kept, Some(stored), &with_shown_defaults(stored, platforms));
    (kept != *sent).then_some(kept)
}

fn add_missing(value: &mut Value, defaults: &Value) {
    let (Some(keys), Some(defaults)) = (value.as_object_mut(), defaults.as_object()) else { return };
    for (key, default) in defaults {
        match keys.get_mut(key) {
            Some(inner) => add_missing(inner, default),
            None => {
                keys.insert(key.clone(), default.clone());
            }
        }
    }
}

/// Whether every single value of the defaults has one at its place.
fn names_every_default(value: &Value, defaults: &Value) -> bool {
    match defaults.as_object() {
        Some(defaults) => defaults
            .iter()
            .all(|(key, default)| value.get(key).is_some_and(|value| names_every_default(value, default))),
        None => true,
    }
}

/// Takes out what is `shown` without being `stored`, and the objects that become empty by that.
fn take_out(sent: &mut Value, stored: Option<&Value>, shown: &Value) {
    let Some(keys) = sent.as_object_mut() else { return };
    keys.retain(|key, inner| {
        let Some(shown) = shown.get(key) else { return true };
        match stored.and_then(|stored| stored.get(key)) {
            Some(stored) => take_out(inner, Some(stored), shown),
            None if inner == shown => return false,
            None => {
                let had_content = inner.as_object().is_some_and(|keys| !keys.is_empty());
                take_out(inner, None, shown);
                return !(had_content && inner.as_object().is_some_and(Map::is_empty));
            }
        }
        true
    });
}
