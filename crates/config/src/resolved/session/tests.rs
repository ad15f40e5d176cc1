//! Tables for the `session` section.

use serde_json::{Value, json};

use super::*;
use crate::sections::RawConfig;

fn resolved(session: Value) -> SessionSettings {
    settings(&serde_json::from_value::<RawConfig>(json!({ "session": session })).expect("a section"))
}

fn rule(daily_at: Option<u8>, minutes: Option<u64>) -> ResetRule {
    ResetRule { daily_at, idle: minutes.map(|minutes| Duration::from_secs(minutes * 60)) }
}

#[test]
fn a_reset_rule_is_chosen_by_channel_then_by_kind_then_for_all() {
    use SessionKind::{Direct, Group, Thread};
    let check = |session: Value, kind: SessionKind, channel: Option<&str>, expected: ResetRule| {
        assert_eq!(
            resolved(session.clone()).reset.of(kind, channel),
            expected,
            "{session} {kind:?} {channel:?}"
        );
    };
    let docs = json!({
        "reset": { "mode": "daily", "atHour": 5, "idleMinutes": 120 },
        "resetByType": {
            "thread": { "mode": "daily", "atHour": 4 },
            "direct": { "mode": "idle", "idleMinutes": 240 },
            "group": { "mode": "idle" },
        },
        "resetByChannel": { "Chat": { "mode": "idle", "idleMinutes": 10080 }, "room": {} },
    });
    check(json!({}), Direct, None, rule(Some(4), None));
    check(json!({ "idleMinutes": 30 }), Group, None, rule(None, Some(30)));
    check(json!({ "idleMinutes": 30, "reset": {} }), Direct, None, rule(Some(4), Some(30)));
    check(json!({ "reset": { "mode": "idle" } }), Direct, None, rule(None, Some(60)));
    check(json!({ "reset": { "atHour": 0 } }), Direct, None, rule(Some(0), None));
    check(json!({ "resetByType": { "dm": { "mode": "idle" } } }), Direct, None, rule(None, Some(60)));
    check(docs.clone(), Thread, None, rule(Some(4), Some(120)));
    check(docs.clone(), Direct, None, rule(None, Some(240)));
    check(docs.clone(), Group, Some("other"), rule(None, Some(120)));
    check(docs.clone(), Group, Some("CHAT"), rule(None, Some(10_080)));
    check(docs, Direct, Some("room"), rule(Some(4), None));
}

#[test]
fn maintenance_has_the_documented_defaults_and_reads_every_form() {
    const DAY: u64 = 86_400;
    let days = |days: u64| Duration::from_secs(days * DAY);
    let check = |maintenance: Value, expected: MaintenanceSettings| {
        assert_eq!(resolved(json!({ "maintenance": maintenance })).maintenance, expected, "{maintenance}");
    };
    let default = MaintenanceSettings {
        care: Care::Warn,
        prune_after: days(30),
        max_entries: 500,
        archive_retention: Some(days(30)),
        max_disk_bytes: None,
        high_water_bytes: None,
    };
    check(json!({}), default);
    check(
        json!({ "mode": "enforce", "maxEntries": 3 }),
        MaintenanceSettings { care: Care::Enforce, max_entries: 3, ..default },
    );
    check(
        json!({ "pruneAfter": "12h" }),
        MaintenanceSettings {
            prune_after: Duration::from_secs(43_200),
            archive_retention: Some(Duration::from_secs(43_200)),
            ..default
        },
    );
    check(
        json!({ "pruneAfter": 7, "resetArchiveRetention": false }),
        MaintenanceSettings { prune_after: days(7), archive_retention: None, ..default },
    );
    check(
        json!({ "pruneDays": 2, "resetArchiveRetention": "1d" }),
        MaintenanceSettings { prune_after: days(2), archive_retention: Some(days(1)), ..default },
    );
    check(
        json!({ "maxDiskBytes": 1000 }),
        MaintenanceSettings { max_disk_bytes: Some(1000), high_water_bytes: Some(800), ..default },
    );
    check(
        json!({ "maxDiskBytes": "1kb", "highWaterBytes": "2kb" }),
        MaintenanceSettings { max_disk_bytes: Some(1024), high_water_bytes: Some(1024), ..default },
    );
}

#[test]
fn the_small_settings_have_defaults() {
    let check = |session: Value, expected: SessionSettings| {
        assert_eq!(resolved(session.clone()), expected, "{session}")
    };
    let default = SessionSettings::default();
    assert_eq!(default.reset_triggers, ["/new", "/reset"]);
    assert_eq!(default.typing, TypingSettings { mode: None, interval: Duration::from_secs(6) });
    assert_eq!((default.max_ping_pong_turns, default.parent_fork_max_tokens), (5, Some(100_000)));
    check(json!({ "resetTriggers": [] }), default.clone());
    check(
        json!({ "resetTriggers": ["fresh "] }),
        SessionSettings { reset_triggers: vec!["fresh".into()], ..default.clone() },
    );
    check(
        json!({ "parentForkMaxTokens": 0 }),
        SessionSettings { parent_fork_max_tokens: None, ..default.clone() },
    );
    check(
        json!({ "agentToAgent": { "maxPingPongTurns": 0 } }),
        SessionSettings { max_ping_pong_turns: 0, ..default.clone() },
    );
    let link = IdentityLink { name: "alice".into(), ids: vec!["one:a".into(), "2".into()] };
    check(
        json!({ "identityLinks": { "alice": [" One:A", "2", " "], " ": ["3"] } }),
        SessionSettings { identity_links: vec![link], ..default },
    );
}
