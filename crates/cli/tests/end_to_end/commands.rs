//! The real binary against the real gateway.
//!
//! One home for each test, a port of the system's choice, output read line by line. Nothing is waited for by sleeping.

use crate::world::{World, signal};
use serde_json::{Value, json};

#[test]
fn a_gateway_without_any_configuration_starts_and_answers_health_and_status() {
    let world = World::new();
    let gateway = world.start_gateway(&[]);
    let health = world.run(&["health", "--json"]).ok_json();
    assert_eq!(health["ok"], json!(true));
    let text = world.run(&["health"]).ok();
    assert!(text.starts_with("Gateway "), "{text}");
    let status = world.run(&["status", "--json"]).ok_json();
    assert_eq!(
        (&status["gateway"]["reachable"], &status["gateway"]["mode"], &status["gateway"]["urlSource"]),
        (&json!(true), &json!("local"), &json!("running gateway"))
    );
    let text = world.run(&["status", "--all"]).ok();
    assert!(text.contains("reachable in") && text.contains("Connected"), "{text}");
    let state = world.run(&["gateway", "status", "--json"]).ok_json();
    assert_eq!((&state["rpc"]["ok"], &state["port"]["status"]), (&json!(true), &json!("busy")));
    assert_eq!(gateway.stop(), Some(0));
}

