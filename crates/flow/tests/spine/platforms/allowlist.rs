//! `/allowlist`: who may talk is shown and changed, from a platform and from the web chat.

use openclaw_ports::Clock as _;
use openclaw_ports::stores::SenderStore as _;
use openclaw_testkit::FakePlatform;
use openclaw_types::{AccountId, ChannelId, Inbound};
use serde_json::{Value, json};

use crate::world::World;

async fn world(commands: Value, account: Value) -> World {
    let file =
        json!({ "channels": { "fake": { "accounts": { "default": account } } }, "commands": commands });
    let world = World::with(file).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world
}

fn of_ana() -> Value {
    json!({ "token": "good", "allowFrom": ["ana"], "groupPolicy": "allowlist" })
}

fn dm(world: &World, from: &str, event: &str, text: &str) -> Inbound {
    FakePlatform::direct("default", from, event, text, world.machine.clock.now())
}

/// What somebody hears on the platform.
async fn ask(world: &World, from: &str, text: &str) -> String {
    let platform = &world.machine.platform;
    let before = platform.words_to(from).len();
    platform.receive(dm(world, from, &format!("{from}-{before}"), text)).await.unwrap();
    world.until(|| platform.words_to(from).len() > before).await;
    world.quiet().await;
    platform.words_to(from)[before..].join("\n")
}

async fn let_in(world: &World) -> Vec<String> {
    let (channel, account) = (ChannelId::new("fake").unwrap(), AccountId::new("default").unwrap());
    world.machine.senders.allowed(&channel, &account).await.unwrap()
}

const PATH: &str = "channels.fake.accounts.default.allowFrom";

#[tokio::test]
async fn an_owner_lets_somebody_in_and_puts_them_out_again() {
    let world = world(json!({ "config": true }), of_ana()).await;
    let said = ask(&world, "ana", "/allowlist add dm fake:bob").await;
    assert!(
        said.starts_with(&format!("✅ bob may write to me on Fake. Changed: {PATH}, the list of")),
        "{said}"
    );
    assert!(said.contains("owns this assistant too"), "{said}");
    assert_eq!((world.file.at(PATH), let_in(&world).await), (json!(["ana", "bob"]), vec!["bob".to_owned()]));
    world.flow.apply_channels().await;
    assert_eq!(ask(&world, "bob", "#a").await, "Heard #a.");
    assert_eq!(ask(&world, "ana", "/allowlist add BOB").await, "⚙️ BOB is on the list already.");

    let said = ask(&world, "ana", "/allowlist remove bob").await;
    assert!(said.starts_with("✅ bob is off the list of Fake."), "{said}");
    assert_eq!((world.file.at(PATH), let_in(&world).await), (json!(["ana"]), Vec::new()));
    assert_eq!(ask(&world, "ana", "/allowlist remove bob").await, "⚙️ bob is on no list of Fake.");
}

#[tokio::test]
async fn who_is_let_in_like_with_a_code_may_talk_and_no_more() {
    let world = world(json!({ "config": true }), of_ana()).await;
    let said = ask(&world, "ana", "/allowlist add bob --store").await;
    assert!(!said.contains("owns"), "{said}");
    assert_eq!((world.file.at(PATH), let_in(&world).await), (json!(["ana"]), vec!["bob".to_owned()]));
    assert_eq!(ask(&world, "bob", "#a").await, "Heard #a.");
    let shown = ask(&world, "bob", "/allowlist").await;
    assert_eq!(
        shown,
        "🧾 Who may talk to me on Fake (default)\nDirect chats (pairing): ana\nLet in by a code: bob\n\
         Rooms (allowlist): as in direct chats"
    );
    let said = ask(&world, "bob", "/allowlist add eve").await;
    assert!(said.contains("for the owner"), "{said}");
    assert_eq!(let_in(&world).await, ["bob"]);
}

#[tokio::test]
async fn the_list_of_rooms_is_another_one() {
    let world = world(json!({ "config": true }), of_ana()).await;
    let said = ask(&world, "ana", "/allowlist add group bob").await;
    assert_eq!(
        said,
        "✅ bob may talk to me in rooms on Fake. Changed: channels.fake.accounts.default.groupAllowFrom."
    );
    assert_eq!(let_in(&world).await, Vec::<String>::new());
    world.flow.apply_channels().await;
    let shown = ask(&world, "ana", "/allowlist list group").await;
    assert_eq!(shown, "🧾 Who may talk to me on Fake (default)\nRooms (allowlist): bob");
    let said = ask(&world, "ana", "/allowlist add group bob --store").await;
    assert!(said.contains("Leave --store out"), "{said}");
}

#[tokio::test]
async fn nothing_is_changed_where_the_file_must_not_be() {
    let off = world(json!({}), of_ana()).await;
    let said = ask(&off, "ana", "/allowlist add bob").await;
    assert!(said.contains("set commands.config to true"), "{said}");
    let mut account = of_ana();
    account["configWrites"] = json!(false);
    let closed = world(json!({ "config": true }), account).await;
    let said = ask(&closed, "ana", "/allowlist add bob").await;
    assert!(said.contains("configWrites is false"), "{said}");
    for world in [&off, &closed] {
        assert_eq!((world.file.at(PATH), let_in(world).await), (json!(["ana"]), Vec::new()));
    }
}

#[tokio::test]
async fn in_the_web_chat_the_platform_is_named() {
    let world = world(json!({ "config": true }), of_ana()).await;
    let rows = [
        ("/allowlist", "⚠️ Unknown channel webchat. Add channel=<id> to the command: fake."),
        ("/allowlist channel=pigeon", "⚠️ Unknown channel pigeon."),
        ("/allowlist channel=fake account=work", "⚠️ There is no account work of Fake here."),
        ("/allowlist add bob channel=pretend", "✅ bob may write to me on Fake."),
        ("/allowlist dm channel=fake", "Let in by a code: bob"),
    ];
    for (number, (text, expected)) in rows.into_iter().enumerate() {
        let run = format!("r{number}");
        world.say(&run, text).await;
        world.quiet().await;
        let told = world.told();
        let said = told.iter().find(|line| line.starts_with(&format!("{run} says "))).unwrap();
        assert!(said.contains(expected), "{text}: {said}");
    }
    assert_eq!(world.file.at(PATH), json!(["ana", "bob"]));
}
