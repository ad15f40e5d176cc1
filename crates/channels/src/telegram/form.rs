//! The form of `channels.telegram`.

use serde_json::{Value, json};

use crate::shared::form::{
    any_of, closed, count, dm_default, group_policy, list, map, people, positive, room_form, secret,
    section_form, switch, text, with_defaults, words,
};

/// The keys of the section.
pub(super) fn form() -> Value {
    let topic = room_form(json!({ "groupPolicy": group_policy(), "allowFrom": people() }));
    let group = json!({ "groupPolicy": group_policy(), "allowFrom": people(), "topics": map(topic) });
    let buttons = closed(json!({ "inlineButtons": words(&["off", "dm", "group", "all", "allowlist"]) }));
    let section = section_form(json!({
        "botToken": secret(),
        "tokenFile": text(),
        "apiRoot": text(),
        "proxy": text(),
        "network": closed(json!({
            "autoSelectFamily": switch(), "dnsResultOrder": words(&["ipv4first", "verbatim"]),
        })),
        "timeoutSeconds": positive(),
        "webhookUrl": text(),
        "webhookSecret": secret(),
        "webhookPath": text(),
        "webhookHost": text(),
        "webhookPort": count(),
        "capabilities": any_of([list(text()), buttons]),
        "customCommands": list(closed(json!({ "command": text(), "description": text() }))),
        "groups": map(room_form(group)),
    }));
    with_defaults(section, dm_default())
}