#[test]
fn the_gateway_is_called_and_probed() {
    let world = World::new();
    let gateway = world.start_gateway(&[]);
    let presence = world.run(&["gateway", "call", "system-presence", "--json"]).ok_json();
    assert_eq!(presence[0]["mode"], json!("gateway"));
    let text = world.run(&["gateway", "call", "health"]).ok();
    assert!(text.starts_with("Gateway call: health\n{"), "{text}");
    let unknown = world.run(&["gateway", "call", "no.such.method"]);
    assert_eq!(unknown.code, Some(1));
    assert!(unknown.stderr.contains("unknown method: no.such.method"), "{}", unknown.stderr);
    let probe = world.run(&["gateway", "probe", "--json"]).ok_json();
    assert_eq!((&probe["ok"], &probe["primaryTargetId"]), (&json!(true), &json!("localLoopback")));
    assert_eq!(probe["targets"][0]["config"]["valid"], json!(true));
    let health = world.run(&["gateway", "health", "--json"]).ok_json();
    assert_eq!(health["ok"], json!(true));
    let url = format!("ws://127.0.0.1:{}", gateway.port());
    let refused = world.run(&["gateway", "call", "health", "--url", &url, "--token", "wrong"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("token mismatch"), "{}", refused.stderr);
    assert_eq!(world.run(&["gateway", "call", "health", "--params", "{"]).code, Some(2));
}

#[test]
fn this_device_is_paired_listed_and_can_be_forgotten() {
    let world = World::new();
    let _gateway = world.start_gateway(&[]);
    let list = world.run(&["devices", "list", "--json"]).ok_json();
    let device = list["paired"][0]["deviceId"].as_str().expect("the command line paired itself").to_owned();
    assert_eq!(world.read_json("identity/device.json")["deviceId"], json!(device));
    assert!(world.read_json("identity/device-auth.json")["tokens"]["operator"]["token"].is_string());
    let text = world.run(&["devices", "list"]).ok();
    assert!(text.starts_with("Approved (1)\n"), "{text}");
    let rotated = world.run(&["devices", "rotate", "--device", &device, "--role", "operator"]).ok_json();
    assert_eq!(rotated["deviceId"], json!(device));
    let nothing = world.run(&["devices", "approve"]);
    assert_eq!((nothing.code, nothing.stderr.as_str()), (Some(1), "error: no device waits for approval\n"));
    assert_eq!(world.run(&["devices", "clear"]).code, Some(2));
    let cleared = world.run(&["devices", "clear", "--yes", "--json"]).ok_json();
    assert_eq!(cleared["removedDevices"], json!([device]));
}

#[test]
fn configuration_is_set_read_and_removed_with_comments_kept() {
    let world = World::new();
    world.write(
        "openclaw.json",
        "{\n  // mine\n  gateway: { port: 28999, auth: { token: 'very-secret-token-value' } },\n}\n",
    );
    assert_eq!(world.run(&["config", "get", "gateway.port"]).ok(), "28999\n");
    let secret = world.run(&["config", "get", "gateway.auth.token"]).ok();
    assert_eq!(secret, "__OPENCLAW_REDACTED__\n");
    let set = world.run(&["config", "set", "gateway.port", "29000"]).ok();
    assert!(set.starts_with("Updated gateway.port."), "{set}");
    let text = world.read("openclaw.json");
    assert!(text.contains("// mine") && text.contains("29000"), "{text}");
    let refused = world.run(&["config", "set", "gateway.port", "many"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("gateway.port"), "{}", refused.stderr);
    assert_eq!(world.run(&["config", "unset", "gateway.port"]).code, Some(0));
    let gone = world.run(&["config", "get", "gateway.port"]);
    assert_eq!(gone.code, Some(1));
    assert!(gone.stderr.contains("Config path not found: gateway.port"), "{}", gone.stderr);
    assert_eq!(world.run(&["config", "validate", "--json"]).ok_json()["valid"], json!(true));
    assert_eq!(world.run(&["config", "file"]).ok().trim(), world.path("openclaw.json").to_string_lossy());
    world.write("openclaw.json", "{ gateway: { port: 'x' } }");
    let broken = world.run(&["config", "validate"]);
    assert_eq!(broken.code, Some(1));
    assert!(broken.stderr.contains("gateway.port"), "{}", broken.stderr);
    let schema = world.run(&["config", "schema"]).ok_json();
    assert!(schema["properties"]["gateway"].is_object());
}

#[test]
fn the_log_is_read_from_the_gateway_and_from_the_file_without_it() {
    let world = World::new();
    let gateway = world.start_gateway(&[]);
    let text = world.run(&["logs", "--plain"]).ok();
    assert!(text.starts_with("Log file: ") && text.contains("listening on"), "{text}");
    let lines = world.run(&["logs", "--json", "--limit", "5"]).ok();
    let meta: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(meta["type"], json!("meta"));
    assert_eq!(gateway.stop(), Some(0));
    let offline = world.run(&["logs", "--plain"]);
    assert_eq!(offline.code, Some(0), "{}", offline.stderr);
    assert!(offline.stdout.contains("listening on"), "{}", offline.stdout);
    assert!(offline.stderr.contains("reading the log file instead"), "{}", offline.stderr);
}

#[test]
fn doctor_finds_open_permissions_and_repairs_them() {
    let world = World::new();
    world.write("openclaw.json", "{ gateway: { auth: { token: 'a-token-that-is-long-enough' } } }");
    world.set_mode("openclaw.json", 0o644);
    world.set_mode("", 0o755);
    let before = world.run(&["doctor", "--non-interactive"]).ok();
    assert!(before.contains("openclaw.json can be read by others (mode 644)"), "{before}");
    assert!(before.contains("can be repaired with `openclaw doctor --fix`"), "{before}");
    world.run(&["doctor", "--fix", "--yes"]).ok();
    assert_eq!((world.mode("openclaw.json"), world.mode("")), (0o600, 0o700));
    let after = world.run(&["doctor"]).ok();
    assert!(!after.contains("can be read by others"), "{after}");
}

#[test]
fn doctor_sees_a_running_gateway_and_walks_the_ledger_of_a_stopped_one() {
    let world = World::new();
    let gateway = world.start_gateway(&[]);
    world.run(&["devices", "list"]).ok();
    let running = world.run(&["doctor"]).ok();
    assert!(running.contains("answers (pid "), "{running}");
    assert_eq!(gateway.stop(), Some(0));
    let stopped = world.run(&["doctor"]).ok();
    assert!(stopped.contains("the chain is whole") && stopped.contains("not running"), "{stopped}");
}

#[test]
fn a_second_gateway_is_refused_with_the_pid_of_the_first() {
    let world = World::new();
    let first = world.start_gateway(&[]);
    let second = world.run(&["gateway", "--port", "0"]);
    assert_eq!(second.code, Some(1));
    assert!(second.stderr.contains(&format!("pid {}", first.pid())), "{}", second.stderr);
    assert_eq!(first.stop(), Some(0));
}

#[test]
fn force_takes_the_place_of_the_first_gateway() {
    let world = World::new();
    let first = world.start_gateway(&[]);
    let second = world.start_gateway(&["--force"]);
    assert_eq!(first.exit_code(), Some(0));
    assert_eq!(world.run(&["health", "--json"]).ok_json()["ok"], json!(true));
    assert_eq!(second.stop(), Some(0));
}

#[test]
fn a_gateway_without_a_service_is_stopped_and_a_killed_one_leaves_nothing_in_the_way() {
    let world = World::new();
    let gateway = world.start_gateway(&[]);
    let stopped = world.run(&["gateway", "stop", "--json"]).ok_json();
    assert_eq!((&stopped["ok"], &stopped["result"]), (&json!(true), &json!("stopped")));
    assert_eq!(gateway.exit_code(), Some(0));
    assert_eq!(world.run(&["gateway", "stop", "--json"]).ok_json()["result"], json!("not-running"));
    let killed = world.start_gateway(&[]);
    killed.send(signal::KILL);
    assert_eq!(killed.exit_code(), None);
    let next = world.start_gateway(&[]);
    assert_eq!(next.stop(), Some(0));
}

#[test]
fn nobody_listening_is_told_with_what_to_do_next() {
    let world = World::new();
    let port = crate::world::free_port();
    world.write("openclaw.json", &format!("{{ gateway: {{ port: {port}, auth: {{ token: 'x' }} }} }}"));
    let health = world.run(&["health"]);
    assert_eq!((health.code, health.stdout.as_str()), (Some(1), ""));
    assert!(health.stderr.contains("start it with `openclaw gateway`"), "{}", health.stderr);
    assert_eq!(world.run(&["status"]).code, Some(1));
    assert_eq!(world.run(&["gateway", "status"]).code, Some(1));
    assert_eq!(world.run(&["gateway", "status", "--no-probe"]).code, Some(0));
    let failed = world.run(&["health", "--json"]);
    let told: Value = serde_json::from_str(&failed.stdout).unwrap();
    assert_eq!((failed.code, failed.stderr.as_str(), &told["ok"]), (Some(1), "", &json!(false)));
    assert_eq!(world.run(&["gateway", "probe"]).code, Some(1));
}

#[test]
fn options_that_are_not_built_are_refused_with_a_reason() {
    let world = World::new();
    for arguments in [
        ["gateway", "--tailscale", "serve"].as_slice(),
        &["gateway", "run", "--reset"],
        &["gateway", "--raw-stream"],
        &["gateway", "probe", "--ssh", "host"],
        &["gateway", "install", "--runtime", "node"],
        &["config"],
        &["nonsense"],
    ] {
        let refused = world.run(arguments);
        assert_eq!(refused.code, Some(2), "{arguments:?}: {}", refused.stderr);
        assert!(refused.stderr.starts_with("error: "), "{arguments:?}: {}", refused.stderr);
    }
}

#[test]
fn small_commands_print_what_they_promise() {
    let world = World::new();
    assert_eq!(world.run(&["--version"]).ok(), format!("{}\n", env!("CARGO_PKG_VERSION")));
    assert_eq!(world.run(&["-V"]).ok(), world.run(&["--version"]).ok());
    assert!(world.run(&["--help"]).ok().contains("Exit codes: 0 done"));
    for arguments in [["status", "--help"].as_slice(), &["gateway", "status", "--help"]] {
        let help = world.run(arguments).ok();
        assert!(help.contains("1 it does not answer or refuses us"), "{help}");
    }
    assert!(world.run(&["completion", "--shell", "bash"]).ok().contains("_openclaw"));
    world.write("openclaw.json", "{ gateway: { port: 28123, auth: { token: 'abc+1' } } }");
    let page = world.run(&["dashboard", "--no-open"]).ok();
    assert_eq!(page, "Dashboard URL: http://127.0.0.1:28123/#token=abc%2B1\n");
    world.run(&["completion", "--shell", "fish", "--install"]).ok();
    assert!(world.path("completions/openclaw.fish").exists());
}

#[test]
fn a_service_cannot_be_installed_without_a_service_manager_and_nothing_is_left_behind() {
    let world = World::new();
    let install = world.run_with(&["gateway", "install", "--json"], &[("PATH", "/nonexistent")]);
    let answer: Value = serde_json::from_str(&install.stdout).unwrap();
    assert_eq!((install.code, &answer["ok"]), (Some(1), &json!(false)));
    assert!(!world.home().join(".config/systemd/user/openclaw-gateway.service").exists());
}

#[test]
fn a_gateway_without_a_service_restarts_in_place() {
    let world = World::new();
    let gateway = world.start_gateway(&[]);
    let pid = gateway.pid();
    let restarted = world.run(&["gateway", "restart", "--json"]).ok_json();
    assert_eq!(restarted["result"], json!("restarted"));
    gateway.listens_again();
    let state = world.run(&["gateway", "status", "--json"]).ok_json();
    assert_eq!((&state["rpc"]["ok"], &state["port"]["listeners"][0]["pid"]), (&json!(true), &json!(pid)));
    assert_eq!(gateway.stop(), Some(0));
}

#[test]
fn a_gateway_with_its_own_certificate_is_reached_over_tls() {
    let world = World::new();
    world.write(
        "openclaw.json",
        "{ gateway: { tls: { enabled: true }, auth: { token: 'a-token-that-is-long-enough' } } }",
    );
    let gateway = world.start_gateway(&[]);
    assert_eq!(world.run(&["health", "--json"]).ok_json()["ok"], json!(true));
    let url = format!("wss://127.0.0.1:{}", gateway.port());
    let arguments = ["gateway", "call", "health", "--url", &url, "--token", "a-token-that-is-long-enough"];
    let untrusted = world.run(&arguments);
    assert_eq!(untrusted.code, Some(1));
    assert!(untrusted.stderr.contains("--tls-fingerprint"), "{}", untrusted.stderr);
    let pin = "ab".repeat(32);
    let pinned: Vec<&str> = arguments.into_iter().chain(["--tls-fingerprint", &pin]).collect();
    let wrong = world.run(&pinned);
    assert!(wrong.stderr.contains("it is not the pinned one"), "{}", wrong.stderr);
    assert_eq!(gateway.stop(), Some(0));
}

#[test]
fn following_the_log_shows_lines_as_they_are_written() {
    let world = World::new();
    let _gateway = world.start_gateway(&[]);
    let follow = world.start(&["logs", "--follow", "--plain", "--interval", "50"]);
    let first = follow.line();
    let file = first.strip_prefix("Log file: ").expect("the first line names the file").to_owned();
    let mut log = std::fs::OpenOptions::new().append(true).open(file).unwrap();
    let added = json!({ "0": "added by the test", "_meta": { "logLevelName": "INFO" }, "time": "2026-01-01T00:00:00.000Z" });
    std::io::Write::write_all(&mut log, format!("{added}\n").as_bytes()).unwrap();
    while follow.line() != "2026-01-01T00:00:00.000Z info added by the test" {}
}

#[test]
fn doctor_moves_old_keys_of_the_configuration() {
    let world = World::new();
    world.write("openclaw.json", "{ gateway: { token: 'a-token-that-is-long-enough' } }");
    let before = world.run(&["doctor"]);
    assert!(before.stdout.contains("old keys should move: gateway.token"), "{}", before.stdout);
    world.run(&["doctor", "--fix"]).ok();
    assert_eq!(world.run(&["config", "get", "gateway.auth.token"]).ok(), "__OPENCLAW_REDACTED__\n");
    assert_eq!(world.run(&["config", "get", "gateway.token"]).code, Some(1));
}
