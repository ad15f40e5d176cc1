//! The form of `channels.slack`.

use serde_json::{Value, json};

use super::config::WEBHOOK_PATH;
use crate::shared::form::{
    closed, count, map, older_dm, people, reply_to, room_form, secret, section_form, switch, text,
    with_defaults, words,
};

/// The keys of the section.
pub(super) fn form() -> Value {
    let room = room_form(json!({ "allow": switch(), "allowBots": switch(), "users": people() }));
    let section = section_form(json!({
        "mode": words(&["socket", "http"]),
        "botToken": secret(),
        "appToken": secret(),
        "userToken": secret(),
        "userTokenReadOnly": switch(),
        "signingSecret": secret(),
        "webhookPath": text(),
        "nativeStreaming": switch(),
        "streamMode": words(&["replace", "status_final", "append"]),
        "replyToModeByChatType": closed(json!({
            "direct": reply_to(), "group": reply_to(), "channel": reply_to(),
        })),
        "thread": closed(json!({
            "historyScope": words(&["thread", "channel"]), "inheritParent": switch(),
            "initialHistoryLimit": count(),
        })),
        "slashCommand": closed(json!({
            "enabled": switch(), "name": text(), "sessionPrefix": text(), "ephemeral": switch(),
        })),
        "dm": older_dm(),
        "channels": map(room),
    }));
    let defaults = json!({ "mode": "socket", "webhookPath": WEBHOOK_PATH, "userTokenReadOnly": true });
    with_defaults(section, defaults)
}
