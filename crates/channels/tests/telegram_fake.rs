//! Our Telegram account against a fake Bot API on a real socket. Every call and answer is held against the platform's own
//! description; grammY lives through the same story (`story`) against the same fake (`cargo xtask peers`).
#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails where something is wrong")]

#[path = "telegram_fake/world.rs"]
mod world;

#[path = "telegram_fake/albums.rs"]
mod albums;
#[path = "telegram_fake/deeds.rs"]
mod deeds;
#[path = "telegram_fake/sending.rs"]
mod sending;
#[path = "telegram_fake/story.rs"]
mod story;
#[path = "telegram_fake/webhook.rs"]
mod webhook;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use openclaw_ports::channel::{Capability, ChannelError, Health, NotTaken, Sink};
use openclaw_ports::stores::StateStore as _;
use openclaw_ports::{Clock as _, SystemClock};
use openclaw_testkit::{BotFailure, TelegramFake};
use openclaw_types::{Inbound, InboundKind, RoomMoved};
use serde_json::json;
use tokio::sync::mpsc;
use world::{World, ana, garden, kind, private, within};

#[tokio::test]
async fn strangers_are_remembered_only_while_there_is_room() {
    let world = World::new().await;
    let (namespace, known) =
        ("channel/telegram/default", json!({ "kind": "private", "name": "A", "handle": null }));
    for id in 1..10_000 {
        world.state.put(namespace, &format!("chat/{id}"), known.clone()).await.unwrap();
    }
    let mut ours = world.connect(json!({})).await.unwrap();
    let mut heard = ours.listen();
    world.fake.write(&garden(), &ana(), "hello");
    within(heard.recv()).await.unwrap();
    let is_kept = async |id: i64| world.state.get(namespace, &format!("chat/{id}")).await.unwrap().is_some();
    assert_eq!((is_kept(-1_001_900).await, is_kept(7001).await, is_kept(20_001).await), (true, true, false));
    world.fake.write(&garden(), &json!({ "id": 20_001, "is_bot": false, "first_name": "New" }), "me too");
    within(heard.recv()).await.unwrap();
    assert!(!is_kept(20_001).await);
    world.no_complaints();
}

#[tokio::test]
async fn a_polling_account_has_the_slots_it_declares_and_hears_what_is_written() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let mut declared: BTreeSet<_> = kind().descriptor().capabilities.iter().copied().collect();
    declared.remove(&Capability::Webhook);
    assert_eq!(ours.surface.capabilities(), declared);
    assert_eq!(ours.surface.identity.handle.as_deref(), Some("claw_bot"));
    let mut heard = ours.listen();
    world.fake.called("getUpdates", 1).await;
    world.fake.write(&private(), &ana(), "hello");
    let event = within(heard.recv()).await.unwrap();
    assert_eq!(
        (event.text.as_str(), event.place.to.as_str(), event.from.id.as_str()),
        ("hello", "7001", "7001")
    );
    world.fake.write(&garden(), &ana(), "to all");
    assert_eq!(within(heard.recv()).await.unwrap().place.to, "-1001900");
    let asked = world.fake.calls("getUpdates")[0].fields.clone();
    assert!(asked["allowed_updates"].as_array().unwrap().contains(&json!("message_reaction")));
    assert!(!asked.contains_key("offset"));
    world.no_complaints();
}

/// Refuses the first events it is offered.
struct Busy {
    refusals: AtomicUsize,
    kept: mpsc::Sender<Inbound>,
}

#[async_trait::async_trait]
impl Sink for Busy {
    async fn take(&self, events: Vec<Inbound>) -> Result<(), NotTaken> {
        if self.refusals.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)).is_ok()
        {
            return Err(NotTaken);
        }
        for event in events {
            self.kept.send(event).await.map_err(|_closed| NotTaken)?;
        }
        Ok(())
    }
}

#[tokio::test]
async fn nothing_is_confirmed_before_it_is_kept_and_reading_goes_on_where_it_ended() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (kept, mut heard) = mpsc::channel(8);
    let ended = ours.hear(Arc::new(Busy { refusals: AtomicUsize::new(1), kept }));
    world.fake.called("getUpdates", 1).await;
    let number = world.fake.write(&private(), &ana(), "keep me");
    // The second question comes after the refusal and confirms nothing.
    let second = within(world.fake.called("getUpdates", 2)).await;
    assert!(!second.fields.contains_key("offset"));
    assert_eq!(within(heard.recv()).await.unwrap().text, "keep me");
    let third = within(world.fake.called("getUpdates", 3)).await;
    assert_eq!(third.fields["offset"], json!(number + 1));
    ours.stop(ended).await;
    let mut again = world.connect(json!({})).await.unwrap();
    let _heard = again.listen();
    assert_eq!(within(world.fake.called("getUpdates", 4)).await.fields["offset"], json!(number + 1));
    assert_eq!(world.fake.waiting(), 0);
    world.no_complaints();
}

