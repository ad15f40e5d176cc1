//! The running configuration survives whatever happens to the file.

use serde_json::json;

use super::World;
use crate::{BaseHash, Bind, Decision, LiveConfig, Offered, StartedFrom, WriteError};

#[test]
fn a_good_file_runs_and_is_remembered() {
    let world = World::with("{gateway: {port: 20001, auth: {token: '${NOT_SET:-}x'}}}");
    let (live, from) = LiveConfig::open(&world.file);
    assert_eq!((from, live.current().gateway.port), (StartedFrom::File, 20001));
    assert!(world.text("state/last-good-config.json5").contains("20001"));
    assert_eq!(world.mode("state/last-good-config.json5"), 0o600);
}

#[test]
fn no_file_runs_on_defaults() {
    let world = World::empty();
    let (live, from) = LiveConfig::open(&world.file);
    assert_eq!((from, live.current().gateway.port), (StartedFrom::Defaults, 18789));
    assert!(!world.home.path("state").exists());
}

#[test]
fn a_broken_file_at_start_runs_on_the_last_good_one_and_says_so() {
    let world = World::with_variables([("PORT_TOKEN", "hush")]);
    world.put("openclaw.json", "{$include: 'more.json5', gateway: {auth: {token: '${PORT_TOKEN}'}}}");
    world.put("more.json5", "{gateway: {port: 20001}}");
    assert_eq!(LiveConfig::open(&world.file).1, StartedFrom::File);
    assert!(!world.text("state/last-good-config.json5").contains("hush"));
    world.put("openclaw.json", "{gateway: {port: 'x'}}");
    let (live, from) = LiveConfig::open(&world.file);
    let StartedFrom::LastGood { issues } = from else { panic!("started from {from:?}") };
    assert_eq!(issues[0].path, "gateway.port");
    assert_eq!(live.current().gateway.port, 20001);
    assert!(!live.last_seen().valid && live.running().valid);
    assert_eq!(live.running().resolved["gateway"]["auth"]["token"], "hush");
}

#[test]
fn a_broken_file_without_a_good_one_leaves_the_decision_to_the_caller() {
    let world = World::with("{gateway: {port: 'x', bind: 'lan'}}");
    let (_, from) = LiveConfig::open(&world.file);
    assert!(
        matches!(from, StartedFrom::Remains { issues } if issues.iter().any(|issue| issue.path == "gateway.port"))
    );
}

#[test]
fn what_the_gateway_would_refuse_to_start_on_is_neither_written_nor_taken() {
    let world = World::with("{gateway: {port: 20001}}");
    let (live, _) = LiveConfig::open(&world.file);
    let outcome = world.file.patch("{gateway: {bind: 'lan'}}", &BaseHash::Unchecked);
    assert!(
        matches!(&outcome, Err(WriteError::Invalid { issues }) if issues[0].path == "gateway.controlUi.allowedOrigins"),
        "{outcome:?}"
    );
    assert_eq!(world.text("openclaw.json"), "{gateway: {port: 20001}}");

    world.put("openclaw.json", "{gateway: {port: 20001, bind: 'lan'}}");
    assert!(matches!(live.reload(), Offered::Refused { .. }));
    assert_eq!(live.current().gateway.bind, Bind::Loopback);
    assert!(!world.text("state/last-good-config.json5").contains("lan"));
}

#[test]
fn subscribers_hear_of_good_changes_only() {
    let world = World::with("{gateway: {port: 20001}}");
    let (live, _) = LiveConfig::open(&world.file);
    let mut changes = live.subscribe();
    assert_eq!(live.reload(), Offered::Unchanged);

    world.put("openclaw.json", "{gateway: {port: 'x'}}");
    assert!(matches!(live.reload(), Offered::Refused { .. }));
    std::fs::remove_file(world.path()).expect("ours");
    assert!(matches!(live.reload(), Offered::Refused { .. }));
    assert!(!changes.has_changed().expect("the sender lives"));
    assert_eq!(live.current().gateway.port, 20001);
    assert!(!live.last_seen().exists);

    world.put("openclaw.json", "{gateway: {port: 20002}, logging: {level: 'debug'}}");
    let Offered::Taken(plan) = live.reload() else { panic!("a good file is taken") };
    assert_eq!((plan.decision, plan.needs_restart), (Decision::Restart, vec!["gateway.port".to_owned()]));
    assert!(changes.has_changed().expect("the sender lives"));
    assert_eq!(changes.borrow_and_update().gateway.port, 20002);
    assert_eq!(live.running().effective["logging"], json!({"level": "debug"}));
}

#[test]
fn comments_and_stamps_are_no_change() {
    let world = World::with("{gateway: {port: 20001}}");
    let (live, _) = LiveConfig::open(&world.file);
    world.put("openclaw.json", "{ /* nicer */ gateway: { port: 20001 } }");
    assert_eq!(live.reload(), Offered::Unchanged);
}

#[test]
fn with_reloading_off_a_change_waits_for_a_restart() {
    let world = World::with("{gateway: {port: 20001}}");
    let (live, _) = LiveConfig::open(&world.file);
    world.put("openclaw.json", "{gateway: {port: 20002, reload: {mode: 'off'}}}");
    assert_eq!(live.reload(), Offered::Off);
    assert_eq!((live.current().gateway.port, live.last_seen().config.gateway.port), (20001, 20002));
    assert_eq!(LiveConfig::open(&world.file).0.current().gateway.port, 20002);
}

#[test]
fn in_hot_mode_what_needs_a_restart_waits_for_one_however_often_the_file_changes() {
    let world = World::with(
        "{ gateway: { reload: { mode: 'hot' }, auth: { token: 'old-token' } }, ui: { assistant: { name: 'One' } } }",
    );
    let (live, _) = LiveConfig::open(&world.file);
    let token =
        |live: &LiveConfig| live.current().gateway.auth.token.clone().map(|token| token.reveal().clone());
    for name in ["Two", "Three"] {
        let text = format!(
            "{{ gateway: {{ reload: {{ mode: 'hot' }}, auth: {{ token: 'new-token' }} }}, ui: {{ assistant: {{ name: '{name}' }} }} }}"
        );
        world.put("openclaw.json", &text);
        let Offered::Taken(plan) = live.reload() else { panic!("the change was not taken") };
        assert_eq!(plan.decision, Decision::ApplyWithoutRestart);
        assert_eq!(plan.needs_restart, ["gateway.auth.token"]);
        assert_eq!(live.current().assistant.name, name);
        assert_eq!(token(&live).as_deref(), Some("old-token"));
    }
    let (restarted, _) = LiveConfig::open(&world.file);
    assert_eq!(token(&restarted).as_deref(), Some("new-token"));
}
