//! From a file's content and a session's choices to how messages wait.

use std::time::Duration;

use serde_json::{Value, json};

use super::*;

fn raw(file: Value) -> RawConfig {
    serde_json::from_value(file).unwrap()
}

fn settings(mode: QueueMode, millis: u64, cap: usize, drop: QueueDrop) -> QueueSettings {
    QueueSettings { mode, debounce: Duration::from_millis(millis), cap, drop }
}

#[test]
fn a_session_wins_over_a_channel_and_a_channel_over_the_rest() {
    let file = json!({"messages": {"queue": {
        "mode": "queue", "byChannel": {"webchat": "steer+backlog"},
        "debounceMs": 5, "debounceMsByChannel": {"webchat": 7}, "cap": 3, "drop": "new"
    }}});
    let own = QueueOverrides { mode: Some(QueueMode::Interrupt), cap: Some(0), ..QueueOverrides::default() };
    let rows = [
        (json!({}), None, QueueOverrides::default(), QueueSettings::default()),
        (file.clone(), None, QueueOverrides::default(), settings(QueueMode::Steer, 5, 3, QueueDrop::New)),
        (
            file.clone(),
            Some("WebChat "),
            QueueOverrides::default(),
            settings(QueueMode::SteerBacklog, 7, 3, QueueDrop::New),
        ),
        (file, Some("webchat"), own, settings(QueueMode::Interrupt, 7, 1, QueueDrop::New)),
    ];
    for (file, channel, chosen, expected) in rows {
        assert_eq!(QueueSettings::resolve(&raw(file), channel, chosen), expected);
    }
}

#[test]
fn lanes_have_limits_of_their_own() {
    assert_eq!(LaneLimits::resolve(&raw(json!({}))), LaneLimits { main: 4, subagent: 8, cron: 1 });
    let file = json!({
        "agents": {"defaults": {"maxConcurrent": 2, "subagents": {"maxConcurrent": 3}}},
        "cron": {"maxConcurrentRuns": 5}
    });
    assert_eq!(LaneLimits::resolve(&raw(file)), LaneLimits { main: 2, subagent: 3, cron: 5 });
}
