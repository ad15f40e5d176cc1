//! What the `message` tool does on platforms: only what accounts can and the configuration allows.

use openclaw_ports::tool::{MessageAction, MessageFault, MessageReceipt, Messenger as _, ToolContext};
use openclaw_types::{ChannelId, Payload, Sender};
use serde_json::{Value, json};

use crate::desk::context;
use crate::world::{MAIN, World};

async fn world(actions: Value) -> World {
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] });
    let fake = json!({ "actions": actions, "accounts": { "default": account } });
    let world = World::with(json!({ "channels": { "fake": fake } })).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world.until(|| world.ground.platform.is_up("default")).await;
    world
}

/// A call in a direct chat with ana.
fn here(world: &World) -> ToolContext {
    let sender =
        Sender { channel: ChannelId::new("fake").ok(), to: Some("ana".to_owned()), ..Sender::owner() };
    ToolContext { sender, ..context(world, MAIN) }
}

async fn act(world: &World, name: &str, parameters: Value) -> Result<MessageReceipt, MessageFault> {
    let parameters = parameters.as_object().unwrap().clone();
    world.desk.act(&here(world), MessageAction { name: name.to_owned(), parameters }).await
}

#[tokio::test]
async fn the_tool_offers_what_accounts_can_do_and_what_is_not_turned_off() {
    let usual = world(json!({})).await;
    assert_eq!(
        usual.desk.actions(),
        [
            "send",
            "broadcast",
            "reply",
            "thread-reply",
            "poll",
            "react",
            "edit",
            "delete",
            "unsend",
            "thread-create",
            "pin",
        ],
        "moderation is off unless somebody turns it on"
    );
    let other =
        world(json!({ "reactions": false, "messages": false, "moderation": true, "threads": false })).await;
    assert_eq!(other.desk.actions(), ["send", "broadcast", "reply", "poll", "pin", "kick"]);
    let alone = World::new().await;
    assert_eq!(alone.desk.actions(), ["send"], "words can be said in the web chat");
}

#[tokio::test]
async fn refusals_name_the_key_and_what_is_possible() {
    let world = world(json!({ "polls": false })).await;
    let refused = act(&world, "poll", json!({})).await;
    let key = "'poll' is turned off on fake (channels.fake.actions.polls).".to_owned();
    assert_eq!(refused, Err(MessageFault::Refused(key)));
    let off = act(&world, "kick", json!({})).await;
    let key = "'kick' is turned off on fake (channels.fake.actions.moderation).".to_owned();
    assert_eq!(off, Err(MessageFault::Refused(key)));
    let Err(MessageFault::Wrong(text)) = act(&world, "sticker", json!({})).await else { panic!() };
    assert!(text.contains("'sticker' is not something that fake can do") && text.contains("react"), "{text}");
}

#[tokio::test]
async fn a_poll_goes_through_the_outbox() {
    let world = world(json!({})).await;
    let alone = act(&world, "poll", json!({ "pollQuestion": "Tea?", "pollOption": ["yes"] })).await;
    assert!(matches!(alone, Err(MessageFault::Wrong(_))));
    let poll = json!({ "pollQuestion": "Tea?", "pollOption": ["yes", "no"], "pollMulti": true, "pollDurationHours": 2 });
    for _ in 0..2 {
        act(&world, "poll", poll.clone()).await.unwrap();
    }
    world.until(|| !world.ground.platform.sent().is_empty()).await;
    world.quiet().await;
    let sent = world.ground.platform.sent();
    assert_eq!(sent.len(), 1, "the same call asks once");
    let Payload::Poll(poll) = &sent[0].payload else { panic!() };
    assert_eq!((poll.question.as_str(), poll.most, poll.seconds), ("Tea?", 2, Some(7200)));
}

#[tokio::test]
async fn a_platform_does_what_only_it_knows() {
    let world = world(json!({})).await;
    let done = act(&world, "pin", json!({ "messageId": "m-1" })).await.unwrap();
    assert_eq!(done.report, json!({ "ok": true, "did": "pin" }));
    let made = act(&world, "thread-create", json!({ "threadName": "soup" })).await.unwrap();
    assert_eq!(made.report["threadId"], "thread-soup");
    assert_eq!(world.ground.platform.signs(), ["pin ana", "thread ana soup"]);
}

#[tokio::test]
async fn the_same_words_go_to_several_places() {
    let world = world(json!({})).await;
    let done = act(&world, "broadcast", json!({ "targets": ["bob", "", "eve"], "message": "hello" })).await;
    assert_eq!(done.unwrap().said.len(), 2);
    world.until(|| world.ground.platform.sent().len() == 2).await;
    assert_eq!(world.ground.platform.words_to("bob"), ["hello"]);
    assert_eq!(world.ground.platform.words_to("eve"), ["hello"]);
}
