//! What the methods answer, over a real socket.

mod support;

use std::sync::Arc;
use std::time::Duration;

use openclaw_testkit::SimClock;
use serde_json::{Value, json};
use support::{Client, Secrets, Setup, TestGateway};

const CONFIG: &str = r#"{
  // the comment stays
  gateway: { auth: { mode: "token", token: "test-token-0123456789" } },
  agents: {
    defaults: { model: { primary: "vendor/model-1" }, contextTokens: 1000, heartbeat: { every: "10m" } },
    list: [{ id: "main", default: true, name: "Ada" }, { id: "work" }],
  },
}"#;

#[tokio::test]
async fn health_tells_about_agents_from_the_configuration() {
    let gateway = Setup::config(CONFIG).start().await;
    let mut client = gateway.operator(&[]).await;
    let health = client.ok("health", json!({})).await;
    let store = |agent: &str| {
        let path = gateway.home.path(format!("agents/{agent}/sessions/sessions.json"));
        json!({"path": path.display().to_string(), "count": 0, "recent": []})
    };
    let agent = |id: &str, rest: Value| {
        let mut agent = json!({"agentId": id, "sessions": store(id)});
        agent.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
        agent
    };
    let prompt = openclaw_config::HEARTBEAT_PROMPT;
    let beat = |enabled: bool, every: &str, ms: Value| json!({"enabled": enabled, "every": every, "everyMs": ms, "prompt": prompt, "target": "none", "ackMaxChars": 300});
    let mut expected = json!({
        "ok": true, "channels": {}, "channelOrder": [], "channelLabels": {},
        "heartbeatSeconds": 600, "defaultAgentId": "main",
        "agents": [
            agent("main", json!({"name": "Ada", "isDefault": true, "heartbeat": beat(true, "10m", json!(600_000))})),
            agent("work", json!({"isDefault": false, "heartbeat": beat(false, "disabled", Value::Null)})),
        ],
        "sessions": store("main"),
    });
    expected["ts"] = health["ts"].clone();
    expected["durationMs"] = health["durationMs"].clone();
    assert_eq!(health, expected);
    assert!(health["ts"].is_i64() && health["durationMs"].is_u64());
}

#[tokio::test]
async fn a_probe_refreshes_health_and_tells_everybody() {
    let clock = Arc::new(SimClock::new());
    let gateway = Setup { clock: clock.clone(), ..Setup::default() }.start().await;
    let mut client = gateway.admin().await;
    let before = client.event("health").await;
    clock.advance(Duration::from_secs(1)).await;
    client.ok("health", json!({"probe": true})).await;
    let after = client.event("health").await;
    assert_eq!(after["seq"].as_u64(), before["seq"].as_u64().map(|seq| seq + 1));
}

#[tokio::test]
async fn status_shows_paths_and_models_to_administrators_only() {
    let gateway = Setup::config(CONFIG).start().await;
    let path = |agent: &str| {
        gateway.home.path(format!("agents/{agent}/sessions/sessions.json")).display().to_string()
    };
    let by_agent =
        |agent: &str, path: String| json!({"agentId": agent, "path": path, "count": 0, "recent": []});
    let mut expected = json!({
        "heartbeat": {"defaultAgentId": "main", "agents": [
            {"agentId": "main", "enabled": true, "every": "10m", "everyMs": 600_000},
            {"agentId": "work", "enabled": false, "every": "disabled", "everyMs": null},
        ]},
        "channelSummary": [], "queuedSystemEvents": [],
        "sessions": {
            "paths": [path("main"), path("work")], "count": 0,
            "defaults": {"model": "model-1", "contextTokens": 1000}, "recent": [],
            "byAgent": [by_agent("main", path("main")), by_agent("work", path("work"))],
        },
    });
    assert_eq!(gateway.admin().await.ok("status", json!({})).await, expected);
    let hidden = || "[redacted]".to_owned();
    expected["sessions"]["paths"] = json!([]);
    expected["sessions"]["defaults"] = json!({"model": null, "contextTokens": null});
    expected["sessions"]["byAgent"] = json!([by_agent("main", hidden()), by_agent("work", hidden())]);
    assert_eq!(gateway.operator(&["operator.read"]).await.ok("status", json!({})).await, expected);
}

#[tokio::test]
async fn a_system_event_updates_presence_and_tells_everybody() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    let mut reader = gateway.operator(&["operator.read"]).await;
    let beacon =
        json!({"text": "Node: desk", "host": "desk", "mode": "local", "instanceId": "i-1", "extra": 1});
    assert_eq!(admin.ok("system-event", beacon).await, json!({"ok": true}));
    let event = reader.event("presence").await;
    assert!(event["seq"].is_u64() && event["stateVersion"]["presence"].is_u64());
    let listed = reader.ok("system-presence", json!({})).await;
    assert_eq!(event["payload"]["presence"].as_array().map(Vec::len), listed.as_array().map(Vec::len));
    let desk = listed.as_array().unwrap().iter().find(|entry| entry["host"] == "desk").unwrap();
    assert_eq!((&desk["mode"], &desk["instanceId"]), (&json!("local"), &json!("i-1")));
    assert_eq!(
        reader.error("system-event", json!({"text": "x"})).await["message"],
        "missing scope: operator.admin"
    );
    assert_eq!(admin.error("system-event", json!({"text": "  "})).await["message"], "text required");
}

