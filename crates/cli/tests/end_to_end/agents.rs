//! `openclaw setup`, `agents` and `approvals`: files that people own, changed in place.

use serde_json::{Value, json};

use crate::world::World;

#[test]
fn setup_makes_a_configuration_and_a_workspace_once() {
    let world = World::new();
    let made = world.run(&["setup"]).ok();
    assert!(made.contains("~/.openclaw/openclaw.json was made"), "{made}");
    assert!(made.contains("~/.openclaw/workspace was made: AGENTS.md"), "{made}");
    let workspace = world.path("workspace").display().to_string();
    let seen = world.run(&["config", "get", "agents.defaults.workspace"]).ok();
    assert_eq!(seen.trim(), workspace);
    for name in ["AGENTS.md", "SOUL.md", "IDENTITY.md", "BOOTSTRAP.md"] {
        assert!(world.path("workspace").join(name).is_file(), "{name}");
    }
    world.write("workspace/AGENTS.md", "mine");
    let before = world.read("openclaw.json");
    let again = world.run(&["setup"]).ok();
    assert!(
        again.contains("is as it should be") && again.contains("~/.openclaw/workspace is there"),
        "{again}"
    );
    assert_eq!((world.read("openclaw.json"), world.read("workspace/AGENTS.md")), (before, "mine".to_owned()));
    world.run(&["setup", "--workspace", "~/elsewhere"]).ok();
    assert!(world.home().join("elsewhere/SOUL.md").is_file());
    let doctor = world.run(&["doctor"]).ok();
    assert!(doctor.contains("workspace: ~/elsewhere has its files"), "{doctor}");
}

#[test]
fn setup_can_point_at_a_gateway_elsewhere_and_refuses_what_it_cannot_do() {
    let world = World::new();
    assert_eq!(world.run(&["setup", "--wizard"]).code, Some(2));
    assert_eq!(world.run(&["setup", "--mode", "remote"]).code, Some(2));
    world
        .run(&["setup", "--non-interactive", "--remote-url", "ws://127.0.0.1:7", "--remote-token", "theirs"])
        .ok();
    let gateway = world.run(&["config", "get", "gateway", "--json"]).ok_json();
    assert_eq!((&gateway["mode"], &gateway["remote"]["url"]), (&json!("remote"), &json!("ws://127.0.0.1:7")));
    assert!(!world.path("workspace").exists());
}

#[test]
fn agents_are_added_bound_named_and_removed_with_comments_kept() {
    let world = World::new();
    world.write("openclaw.json", "{\n  // mine\n  agents: { defaults: { model: 'box/small' } },\n}\n");
    let added = world
        .run(&["agents", "add", "Night Shift", "--workspace", "~/night", "--bind", "one:work", "--json"])
        .ok_json();
    assert_eq!(
        (&added["agentId"], &added["name"], &added["bindings"]["added"]),
        (&json!("night-shift"), &json!("Night Shift"), &json!(["one accountId=work"]))
    );
    assert!(world.home().join("night/SOUL.md").is_file());
    assert!(world.read("openclaw.json").contains("// mine"));
    let list = world.run(&["agents", "list", "--json", "--bindings"]).ok_json();
    let shown: Vec<[&Value; 4]> = list
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| [&agent["id"], &agent["isDefault"], &agent["bindings"], &agent["model"]])
        .collect();
    assert_eq!(
        shown,
        [
            [&json!("main"), &json!(true), &json!(0), &json!("box/small")],
            [&json!("night-shift"), &json!(false), &json!(1), &json!("box/small")],
        ]
    );
    assert_eq!(world.run(&["agents", "add", "night shift"]).code, Some(1));
    assert_eq!(world.run(&["agents", "add", "main"]).code, Some(1));
    let day = world.run(&["agents", "add", "day", "--agent-dir", "~/day-state", "--json"]).ok_json();
    assert_eq!(day["agentDir"], json!(world.home().join("day-state")));
    let dusk = world.run(&["agents", "add", "dusk", "--agent-dir", "~/day-state"]);
    assert!(
        dusk.code == Some(1) && dusk.stderr.contains("is the folder of the agent day too"),
        "{}",
        dusk.stderr
    );
    world.run(&["agents", "delete", "day", "--force"]).ok();
    let taken = world.run(&["agents", "bind", "--agent", "main", "--bind", "one:work"]);
    assert!(taken.code == Some(1) && taken.stderr.contains("(agent=night-shift)"), "{}", taken.stderr);
    world.run(&["agents", "bind", "--bind", "two"]).ok();
    assert_eq!(world.run(&["agents", "unbind", "--bind", "two"]).ok(), "Removed: two\n");
    let named = world
        .run(&["agents", "set-identity", "--agent", "night-shift", "--name", "Owl", "--emoji", "🦉"])
        .ok();
    assert!(named.contains("Owl"), "{named}");
    std::fs::write(world.home().join("night/IDENTITY.md"), "- **Name:** Barn Owl\n- **Vibe:** calm\n")
        .unwrap();
    let read = world
        .run(&["agents", "set-identity", "--workspace", "~/night", "--from-identity", "--json"])
        .ok_json();
    assert_eq!(read["identity"], json!({ "name": "Barn Owl", "theme": "calm", "emoji": "🦉" }));
    let text = world.run(&["agents"]).ok();
    assert!(text.contains("night-shift Night Shift") && text.contains("Barn Owl (IDENTITY.md)"), "{text}");
    assert_eq!(world.run(&["agents", "delete", "night-shift"]).code, Some(2));
    let gone = world.run(&["agents", "delete", "night-shift", "--force", "--json"]).ok_json();
    assert_eq!((&gone["agentId"], &gone["removedBindings"]), (&json!("night-shift"), &json!(1)));
    assert!(!world.home().join("night").exists());
    assert!(world.home().join(".local/share/Trash/files/night/SOUL.md").is_file());
    assert!(world.home().join(".local/share/Trash/info/night.trashinfo").is_file());
    let text = world.read("openclaw.json");
    assert!(text.contains("// mine") && !text.contains("night"), "{text}");
    assert_eq!(world.run(&["agents", "bindings", "--json"]).ok_json(), json!([]));
    assert_eq!(world.run(&["agents", "delete", "main", "--force"]).code, Some(1));
}

