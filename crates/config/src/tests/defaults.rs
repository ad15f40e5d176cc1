//! What clients are shown where the file says nothing, and that it stays out of the file.

use serde_json::{Value, json};

use super::{World, unstamped};
use crate::sections::RawConfig;
use crate::{AckSettings, BaseHash, CommandSettings, CompactionSettings, FileSnapshot, LaneLimits, redact};

const FILE: &str = "{ gateway: { port: 20001 }, agents: { defaults: { maxConcurrent: 2 }, list: [{ id: 'a' }] }, \
                    logging: { level: 'info' } }";

fn shown(snapshot: &FileSnapshot) -> Value {
    redact(snapshot).config
}

fn general() -> Value {
    json!({
        "commands": { "native": "auto", "nativeSkills": "auto", "restart": true, "ownerDisplay": "raw" },
        "messages": { "ackReactionScope": "group-mentions" },
        "agents": { "defaults": {
            "maxConcurrent": 4, "subagents": { "maxConcurrent": 8 }, "compaction": { "mode": "safeguard" },
        } },
    })
}

/// Replaces the file by a configuration and gives what it holds then, without the stamp.
fn replaced(world: &World, config: &Value) -> Value {
    let base = BaseHash::Given(world.read().hash);
    unstamped(&world.file.write_text(&config.to_string(), &base).expect("it can be written").parsed)
}

#[test]
fn clients_see_what_applies_where_the_file_says_nothing() {
    let snapshot = World::with(FILE).read();
    assert_eq!(
        shown(&snapshot),
        json!({
            "gateway": { "port": 20001 },
            "agents": {
                "defaults": {
                    "maxConcurrent": 2, "subagents": { "maxConcurrent": 8 },
                    "compaction": { "mode": "safeguard" },
                },
                "list": [{ "id": "a" }],
            },
            "logging": { "level": "info", "redactSensitive": "tools" },
            "commands": { "native": "auto", "nativeSkills": "auto", "restart": true, "ownerDisplay": "raw" },
            "messages": { "ackReactionScope": "group-mentions" },
        })
    );
    assert_eq!(snapshot.parsed["logging"], json!({ "level": "info" }));
    assert_eq!(snapshot.effective["logging"], json!({ "level": "info" }));
    assert_eq!(shown(&World::empty().read()), general());
}

#[test]
fn a_file_that_cannot_be_used_is_shown_as_it_is() {
    let snapshot = World::with("{ gateway: { port: 'x' } }").read();
    assert_eq!(shown(&snapshot), json!({ "gateway": { "port": "x" } }));
}

#[test]
fn what_is_shown_is_what_the_program_does() {
    let read = |config: Value| serde_json::from_value::<RawConfig>(config).expect("it has the right form");
    let (silent, told) = (read(json!({ "agents": { "defaults": {} } })), read(general()));
    let main = openclaw_types::AgentId::main();
    assert_eq!(LaneLimits::resolve(&silent), LaneLimits::resolve(&told));
    assert_eq!(CommandSettings::resolve(&silent), CommandSettings::resolve(&told));
    assert_eq!(CompactionSettings::of(&silent), CompactionSettings::of(&told));
    assert_eq!(AckSettings::resolve(&silent, &main).scope, AckSettings::resolve(&told, &main).scope);
    let logging = |text: &str| World::with(text).read().config.logging.redact;
    assert_eq!(logging("{ logging: {} }"), logging("{ logging: { redactSensitive: 'tools' } }"));
}

#[test]
fn what_a_client_was_shown_and_sends_back_does_not_end_up_in_the_file() {
    let world = World::with(FILE);
    let before = world.read();
    let mut sent = shown(&before);
    assert_eq!(replaced(&world, &sent), before.parsed);

    sent["gateway"]["port"] = json!(20002);
    sent["messages"]["ackReactionScope"] = json!("all");
    sent["agents"]["defaults"]["maxConcurrent"] = json!(4);
    assert_eq!(
        replaced(&world, &sent),
        json!({
            "gateway": { "port": 20002 },
            "agents": { "defaults": { "maxConcurrent": 4 }, "list": [{ "id": "a" }] },
            "logging": { "level": "info" },
            "messages": { "ackReactionScope": "all" },
        })
    );
}

#[test]
fn a_default_that_somebody_writes_down_stays() {
    let world = World::with("{}");
    let meant = json!({ "messages": { "ackReactionScope": "group-mentions" } });
    assert_eq!(replaced(&world, &meant), meant);
    let all = general();
    let patched = world.file.patch(&all.to_string(), &BaseHash::Unchecked).expect("it can be written");
    assert_eq!(
        unstamped(&patched.parsed),
        json!({
            "messages": all["messages"], "commands": all["commands"], "agents": all["agents"],
        })
    );
    assert_eq!(replaced(&world, &all), unstamped(&all));
}
