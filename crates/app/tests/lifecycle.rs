//! The gateway's life in one process: first start, second instance, reload, broken files, stopping.
//!
//! Each test runs in its own process under nextest, so each may start the log.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on says so by panicking")]

mod first_requests;
mod gateway_world;

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use openclaw_app::observe::ConsoleOutput;
use openclaw_app::{Demonstration, ExitRequest, RemoteMode, RunOptions, Running, shutdown, start};
use openclaw_config::{Environment, Locations, Overrides, ProfileChoice};
use tempfile::TempDir;

/// Long enough for a loaded machine; nothing waits for it when things work.
const PATIENCE: Duration = Duration::from_secs(30);

fn options(home: &Path) -> RunOptions {
    let temporary = home.join("tmp").display().to_string();
    let environment = Environment::fake([("TMPDIR", temporary)], home);
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    RunOptions {
        environment,
        locations,
        overrides: Overrides { port: Some(0), ..Overrides::default() },
        remote_mode: RemoteMode::Refuse,
        console: ConsoleOutput::Silent,
        demonstration: Demonstration::Absent,
        version: "0.0.0-test".to_owned(),
        platforms: openclaw_app::platforms,
    }
}

fn config_path(home: &TempDir) -> std::path::PathBuf {
    home.path().join(".openclaw/openclaw.json")
}

fn write_config(home: &TempDir, text: &str) {
    std::fs::create_dir_all(home.path().join(".openclaw")).unwrap();
    std::fs::write(config_path(home), text).unwrap();
}

