//! The form of a platform's section as JSON Schema, in few words: the keys every account has, and what the platform adds.
//!
//! What the keys mean is read in `rules` and in the platforms' folders; a key that somebody reads must stand here or in
//! the platform's own form, or it never arrives.

use openclaw_ports::channel::ConfigFault;
use openclaw_types::{DmPolicy, GroupPolicy};
use serde_json::{Value, json};

use super::accounts::{AccountSection, account_sections};

/// The form of a section: `own` has the keys of an account that only this platform knows, over those all have.
pub(crate) fn section_form(own: Value) -> Value {
    let keys = with(with(door_keys(), manner_keys()), own);
    let account = closed(keys.clone());
    let section = closed(with(keys, json!({ "accounts": map(account), "defaultAccount": text() })));
    with_defaults(section, json!({ "groupPolicy": GroupPolicy::default() }))
}

/// The form of a section with the values that apply where it says nothing. Accounts have none: they take the section's.
pub(crate) fn with_defaults(mut form: Value, defaults: Value) -> Value {
    if let Value::Object(defaults) = defaults {
        for (key, default) in defaults {
            form["properties"][key]["default"] = default;
        }
    }
    form
}

/// Who an account is, and who may talk to it.
fn door_keys() -> Value {
    json!({
        "name": text(),
        "enabled": switch(),
        "capabilities": list(text()),
        "commands": closed(json!({ "native": switch_or_auto(), "nativeSkills": switch_or_auto() })),
        "configWrites": switch(),
        "dmPolicy": dm_policy(),
        "allowFrom": people(),
        "groupPolicy": group_policy(),
        "groupAllowFrom": people(),
        "dangerouslyAllowNameMatching": switch(),
        "allowBots": switch(),
        "requireMention": switch(),
        "mentionPatterns": list(text()),
        "defaultTo": text_or_number(),
        "historyLimit": count(),
        "dmHistoryLimit": count(),
        "dms": map(closed(json!({ "historyLimit": count() }))),
    })
}

/// How an account writes.
fn manner_keys() -> Value {
    json!({
        "markdown": closed(json!({ "tables": words(&["off", "bullets", "code"]) })),
        "textChunkLimit": positive(),
        "chunkMode": words(&["length", "newline"]),
        "streaming": any_of([switch(), words(&["off", "partial", "block", "progress"])]),
        "streamMode": words(&["off", "partial", "block"]),
        "blockStreaming": switch(),
        "blockStreamingCoalesce": closed(json!({ "minChars": positive(), "maxChars": positive(), "idleMs": count() })),
        "draftChunk": closed(json!({
            "minChars": positive(), "maxChars": positive(),
            "breakPreference": words(&["paragraph", "newline", "sentence"]),
        })),
        "replyToMode": reply_to(),
        "mediaMaxMb": { "type": "number", "exclusiveMinimum": 0 },
        "linkPreview": switch(),
        "responsePrefix": text(),
        "ackReaction": text(),
        "reactionNotifications": words(&["off", "own", "all", "allowlist"]),
        "reactionAllowlist": people(),
        "reactionLevel": words(&["off", "ack", "minimal", "extensive"]),
        "actions": map(switch()),
        "retry": closed(json!({
            "attempts": positive(), "minDelayMs": count(), "maxDelayMs": count(),
            "jitter": { "type": "number", "minimum": 0, "maximum": 1 },
        })),
        "heartbeat": closed(json!({ "showOk": switch(), "showAlerts": switch(), "useIndicator": switch() })),
    })
}

/// A room's rules: what every room has, and what the platform adds.
pub(crate) fn room_form(own: Value) -> Value {
    let keys = json!({
        "enabled": switch(),
        "requireMention": switch(),
        "tools": tools(),
        "toolsBySender": map(tools()),
        "skills": list(text()),
        "systemPrompt": text(),
    });
    closed(with(keys, own))
}

/// What contradicts itself on every platform. `older` are older places of `dmPolicy` and `allowFrom`.
pub(crate) fn contradictions(section: &Value, own: &[&str], older: Option<[&str; 2]>) -> Vec<ConfigFault> {
    let mut faults: Vec<ConfigFault> = Vec::new();
    for account in account_sections(section, own) {
        let value = |key: &str, older: Option<&str>| {
            let written = account.settings.get(key).filter(|value| !value.is_null());
            written.or_else(|| account.at(older?))
        };
        let open = value("dmPolicy", older.map(|[policy, _]| policy)).and_then(Value::as_str) == Some("open");
        let listed = value("allowFrom", older.map(|[_, list]| list)).and_then(Value::as_array);
        let everybody = listed.into_iter().flatten().any(|entry| entry.as_str().map(str::trim) == Some("*"));
        if open && !everybody {
            faults.push(open_to_nobody(&account));
        }
    }
    faults
}

fn open_to_nobody(account: &AccountSection) -> ConfigFault {
    ConfigFault {
        path: account.place("allowFrom"),
        message:
            "dmPolicy is \"open\", but allowFrom does not say for whom: add \"*\" to it, or set dmPolicy to \
                  \"pairing\" or \"allowlist\""
                .to_owned(),
    }
}

/// An object with these keys and no others.
pub(crate) fn closed(keys: Value) -> Value {
    json!({ "type": "object", "properties": keys, "additionalProperties": false })
}

/// An object whose keys are names.
pub(crate) fn map(of: Value) -> Value {
    json!({ "type": "object", "additionalProperties": of })
}

pub(crate) fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

pub(crate) fn text() -> Value {
    json!({ "type": "string" })
}

pub(crate) fn switch() -> Value {
    json!({ "type": "boolean" })
}

pub(crate) fn text_or_number() -> Value {
    json!({ "type": ["string", "number"] })
}

/// People, roles or rooms by id.
pub(crate) fn people() -> Value {
    list(text_or_number())
}

/// A secret: the value itself, or a reference to where it is.
pub(crate) fn secret() -> Value {
    json!({ "type": ["string", "object"] })
}

pub(crate) fn count() -> Value {
    json!({ "type": "integer", "minimum": 0 })
}

pub(crate) fn positive() -> Value {
    json!({ "type": "integer", "minimum": 1 })
}

pub(crate) fn words(allowed: &[&str]) -> Value {
    json!({ "enum": allowed })
}

pub(crate) fn any_of<const N: usize>(forms: [Value; N]) -> Value {
    json!({ "anyOf": forms.as_slice() })
}

pub(crate) fn switch_or_auto() -> Value {
    any_of([switch(), words(&["auto"])])
}

/// The default of `dmPolicy`, for platforms without an older place of it.
pub(crate) fn dm_default() -> Value {
    json!({ "dmPolicy": DmPolicy::default() })
}

pub(crate) fn dm_policy() -> Value {
    words(&["pairing", "allowlist", "open", "disabled"])
}

pub(crate) fn group_policy() -> Value {
    words(&["open", "disabled", "allowlist"])
}

pub(crate) fn reply_to() -> Value {
    words(&["off", "first", "all"])
}

/// What the older `dm` object has.
pub(crate) fn older_dm() -> Value {
    closed(json!({
        "enabled": switch(), "policy": dm_policy(), "allowFrom": people(),
        "groupEnabled": switch(), "groupChannels": people(), "replyToMode": reply_to(),
    }))
}

fn tools() -> Value {
    closed(json!({ "allow": list(text()), "alsoAllow": list(text()), "deny": list(text()) }))
}

/// Two sets of keys as one.
fn with(mut keys: Value, more: Value) -> Value {
    if let (Value::Object(all), Value::Object(more)) = (&mut keys, more) {
        all.extend(more);
    }
    keys
}
