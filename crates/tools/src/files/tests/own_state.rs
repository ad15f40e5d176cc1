//! What the gateway keeps for itself stays out of reach, whatever names it is given.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use openclaw_ports::tool::FileReach;
use serde_json::json;

use crate::testing::{World, assert_refused, link, said};

fn world() -> World {
    let world = World::new();
    for file in [
        ".openclaw/openclaw.json",
        ".openclaw/exec-approvals.json",
        ".openclaw/.env",
        ".openclaw/state/seal.key",
        ".openclaw/state/gateway.sqlite",
        ".openclaw/credentials/oauth.json",
        ".openclaw/identity/device.json",
        ".openclaw/agents/main/agent/auth-profiles.json",
    ] {
        world.write(file, "planted secret");
    }
    world.write(".openclaw/agents/main/sessions/a.jsonl", "said");
    world.write(".openclaw/workspace-other/note.md", "note");
    world.write(".openclaw/logs/a.log", "line");
    world
}

const CLOSED: [&str; 8] = [
    "openclaw.json",
    "exec-approvals.json",
    ".env",
    "state/seal.key",
    "state/gateway.sqlite",
    "credentials/oauth.json",
    "identity/device.json",
    "agents/main/agent/auth-profiles.json",
];

#[tokio::test]
async fn keys_databases_and_the_configuration_are_neither_shown_nor_changed() {
    let world = world();
    link(world.path(".openclaw"), world.path("other-name"));
    for file in CLOSED {
        for base in ["~/.openclaw", "~/other-name", "~/.openclaw/logs/.."] {
            let path = format!("{base}/{file}");
            let machine = FileReach::Machine;
            assert_refused(&world.call_with("read", json!({ "path": path }), machine).await);
            assert_refused(&world.call_with("write", json!({ "path": path, "content": "" }), machine).await);
            let edit = json!({ "path": path, "oldText": "planted", "newText": "" });
            assert_refused(&world.call_with("edit", edit, machine).await);
        }
    }
    let found =
        world.call_with("grep", json!({ "path": "~/.openclaw", "pattern": "planted" }), FileReach::Machine);
    assert_eq!(said(&found.await), "+(Nothing matches.)");
    assert_eq!(world.text(".openclaw/openclaw.json"), "planted secret");
}

#[tokio::test]
async fn a_hard_link_to_a_key_is_still_the_key() {
    let world = world();
    for file in
        ["state/seal.key", "openclaw.json", "credentials/oauth.json", "agents/main/agent/auth-profiles.json"]
    {
        let name = file.replace('/', "-");
        std::fs::hard_link(world.path(".openclaw").join(file), world.work(&name)).unwrap();
        assert_refused(&world.call("read", json!({ "path": name })).await);
        assert_refused(&world.call("write", json!({ "path": name, "content": "" })).await);
    }
    assert_eq!(said(&world.call("grep", json!({ "pattern": "planted" })).await), "+(Nothing matches.)");
}

#[tokio::test]
async fn where_there_is_too_much_to_compare_a_file_with_several_names_counts_as_ours() {
    let world = world();
    world.write("work/one.txt", "text");
    std::fs::hard_link(world.work("one.txt"), world.work("two.txt")).unwrap();
    for number in 0..2100 {
        world.write(&format!(".openclaw/state/{number}"), "");
    }
    assert_refused(&world.call("read", json!({ "path": "two.txt" })).await);
    world.write("work/three.txt", "text");
    assert_eq!(said(&world.call("read", json!({ "path": "three.txt" })).await), "+text");
}

#[tokio::test]
async fn other_hard_links_are_read_and_replaced_with_a_note() {
    let world = world();
    world.write("work/one.txt", "text");
    std::fs::hard_link(world.work("one.txt"), world.work("two.txt")).unwrap();
    assert_eq!(said(&world.call("read", json!({ "path": "two.txt" })).await), "+text");
    let reply = said(&world.call("write", json!({ "path": "two.txt", "content": "new" })).await);
    assert!(reply.contains("other hard links"), "{reply}");
    assert_eq!(
        (world.text("work/one.txt"), world.text("work/two.txt")),
        ("text".to_owned(), "new".to_owned())
    );
}

