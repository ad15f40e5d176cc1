//! The reload table.

use serde_json::{Value, json};

use crate::{Decision, HotAction, ReloadMode, reload_plan};

fn plan(old: Value, new: Value) -> (Decision, Vec<HotAction>) {
    let plan = reload_plan(&old, &new, ReloadMode::Hybrid);
    (plan.decision, plan.actions.into_iter().collect())
}

#[test]
fn each_prefix_has_its_effect() {
    let live = [
        "meta.x",
        "identity",
        "wizard.a",
        "logging.level",
        "models.a",
        "agents.list",
        "tools.exec",
        "bindings",
        "audio.x",
        "agent.x",
        "routing",
        "messages.queue",
        "session.scope",
        "talk.voiceId",
        "skills.x",
        "secrets.x",
        "ui.seamColor",
        "gateway.remote.url",
        "gateway.reload.mode",
    ];
    for path in live {
        assert_eq!(plan(json!({}), at(path)), (Decision::Apply, vec![]), "{path}");
    }
    let hot = [
        ("hooks.gmail.account", vec![HotAction::ReloadHooks, HotAction::RestartMailWatcher]),
        ("hooks.token", vec![HotAction::ReloadHooks]),
        ("agents.defaults.heartbeat.every", vec![HotAction::RestartHeartbeat]),
        ("cron.enabled", vec![HotAction::RestartCron]),
        ("browser.enabled", vec![HotAction::RestartBrowser]),
        ("channels.telegram.botToken", vec![HotAction::RestartChannel("telegram".to_owned())]),
    ];
    for (path, actions) in hot {
        assert_eq!(plan(json!({}), at(path)), (Decision::Apply, actions), "{path}");
    }
    for path in [
        "plugins.enabled",
        "gateway.port",
        "discovery.mdns",
        "canvasHost.port",
        "somethingNew",
        "env.A",
        "channels.defaults.x",
        "gatewayish",
        "web.enabled",
    ] {
        assert_eq!(plan(json!({}), at(path)), (Decision::Restart, vec![]), "{path}");
    }
}

#[test]
fn modes_decide_over_changes_that_need_a_restart() {
    let (old, new) = (
        json!({"gateway": {"port": 1}, "cron": {}}),
        json!({"gateway": {"port": 2}, "cron": {"enabled": true}}),
    );
    let decisions = [ReloadMode::Hybrid, ReloadMode::Hot, ReloadMode::Restart, ReloadMode::Off]
        .map(|mode| reload_plan(&old, &new, mode).decision);
    assert_eq!(
        decisions,
        [Decision::Restart, Decision::ApplyWithoutRestart, Decision::Restart, Decision::Nothing]
    );
    assert_eq!(reload_plan(&old, &old, ReloadMode::Restart).decision, Decision::Nothing);
    assert_eq!(
        reload_plan(&json!({}), &json!({"ui": {"a": 1}}), ReloadMode::Restart).decision,
        Decision::Restart
    );
}

#[test]
fn the_plan_names_every_changed_path() {
    let old = json!({"a": {"b": 1, "c": [1, 2]}, "gone": true, "same": {"x": [1]}});
    let new = json!({"a": {"b": 2, "c": [1, 3]}, "same": {"x": [1]}, "new": {"y": {"z.w": 1}}, "empty": {}});
    let plan = reload_plan(&old, &new, ReloadMode::Hybrid);
    assert_eq!(plan.changed, ["a.b", "a.c", "new.y[\"z.w\"]", "empty", "gone"]);
    assert_eq!(plan.needs_restart, plan.changed);
}

fn at(path: &str) -> Value {
    path.rsplit('.').fold(json!(1), |inner, key| json!({ key: inner }))
}
