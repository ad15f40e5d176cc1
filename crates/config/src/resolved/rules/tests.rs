//! Rules between keys.
//!
//! Tables from a file's content to the paths of the errors it has.

use serde_json::{Value, json};

use super::check;
use crate::resolved::Severity;
use crate::sections::RawConfig;

/// The paths of the errors that a file has.
fn errors(file: Value) -> Vec<String> {
    let raw: RawConfig = serde_json::from_value(file).unwrap();
    let problems = check(&raw);
    assert!(problems.iter().all(|problem| problem.severity == Severity::Error));
    problems.into_iter().map(|problem| problem.path).collect()
}

fn check_errors(file: Value, expected: &[&str]) {
    assert_eq!(errors(file.clone()), expected, "{file}");
}

#[test]
fn an_empty_file_breaks_no_rule() {
    check_errors(json!({}), &[]);
}

#[test]
fn heartbeats_need_a_duration_and_times_of_day() {
    let heartbeat = |heartbeat: Value| json!({ "agents": { "defaults": { "heartbeat": heartbeat } } });
    check_errors(heartbeat(json!({ "every": "2h30m" })), &[]);
    check_errors(heartbeat(json!({ "every": "" })), &[]);
    check_errors(heartbeat(json!({ "every": "often" })), &["agents.defaults.heartbeat.every"]);
    check_errors(heartbeat(json!({ "activeHours": { "start": "08:00", "end": "24:00" } })), &[]);
    check_errors(
        heartbeat(json!({ "activeHours": { "start": "24:00", "end": "24:01" } })),
        &["agents.defaults.heartbeat.activeHours.start", "agents.defaults.heartbeat.activeHours.end"],
    );
    check_errors(
        heartbeat(json!({ "activeHours": { "start": "8:00", "end": "12:61" } })),
        &["agents.defaults.heartbeat.activeHours.start", "agents.defaults.heartbeat.activeHours.end"],
    );
    check_errors(
        heartbeat(json!({ "activeHours": { "start": "é8:00" } })),
        &["agents.defaults.heartbeat.activeHours.start"],
    );
}

#[test]
fn a_picture_stays_in_the_workspace_or_on_the_web() {
    let avatar =
        |avatar: &str| json!({ "agents": { "list": [{ "id": "a", "identity": { "avatar": avatar } }] } });
    for fine in ["avatars/me.png", "https://example.com/me.png", "data:image/png;base64,AA", "🦀"] {
        check_errors(avatar(fine), &[]);
    }
    for bad in ["~/me.png", "/etc/passwd", "../me.png", "file:///me.png", "a/../../b.png"] {
        check_errors(avatar(bad), &["agents.list[0].identity.avatar"]);
    }
}

#[test]
fn a_sandbox_that_protects_nothing_is_refused() {
    let sandbox = |sandbox: Value| json!({ "agents": { "list": [{ "id": "a", "sandbox": sandbox }] } });
    check_errors(sandbox(json!({ "docker": { "network": "none", "binds": ["/data:/data"] } })), &[]);
    check_errors(
        sandbox(json!({ "docker": { "network": " Host " } })),
        &["agents.list[0].sandbox.docker.network"],
    );
    check_errors(
        sandbox(json!({ "browser": { "network": "host" } })),
        &["agents.list[0].sandbox.browser.network"],
    );
    check_errors(
        sandbox(json!({ "docker": { "network": "container:x" }, "browser": { "network": "container:x" } })),
        &["agents.list[0].sandbox.docker.network", "agents.list[0].sandbox.browser.network"],
    );
    check_errors(
        sandbox(
            json!({ "docker": { "network": "container:x", "dangerouslyAllowContainerNamespaceJoin": true } }),
        ),
        &[],
    );
    check_errors(
        sandbox(json!({ "docker": {
            "binds": ["data:/data", ""], "seccompProfile": "unconfined", "apparmorProfile": "Unconfined",
        } })),
        &[
            "agents.list[0].sandbox.docker.binds[0]",
            "agents.list[0].sandbox.docker.binds[1]",
            "agents.list[0].sandbox.docker.seccompProfile",
            "agents.list[0].sandbox.docker.apparmorProfile",
        ],
    );
}

