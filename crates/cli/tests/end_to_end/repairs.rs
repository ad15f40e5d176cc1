//! What people are told and what is repaired when something is wrong: configuration, secrets, places.

use serde_json::{Value, json};

use crate::world::World;

const GOOD: &str = "{ gateway: { port: 28777, auth: { token: 'a-token-that-is-long-enough' } } }";

fn files_named(world: &World, start: &str) -> Vec<String> {
    let names = std::fs::read_dir(world.path("")).unwrap();
    let names = names.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    names.filter(|name| name.starts_with(start)).collect()
}

#[test]
fn doctor_puts_the_newest_backup_that_works_in_the_place_of_a_broken_file() {
    let world = World::new();
    world.write("openclaw.json", "{ gateway: ");
    world.write("openclaw.json.bak", "{ gateway: { port: 'x' } }");
    world.write("openclaw.json.bak.1", GOOD);
    let looked = world.run(&["doctor"]);
    assert_eq!(looked.code, Some(1));
    assert!(looked.stdout.contains("openclaw.json.bak.1 in the place of"), "{}", looked.stdout);
    assert!(looked.stdout.contains("port and token are looked at once"), "{}", looked.stdout);
    for topic in ["port: ", "authentication: ", "log: "] {
        assert!(!looked.stdout.contains(&format!(" {topic}")), "{topic}\n{}", looked.stdout);
    }
    let unasked = world.run(&["doctor", "--fix", "--non-interactive"]);
    assert_eq!((unasked.code, world.read("openclaw.json").as_str()), (Some(1), "{ gateway: "));
    let fixed = world.run(&["doctor", "--fix", "--yes"]).ok();
    assert!(fixed.contains("is back from ~/.openclaw/openclaw.json.bak.1"), "{fixed}");
    assert_eq!((world.read("openclaw.json").as_str(), world.mode("openclaw.json")), (GOOD, 0o600));
    let aside = files_named(&world, "openclaw.json.broken-");
    assert_eq!(aside.len(), 1, "{aside:?}");
    assert_eq!(world.read(&aside[0]), "{ gateway: ");
    assert_eq!(files_named(&world, "openclaw.json.restoring-"), Vec::<String>::new());
}

#[test]
fn doctor_prefers_the_configuration_a_gateway_ran_on() {
    let world = World::new();
    world.write("openclaw.json", GOOD);
    let gateway = world.start_gateway(&[]);
    assert_eq!(gateway.stop(), Some(0));
    world.write("openclaw.json", "{ gateway: { port: 'many' } }");
    world.write("openclaw.json.bak", "{}");
    let fixed = world.run(&["doctor", "--fix", "--yes"]).ok();
    assert!(fixed.contains("last-good-config.json5"), "{fixed}");
    assert_eq!(world.run(&["config", "get", "gateway.port"]).ok(), "28777\n");
    assert!(!world.read("openclaw.json").contains("//"), "{}", world.read("openclaw.json"));
}

#[test]
fn doctor_says_what_to_do_when_no_copy_works() {
    let world = World::new();
    world.write("openclaw.json", "{ gateway: ");
    let fixed = world.run(&["doctor", "--fix", "--yes"]);
    assert_eq!((fixed.code, world.read("openclaw.json").as_str()), (Some(1), "{ gateway: "));
    assert!(fixed.stdout.contains("no copy that works was found; correct"), "{}", fixed.stdout);
}

#[test]
fn a_place_that_cannot_be_written_is_a_failure_and_not_repairable() {
    let world = World::new();
    let outcome = world.run_with(&["doctor"], &[("OPENCLAW_STATE_DIR", "/dev/null/openclaw")]);
    assert_eq!(outcome.code, Some(1), "{}\n{}", outcome.stdout, outcome.stderr);
    assert!(outcome.stdout.contains("cannot be made"), "{}\n{}", outcome.stdout, outcome.stderr);
    assert!(!outcome.stdout.contains("can be repaired with"), "{}", outcome.stdout);
}

#[test]
fn a_misspelt_key_is_not_set() {
    let world = World::new();
    let set = world.run(&["config", "set", "gateway.prt", "1"]);
    assert_eq!(set.code, Some(1), "{}", set.stderr);
    assert!(
        set.stderr.contains("gateway.prt") && set.stderr.contains("did you mean 'port'?"),
        "{}",
        set.stderr
    );
}

#[test]
fn a_proposal_is_made_once() {
    let world = World::new();
    let refused = world.run(&["config", "set", "gateway.bind", "lann"]);
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("(did you mean \"lan\"?)"), "{}", refused.stderr);
    assert!(!refused.stderr.contains("(write \"lan\")"), "{}", refused.stderr);
}

#[test]
fn a_refused_change_of_the_configuration_lists_every_fault() {
    let world = World::new();
    world.write("openclaw.json", "{ gateway: { auth: { token: 'a-token-that-is-long-enough' } } }");
    let gateway = world.start_gateway(&[]);
    let seen = world.run(&["gateway", "call", "config.get", "--json"]).ok_json();
    let params =
        json!({ "raw": "{ gateway: { port: 'many', bind: 'lann' } }", "baseHash": seen["hash"] }).to_string();
    let text = world.run(&["gateway", "call", "config.patch", "--params", &params]);
    assert_eq!((text.code, text.stdout.as_str()), (Some(1), ""));
    for line in ["\n- gateway.port: ", "\n- gateway.bind: "] {
        assert!(text.stderr.contains(line), "{line:?} is missing:\n{}", text.stderr);
    }
    let program = world.run(&["gateway", "call", "config.patch", "--params", &params, "--json"]);
    assert_eq!((program.code, program.stderr.as_str()), (Some(1), ""));
    let told: Value = serde_json::from_str(&program.stdout).unwrap();
    assert_eq!(
        (&told["ok"], &told["error"]),
        (&json!(false), &json!("Gateway call failed: config.patch: invalid config (INVALID_REQUEST)"))
    );
    let paths: Vec<&str> =
        told["issues"].as_array().unwrap().iter().filter_map(|issue| issue["path"].as_str()).collect();
    assert_eq!(paths.len(), 2, "{told}");
    assert_eq!(gateway.stop(), Some(0));
}

