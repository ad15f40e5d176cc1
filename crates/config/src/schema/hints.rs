//! Hints for drawing a form: a label for every path, the order of the sections, what to hide, what to suggest.
//!
//! Made from the schema, so that a new key has its hint at once. The schema's descriptions serve as help texts and
//! are not repeated here. Paths are dotted, with `[]` for list items and `*` for map keys.

use serde_json::{Map, Value, json};

use super::label::label;
use super::sensitive::is_sensitive_path;

/// The sections in the order a form shows them; each step is ten apart. Sections not listed come after.
const SECTION_ORDER: [&str; 33] = [
    "wizard",
    "update",
    "diagnostics",
    "gateway",
    "nodeHost",
    "agents",
    "tools",
    "bindings",
    "broadcast",
    "audio",
    "media",
    "models",
    "auth",
    "secrets",
    "messages",
    "commands",
    "approvals",
    "session",
    "cron",
    "hooks",
    "ui",
    "browser",
    "talk",
    "channels",
    "memory",
    "skills",
    "plugins",
    "acp",
    "web",
    "discovery",
    "canvasHost",
    "env",
    "logging",
];

/// Examples shown in empty fields.
const PLACEHOLDERS: [(&str, &str); 9] = [
    ("gateway.remote.url", "ws://gateway.example:18789"),
    ("gateway.remote.sshTarget", "me@gateway.example"),
    ("gateway.remote.tlsFingerprint", "sha256:…"),
    ("gateway.controlUi.basePath", "/control"),
    ("gateway.controlUi.allowedOrigins", "https://control.example.com"),
    ("gateway.trustedProxies", "10.0.0.0/8"),
    ("agents.defaults.heartbeat.every", "30m"),
    ("agents.defaults.heartbeat.target", "last"),
    ("agents.list[].identity.avatar", "avatars/me.png"),
];

/// What the words in a path say about the kind of setting.
const TAGS: [(&str, &[&str]); 10] = [
    (
        "security",
        &["dangerously", "sandbox", "ssrf", "trustedprox", "allowinsecure", "tls", "exec", "elevated"],
    ),
    ("auth", &["auth", "secrets"]),
    ("access", &["allowfrom", "allowlist", "allowedorigins", "allowusers", "policy", "approvals"]),
    ("network", &["port", "bind", "url", "proxy", "host", "remote", "discovery", "tailscale"]),
    ("performance", &["max", "concurren", "cache", "limit", "debounce"]),
    ("reliability", &["timeout", "retry", "reconnect", "fallback", "watchdog", "reload"]),
    ("storage", &["path", "dir", "store", "workspace", "file"]),
    ("models", &["model"]),
    ("automation", &["cron", "hooks", "heartbeat"]),
    ("observability", &["logging", "diagnostics", "otel"]),
];

/// The hints for every path of the schema, as `config.schema` answers them.
pub(super) fn ui_hints(schema: &Value) -> Value {
    let mut hints = Map::new();
    let mut path = Vec::new();
    visit(schema, &mut path, &mut hints);
    Value::Object(hints)
}

fn visit(node: &Value, path: &mut Vec<String>, hints: &mut Map<String, Value>) {
    for (key, child) in node.get("properties").and_then(Value::as_object).into_iter().flatten() {
        if key == "$schema" {
            continue;
        }
        path.push(key.clone());
        hints.entry(path.join(".")).or_insert_with(|| hint(path, child));
        visit(child, path, hints);
        path.pop();
    }
    if let Some(values) = node.get("additionalProperties").filter(|values| values.is_object()) {
        path.push("*".to_owned());
        visit(values, path, hints);
        path.pop();
    }
    if let (Some(items), Some(last)) = (node.get("items"), path.last_mut()) {
        last.push_str("[]");
        visit(items, path, hints);
        if let Some(last) = path.last_mut() {
            last.truncate(last.len() - "[]".len());
        }
    }
    for alternative in ["anyOf", "oneOf"].iter().filter_map(|word| node.get(*word)?.as_array()).flatten() {
        visit(alternative, path, hints);
    }
}

fn hint(path: &[String], node: &Value) -> Value {
    let joined = path.join(".");
    let key = path.last().map_or("", String::as_str);
    let mut hint = Map::new();
    hint.insert("label".to_owned(), label(key).into());
    hint.insert("tags".to_owned(), tags(&joined).into());
    if let [section] = path {
        hint.insert("group".to_owned(), label(section).into());
        hint.insert("order".to_owned(), json!(order(section)));
    }
    if is_advanced(path) {
        hint.insert("advanced".to_owned(), true.into());
    }
    let keys: Vec<&str> = path.iter().map(String::as_str).collect();
    if may_be_text(node) && is_sensitive_path(&keys) {
        hint.insert("sensitive".to_owned(), true.into());
    }
    if let Some((_, example)) = PLACEHOLDERS.iter().find(|(place, _)| *place == joined) {
        hint.insert("placeholder".to_owned(), (*example).into());
    }
    Value::Object(hint)
}

fn order(section: &str) -> usize {
    SECTION_ORDER.iter().position(|name| *name == section).map_or(1000, |place| (place + 1) * 10)
}

fn tags(path: &str) -> Vec<&'static str> {
    let path = path.to_lowercase();
    let mut tags: Vec<&str> = TAGS
        .iter()
        .filter(|(_, words)| words.iter().any(|word| path.contains(word)))
        .map(|(tag, _)| *tag)
        .collect();
    if tags.is_empty() {
        tags.push("advanced");
    }
    tags
}

/// What a newcomer need not see: bookkeeping, fine tuning deep inside a section, and what is dangerous.
fn is_advanced(path: &[String]) -> bool {
    path.len() > 3
        || path.first().is_some_and(|section| section == "meta" || section == "wizard")
        || path.last().is_some_and(|key| key.starts_with("dangerously"))
}

fn may_be_text(node: &Value) -> bool {
    node.get("type").is_some_and(|kind| kind == "string")
        || node
            .get("anyOf")
            .and_then(Value::as_array)
            .is_some_and(|alternatives| alternatives.iter().any(may_be_text))
}
