//! The form of `channels.irc`.

use serde_json::{Value, json};

use crate::shared::form::{
    closed, dm_default, list, map, people, room_form, secret, section_form, switch, text, with_defaults,
};

/// The keys of the section.
pub(super) fn form() -> Value {
    let section = section_form(json!({
        "host": text(),
        "port": { "type": "integer", "minimum": 1, "maximum": 65535 },
        "tls": switch(),
        "nick": text(),
        "username": text(),
        "realname": text(),
        "password": secret(),
        "passwordFile": text(),
        "nickserv": closed(json!({
            "enabled": switch(), "service": text(), "password": secret(), "passwordFile": text(),
            "register": switch(), "registerEmail": text(),
        })),
        "channels": list(text()),
        "groups": map(room_form(json!({ "allowFrom": people() }))),
    }));
    with_defaults(section, dm_default())
}
