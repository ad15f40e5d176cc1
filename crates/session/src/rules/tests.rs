//! Tables for the rules of sessions.

use std::time::Duration;

use openclaw_config::{ResetRule, SendVerdict, SessionKind};
use openclaw_types::{SessionEntry, SessionId, SessionKey, UnixMillis};
use serde_json::{Value, json};

use super::*;
use crate::testing::settings;

fn zone(name: &str) -> Zone {
    Zone::named(name).expect("a zone")
}

fn at(text: &str) -> UnixMillis {
    UnixMillis(text.parse::<jiff::Timestamp>().expect("a time").as_millisecond())
}

fn key(text: &str) -> SessionKey {
    text.parse().expect("a key")
}

#[test]
fn a_session_is_stale_after_the_daily_hour_or_when_idle_whichever_comes_first() {
    // Central Europe by its rules: clocks skip 02:00 on 2026-03-29 and repeat it on 2026-10-25.
    let zone = zone("CET-1CEST,M3.5.0,M10.5.0/3");
    let check = |rule: (Option<u8>, Option<u64>), updated: &str, now: &str, expected: Freshness| {
        let rule =
            ResetRule { daily_at: rule.0, idle: rule.1.map(|minutes| Duration::from_secs(minutes * 60)) };
        assert_eq!(freshness(rule, at(updated), at(now), &zone), expected, "{rule:?} {updated} {now}");
    };
    let daily = Freshness::Stale(StaleCause::Daily);
    let idle = Freshness::Stale(StaleCause::Idle);
    // Four in the morning is 03:00 UTC in winter.
    check((Some(4), None), "2026-01-10T02:59:59Z", "2026-01-10T03:00:00Z", daily);
    check((Some(4), None), "2026-01-10T02:59:59Z", "2026-01-10T02:59:59.999Z", Freshness::Fresh);
    check((Some(4), None), "2026-01-10T03:00:00Z", "2026-01-11T02:59:00Z", Freshness::Fresh);
    check((Some(4), None), "2026-01-09T02:00:00Z", "2026-01-10T01:00:00Z", daily);
    check((Some(4), None), "2026-01-09T12:00:00Z", "2026-01-10T01:00:00Z", Freshness::Fresh);
    // And 02:00 UTC in summer, from the day the clocks change.
    check((Some(4), None), "2026-03-29T01:30:00Z", "2026-03-29T02:00:00Z", daily);
    check((Some(4), None), "2026-10-25T02:30:00Z", "2026-10-25T03:00:00Z", daily);
    check((Some(4), None), "2026-10-25T03:00:00Z", "2026-10-25T03:30:00Z", Freshness::Fresh);
    // An hour that is skipped counts as the moment after it.
    check((Some(2), None), "2026-03-29T00:59:00Z", "2026-03-29T01:30:00Z", daily);
    check((Some(2), None), "2026-03-29T01:00:00Z", "2026-03-29T01:30:00Z", Freshness::Fresh);
    // Idle.
    check((None, Some(60)), "2026-01-10T00:00:00Z", "2026-01-10T01:00:00Z", Freshness::Fresh);
    check((None, Some(60)), "2026-01-10T00:00:00Z", "2026-01-10T01:00:00.001Z", idle);
    check((Some(4), Some(60)), "2026-01-10T04:00:00Z", "2026-01-10T05:30:00Z", idle);
    check((Some(4), Some(600)), "2026-01-10T02:30:00Z", "2026-01-10T03:30:00Z", daily);
    check((None, None), "2020-01-10T02:30:00Z", "2026-01-10T03:30:00Z", Freshness::Fresh);
    // A clock that was set back makes nothing stale.
    check((Some(4), Some(1)), "2026-01-12T00:00:00Z", "2026-01-10T03:30:00Z", Freshness::Fresh);
}

