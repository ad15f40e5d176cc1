//! What holds for every platform, side by side.

use openclaw_ports::channel::ChannelKind;
use openclaw_testkit::AsWritten;
use openclaw_types::{AccountId, ChannelId, ChatKind, SendTarget, ThreadId};
use serde_json::{Value, json};

use super::kinds;

fn kind(id: &str) -> Box<dyn ChannelKind> {
    kinds().into_iter().find(|kind| kind.descriptor().id == id).unwrap()
}

fn sections() -> [(&'static str, Value); 4] {
    [
        ("telegram", json!({ "botToken": "1:a" })),
        ("discord", json!({ "token": "a" })),
        ("slack", json!({ "botToken": "xoxb-1", "appToken": "xapp-1" })),
        ("irc", json!({ "host": "irc.example", "nick": "us" })),
    ]
}

#[test]
fn only_telegram_leaves_blocks_to_what_agents_are_set_to() {
    for (id, mut section) in sections() {
        let blocks = |section: &Value| kind(id).accounts(section, &AsWritten).0.remove(0).manner.blocks;
        let usual = if id == "telegram" { None } else { Some(false) };
        assert_eq!(blocks(&section), usual, "{id}");
        section["blockStreaming"] = json!(true);
        assert_eq!(blocks(&section), Some(true), "{id}");
    }
}

#[test]
fn without_its_credentials_no_account_signs_in() {
    for (id, mut section) in sections() {
        let keys = kind(id).credentials().keys;
        assert_eq!(keys.is_empty(), id == "irc", "{id}: anybody may use a nick");
        for key in keys {
            section.as_object_mut().unwrap().remove(*key);
        }
        let signs_in =
            kind(id).accounts(&section, &AsWritten).0.first().is_some_and(|plan| plan.account.is_some());
        assert_eq!(signs_in, id == "irc", "{id}");
    }
}

#[test]
fn a_target_says_which_conversation_it_is_where_its_words_do() {
    let rows = [
        ("telegram", "123", None, Some((ChatKind::Direct, "123", None))),
        ("telegram", "-100123", Some("7"), Some((ChatKind::Group, "-100123", Some("7")))),
        ("telegram", "@name", None, None),
        ("discord", "user:1", None, Some((ChatKind::Direct, "1", None))),
        ("discord", "channel:1", Some("2"), Some((ChatKind::Channel, "2", None))),
        ("slack", "user:U1", None, Some((ChatKind::Direct, "U1", None))),
        ("slack", "channel:C1", Some("17.1"), Some((ChatKind::Channel, "C1", Some("17.1")))),
        ("slack", "channel:general", None, None),
        ("irc", "#room", None, Some((ChatKind::Group, "#room", None))),
        ("irc", "ana", None, Some((ChatKind::Direct, "ana", None))),
    ];
    for (id, to, thread, expected) in rows {
        let target = SendTarget {
            channel: ChannelId::new(id).unwrap(),
            account: AccountId::new("default").unwrap(),
            to: to.to_owned(),
            thread: thread.map(|thread| ThreadId::new(thread).unwrap()),
        };
        let place = kind(id).place(&target);
        let thread = place.as_ref().and_then(|place| place.session_thread.clone().or(place.thread.clone()));
        let found = place
            .as_ref()
            .map(|place| (place.kind, place.id.as_str(), thread.as_ref().map(ThreadId::as_str)));
        assert_eq!(found, expected, "{id} {to}");
    }
}

#[test]
fn forms_say_what_applies_where_a_section_says_nothing() {
    let defaults = |id: &str| {
        let form = kind(id).form();
        let keys = form["properties"].as_object().unwrap().iter();
        let defaults: serde_json::Map<_, _> =
            keys.filter_map(|(key, form)| Some((key.clone(), form.get("default")?.clone()))).collect();
        Value::Object(defaults)
    };
    let both = json!({ "dmPolicy": "pairing", "groupPolicy": "allowlist" });
    assert_eq!(defaults("telegram"), both);
    assert_eq!(defaults("irc"), both);
    assert_eq!(defaults("discord"), json!({ "groupPolicy": "allowlist" }));
    assert_eq!(
        defaults("slack"),
        json!({
            "groupPolicy": "allowlist", "mode": "socket", "webhookPath": "/slack/events",
            "userTokenReadOnly": true,
        })
    );
}

#[test]
fn accounts_do_what_their_forms_say_of_empty_sections() {
    for (id, mut section) in sections() {
        let rules = |section: &Value| kind(id).accounts(section, &AsWritten).0.remove(0).door;
        let silent = rules(&section);
        for (key, form) in kind(id).form()["properties"].as_object().unwrap() {
            section
                .as_object_mut()
                .unwrap()
                .extend(form.get("default").map(|value| (key.clone(), value.clone())));
        }
        assert_eq!(rules(&section), silent, "{id}");
    }
}