#[test]
fn a_running_gateway_removes_an_agent_itself() {
    let world = World::new();
    world.write(
        "openclaw.json",
        "{ agents: { list: [{ id: 'main' }, { id: 'ops', workspace: '~/ops' }, { id: 'night', workspace: '~/ops' }] },\n\
           tools: { agentToAgent: { allow: ['ops', 'main'] } } }",
    );
    std::fs::create_dir(world.home().join("ops")).unwrap();
    let gateway = world.start_gateway(&[]);
    world.run(&["message", "send", "-t", "agent:ops:main", "-m", "A note."]);
    let gone = world.run(&["agents", "delete", "ops", "--force", "--json"]).ok_json();
    assert_eq!(gone["removedAllow"], json!(1), "{gone}");
    assert!(world.home().join("ops").is_dir(), "another agent works there");
    assert!(!world.path("agents/ops/agent").exists(), "an agent of the same name begins anew");
    let allow = world.run(&["config", "get", "tools.agentToAgent.allow", "--json"]).ok_json();
    assert_eq!(allow, json!(["main"]));
    world.run(&["agents", "delete", "night", "--force"]).ok();
    assert!(!world.home().join("ops").exists());
    let list = world.run(&["agents", "list", "--json"]).ok_json();
    assert_eq!(list.as_array().map(Vec::len), Some(1), "{list}");
    assert_eq!(gateway.stop(), Some(0));
}

#[test]
fn approvals_are_shown_replaced_and_extended_here_and_over_the_gateway() {
    let world = World::new();
    let none = world.run(&["approvals", "get"]).ok();
    assert!(none.contains("No command is always allowed."), "{none}");
    let file = json!({ "defaults": { "security": "allowlist", "ask": "on-miss" } }).to_string();
    world.run_fed(&["approvals", "set", "--stdin"], &file).ok();
    assert_eq!(world.mode("exec-approvals.json"), 0o600);
    let added = world.run(&["exec-approvals", "allowlist", "add", "/usr/bin/rg", "--agent", "main"]).ok();
    assert!(added.contains("main   /usr/bin/rg"), "{added}");
    let again = world.run(&["approvals", "allowlist", "add", "/usr/bin/rg", "--agent", "MAIN"]).ok();
    assert_eq!(again, "It is in the list already.\n");
    let gateway = world.start_gateway(&[]);
    let seen = world.run(&["approvals", "get", "--gateway", "--json"]).ok_json();
    assert_eq!(seen["file"]["agents"]["main"]["allowlist"][0]["pattern"], json!("/usr/bin/rg"));
    world.run(&["approvals", "allowlist", "add", "/usr/bin/uname", "--gateway"]).ok();
    world.run(&["approvals", "allowlist", "remove", "/usr/bin/rg", "--agent", "main"]).ok();
    let left = world.run(&["approvals", "get", "--json"]).ok_json();
    let agents = left["file"]["agents"].as_object().unwrap();
    assert_eq!(agents.keys().collect::<Vec<_>>(), ["*"], "{left}");
    assert_eq!(world.run(&["approvals", "get", "--node", "x"]).code, Some(2));
    assert_eq!(world.run(&["approvals", "grants", "list", "--json"]).ok_json(), json!({ "grants": [] }));
    assert_eq!(world.run(&["approvals", "grants", "revoke", "x"]).code, Some(1));
    assert_eq!(world.run(&["approvals", "pending", "--json"]).ok_json(), json!({ "pending": [] }));
    assert_eq!(world.run(&["approvals", "resolve", "abcd", "allow-always", "session"]).code, Some(1));
    assert_eq!(world.run(&["approvals", "resolve", "abcd", "allow-always", "forever"]).code, Some(2));
    assert_eq!(world.run(&["approvals", "resolve", "abcd", "deny", "session"]).code, Some(2));
    assert_eq!(gateway.stop(), Some(0));
}