#[tokio::test]
async fn heartbeats_are_switched_and_the_last_one_is_null_until_there_is_one() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    assert_eq!(admin.ok("last-heartbeat", json!({})).await, Value::Null);
    assert_eq!(
        admin.ok("set-heartbeats", json!({"enabled": false})).await,
        json!({"ok": true, "enabled": false})
    );
    let off = admin.until(|frame| {
        frame["event"] == "health" && frame["payload"]["agents"][0]["heartbeat"]["enabled"] == false
    });
    off.await;
    let status = admin.ok("status", json!({})).await;
    assert_eq!(status["heartbeat"]["agents"][0]["enabled"], false);
    let error = admin.error("set-heartbeats", json!({"enabled": "no"})).await;
    assert_eq!(error["code"], "INVALID_REQUEST");
    assert!(
        error["message"].as_str().unwrap().starts_with("invalid set-heartbeats params: at /enabled"),
        "{error}"
    );
}

#[tokio::test]
async fn secrets_are_reloaded_by_the_host_and_its_trouble_is_told() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    assert_eq!(admin.ok("secrets.reload", json!({})).await, json!({"ok": true, "warningCount": 2}));
    gateway.host.secrets.send_replace(Secrets::Broken);
    let error = admin.error("secrets.reload", json!({})).await;
    assert_eq!(error, json!({"code": "UNAVAILABLE", "message": "the vault is locked"}));
    assert_eq!(gateway.audited().await, ["secrets.reload"]);
}

#[tokio::test]
async fn logs_are_tailed_with_a_cursor() {
    let gateway = TestGateway::new().await;
    let file = gateway.home.path("gateway.log");
    let text = format!(
        r#"{{ gateway: {{ auth: {{ token: "{}" }} }}, logging: {{ file: "{}" }} }}"#,
        support::TOKEN,
        file.display()
    );
    std::fs::write(gateway.home.path("openclaw.json"), text).unwrap();
    gateway.config.reload();
    std::fs::write(&file, "{\"a\":1}\n{\"b\":2}\n").unwrap();
    let mut client = gateway.operator(&["operator.read"]).await;
    let first = client.ok("logs.tail", json!({"limit": 1})).await;
    let expected = json!({
        "file": file.display().to_string(), "cursor": 16, "size": 16, "lines": ["{\"b\":2}"],
        "truncated": false, "reset": false,
    });
    assert_eq!(first, expected);
    std::fs::write(&file, "{\"a\":1}\n{\"b\":2}\n{\"c\":3}\n").unwrap();
    let next = client.ok("logs.tail", json!({"cursor": 16})).await;
    assert_eq!((&next["lines"], &next["cursor"]), (&json!(["{\"c\":3}"]), &json!(24)));
    let error = client.error("logs.tail", json!({"limit": 0, "more": true})).await;
    let message = error["message"].as_str().unwrap();
    assert!(
        message.starts_with("invalid logs.tail params: ") && message.contains("at /limit: "),
        "{message}"
    );
}

#[tokio::test]
async fn the_configuration_is_shown_without_secrets_and_described() {
    let gateway = Setup::config(CONFIG).start().await;
    let mut admin = gateway.admin().await;
    let shown = admin.ok("config.get", json!({})).await;
    assert_eq!(shown["valid"], true);
    assert_eq!(shown["parsed"]["gateway"]["auth"]["token"], "__OPENCLAW_REDACTED__");
    assert!(shown["raw"].as_str().unwrap().contains("the comment stays"));
    assert!(!shown.to_string().contains(support::TOKEN));
    let schema = admin.ok("config.schema", json!({})).await;
    assert!(schema["schema"]["properties"]["gateway"].is_object());
    assert!(
        schema["uiHints"].is_object() && schema["version"].is_string() && schema["generatedAt"].is_string()
    );
}