#[tokio::test]
async fn what_programs_follow_when_they_start_is_read_but_not_changed() {
    let world = world();
    world.write("dotfiles/bashrc", "mine");
    link(world.path("dotfiles/bashrc"), world.path(".bashrc"));
    world.write(".gitconfig", "mine");
    let files = [
        ".gitconfig",
        ".bashrc",
        ".ssh/authorized_keys",
        ".config/git/config",
        ".cargo/config.toml",
        ".npmrc",
    ];
    for file in files.into_iter().chain(["dotfiles/bashrc", ".config/autostart/x.desktop"]) {
        let write = json!({ "path": format!("~/{file}"), "content": "evil" });
        assert_refused(&world.call_with("write", write, FileReach::Machine).await);
    }
    let edit = json!({ "path": "~/.gitconfig", "oldText": "mine", "newText": "evil" });
    assert_refused(&world.call_with("edit", edit, FileReach::Machine).await);
    assert_refused(
        &world
            .call_with("write", json!({ "path": "/etc/cron.d/x", "content": "" }), FileReach::Machine)
            .await,
    );
    assert!(!world.path(".ssh").exists(), "no folder is made on the way");
    let read = world.call_with("read", json!({ "path": "~/.gitconfig" }), FileReach::Machine).await;
    assert_eq!(said(&read), "+mine");
    let other = json!({ "path": "~/notes/.gitconfig", "content": "note" });
    assert!(said(&world.call_with("write", other, FileReach::Machine).await).starts_with('+'));
}

#[tokio::test]
async fn kept_output_is_read_but_not_changed_whatever_the_reach_is() {
    let world = world();
    world.write(".openclaw/kept/run/out.txt", "long");
    link(world.path(".openclaw/kept"), world.path("other-kept"));
    for (reach, path) in [
        (FileReach::Workspace, "~/.openclaw/kept/run/out.txt"),
        (FileReach::Machine, "~/.openclaw/kept/run/out.txt"),
        (FileReach::Machine, "~/other-kept/run/out.txt"),
    ] {
        assert_eq!(said(&world.call_with("read", json!({ "path": path }), reach).await), "+long", "{path}");
        assert_refused(&world.call_with("write", json!({ "path": path, "content": "x" }), reach).await);
        let edit = json!({ "path": path, "oldText": "long", "newText": "" });
        assert_refused(&world.call_with("edit", edit, reach).await);
    }
    assert_eq!(world.text(".openclaw/kept/run/out.txt"), "long");
}

#[tokio::test]
async fn a_workspace_that_holds_the_state_directory_does_not_open_it() {
    let world = world();
    let mut context = world.context(FileReach::Workspace);
    context.workspace = world.path("");
    let tools = crate::tools(&world.handles());
    for file in CLOSED {
        let arguments = json!({ "path": format!(".openclaw/{file}") });
        assert_refused(&crate::testing::find(&tools, "read").call(&context, arguments).await);
    }
}

#[tokio::test]
async fn a_workspace_inside_the_state_directory_is_open_and_so_are_transcripts_for_reading() {
    let world = world();
    let mut context = world.context(FileReach::Machine);
    context.workspace = world.path(".openclaw/agents/main/workspace");
    std::fs::create_dir_all(&context.workspace).unwrap();
    let tools = crate::tools(&world.handles());
    let call = async |tool: &str, arguments| {
        said(&crate::testing::find(&tools, tool).call(&context, arguments).await)
    };
    assert!(call("write", json!({ "path": "AGENTS.md", "content": "mine" })).await.starts_with('+'));
    assert_eq!(call("read", json!({ "path": "AGENTS.md" })).await, "+mine");
    assert_eq!(call("read", json!({ "path": "~/.openclaw/agents/main/sessions/a.jsonl" })).await, "+said");
    assert_eq!(call("read", json!({ "path": "~/.openclaw/logs/a.log" })).await, "+line");
    let transcript = json!({ "path": "~/.openclaw/agents/main/sessions/a.jsonl", "content": "" });
    assert!(call("write", transcript).await.starts_with('!'));
    assert!(
        call("write", json!({ "path": "~/.openclaw/workspace-other/note.md", "content": "" }))
            .await
            .starts_with('+')
    );
    assert!(
        call("write", json!({ "path": "~/.openclaw/hooks/run.js", "content": "" })).await.starts_with('!')
    );
}

/// A world in which the agent was given a folder for its state, and sessions lie elsewhere too.
fn moved() -> World {
    let mut world = world();
    world.config = json!({
        "agents": { "list": [{ "id": "main", "agentDir": "~/private/main" }] },
        "session": { "store": "~/talks/{agentId}.json" },
    });
    for file in ["auth-profiles.json", "agent.sqlite", "agent.sqlite-wal", "else.txt"] {
        world.write(&format!("private/main/{file}"), "planted secret");
    }
    for file in ["talks/main.json", "talks/one.jsonl", "talks/note.md"] {
        world.write(file, "said");
    }
    world
}