#[test]
fn allow_excludes_also_allow_in_the_same_place() {
    let both = json!({ "allow": ["read"], "alsoAllow": ["write"] });
    check_errors(
        json!({
            "tools": { "allow": ["read"], "alsoAllow": ["write"], "byProvider": { "any": both },
                       "sandbox": { "tools": both }, "subagents": { "tools": both } },
            "agents": { "list": [{ "id": "a", "tools": both }] },
        }),
        &[
            "agents.list[0].tools.alsoAllow",
            "tools.alsoAllow",
            "tools.byProvider.any.alsoAllow",
            "tools.sandbox.tools.alsoAllow",
            "tools.subagents.tools.alsoAllow",
        ],
    );
    check_errors(json!({ "tools": { "allow": [], "alsoAllow": ["write"] } }), &[]);
    check_errors(json!({ "tools": { "profile": "coding", "alsoAllow": ["write"] } }), &[]);
}

#[test]
fn thresholds_of_loop_detection_rise() {
    let detection = |detection: Value| json!({ "tools": { "loopDetection": detection } });
    check_errors(
        detection(
            json!({ "warningThreshold": 5, "criticalThreshold": 10, "globalCircuitBreakerThreshold": 20 }),
        ),
        &[],
    );
    check_errors(
        detection(
            json!({ "warningThreshold": 10, "criticalThreshold": 10, "globalCircuitBreakerThreshold": 9 }),
        ),
        &["tools.loopDetection.criticalThreshold", "tools.loopDetection.globalCircuitBreakerThreshold"],
    );
}

#[test]
fn durations_and_sizes_must_be_readable() {
    check_errors(
        json!({
            "session": { "maintenance": { "pruneAfter": 30, "rotateBytes": "10mb", "resetArchiveRetention": false } },
            "cron": { "sessionRetention": "24h", "runLog": { "maxBytes": 2_000_000 } },
        }),
        &[],
    );
    check_errors(
        json!({
            "session": { "maintenance": {
                "pruneAfter": "soon", "rotateBytes": "10 apples", "resetArchiveRetention": "x", "maxDiskBytes": -1,
                "highWaterBytes": "",
            } },
            "cron": { "sessionRetention": "x", "runLog": { "maxBytes": "x" } },
        }),
        &[
            "session.maintenance.pruneAfter",
            "session.maintenance.resetArchiveRetention",
            "session.maintenance.rotateBytes",
            "session.maintenance.maxDiskBytes",
            "session.maintenance.highWaterBytes",
            "cron.sessionRetention",
            "cron.runLog.maxBytes",
        ],
    );
}

#[test]
fn a_broadcast_names_known_agents() {
    let broadcast = json!({ "strategy": "parallel", "room": ["a", "b"] });
    check_errors(
        json!({ "agents": { "list": [{ "id": "a" }] }, "broadcast": broadcast }),
        &["broadcast.room[1]"],
    );
    check_errors(json!({ "broadcast": broadcast }), &[]);
}

#[test]
fn programs_modules_and_addresses_have_a_safe_form() {
    let command = |command: Value| json!({ "audio": { "transcription": { "command": command } } });
    check_errors(command(json!(["whisper-cli", "--model", "x; y"])), &[]);
    check_errors(command(json!(["/opt/my tools/whisper"])), &[]);
    for bad in [json!([]), json!([""]), json!(["-x"]), json!(["a b"]), json!(["sh;rm"]), json!(["$(x)"])] {
        check_errors(command(bad), &["audio.transcription.command[0]"]);
    }
    check_errors(
        json!({ "hooks": {
            "mappings": [{ "transform": { "module": "ok/x.mjs" } }, { "transform": { "module": "../x.mjs" } }],
            "internal": { "handlers": [{ "event": "e", "module": "/x.mjs" }] },
        } }),
        &["hooks.mappings[1].transform.module", "hooks.internal.handlers[0].module"],
    );
    check_errors(json!({ "cron": { "webhook": "ftp://example.com" } }), &["cron.webhook"]);
    check_errors(json!({ "cron": { "webhook": "https://example.com/hook" } }), &[]);
    check_errors(
        json!({ "browser": { "profiles": { "a": { "color": "ff0000" }, "b": { "color": "ff0000", "cdpPort": 9222 } } } }),
        &["browser.profiles.a"],
    );
}