#[tokio::test]
async fn a_number_that_is_old_or_of_another_bot_is_not_used() {
    let now = SystemClock::new().now();
    let week = 7 * 24 * 60 * 60 * 1000;
    let cases = [(4242, now.0, true), (4242, now.0 - week, false), (4243, now.0, false)];
    for (bot, at, used) in cases {
        let world = World::new().await;
        let noted = json!({ "bot": bot, "next": 900, "at": at });
        world.state.put("channel/telegram/default", "offset", noted).await.unwrap();
        let mut ours = world.connect(json!({})).await.unwrap();
        let _heard = ours.listen();
        let asked = within(world.fake.called("getUpdates", 1)).await;
        assert_eq!(asked.fields.get("offset").is_some(), used, "{bot} {at}");
    }
}

#[tokio::test]
async fn updates_that_are_too_long_together_come_in_smaller_parts() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let long = "x".repeat(100_000);
    for _ in 0..90 {
        world.fake.write(&private(), &ana(), &long);
    }
    let mut heard = ours.listen();
    for _ in 0..90 {
        assert_eq!(within(heard.recv()).await.unwrap().text.len(), long.len());
    }
    let asked = world.fake.calls("getUpdates");
    assert_eq!((asked[0].fields.get("limit"), asked[1].fields.get("limit")), (None, Some(&json!(50))));
    within(world.fake.called("getUpdates", 4)).await;
    world.no_complaints();
}

#[tokio::test]
async fn an_update_that_makes_no_sense_does_not_stop_the_others() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let mut heard = ours.listen();
    world.fake.called("getUpdates", 1).await;
    world.fake.happen(json!({ "message": { "message_id": "five" } }));
    world.fake.write(&private(), &ana(), "after it");
    assert_eq!(within(heard.recv()).await.unwrap().text, "after it");
}

#[tokio::test]
async fn a_press_is_heard_with_all_it_carries_and_answered() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let mut heard = ours.listen();
    let long = "a very long thing that does not fit into the sixty-four bytes of a button on this platform";
    let mut piece = ours.piece("7001", "choose");
    piece.buttons = vec![vec![world::button("Yes", "yes"), world::button("Long", long)]];
    ours.send(&piece).await.unwrap();
    let sent = world.fake.calls("sendMessage")[0].fields["reply_markup"]["inline_keyboard"].clone();
    assert_eq!(sent[0][0], json!({ "text": "Yes", "callback_data": "yes" }));
    let carried = sent[0][1]["callback_data"].as_str().unwrap().to_owned();
    assert!(carried.len() <= 64);
    world.fake.happen(json!({ "callback_query": {
        "id": "55", "from": ana(), "chat_instance": "1", "data": carried,
        "message": { "message_id": 1, "date": 1_760_000_000, "chat": private(), "text": "choose" }
    } }));
    let event = within(heard.recv()).await.unwrap();
    let InboundKind::Press(press) = event.kind else { panic!("{:?}", event.kind) };
    assert_eq!((press.data.as_str(), press.on.unwrap().as_str()), (long, "1"));
    let answer = within(world.fake.called("answerCallbackQuery", 1)).await;
    assert_eq!(answer.fields["callback_query_id"], json!("55"));
    world.no_complaints();
}

#[tokio::test]
async fn reactions_to_our_messages_are_told_apart() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let receipt = ours.send(&ours.piece("7001", "mine")).await.unwrap();
    let mut heard = ours.listen();
    world.fake.called("getUpdates", 1).await;
    let number: i64 = receipt.message.as_str().parse().unwrap();
    for message in [number, number + 50] {
        world.fake.happen(json!({ "message_reaction": {
            "chat": private(), "message_id": message, "user": ana(), "date": 1_760_000_000,
            "old_reaction": [], "new_reaction": [{ "type": "emoji", "emoji": "👍" }]
        } }));
        let event = within(heard.recv()).await.unwrap();
        let InboundKind::Reaction(reaction) = event.kind else { panic!("{:?}", event.kind) };
        assert_eq!((reaction.emoji.as_str(), reaction.on_ours), ("👍", message == number));
    }
    world.no_complaints();
}

