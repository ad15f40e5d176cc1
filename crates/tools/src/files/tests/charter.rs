//! The files that say who an agent is change on the owner's word alone.

use openclaw_ports::tool::FileReach;
use openclaw_types::{Sender, SenderRank};
use serde_json::{Value, json};

use crate::files::reach::{FileHandles, FileScope};
use crate::testing::{World, find, link, said};
use crate::tools;

fn world() -> World {
    let world = World::new();
    for file in ["work/SOUL.md", "work/HEARTBEAT.md", ".openclaw/workspace-other/IDENTITY.md"] {
        world.write(file, "as the owner wrote it");
    }
    world
}

async fn call(world: &World, behind: SenderRank, tool: &str, arguments: Value) -> String {
    let mut context = world.context(FileReach::Machine);
    context.sender = Sender { standing: behind, ..Sender::owner() };
    said(&find(&tools(&world.handles()), tool).call(&context, arguments).await)
}

#[tokio::test]
async fn neither_guests_nor_other_sessions_change_them() {
    let world = world();
    link(world.work("SOUL.md"), world.work("notes.md"));
    for behind in [SenderRank::Guest, SenderRank::System] {
        for path in [
            "SOUL.md",
            "./x/../SOUL.md",
            "soul.MD",
            "notes.md",
            "AGENTS.md",
            "IDENTITY.md",
            "HEARTBEAT.md",
            "BOOTSTRAP.md",
            "BOOTSTRAP.md/inner.md",
            "~/.openclaw/workspace-other/BOOTSTRAP.md",
            "~/.openclaw/workspace-other/IDENTITY.md",
        ] {
            let reply = call(&world, behind, "write", json!({ "path": path, "content": "taken over" })).await;
            assert!(reply.starts_with('!') && reply.contains("commands.ownerAllowFrom"), "{path}: {reply}");
        }
        let edit = json!({ "path": "SOUL.md", "oldText": "the owner", "newText": "somebody" });
        assert!(call(&world, behind, "edit", edit).await.starts_with('!'));
        for order in [
            "*** Delete File: HEARTBEAT.md",
            "*** Add File: BOOTSTRAP.md\n+a new first day",
            "*** Update File: draft.md\n*** Move to: BOOTSTRAP.md\n@@\n-draft\n+a new first day",
        ] {
            world.write("work/draft.md", "draft\n");
            let patch = format!("*** Begin Patch\n{order}\n*** End Patch\n");
            let reply = call(&world, behind, "apply_patch", json!({ "input": patch })).await;
            assert!(reply.starts_with('!'), "{order}: {reply}");
        }
        assert!(!world.work("BOOTSTRAP.md").exists(), "no first day is made up");
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
    assert!(call(&world, SenderRank::Owner, "write", change.clone()).await.starts_with('+'));
    world.write("work/BOOTSTRAP.md", "the first day");
    assert!(call(&world, SenderRank::Guest, "write", change.clone()).await.starts_with('+'));
    // It ends whoever is there, and does not come back.
    let patch = "*** Begin Patch\n*** Delete File: BOOTSTRAP.md\n*** End Patch\n";
    assert!(call(&world, SenderRank::Guest, "apply_patch", json!({ "input": patch })).await.starts_with('+'));
    assert!(!world.work("BOOTSTRAP.md").exists());
    let again = json!({ "path": "BOOTSTRAP.md", "content": "again" });
    assert!(call(&world, SenderRank::Guest, "write", again).await.starts_with('!'));
    assert!(call(&world, SenderRank::Guest, "write", change).await.starts_with('!'));
}

#[tokio::test]
async fn the_first_day_of_another_agent_may_be_ended_but_not_begun() {
    let world = world();
    world.write(".openclaw/workspace-other/BOOTSTRAP.md", "the first day");
    let path = "~/.openclaw/workspace-other/BOOTSTRAP.md";
    let edit = json!({ "path": path, "oldText": "first", "newText": "last" });
    assert!(call(&world, SenderRank::System, "edit", edit).await.starts_with('!'));
    let mut context = world.context(FileReach::Machine);
    context.sender = Sender { standing: SenderRank::System, ..Sender::owner() };
    let handles = FileHandles { protected: world.handles().protected, home: world.path("") };
    let reach = FileScope::of(&context, &handles);
    let place = reach.place(path).unwrap();
    assert!(reach.removable(&place).is_ok());
    assert!(reach.target(&place).is_err());
}