#[tokio::test]
async fn the_folder_an_agent_was_given_for_its_state_is_as_closed_as_the_usual_one() {
    let world = moved();
    let machine = FileReach::Machine;
    link(world.path("private"), world.path("other-name"));
    for file in ["auth-profiles.json", "agent.sqlite", "agent.sqlite-wal", "else.txt"] {
        for base in ["~/private/main", "~/other-name/main"] {
            let path = format!("{base}/{file}");
            assert_refused(&world.call_with("read", json!({ "path": path }), machine).await);
            assert_refused(&world.call_with("write", json!({ "path": path, "content": "" }), machine).await);
        }
    }
    std::fs::hard_link(world.path("private/main/auth-profiles.json"), world.work("mine.json")).unwrap();
    assert_refused(&world.call("read", json!({ "path": "mine.json" })).await);
    let beside = json!({ "path": "~/private/note.md", "content": "note" });
    assert!(said(&world.call_with("write", beside, machine).await).starts_with('+'));
}

#[tokio::test]
async fn kept_output_and_a_workspace_inside_the_given_folder_are_open_but_its_keys_are_not() {
    let world = moved();
    let mut context = world.context(FileReach::Machine);
    context.keep = world.path("private/main/tool-output/session");
    context.workspace = world.path("private/main");
    world.write("private/main/tool-output/session/call.txt", "long");
    let tools = crate::tools(&world.handles());
    let call = async |tool: &str, arguments| {
        said(&crate::testing::find(&tools, tool).call(&context, arguments).await)
    };
    assert_eq!(call("read", json!({ "path": "tool-output/session/call.txt" })).await, "+long");
    assert!(call("write", json!({ "path": "notes.md", "content": "mine" })).await.starts_with('+'));
    for file in ["auth-profiles.json", "agent.sqlite", "agent.sqlite-wal", "models.json"] {
        assert!(call("write", json!({ "path": file, "content": "" })).await.starts_with('!'), "{file}");
    }
    assert!(call("read", json!({ "path": "auth-profiles.json" })).await.starts_with('!'));
}

#[tokio::test]
async fn sessions_that_lie_elsewhere_are_read_but_not_changed() {
    let world = moved();
    let machine = FileReach::Machine;
    for file in ["main.json", "one.jsonl"] {
        let path = format!("~/talks/{file}");
        assert_eq!(said(&world.call_with("read", json!({ "path": path }), machine).await), "+said");
        assert_refused(&world.call_with("write", json!({ "path": path, "content": "" }), machine).await);
    }
    let note = json!({ "path": "~/talks/note.md", "content": "mine" });
    assert!(said(&world.call_with("write", note, machine).await).starts_with('+'));
}

#[tokio::test]
async fn a_folder_that_was_given_before_stays_closed_after_another_is_given() {
    let world = moved();
    let (before, mut handles) = (world.handles(), world.handles());
    let mut after = world;
    after.config = json!({ "agents": { "list": [{ "id": "main", "agentDir": "~/private/next" }] } });
    after.write("private/next/agent.sqlite", "planted secret");
    let (first, second) = (before.settings, after.handles().settings);
    let is_changed = Arc::new(AtomicBool::new(false));
    let switch = is_changed.clone();
    handles.settings = Arc::new(move || if switch.load(Ordering::SeqCst) { second() } else { first() });
    let tools = crate::tools(&handles);
    is_changed.store(true, Ordering::SeqCst);
    let context = after.context(FileReach::Machine);
    for folder in ["main", "next"] {
        let path = json!({ "path": format!("~/private/{folder}/agent.sqlite") });
        assert_refused(&crate::testing::find(&tools, "read").call(&context, path).await);
    }
}

#[tokio::test]
async fn sessions_in_an_open_folder_of_the_state_directory_are_not_changed_either() {
    let mut world = world();
    world.config = json!({ "session": { "store": "~/.openclaw/media/talks.json" } });
    for file in ["talks.json", "one.jsonl", "picture.txt"] {
        world.write(&format!(".openclaw/media/{file}"), "said");
    }
    let write = |file: &str| json!({ "path": format!("~/.openclaw/media/{file}"), "content": "" });
    for file in ["talks.json", "one.jsonl"] {
        assert_refused(&world.call_with("write", write(file), FileReach::Machine).await);
    }
    let other = world.call_with("write", write("picture.txt"), FileReach::Machine).await;
    assert!(said(&other).starts_with('+'));
}
