//! The form of `channels.discord`.

use serde_json::{Value, json};

use crate::shared::form::{
    closed, list, map, older_dm, people, positive, room_form, secret, section_form, switch, text, words,
};

/// The keys of the section.
pub(in super::super) fn form() -> Value {
    section_form(json!({
        "token": secret(),
        "proxy": text(),
        "dm": older_dm(),
        "guilds": map(guild()),
        "maxLinesPerMessage": positive(),
        "execApprovals": closed(json!({
            "enabled": switch(), "approvers": people(), "agentFilter": list(text()),
            "sessionFilter": list(text()), "cleanupAfterResolve": switch(),
            "target": words(&["dm", "channel", "both"]),
        })),
        "ui": closed(json!({ "components": closed(json!({
            "accentColor": { "type": "string", "pattern": "^#?[0-9a-fA-F]{6}$" },
        })) })),
        "slashCommand": closed(json!({ "ephemeral": switch() })),
        "threadBindings": closed(json!({
            "enabled": switch(), "ttlHours": { "type": "number", "minimum": 0 },
            "spawnSubagentSessions": switch(), "spawnAcpSessions": switch(),
        })),
        "intents": closed(json!({ "presence": switch(), "guildMembers": switch() })),
        "voice": { "type": "object" },
        "pluralkit": closed(json!({ "enabled": switch(), "token": secret() })),
        "activity": text(),
        "status": words(&["online", "dnd", "idle", "invisible"]),
        "activityType": { "type": "integer", "minimum": 0, "maximum": 5 },
        "activityUrl": text(),
    }))
}

fn guild() -> Value {
    let room = room_form(json!({
        "allow": switch(), "users": people(), "roles": people(),
        "includeThreadStarter": switch(), "autoThread": switch(),
    }));
    room_form(json!({
        "slug": text(),
        "users": people(),
        "roles": people(),
        "reactionNotifications": words(&["off", "own", "all", "allowlist"]),
        "channels": map(room),
    }))
}