#[test]
fn the_kind_of_a_session_comes_from_its_key_and_its_entry() {
    let check = |text: &str, chat: Option<&str>, expected: SessionKind| {
        let mut entry = SessionEntry::new(SessionId::new("s").expect("an id"), UnixMillis(0));
        entry.facts.chat_type = chat.map(str::to_owned);
        assert_eq!(session_kind(&key(text), Some(&entry)), expected, "{text} {chat:?}");
    };
    check("agent:main:main", None, SessionKind::Direct);
    check("agent:main:main", Some("group"), SessionKind::Group);
    check("agent:main:chat:group:1", None, SessionKind::Group);
    check("agent:main:chat:channel:1", Some("direct"), SessionKind::Group);
    check("agent:main:chat:group:1:topic:9", Some("group"), SessionKind::Thread);
    check("agent:main:main:thread:9", None, SessionKind::Thread);
    check("agent:main:cron:job", None, SessionKind::Direct);
}

#[test]
fn a_trigger_stands_alone_at_the_front_in_any_case() {
    let triggers: Vec<String> = ["/new", "/reset", "STRASSE ß"].map(str::to_owned).to_vec();
    let check = |message: &str, expected: Option<(&str, &str)>| {
        let found = reset_trigger(&triggers, message);
        assert_eq!(found.map(|found| (found.word, found.rest)), expected, "{message:?}");
    };
    check("/new", Some(("/new", "")));
    check("  /NEW  ", Some(("/new", "")));
    check("/reset  what is new?", Some(("/reset", "what is new?")));
    check("/new\nline", Some(("/new", "line")));
    check("/newer", None);
    check("please /new", None);
    check("strasse ß go", Some(("STRASSE ß", "go")));
    check("", None);
    check("/ne", None);
}

#[test]
fn a_rule_that_denies_sending_counts_over_one_that_allows() {
    let docs = json!({
        "rules": [
            { "action": "deny", "match": { "channel": "chat", "chatType": "group" } },
            { "action": "deny", "match": { "keyPrefix": "cron:" } },
            { "action": "deny", "match": { "rawKeyPrefix": "agent:main:other:" } },
            { "action": "allow", "match": { "channel": "chat" } },
        ],
        "default": "allow",
    });
    let check = |policy: &Value, text: &str, entry: Value, expected: SendVerdict| {
        let mut fields = json!({ "sessionId": "s", "updatedAt": 0 });
        fields.as_object_mut().expect("an object").extend(entry.as_object().expect("an object").clone());
        let entry: SessionEntry = serde_json::from_value(fields).expect("an entry");
        let policy = settings(json!({ "sendPolicy": policy })).send_policy;
        let key = key(text);
        let case = SendCase { key: &key, entry: Some(&entry), channel: None, chat: None };
        assert_eq!(send_verdict(&policy, case), expected, "{text} {entry:?}");
    };
    let (allow, deny) = (SendVerdict::Allow, SendVerdict::Deny);
    check(&json!({}), "agent:main:main", json!({}), allow);
    check(&docs, "agent:main:chat:group:1", json!({}), deny);
    check(&docs, "agent:main:chat:channel:1", json!({}), allow);
    check(&docs, "agent:main:main", json!({ "lastChannel": "Chat", "chatType": "group" }), deny);
    check(&docs, "agent:main:cron:job", json!({}), deny);
    check(&docs, "agent:main:other:direct:5", json!({}), deny);
    check(&docs, "agent:work:other:direct:5", json!({}), allow);
    check(&docs, "agent:main:chat:group:1", json!({ "sendPolicy": "allow" }), allow);
    check(&docs, "agent:main:main", json!({ "sendPolicy": "deny" }), deny);
    check(&docs, "agent:main:main", json!({ "sendPolicy": "sometimes" }), allow);
    check(&json!({ "default": "deny" }), "agent:main:main", json!({}), deny);
    let only = json!({ "default": "deny", "rules": [{ "action": "allow", "match": { "chatType": "dm" } }] });
    check(&only, "agent:main:direct:5", json!({}), allow);
    check(&only, "agent:main:chat:group:5", json!({}), deny);
}