async fn next_wish(running: &mut Running) -> ExitRequest {
    tokio::time::timeout(PATIENCE, running.wait()).await.expect("nothing was wished in time")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_first_start_without_any_file_makes_a_private_token_and_listens_on_loopback() {
    let home = tempfile::tempdir().unwrap();
    let running = start(options(home.path())).await.unwrap();
    assert!(running.addresses().iter().all(|address| address.ip().is_loopback()));
    let about = std::fs::metadata(config_path(&home)).unwrap();
    assert_eq!(about.permissions().mode() & 0o777, 0o600);
    let token = running.config().current().gateway.auth.token.clone().unwrap();
    assert_eq!(token.reveal().len(), 48);
    assert!(std::fs::read_to_string(config_path(&home)).unwrap().contains(token.reveal().as_str()));
    let logs = running.logs().clone();
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
    let log = std::fs::read_to_string(logs.current_file()).unwrap();
    assert!(log.contains("listening on ws://127.0.0.1:"), "{log}");
    assert!(!log.contains(token.reveal().as_str()), "the token is in the log");
    assert!(!log.contains("demonstration: "), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_stays_the_same_over_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let first = start(options(home.path())).await.unwrap();
    let token = first.config().current().gateway.auth.token.clone();
    assert!(shutdown(first, ExitRequest::Restart).await.is_clean());
    let text = std::fs::read_to_string(config_path(&home)).unwrap();
    let locations = options(home.path()).locations;
    let file = openclaw_config::ConfigFile::new(locations, options(home.path()).environment);
    assert_eq!(file.read().config.gateway.auth.token, token);
    assert_eq!(text.matches("token").count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_taken_over_and_kept_where_the_file_says() {
    let home = tempfile::tempdir().unwrap();
    write_config(
        &home,
        "{ agents: { list: [{ id: 'main', agentDir: '~/own' }] }, session: { store: '~/talks.json' } }",
    );
    let talks = r#"{ "agent:main:main": { "sessionId": "one", "updatedAt": 1000 } }"#;
    std::fs::write(home.path().join("talks.json"), talks).unwrap();
    let running = start(options(home.path())).await.unwrap();
    let logs = running.logs().clone();
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
    let log = std::fs::read_to_string(logs.current_file()).unwrap();
    assert!(
        log.contains(
            r#""imported the sessions of an earlier installation","2":{"agent":"main","sessions":1"#
        ),
        "{log}"
    );
    assert!(home.path().join("own/agent.sqlite").is_file());
    assert!(!home.path().join(".openclaw/agents/main/agent").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_gateway_on_the_same_directory_is_refused_with_the_pid_of_the_first() {
    let home = tempfile::tempdir().unwrap();
    let first = start(options(home.path())).await.unwrap();
    let error =
        openclaw_app::InstanceLock::acquire(&options(home.path()).locations, openclaw_types::UnixMillis(0))
            .expect_err("two gateways share a directory");
    let text = error.to_string();
    assert!(text.contains(&format!("pid {}", std::process::id())), "{text}");
    assert!(text.contains(&format!("port {}", first.addresses()[0].port())), "{text}");
    shutdown(first, ExitRequest::Stop).await;
    assert_eq!(openclaw_app::running_instance(&options(home.path()).locations).unwrap(), None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_that_another_gateway_gave_an_agent_is_not_shared_with_it() {
    let home = tempfile::tempdir().unwrap();
    write_config(&home, "{ agents: { list: [{ id: 'main', agentDir: '~/own' }] } }");
    std::fs::create_dir(home.path().join("own")).unwrap();
    let path = home.path().join("own/agent.sqlite.lock");
    std::fs::write(&path, "4242").unwrap();
    let other = std::fs::File::open(path).unwrap();
    other.lock().unwrap();
    let text = start(options(home.path())).await.err().expect("two gateways share a folder").to_string();
    let folder = home.path().join("own").display().to_string();
    for part in [folder.as_str(), "the agent main", "pid 4242", "agents.list[].agentDir"] {
        assert!(text.contains(part), "{text}");
    }
    assert!(!home.path().join("own/agent.sqlite").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_file_never_replaces_the_running_configuration() {
    let home = tempfile::tempdir().unwrap();
    write_config(
        &home,
        "{ gateway: { auth: { token: 'first-token-first' } }, ui: { assistant: { name: 'One' } } }",
    );
    let running = start(options(home.path())).await.unwrap();
    let mut changes = running.config().subscribe();
    write_config(
        &home,
        "{ gateway: { auth: { token: 'first-token-first' } }, ui: { assistant: { name: 7 } } }",
    );
    // Only a good file is announced, so the next one that arrives must be the third.
    tokio::time::timeout(PATIENCE, async {
        while running.config().last_seen().valid {
            tokio::task::yield_now().await;
        }
    })
    .await
    .expect("the broken file was not noticed");
    assert_eq!(running.config().current().assistant.name, "One");
    write_config(
        &home,
        "{ gateway: { auth: { token: 'first-token-first' } }, ui: { assistant: { name: 'Three' } } }",
    );
    tokio::time::timeout(PATIENCE, changes.changed()).await.expect("the good file was not noticed").unwrap();
    assert_eq!(running.config().current().assistant.name, "Three");
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_on_a_broken_file_runs_on_the_last_good_one() {
    let home = tempfile::tempdir().unwrap();
    write_config(
        &home,
        "{ gateway: { auth: { token: 'good-token-good' } }, ui: { assistant: { name: 'Good' } } }",
    );
    let locations = options(home.path()).locations;
    let file = openclaw_config::ConfigFile::new(locations, options(home.path()).environment);
    file.remember_good(&file.read()).unwrap();
    write_config(&home, "{ gateway: { auth: { token: 'good-token-good' ");
    let running = start(options(home.path())).await.unwrap();
    assert_eq!(running.config().current().assistant.name, "Good");
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_on_a_broken_file_without_a_good_one_says_where_it_is_broken() {
    let home = tempfile::tempdir().unwrap();
    write_config(&home, "{\n  gateway: { auth: { mode: 'tokn' } },\n}");
    let error = start(options(home.path())).await.err().expect("it started on a broken file").to_string();
    assert!(error.contains("gateway.auth.mode"), "{error}");
    assert!(error.contains(":2:"), "no line in: {error}");
    assert!(error.contains("token"), "no suggestion in: {error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_needs_it_wishes_a_restart_and_one_that_does_not_is_read_live() {
    let home = tempfile::tempdir().unwrap();
    write_config(&home, "{ gateway: { auth: { token: 'first-token-first' } } }");
    let mut running = start(options(home.path())).await.unwrap();
    let mut changes = running.config().subscribe();
    write_config(
        &home,
        "{ gateway: { auth: { token: 'first-token-first' } }, ui: { assistant: { name: 'Live' } } }",
    );
    tokio::time::timeout(PATIENCE, changes.changed()).await.expect("the change was not noticed").unwrap();
    write_config(
        &home,
        "{ gateway: { auth: { token: 'other-token-other' } }, ui: { assistant: { name: 'Live' } } }",
    );
    assert_eq!(next_wish(&mut running).await, ExitRequest::Restart);
    assert!(shutdown(running, ExitRequest::Restart).await.is_clean());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unknown_key_is_only_warned_about() {
    let home = tempfile::tempdir().unwrap();
    write_config(&home, "{ gateway: { auth: { token: 'first-token-first' }, prot: 1 } }");
    let running = start(options(home.path())).await.unwrap();
    let warnings: Vec<String> =
        running.config().last_seen().warnings.iter().map(ToString::to_string).collect();
    assert!(
        warnings.iter().any(|text| text.contains("gateway.prot") && text.contains("port")),
        "{warnings:?}"
    );
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wish_to_stop_that_comes_while_restarting_wins() {
    let home = tempfile::tempdir().unwrap();
    let mut running = start(options(home.path())).await.unwrap();
    running.wish(ExitRequest::Restart).await;
    let wish = next_wish(&mut running).await;
    running.wish(ExitRequest::Stop).await;
    assert_eq!(shutdown(running, wish).await.wish, ExitRequest::Stop);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restart_without_a_second_thought_stays_a_restart() {
    let home = tempfile::tempdir().unwrap();
    let running = start(options(home.path())).await.unwrap();
    assert_eq!(shutdown(running, ExitRequest::Restart).await.wish, ExitRequest::Restart);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_that_uses_a_gateway_elsewhere_starts_none_of_its_own() {
    let home = tempfile::tempdir().unwrap();
    write_config(&home, "{ gateway: { mode: 'remote', remote: { url: 'ws://127.0.0.1:1' } } }");
    let before = std::fs::read_to_string(config_path(&home)).unwrap();
    let error = start(options(home.path())).await.err().expect("it started").to_string();
    assert!(error.contains("ws://127.0.0.1:1") && error.contains("gateway.mode local"), "{error}");
    assert_eq!(std::fs::read_to_string(config_path(&home)).unwrap(), before, "the file was touched");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_that_uses_a_gateway_elsewhere_can_be_told_to_start_one() {
    let home = tempfile::tempdir().unwrap();
    write_config(&home, "{ gateway: { mode: 'remote', auth: { token: 'first-token-first' } } }");
    let anyway = RunOptions { remote_mode: RemoteMode::RunAnyway, ..options(home.path()) };
    assert!(shutdown(start(anyway).await.unwrap(), ExitRequest::Stop).await.is_clean());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_token_is_used_at_once_even_when_reloading_is_off() {
    let home = tempfile::tempdir().unwrap();
    write_config(&home, "{ gateway: { reload: { mode: 'off' } } }");
    let running = start(options(home.path())).await.unwrap();
    assert!(running.config().current().gateway.auth.token.is_some());
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_note_of_a_restart_is_told_once() {
    let home = tempfile::tempdir().unwrap();
    write_config(&home, "{ gateway: { auth: { token: 'first-token-first' } } }");
    let note = home.path().join(".openclaw/restart-sentinel.json");
    let text =
        r#"{"version":1,"payload":{"kind":"config-patch","status":"ok","ts":1,"message":"new colours"}}"#;
    std::fs::write(&note, text).unwrap();
    let running = start(options(home.path())).await.unwrap();
    let logs = running.logs().clone();
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
    assert!(!note.exists());
    let log = std::fs::read_to_string(logs.current_file()).unwrap();
    assert!(log.contains("back after config-patch") && log.contains("new colours"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demonstration_says_at_its_start_that_no_ai_answers() {
    let home = tempfile::tempdir().unwrap();
    let demonstration = Demonstration::Present;
    let running = start(RunOptions { demonstration, ..options(home.path()) }).await.unwrap();
    let logs = running.logs().clone();
    assert!(shutdown(running, ExitRequest::Stop).await.is_clean());
    let log = std::fs::read_to_string(logs.current_file()).unwrap();
    let lines = log.lines().filter(|line| line.contains("demonstration: ") && line.contains("not an AI"));
    assert_eq!(lines.count(), 1, "{log}");
}
