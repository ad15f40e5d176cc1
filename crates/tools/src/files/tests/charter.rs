//! The files that say who an agent is change on the owner's word alone.

use openclaw_ports::tool::FileReach;
use openclaw_types::{Sender, Standing};
use serde_json::{Value, json};

use crate::testing::{World, find, link, said};
use crate::tools;

fn world() -> World {
    let world = World::new();
    for file in ["work/SOUL.md", "work/HEARTBEAT.md", ".openclaw/workspace-other/IDENTITY.md"] {
        world.write(file, "as the owner wrote it");
    }
    world
}

async fn call(world: &World, behind: Standing, tool: &str, arguments: Value) -> String {
    let mut context = world.context(FileReach::Machine);
    context.sender = Sender { standing: behind, ..Sender::owner() };
    said(&find(&tools(&world.handles()), tool).call(&context, arguments).await)
}

#[tokio::test]
async fn neither_guests_nor_other_sessions_change_them() {
    let world = world();
    link(world.work("SOUL.md"), world.work("notes.md"));
    for behind in [Standing::Guest, Standing::System] {
        for path in [
            "SOUL.md",
            "./x/../SOUL.md",
            "soul.MD",
            "notes.md",
            "AGENTS.md",
            "IDENTITY.md",
            "HEARTBEAT.md",
            "~/.openclaw/workspace-other/IDENTITY.md",
        ] {
            let reply = call(&world, behind, "write", json!({ "path": path, "content": "taken over" })).await;
            assert!(reply.starts_with('!') && reply.contains("commands.ownerAllowFrom"), "{path}: {reply}");
        }
        let edit = json!({ "path": "SOUL.md", "oldText": "the owner", "newText": "somebody" });
        assert!(call(&world, behind, "edit", edit).await.starts_with('!'));
        let patch = "*** Begin Patch\n*** Delete File: HEARTBEAT.md\n*** End Patch\n";
        assert!(call(&world, behind, "apply_patch", json!({ "input": patch })).await.starts_with('!'));
        // They are read as before, and what is no such file is written as before.
        assert_eq!(
            call(&world, behind, "read", json!({ "path": "SOUL.md" })).await,
            "+as the owner wrote it"
        );
        for path in ["MEMORY.md", "memory/today.md", "project/AGENTS.md"] {
            let reply = call(&world, behind, "write", json!({ "path": path, "content": "noted" })).await;
            assert!(reply.starts_with('+'), "{path}: {reply}");
        }
    }
    assert_eq!(world.text("work/SOUL.md"), "as the owner wrote it");
    assert_eq!(world.text("work/HEARTBEAT.md"), "as the owner wrote it");
}

#[tokio::test]
async fn the_owner_changes_them_and_on_the_first_day_whoever_is_let_in() {
    let world = world();
    let change = json!({ "path": "SOUL.md", "content": "new" });
    assert!(call(&world, Standing::Owner, "write", change.clone()).await.starts_with('+'));
    world.write("work/BOOTSTRAP.md", "the first day");
    assert!(call(&world, Standing::Guest, "write", change).await.starts_with('+'));
}
