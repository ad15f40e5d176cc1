//! What becomes of accounts when something about them is wrong for a while, and what people are shown of it.

use openclaw_ports::Clock as _;
use openclaw_ports::channel::Health;
use openclaw_ports::stores::{RequestChange, SenderRequest, SenderStore as _};
use openclaw_testkit::FakePlatform;
use openclaw_types::{AccountId, ChannelId, Inbound, MediaKind, MediaRef};
use serde_json::{Value, json};

use crate::world::{World, by_request, session_key};

async fn world(account: Value) -> World {
    let world = World::with(json!({ "channels": { "fake": { "accounts": { "default": account } } } })).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world
}

fn names() -> (ChannelId, AccountId) {
    (ChannelId::new("fake").unwrap(), AccountId::new("default").unwrap())
}

fn dm(world: &World, event: &str, text: &str) -> Inbound {
    FakePlatform::direct("default", "ana", event, text, world.machine.clock.now())
}

fn trouble(world: &World) -> Option<String> {
    world.flow.channels().status()[0].trouble.clone()
}

#[tokio::test]
async fn an_account_whose_credentials_were_refused_is_tried_again_when_a_person_says_so() {
    let world = world(json!({ "token": "revoked" })).await;
    world.until(|| trouble(&world).is_some()).await;
    let (channel, account) = names();
    world.flow.channels().start(&channel, &account).await.unwrap();
    world.until(|| world.machine.platform.connects("default") == 2).await;
}

#[tokio::test]
async fn a_line_that_is_up_is_left_alone_when_it_is_started() {
    let world = world(json!({ "token": "good" })).await;
    world.until(|| world.machine.platform.is_up("default")).await;
    let (channel, account) = names();
    world.flow.channels().start(&channel, &account).await.unwrap();
    world.machine.clock.advance(std::time::Duration::from_secs(60)).await;
    assert_eq!(world.machine.platform.connects("default"), 1);
}

#[tokio::test]
async fn a_token_that_cannot_be_read_for_a_while_leaves_the_line_up() {
    let world = world(json!({ "token": "good" })).await;
    world.until(|| world.machine.platform.is_up("default")).await;
    world.machine.platform.hide_tokens();
    world.flow.apply_channels().await;
    assert!(world.machine.platform.is_up("default"));
    assert_eq!(world.flow.channels().status()[0].trouble, None);
}

#[tokio::test]
async fn what_a_line_cannot_do_is_forgotten_when_it_comes_back() {
    let world = world(json!({ "token": "good" })).await;
    world.until(|| world.machine.platform.is_up("default")).await;
    let platform = &world.machine.platform;
    platform.tell("default", Health::Limited { reason: "cannot be in #x".to_owned() });
    assert_eq!(trouble(&world).as_deref(), Some("cannot be in #x"));
    let cut = openclaw_ports::channel::Landed::No;
    let cut = openclaw_ports::channel::ChannelError::Unreachable { reason: "cut".to_owned(), landed: cut };
    platform.break_line("default", cut);
    world.until(|| platform.connects("default") == 2 && platform.is_up("default")).await;
    assert_eq!(trouble(&world), None);
}

/// Lets messages wait behind a file until no more are taken. Gives the first that was not.
async fn fill(world: &World, event: impl Fn(&str) -> Inbound) -> Inbound {
    let platform = &world.machine.platform;
    platform.slow_file("big");
    let mut first = event("first");
    let (name, media_type, bytes) = (None, None, None);
    let (kind, handle) = (MediaKind::Document, "big".to_owned());
    first.media = vec![MediaRef { kind, handle, name, media_type, bytes }];
    platform.receive(first).await.unwrap();
    for count in 0..2_000 {
        let event = event(&count.to_string());
        if platform.receive(event.clone()).await.is_err() {
            return event;
        }
    }
    panic!("all of them are taken");
}

#[tokio::test]
async fn an_account_whose_messages_are_not_taken_shows_that_until_one_is() {
    let world = world(json!({ "token": "good", "dmPolicy": "allowlist", "allowFrom": ["ana"] })).await;
    let platform = &world.machine.platform;
    let refused = fill(&world, |event| dm(&world, event, "#b")).await;
    assert!(trouble(&world).unwrap().contains("cannot be taken"));
    platform.receive(dm(&world, "word", "stop")).await.unwrap();
    world.quiet().await;
    platform.receive(refused).await.unwrap();
    assert_eq!(trouble(&world), None);
}

#[tokio::test]
async fn what_was_heard_before_a_question_that_is_not_taken_is_told_when_it_comes_again() {
    let world = world(json!({
        "token": "good", "dmPolicy": "allowlist", "allowFrom": ["ana"], "groupPolicy": "open",
    }))
    .await;
    let platform = &world.machine.platform;
    let in_room = |event: &str, text: &str, mentions_us: bool| {
        let mut event = FakePlatform::in_room("default", "kitchen", dm(&world, event, text));
        event.attention.mentions_us = mentions_us;
        event
    };
    fill(&world, |event| in_room(event, "#b", true)).await;
    platform.receive(in_room("soup", "the soup is hot", false)).await.unwrap();
    let question = in_room("question", "#c", true);
    platform.receive(question.clone()).await.unwrap_err();
    let room = "agent:main:fake:group:kitchen";
    world.flow.stop(&session_key(room), by_request()).await;
    world.quiet().await;
    platform.receive(question).await.unwrap();
    world.quiet().await;
    let told = world.machine.transcript(room).await;
    assert!(told.iter().any(|line| line.contains("the soup is hot") && line.contains("#c")), "{told:?}");
}

#[tokio::test]
async fn a_code_that_was_kept_and_never_told_is_told_when_the_stranger_writes_again() {
    let world = world(json!({ "token": "good" })).await;
    let (channel, account) = names();
    let now = world.machine.clock.now();
    let (to, sender, code) = ("ana".to_owned(), "ana".to_owned(), "ABCDEFGH".to_owned());
    let facts = Vec::new();
    let put = SenderRequest {
        channel: channel.clone(),
        account,
        sender,
        code,
        created_at: now,
        seen_at: now,
        to,
        facts,
    };
    world.machine.senders.change_requests(&channel, RequestChange::Put(put)).await.unwrap();
    for event in ["1", "2"] {
        world.machine.platform.receive(dm(&world, event, "#a")).await.unwrap();
        world.machine.clock.advance(std::time::Duration::from_secs(1)).await;
    }
    let told = world.machine.platform.words_to("ana");
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("ABCDEFGH"), "{told:?}");
}