#[tokio::test]
async fn a_change_of_the_configuration_names_the_version_it_was_made_against() {
    let gateway = Setup::config(CONFIG).start().await;
    let mut admin = gateway.admin().await;
    let shown = admin.ok("config.get", json!({})).await;
    let raw = shown["raw"].as_str().unwrap().replace("10m", "20m");
    let required = admin.error("config.set", json!({"raw": raw})).await;
    assert_eq!(required["message"], "config base hash required; re-run config.get and retry");
    let stale = admin.error("config.set", json!({"raw": raw, "baseHash": "00"})).await;
    assert_eq!(stale["message"], "config changed since last load; re-run config.get and retry");
    let set = admin.ok("config.set", json!({"raw": raw, "baseHash": shown["hash"]})).await;
    assert_eq!(set["ok"], true);
    assert_eq!(set["config"]["gateway"]["auth"]["token"], "__OPENCLAW_REDACTED__");
    let written = std::fs::read_to_string(gateway.home.path("openclaw.json")).unwrap();
    assert!(
        written.contains("20m") && written.contains("the comment stays") && written.contains(support::TOKEN)
    );
    assert_eq!(gateway.audited().await, ["config.set"]);
}

#[tokio::test]
async fn an_invalid_configuration_is_refused_with_its_issues() {
    let gateway = Setup::config(CONFIG).start().await;
    let mut admin = gateway.admin().await;
    let hash = admin.ok("config.get", json!({})).await["hash"].clone();
    let error = admin.error("config.set", json!({"raw": "{gateway: {port: 'x'}}", "baseHash": hash})).await;
    assert_eq!((&error["code"], &error["message"]), (&json!("INVALID_REQUEST"), &json!("invalid config")));
    assert_eq!(error["details"]["issues"][0]["path"], "gateway.port");
}

#[tokio::test]
async fn a_patch_is_merged_and_a_restart_is_scheduled() {
    let gateway = Setup::config(CONFIG).start().await;
    let mut admin = gateway.admin().await;
    let hash = admin.ok("config.get", json!({})).await["hash"].clone();
    let params = json!({
        "raw": "{agents: {defaults: {heartbeat: {every: '5m'}}}}", "baseHash": hash,
        "sessionKey": "agent:main:main", "note": "faster", "restartDelayMs": 10,
    });
    let patched = admin.ok("config.patch", params).await;
    assert_eq!(patched["config"]["agents"]["defaults"]["heartbeat"]["every"], "5m");
    assert_eq!(
        patched["restart"],
        json!({"ok": true, "pid": 42, "signal": "SIGUSR1", "delayMs": 10, "reason": "config.patch", "mode": "emit",
               "coalesced": false, "cooldownMsApplied": 0})
    );
    let path = patched["sentinel"]["path"].as_str().unwrap();
    let note: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(note, json!({"version": 1, "payload": patched["sentinel"]["payload"]}));
    let payload = &note["payload"];
    assert_eq!(
        (&payload["kind"], &payload["status"], &payload["message"], &payload["sessionKey"]),
        (&json!("config-patch"), &json!("ok"), &json!("faster"), &json!("agent:main:main"))
    );
    assert_eq!(gateway.host.restarts.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn changes_with_a_restart_have_a_budget() {
    let gateway = Setup::config(CONFIG).start().await;
    let mut admin = gateway.admin().await;
    for _ in 0..3 {
        let error = admin.error("config.apply", json!({"raw": "{}"})).await;
        assert_eq!(error["message"], "config base hash required; re-run config.get and retry");
    }
    let over = admin.error("config.patch", json!({"raw": "{}"})).await;
    assert_eq!((&over["code"], &over["retryable"]), (&json!("UNAVAILABLE"), &json!(true)));
    assert!(
        over["message"].as_str().unwrap().starts_with("rate limit exceeded for config.patch; retry after ")
    );
    assert_eq!(over["details"], json!({"method": "config.patch", "limit": "3 per 60s"}));
    assert!(over["retryAfterMs"].as_u64().unwrap() <= 60_000);
}

#[tokio::test]
async fn unknown_methods_missing_scopes_and_a_second_connect_are_refused() {
    let gateway = TestGateway::new().await;
    let mut reader = gateway.operator(&["operator.read"]).await;
    let message = |error: Value| error["message"].as_str().unwrap().to_owned();
    assert_eq!(message(reader.error("nope", json!({})).await), "unknown method: nope");
    assert_eq!(message(reader.error("config.schema", json!({})).await), "missing scope: operator.admin");
    assert_eq!(message(reader.error("device.pair.list", json!({})).await), "missing scope: operator.pairing");
    let again = reader.error("connect", json!({})).await;
    assert_eq!(message(again), "connect is only valid as the first request");
    let mut nobody = gateway.operator(&[]).await;
    assert_eq!(message(nobody.error("status", json!({})).await), "missing scope: operator.read");
    assert_eq!(nobody.ok("health", json!({})).await["ok"], true);
}

#[tokio::test]
async fn a_panic_in_a_handler_is_an_answer_and_nothing_more() {
    let gateway = TestGateway::new().await;
    let mut admin: Client = gateway.admin().await;
    gateway.host.secrets.send_replace(Secrets::Panicking);
    assert_eq!(admin.error("secrets.reload", json!({})).await["code"], "UNAVAILABLE");
    assert_eq!(admin.ok("health", json!({})).await["ok"], true);
}
