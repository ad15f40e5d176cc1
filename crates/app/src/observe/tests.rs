//! The log's two forms, its redaction, and its file.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use openclaw_ports::SystemClock;
use openclaw_types::{Secret, UnixMillis};
use proptest::prelude::*;
use serde_json::{Value, json};
use tracing::Level;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;

use super::layer::build;
use super::line::{LogEvent, Machine, Paint};
use super::redact::shapes_that_compile;
use super::{ConsoleOutput, KnownSecrets, LogPlan, LogTarget};

fn event(message: &str) -> LogEvent {
    LogEvent {
        at: UnixMillis(1_794_771_017_862),
        level: Level::WARN,
        subsystem: "gateway/connection".to_owned(),
        message: message.to_owned(),
        fields: json!({"code": 1008}).as_object().cloned().unwrap_or_default(),
    }
}

#[test]
fn a_line_of_the_file_has_the_form_that_clients_parse() {
    let machine = Machine { hostname: "box".to_owned(), version: "1.2.3".to_owned() };
    let line: Value = serde_json::from_str(&event("slow\nconsumer").as_json(&machine)).unwrap();
    let name = r#"{"subsystem":"gateway/connection"}"#;
    let expected = json!({
        "0": name,
        "1": "slow\nconsumer",
        "2": {"code": 1008},
        "_meta": {
            "runtime": "rust", "runtimeVersion": "1.2.3", "hostname": "box", "name": name, "parentNames": ["openclaw"],
            "date": "2026-11-15T19:30:17.862Z", "logLevelId": 4, "logLevelName": "WARN",
        },
        "time": "2026-11-15T19:30:17.862Z",
    });
    assert_eq!(line, expected);
}

#[test]
fn a_line_for_people_cannot_be_forged_by_control_characters() {
    let text = event("first\nsecond \x1b[31mred").as_text(Paint::Plain);
    let after_clock = text.split_once(' ').unwrap().1;
    assert_eq!(after_clock, r"warn  [gateway/connection] first ⏎ second \u{1b}[31mred code=1008");
}

#[test]
fn the_shapes_of_keys_are_blanked_out_and_ordinary_text_is_kept() {
    let (all, compiled) = shapes_that_compile();
    assert_eq!(compiled, all, "a pattern does not compile");
    let secrets = KnownSecrets::default();
    for (text, expected) in [
        ("Authorization: Bearer abcdefgh12345678", "Authorization: Bearer [redacted]"),
        (r#"{"token":"abcdef123456","a":1}"#, r#"{"token":"[redacted]","a":1}"#),
        ("gateway.auth.password=hunter2hunter2 next", "gateway.auth.password=[redacted] next"),
        ("gateway.auth.password=password next", "gateway.auth.password=[redacted] next"),
        (r#"{"token": "tokentoken"}"#, r#"{"token": "[redacted]"}"#),
        ("GET /x?token=abc&y=1", "GET /x?token=[redacted]&y=1"),
        ("https://ana:s3cret@host/x", "https://ana:[redacted]@host/x"),
        ("key sk-abcdefghijklmnop1234", "key [redacted]"),
        ("xoxb-1234567890-abc", "[redacted]"),
        ("bot 123456789:AAHabcdefghijklmnopqrstuvwxyz012345", "bot [redacted]"),
        ("-----BEGIN PRIVATE KEY-----\nMC4\n-----END PRIVATE KEY----- end", "[redacted] end"),
        ("ghp_abcdefghijklmnop1234 eyJhbGciOiJI.eyJzdWIiOiIx.c2ln", "[redacted] [redacted]"),
        ("AIzaSyA1234567890123456789012 AKIAIOSFODNN7EXAMPLE", "[redacted] [redacted]"),
        ("the token was missing", "the token was missing"),
        ("listening on ws://127.0.0.1:18789", "listening on ws://127.0.0.1:18789"),
    ] {
        assert_eq!(secrets.redact(text), expected);
    }
}

proptest! {
    #[test]
    fn a_known_secret_never_survives(before in ".{0,40}", secret in r#"[a-zA-Z0-9_!"\\-]{6,40}"#, after in ".{0,40}") {
        let secrets = KnownSecrets::default();
        secrets.replace([Secret::new(secret.clone()), Secret::new(format!("{secret}-longer"))]);
        let text = format!("{before}{secret}{after}{secret}-longer");
        let shown = secrets.redact(&text).into_owned();
        prop_assert!(!shown.replace("[redacted]", "\0").contains(&secret), "left in {}", shown);
    }
}

#[test]
fn events_reach_a_private_file_without_their_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let target = LogTarget::Daily(folder.path().join("logs"));
    let plan = LogPlan {
        file_level: LevelFilter::INFO,
        console_level: LevelFilter::OFF,
        console: ConsoleOutput::Silent,
        target,
        max_bytes: 10_000,
        version: "0".to_owned(),
    };
    let secrets = KnownSecrets::default();
    secrets.replace([Secret::new("planted-secret".to_owned())]);
    let (layer, logs) = build(plan, Arc::new(SystemClock::new()), secrets).unwrap();
    let subscriber = tracing_subscriber::registry().with(layer);
    tracing::subscriber::with_default(subscriber, || {
        tracing::info!(target: "openclaw_gateway::http", token = "short", user = "ana", "hello planted-secret");
        tracing::info!(target: "openclaw_gateway::http", "refused {}", r#"{"token":"abcdef\"123456"}"#);
        tracing::debug!(target: "openclaw_gateway::http", "not wanted");
        tracing::info!(target: "some_library", "not wanted");
    });
    logs.flush();
    let path = logs.current_file();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["1"], json!("hello [redacted]"));
    assert_eq!(lines[0]["2"], json!({"token": "[redacted]", "user": "ana"}));
    assert!(!text.contains("abcdef"), "{text}");
    assert_eq!(lines[0]["0"], json!(r#"{"subsystem":"gateway/http"}"#));
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(std::fs::metadata(path.parent().unwrap()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_file_at_its_limit_makes_way_for_a_new_one_and_only_one_old_one_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fixed.log");
    let plan = LogPlan {
        file_level: LevelFilter::INFO,
        console_level: LevelFilter::OFF,
        console: ConsoleOutput::Silent,
        target: LogTarget::Fixed(path.clone()),
        max_bytes: 2000,
        version: "0".to_owned(),
    };
    let (layer, logs) = build(plan, Arc::new(SystemClock::new()), KnownSecrets::default()).unwrap();
    tracing::subscriber::with_default(tracing_subscriber::registry().with(layer), || {
        for number in 0..50 {
            tracing::info!(target: "openclaw_gateway", number, "again");
        }
    });
    logs.flush();
    let names: std::collections::BTreeSet<String> = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names, ["fixed.log".to_owned(), "fixed.log.1".to_owned()].into());
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.len() <= 2000, "grew to {}", text.len());
    assert!(text.contains("\"number\":49"), "the newest line is gone");
}

#[test]
fn a_link_in_place_of_the_log_is_not_followed() {
    let folder = tempfile::tempdir().unwrap();
    let victim = folder.path().join("victim");
    std::fs::write(&victim, "untouched").unwrap();
    let path = folder.path().join("log");
    std::os::unix::fs::symlink(&victim, &path).unwrap();
    let sink = super::file::FileSink::start(LogTarget::Fixed(path), 1000).unwrap();
    sink.write(UnixMillis(0), "line".to_owned());
    sink.flush();
    assert_eq!(std::fs::read_to_string(victim).unwrap(), "untouched");
}