#[test]
fn advice_about_secrets_names_only_what_the_command_has() {
    let world = World::new();
    let gateway = world.start_gateway(&[]);
    let wrong = [("OPENCLAW_GATEWAY_TOKEN", "wrong")];
    let health = world.run_with(&["health"], &wrong);
    assert_eq!(health.code, Some(1));
    assert!(health.stderr.contains("OPENCLAW_GATEWAY_TOKEN or gateway.auth.token"), "{}", health.stderr);
    assert!(!health.stderr.contains("--token"), "{}", health.stderr);
    let call = world.run_with(&["gateway", "call", "health"], &wrong);
    assert!(call.stderr.contains("or pass --token or --password"), "{}", call.stderr);
    let state = world.run_with(&["gateway", "status"], &wrong);
    assert_eq!(state.code, Some(1));
    assert!(state.stdout.contains("yes, but it refuses us: unauthorized"), "{}", state.stdout);
    let runs = format!("a gateway runs without the service (pid {})", gateway.pid());
    assert!(state.stdout.contains(&runs), "{}", state.stdout);
    let status = world.run_with(&["status"], &wrong);
    assert_eq!(status.code, Some(1));
    assert!(status.stdout.contains("answers, but refuses us"), "{}", status.stdout);
    assert_eq!(gateway.stop(), Some(0));
}

#[test]
fn password_mode_without_a_password_is_blamed_on_the_flag() {
    let world = World::new();
    let refused = world.run(&["gateway", "--port", "0", "--auth", "password"]);
    assert_eq!(refused.code, Some(2));
    assert!(
        refused.stderr.starts_with("error: --auth password needs a password; pass --password"),
        "{}",
        refused.stderr
    );
}

#[test]
fn completion_keeps_the_state_directory_private() {
    let world = World::new();
    std::fs::remove_dir(world.path("")).unwrap();
    world.run(&["completion", "--write-state"]).ok();
    assert_eq!((world.mode(""), world.mode("completions")), (0o700, 0o700));
}

#[test]
fn a_browser_is_opened_only_when_the_opener_says_so() {
    let world = World::new();
    let tools = world.home().join("tools");
    std::fs::create_dir(&tools).unwrap();
    let path = tools.display().to_string();
    for (code, words) in
        [(0, "Opened in your browser"), (3, "No browser could be started (xdg-open: exit status: 3)")]
    {
        world.write_tool(&tools.join("xdg-open"), &format!("#!/bin/sh\nexit {code}\n"));
        let outcome = world.run_with(&["dashboard"], &[("PATH", &path)]);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        assert!(outcome.stderr.starts_with(words), "{}", outcome.stderr);
    }
}

#[test]
fn no_lines_of_the_log_are_shown_when_none_are_wanted() {
    let world = World::new();
    let gateway = world.start_gateway(&[]);
    let none = world.run(&["logs", "--limit", "0"]);
    assert_eq!((none.code, none.stdout.as_str(), none.stderr.as_str()), (Some(0), "", ""));
    let follow = world.start(&["logs", "--follow", "--plain", "--interval", "50", "--limit", "0"]);
    let first = follow.line();
    let file = first.strip_prefix("Log file: ").expect("the first line names the file").to_owned();
    let added = json!({ "0": "added by the test", "_meta": { "logLevelName": "INFO" }, "time": "2026-01-01T00:00:00.000Z" });
    let mut log = std::fs::OpenOptions::new().append(true).open(file).unwrap();
    std::io::Write::write_all(&mut log, format!("{added}\n").as_bytes()).unwrap();
    loop {
        let line = follow.line();
        assert!(!line.contains("listening on"), "an old line was shown: {line}");
        if line.ends_with("added by the test") {
            break;
        }
    }
    assert_eq!(gateway.stop(), Some(0));
}

#[test]
fn doctor_warns_about_sign_ins_that_an_earlier_installation_left_in_plain_text() {
    let world = World::new();
    std::fs::create_dir_all(world.path("agents/main/agent")).unwrap();
    let file = json!({ "version": 1, "profiles": {
        "openai:default": { "type": "api_key", "provider": "openai", "key": "planted-doctor-key" },
    } });
    world.write("agents/main/agent/auth-profiles.json", &file.to_string());
    let warning = "auth-profiles.json is of an earlier installation and holds sign-ins in plain text";
    let before = world.run(&["doctor"]).ok();
    assert!(!before.contains(warning), "nothing is sealed yet: {before}");
    world.run(&["models", "status"]).ok();
    let after = world.run(&["doctor"]).ok();
    assert!(after.contains(warning) && after.contains("sealed in the store"), "{after}");
    assert!(!after.contains("planted-doctor-key"), "{after}");
    std::fs::remove_file(world.path("agents/main/agent/auth-profiles.json")).unwrap();
    assert!(!world.run(&["doctor"]).ok().contains(warning));
}
