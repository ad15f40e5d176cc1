//! Files that go out: only those of the agent's own folders, never the gateway's, and people hear of those left out.

use std::os::unix::fs::symlink;

use openclaw_ports::Clock as _;
use openclaw_ports::channel::ChannelError;
use openclaw_ports::stores::OutboxQuery;
use openclaw_ports::tool::{MessageAction, MessageFault, Messenger as _, ToolContext};
use openclaw_testkit::{FakePlatform, SendFailure};
use openclaw_types::{ChannelId, PiecePayload, Sender};
use serde_json::json;

use crate::crash_plan::CrashPlan;
use crate::desk::context;
use crate::world::{MAIN, MOMENT, Machine, World};

/// More than any platform takes here.
const HUGE: u64 = 1 << 40;

/// A world whose workspace holds the state directory, with a few files.
async fn world() -> World {
    let machine = Machine::new();
    let home = machine.home.path().to_owned();
    std::fs::create_dir_all(home.join("state/media")).unwrap();
    std::fs::write(home.join("notes.txt"), "soup").unwrap();
    std::fs::write(home.join("state/openclaw.json"), "planted").unwrap();
    std::fs::write(home.join("state/media/old.txt"), "old").unwrap();
    std::fs::File::create(home.join("huge.bin")).unwrap().set_len(HUGE).unwrap();
    symlink("notes.txt", home.join("inside.txt")).unwrap();
    symlink("/etc/hostname", home.join("outside.txt")).unwrap();
    symlink("state/openclaw.json", home.join("sly.txt")).unwrap();
    std::fs::hard_link(home.join("state/openclaw.json"), home.join("twin.txt")).unwrap();
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] });
    let file = json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "agents": { "defaults": { "workspace": home } },
    });
    let world = World::open(machine, file, CrashPlan::never()).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world.until(|| world.machine.platform.is_up("default")).await;
    world
}

/// What comes of an answer that attaches something: the bytes that were sent, or the words instead.
async fn attached(world: &World, number: usize, name: &str) -> Result<String, String> {
    let text = format!("picture={name}");
    let event = FakePlatform::direct("default", "ana", &number.to_string(), &text, world.machine.clock.now());
    world.machine.platform.receive(event).await.unwrap();
    world.until(|| world.machine.platform.sent().len() > number).await;
    match &world.machine.platform.sent()[number].payload {
        PiecePayload::Media { file, .. } => Ok(std::fs::read_to_string(&file.path).unwrap()),
        other => Err(format!("{other:?}")),
    }
}

#[tokio::test]
async fn only_files_of_the_agent_are_sent_and_people_hear_of_the_others() {
    let world = world().await;
    let rows = [
        ("./notes.txt", Ok("soup")),
        ("./inside.txt", Ok("soup")),
        ("./state/media/old.txt", Ok("old")),
        ("./state/openclaw.json", Err("own files")),
        ("./sly.txt", Err("own files")),
        ("./twin.txt", Err("own files")),
        ("./outside.txt", Err("leads out")),
        ("/etc/hostname", Err("outside the folders")),
        ("./missing.txt", Err("cannot be read")),
        ("./huge.bin", Err("larger than")),
    ];
    for (number, (name, expected)) in rows.into_iter().enumerate() {
        match (attached(&world, number, name).await, expected) {
            (Ok(bytes), Ok(expected)) => assert_eq!(bytes, expected, "{name}"),
            (Err(words), Err(expected)) => {
                assert!(words.contains("Look.") && words.contains(expected), "{name}: {words}");
            }
            (other, _) => panic!("{name}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn files_that_go_together_leave_as_one_piece() {
    let world = world().await;
    for name in ["a.png", "b.png", "c.png", "d.png"] {
        let bytes = [b"\x89PNG\r\n\x1a\n".as_slice(), name.as_bytes()].concat();
        std::fs::write(world.machine.home.path().join(name), bytes).unwrap();
    }
    let text = "picture=./a.png+./b.png+./c.png+./d.png+./notes.txt";
    let event = FakePlatform::direct("default", "ana", "1", text, world.machine.clock.now());
    world.machine.platform.receive(event).await.unwrap();
    world.until(|| world.machine.platform.sent().len() == 3).await;
    // The platform takes three pictures at most, and nothing else together.
    let expected = ["<a.png b.png c.png> Look.", "<d.png> ", "<notes.txt> "];
    assert_eq!(world.machine.platform.words_to("ana"), expected);
    let PiecePayload::Album { items, .. } = &world.machine.platform.sent()[0].payload else { panic!() };
    for item in items {
        let bytes = std::fs::read(&item.file.path).unwrap();
        assert!(bytes.ends_with(item.file.name.as_bytes()), "each has its own bytes");
    }
}

#[tokio::test]
async fn old_files_of_messages_are_removed_unless_the_message_waits() {
    let world = world().await;
    let media = world.machine.home.path().join("state/media");
    std::fs::create_dir_all(media.join("inbound/fake")).unwrap();
    let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1);
    let aged = |path: &std::path::Path| {
        std::fs::File::options().append(true).create(true).open(path).unwrap().set_modified(old).unwrap();
    };
    aged(&media.join("inbound/fake/old.png"));
    std::fs::write(media.join("inbound/fake/new.png"), "new").unwrap();
    let pause = ChannelError::RateLimited { after: std::time::Duration::from_secs(3_600) };
    world.machine.platform.fail(SendFailure::Before(pause));
    let event = FakePlatform::direct("default", "ana", "1", "picture=./notes.txt", world.machine.clock.now());
    world.machine.platform.receive(event).await.unwrap();
    let waiting = loop {
        let kept = world.flow.outbox().list(OutboxQuery::default()).await.unwrap();
        if !kept.is_empty() {
            break kept;
        }
        world.machine.clock.advance(MOMENT).await;
    };
    let PiecePayload::Media { file, .. } = &waiting[0].piece.payload else { panic!() };
    aged(std::path::Path::new(&file.path));
    aged(&media.join("outbound/sent-long-ago.txt"));
    assert_eq!(world.flow.outbox().sweep_files().await.unwrap(), 2);
    assert!(std::path::Path::new(&file.path).exists() && media.join("inbound/fake/new.png").exists());
    assert!(media.join("old.txt").exists(), "what lies beside is nobody's message");
}

#[tokio::test]
async fn a_tool_that_sends_a_file_that_cannot_be_had_is_told_so_and_sends_nothing() {
    let world = world().await;
    let sender =
        Sender { channel: ChannelId::new("fake").ok(), to: Some("ana".to_owned()), ..Sender::owner() };
    let context = ToolContext { sender, ..context(&world, MAIN) };
    let parameters = json!({ "message": "Look.", "media": "state/openclaw.json" });
    let action =
        MessageAction { name: "send".to_owned(), parameters: parameters.as_object().unwrap().clone() };
    let Err(MessageFault::Wrong(why)) = world.desk.act(&context, action).await else { panic!() };
    assert!(why.contains("state/openclaw.json") && why.contains("never sent"), "{why}");
    world.quiet().await;
    assert!(world.machine.platform.sent().is_empty());
}