#[tokio::test]
async fn a_group_that_moves_is_followed() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let mut heard = ours.listen();
    let small = json!({ "id": -555, "type": "group", "title": "Small" });
    world.fake.happen(json!({ "message": {
        "message_id": 9, "date": 1_760_000_000, "chat": small, "from": ana(), "migrate_to_chat_id": -1_001_904
    } }));
    let moved = RoomMoved { from: "-555".parse().unwrap(), to: "-1001904".parse().unwrap() };
    assert_eq!(within(heard.recv()).await.unwrap().moved, Some(moved));
    let moved = ours.send(&ours.piece("-555", "hello")).await.unwrap_err();
    assert_eq!(moved, ChannelError::Moved { to: "-1001904".into() });
    world.fake.fail(
        "sendMessage",
        BotFailure::Said {
            code: 400,
            words: "Bad Request: group chat was upgraded to a supergroup chat".into(),
            parameters: Some(json!({ "migrate_to_chat_id": -1_001_905 })),
        },
    );
    let moved = ours.send(&ours.piece("-556", "hello")).await.unwrap_err();
    assert_eq!(moved, ChannelError::Moved { to: "-1001905".into() });
    world.no_complaints();
}

#[tokio::test]
async fn somebody_else_who_asks_ends_the_line_and_is_named() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (kept, _heard) = mpsc::channel(8);
    let mut ended = ours.hear(Arc::new(Busy { refusals: AtomicUsize::new(0), kept }));
    world.fake.called("getUpdates", 1).await;
    let mut other = world.connect(json!({})).await.unwrap();
    let _other = other.listen();
    let end = within(ended.recv()).await.unwrap();
    assert!(matches!(end, Err(ChannelError::Conflict { .. })), "{end:?}");
}

#[tokio::test]
async fn trouble_on_the_line_is_borne_for_a_while_and_told() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    world.fake.fail("getUpdates", BotFailure::Nonsense(502));
    let mut heard = ours.listen();
    within(world.fake.called("getUpdates", 2)).await;
    world.fake.write(&private(), &ana(), "still there?");
    assert_eq!(within(heard.recv()).await.unwrap().text, "still there?");
    let told: Vec<&str> = ours.told.all().iter().map(health_word).collect();
    assert_eq!(told, ["connected", "reconnecting", "connected"]);
}

fn health_word(health: &Health) -> &'static str {
    match health {
        Health::Connected(_) => "connected",
        Health::Reconnecting { .. } => "reconnecting",
        Health::Limited { .. } => "limited",
    }
}

#[tokio::test]
async fn cancelling_ends_the_line_at_once() {
    let world = World::new().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (kept, _heard) = mpsc::channel(8);
    let ended = ours.hear(Arc::new(Busy { refusals: AtomicUsize::new(0), kept }));
    world.fake.called("getUpdates", 1).await;
    ours.stop(ended).await;
}

#[tokio::test]
async fn a_wrong_token_is_told_and_never_shown() {
    let world = World::new().await;
    let refused = world.connect(json!({ "botToken": "1:wrong-token" })).await.err().expect("refused");
    assert!(matches!(refused, ChannelError::Unauthorized { .. }), "{refused:?}");
    assert!(!format!("{refused:?}").contains("wrong-token"));
    let gone = world.connect(json!({ "apiRoot": "http://127.0.0.1:1" })).await.err().expect("nobody there");
    assert!(matches!(gone, ChannelError::Unreachable { .. }), "{gone:?}");
    assert!(!format!("{gone:?}").contains(world.fake.token()));
}

#[tokio::test]
async fn privacy_that_hides_a_group_is_told() {
    let world = World::new().await;
    let ours = world.connect(json!({ "groups": { "-1001900": { "requireMention": false } } })).await.unwrap();
    let told: Vec<&str> = ours.told.all().iter().map(health_word).collect();
    assert_eq!(told, ["connected", "limited"]);
}

#[tokio::test]
async fn calls_go_through_the_proxy_of_the_account() {
    let world = World::new().await;
    let proxy = TelegramFake::start().await;
    let lost = world.connect(json!({ "proxy": "http://127.0.0.1:1" })).await.err().expect("no proxy there");
    assert!(matches!(lost, ChannelError::Unreachable { .. }), "{lost:?}");
    // A proxy for plain addresses answers for the server; here it is another server.
    let through = world.connect(json!({ "proxy": proxy.root() })).await.unwrap();
    assert_eq!((proxy.calls("getMe").len(), world.fake.calls("getMe").len()), (1, 0));
    assert_eq!(through.surface.identity.id.as_str(), "4242");
}
