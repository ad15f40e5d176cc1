//! Messages of a platform: let in, answered there once and in order, whatever the platform and the process do.

use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_ports::stores::{Outbox as _, OutboxQuery, OutboxState, SenderStore as _};
use openclaw_testkit::{FakePlatform, SendFailure};
use openclaw_types::{Inbound, MediaKind, MediaRef};
use serde_json::{Value, json};

use crate::crash_plan::CrashPlan;
use crate::world::{Machine, World};

fn open_to_all() -> Value {
    json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"], "groupPolicy": "open" })
}

async fn world(account: Value) -> World {
    let world = World::with(json!({ "channels": { "fake": { "accounts": { "default": account } } } })).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world
}

fn dm(world: &World, from: &str, event: &str, text: &str) -> Inbound {
    FakePlatform::direct("default", from, event, text, world.machine.clock.now())
}

/// Waits until so many messages went to somebody.
async fn heard(world: &World, to: &str, count: usize) -> Vec<String> {
    world.until(|| world.machine.platform.words_to(to).len() >= count).await;
    world.quiet().await;
    world.machine.platform.words_to(to)
}

#[tokio::test]
async fn a_message_is_answered_where_it_came_from() {
    let world = world(open_to_all()).await;
    world.machine.platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
    assert_eq!(heard(&world, "ana", 1).await, ["Heard #a."]);
    assert_eq!(
        world.transcript().await,
        ["user: [Fake ana Thu 2026-01-01 00:00 UTC] #a", "assistant: Heard #a."]
    );
    assert_eq!(world.open_letters().await, 0);
    let sent = world.machine.platform.sent();
    assert_eq!(sent[0].key, "fake:default:1/0/0");
}

#[tokio::test]
async fn an_event_that_comes_again_is_answered_once() {
    let world = world(open_to_all()).await;
    for _ in 0..3 {
        world.machine.platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
    }
    heard(&world, "ana", 1).await;
    world.machine.platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
    world.quiet().await;
    assert_eq!(world.machine.platform.words_to("ana"), ["Heard #a."]);
}

#[tokio::test]
async fn a_stranger_gets_a_code_once_and_is_answered_after_it_was_approved() {
    let world = world(json!({ "token": "good" })).await;
    let platform = &world.machine.platform;
    platform.receive(dm(&world, "eve", "1", "#a")).await.unwrap();
    platform.receive(dm(&world, "eve", "2", "#b")).await.unwrap();
    let told = heard(&world, "eve", 1).await;
    let requests = world.flow.pairing_requests(None).await.unwrap();
    assert_eq!((told.len(), requests.len()), (1, 1));
    assert!(told[0].contains(&requests[0].code), "{told:?}");
    assert!(world.flow.approve_pairing(None, None, "WRONGONE").await.is_err());
    world.flow.approve_pairing(None, None, &requests[0].code.to_lowercase()).await.unwrap();
    platform.receive(dm(&world, "eve", "3", "#c")).await.unwrap();
    let told = heard(&world, "eve", 3).await;
    assert_eq!(told[2], "Heard #c.");
    let (channel, account) = (requests[0].channel.clone(), requests[0].account.clone());
    assert_eq!(world.machine.senders.allowed(&channel, &account).await.unwrap(), ["eve"]);
    assert_eq!(world.transcript().await.len(), 2, "what a stranger wrote is kept nowhere");
}

#[tokio::test]
async fn in_a_room_what_was_said_before_is_told_with_the_question() {
    let world = world(open_to_all()).await;
    let room = |event| FakePlatform::in_room("default", "kitchen", event);
    world.machine.platform.receive(room(dm(&world, "ana", "1", "the soup is hot"))).await.unwrap();
    let mut asked = room(dm(&world, "bob", "2", "#a"));
    asked.attention.mentions_us = true;
    world.machine.platform.receive(asked).await.unwrap();
    assert_eq!(heard(&world, "kitchen", 1).await, ["Heard #a."]);
    let transcript = world.machine.transcript("agent:main:fake:group:kitchen").await;
    assert_eq!(transcript.len(), 2);
    assert!(transcript[0].contains("the soup is hot") && transcript[0].contains("bob: #a"), "{transcript:?}");
}

#[tokio::test]
async fn a_command_is_answered_without_the_model() {
    let world = world(json!({ "token": "good", "dmPolicy": "allowlist", "allowFrom": ["ana"] })).await;
    world.machine.platform.receive(dm(&world, "ana", "1", "/whoami")).await.unwrap();
    let told = heard(&world, "ana", 1).await;
    assert!(told[0].contains("ana"), "{told:?}");
    assert_eq!(world.open_letters().await, 0);
}

#[tokio::test]
async fn an_adapter_that_breaks_loses_one_message_and_not_the_conversation() {
    let world = world(json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] })).await;
    let platform = &world.machine.platform;
    platform.fail(SendFailure::Panic);
    platform.receive(dm(&world, "ana", "1", "#one")).await.unwrap();
    world.quiet().await;
    platform.receive(dm(&world, "ana", "2", "#two")).await.unwrap();
    let told = heard(&world, "ana", 1).await;
    assert!(told[0].contains("#two"), "{told:?}");
    let query = OutboxQuery { state: Some(OutboxState::Failed), target: None, limit: None };
    let failed = world.machine.outbox.list(query).await.unwrap();
    assert!(failed[0].last_error.as_deref().unwrap().contains("fault of this program"), "{failed:?}");
}

#[tokio::test]
async fn only_a_platform_that_does_not_answer_is_left_alone_for_long() {
    let world = world(json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] })).await;
    let platform = &world.machine.platform;
    let limited = ChannelError::RateLimited { after: Duration::from_millis(10) };
    (0..6).for_each(|_| platform.fail(SendFailure::Before(limited.clone())));
    let down = ChannelError::Unreachable { reason: "down".to_owned(), landed: Landed::No };
    platform.fail(SendFailure::Before(down));
    platform.receive(dm(&world, "ana", "1", "#one")).await.unwrap();
    let asked = world.machine.clock.now();
    assert_eq!(heard(&world, "ana", 1).await, ["Heard #one."]);
    assert!(world.machine.clock.now().since(asked) < Duration::from_secs(5));
}

#[tokio::test]
async fn what_the_platform_does_not_take_now_is_sent_later_and_in_order() {
    let world =
        world(json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"], "textLimit": 12 })).await;
    let platform = &world.machine.platform;
    platform.fail(SendFailure::Before(ChannelError::RateLimited { after: Duration::from_secs(30) }));
    platform.fail(SendFailure::Before(ChannelError::Unreachable {
        reason: "down".to_owned(),
        landed: Landed::No,
    }));
    platform.receive(dm(&world, "ana", "1", "#one #two #three #four")).await.unwrap();
    let told = heard(&world, "ana", 3).await;
    assert_eq!(told.join(" "), "Heard #one #two #three #four.");
}

#[tokio::test]
async fn a_piece_whose_fate_is_unknown_is_looked_for_before_it_is_sent_again() {
    let world = world(open_to_all()).await;
    let cut = ChannelError::Unreachable { reason: "cut".to_owned(), landed: Landed::Maybe };
    world.machine.platform.fail(SendFailure::After(cut));
    world.machine.platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
    assert_eq!(heard(&world, "ana", 1).await, ["Heard #a."]);
    world.machine.clock.advance(Duration::from_secs(60)).await;
    assert_eq!(world.machine.platform.words_to("ana"), ["Heard #a."]);
    let open = OutboxQuery { state: Some(OutboxState::Sent), ..OutboxQuery::default() };
    assert_eq!(world.flow.outbox().list(open).await.unwrap().len(), 1);
}

#[tokio::test]
async fn what_the_platform_refuses_is_given_up_and_can_be_tried_again() {
    let world = world(open_to_all()).await;
    world.machine.platform.fail(SendFailure::Before(ChannelError::Refused { reason: "blocked".to_owned() }));
    world.machine.platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
    world.until(|| world.flow.channels().status()[0].last_error.is_some()).await;
    world.quiet().await;
    let failed = OutboxQuery { state: Some(OutboxState::Failed), ..OutboxQuery::default() };
    let rows = world.flow.outbox().list(failed.clone()).await.unwrap();
    assert_eq!((rows.len(), world.machine.platform.sent().len()), (1, 0));
    world.flow.outbox().retry(rows[0].id).await.unwrap();
    assert_eq!(heard(&world, "ana", 1).await, ["Heard #a."]);
    assert_eq!(world.flow.outbox().list(failed).await.unwrap(), Vec::new());
}

#[tokio::test]
async fn an_answer_to_a_message_that_is_none_is_sent_all_the_same() {
    for error in [
        ChannelError::Refused { reason: "no such message".to_owned() },
        ChannelError::Wrong { reason: "this is no id".to_owned() },
    ] {
        let mut account = open_to_all();
        account["replyToMode"] = json!("first");
        let world = world(account).await;
        world.machine.platform.fail(SendFailure::Before(error));
        world.machine.platform.receive(dm(&world, "ana", "1", "say=[[reply_to:<id>]]+Hello.")).await.unwrap();
        assert_eq!(heard(&world, "ana", 1).await, ["Hello."]);
        assert_eq!(world.machine.platform.sent()[0].reply, None);
    }
}

#[tokio::test]
async fn a_piece_in_doubt_waits_until_it_can_be_looked_for() {
    let world = world(open_to_all()).await;
    let platform = &world.machine.platform;
    platform.fail(SendFailure::After(ChannelError::Unreachable {
        reason: "cut".to_owned(),
        landed: Landed::Maybe,
    }));
    platform.fail_looking(ChannelError::RateLimited { after: Duration::from_secs(30) });
    platform.fail_looking(ChannelError::Unreachable { reason: "down".to_owned(), landed: Landed::No });
    platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(10)).await;
    let rows = world.flow.outbox().list(OutboxQuery::default()).await.unwrap();
    assert_eq!(rows[0].state, OutboxState::Sending, "a crash would not make it be sent again");
    world.machine.clock.advance(Duration::from_secs(60)).await;
    world.machine.clock.advance(Duration::from_secs(60)).await;
    assert_eq!(platform.words_to("ana"), ["Heard #a."], "it is there once");
    let rows = world.flow.outbox().list(OutboxQuery::default()).await.unwrap();
    assert_eq!((rows[0].state, rows[0].attempts), (OutboxState::Sent, 1));
}

#[tokio::test]
async fn a_dropped_message_frees_those_behind_it() {
    let world = world(open_to_all()).await;
    let platform = &world.machine.platform;
    platform.fail(SendFailure::Before(ChannelError::RateLimited { after: Duration::from_secs(3_600) }));
    platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
    world.quiet().await;
    platform.receive(dm(&world, "ana", "2", "#b")).await.unwrap();
    world.quiet().await;
    let rows = world.flow.outbox().list(OutboxQuery::default()).await.unwrap();
    assert_eq!((rows.len(), platform.words_to("ana")), (2, Vec::new()));
    world.flow.outbox().drop(rows[1].id).await.unwrap();
    world.machine.clock.advance(Duration::from_secs(1)).await;
    assert_eq!(platform.words_to("ana"), ["Heard #b."]);
}

#[tokio::test]
async fn an_old_message_that_is_tried_again_gets_a_day_of_its_own() {
    let world = world(open_to_all()).await;
    let platform = &world.machine.platform;
    platform.fail(SendFailure::Before(ChannelError::Refused { reason: "blocked".to_owned() }));
    platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(48 * 3_600)).await;
    platform.fail(SendFailure::Before(ChannelError::RateLimited { after: Duration::from_secs(1) }));
    let rows = world.flow.outbox().list(OutboxQuery::default()).await.unwrap();
    world.flow.outbox().retry(rows[0].id).await.unwrap();
    assert_eq!(heard(&world, "ana", 1).await, ["Heard #a."]);
}

#[tokio::test]
async fn a_message_that_may_be_there_is_looked_for_from_its_first_attempt_on_whoever_has_it_tried_again() {
    let lost = || ChannelError::Unreachable { reason: "cut".to_owned(), landed: Landed::Maybe };
    // How often and how long the platform does not say what is there, and how the message stands a while later.
    for (blind, hours, later, stands) in [(1, 2, 1, OutboxState::Sending), (2, 25, 100, OutboxState::Failed)]
    {
        let world = world(open_to_all()).await;
        let platform = &world.machine.platform;
        platform.fail(SendFailure::After(lost()));
        let hour = Duration::from_secs(3_600);
        for _ in 0..blind {
            platform.fail_looking(ChannelError::RateLimited { after: hour * hours });
        }
        platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
        world.quiet().await;
        for _ in 0..later {
            world.machine.clock.advance(hour).await;
            world.quiet().await;
        }
        let row = world.flow.outbox().list(OutboxQuery::default()).await.unwrap().remove(0);
        let first = row.doubt.expect("nobody knows whether it is there");
        assert_eq!(row.state, stands);
        world.flow.outbox().retry(row.id).await.unwrap();
        world.quiet().await;
        world.machine.clock.advance(Duration::from_secs(1)).await;
        let row = world.flow.outbox().list(OutboxQuery::default()).await.unwrap().remove(0);
        assert_eq!((row.state, row.at > first), (OutboxState::Sent, true), "{stands:?}");
        assert_eq!(platform.looks(), vec![first; blind + 1], "{stands:?}");
        assert_eq!(platform.words_to("ana"), ["Heard #a."], "{stands:?}: it is there once");
    }
}

#[tokio::test]
async fn what_a_heartbeat_says_when_all_is_well_reaches_nobody() {
    for live in [json!(null), json!(true)] {
        let mut account = open_to_all();
        account["blockStreaming"] = live;
        let world = world(account).await;
        let rows = ["say=HEARTBEAT_OK", "say=**HEARTBEAT_OK**", "say=All+is+well.+HEARTBEAT_OK"];
        for (number, text) in rows.into_iter().enumerate() {
            world.machine.platform.receive(dm(&world, "ana", &number.to_string(), text)).await.unwrap();
            world.quiet().await;
        }
        assert_eq!(heard(&world, "ana", 1).await, ["All is well."]);
    }
}

#[tokio::test]
async fn what_stands_before_answers_names_the_model_that_made_them() {
    for live in [json!(null), json!(true)] {
        let mut account = open_to_all();
        account["blockStreaming"] = live;
        let file = json!({
            "channels": { "fake": { "accounts": { "default": account } } },
            "messages": { "responsePrefix": "[{modelFull} {model} {provider} {thinkingLevel}]" },
        });
        let world = World::with(file).await;
        world.flow.open_channels().await.unwrap();
        world.machine.platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
        assert_eq!(heard(&world, "ana", 1).await, ["[local/tiny tiny local off] Heard #a."]);
    }
}

#[tokio::test]
async fn one_account_that_fails_leaves_the_others_alone() {
    let accounts = json!({
        "good": open_to_all(), "old": { "token": "revoked" }, "bad": { "token": "panics" }, "bare": {},
    });
    let world = World::with(json!({ "channels": { "fake": { "accounts": accounts } } })).await;
    world.flow.open_channels().await.unwrap();
    world.until(|| world.machine.platform.is_up("good")).await;
    world.machine.clock.advance(Duration::from_secs(600)).await;
    let status = world.flow.channels().status();
    let flags: Vec<_> = status
        .iter()
        .map(|one| (one.account.as_str(), one.configured, one.running, one.connected, one.trouble.is_some()))
        .collect();
    assert_eq!(
        flags,
        [
            ("bad", true, true, false, true),
            ("bare", false, false, false, true),
            ("good", true, true, true, false),
            ("old", true, false, false, true),
        ]
    );
    assert_eq!(world.machine.platform.connects("old"), 1, "credentials that are refused are not tried again");
    assert!(world.machine.platform.connects("bad") > 3, "a crash loop goes on, with growing pauses");
    assert!(world.machine.platform.connects("bad") < 12);
    let event = FakePlatform::direct("good", "ana", "1", "#a", world.machine.clock.now());
    world.machine.platform.receive(event).await.unwrap();
    assert_eq!(heard(&world, "ana", 1).await, ["Heard #a."]);
    assert_eq!(world.machine.platform.connects("good"), 1);
}

#[tokio::test]
async fn a_line_that_breaks_is_made_again_and_sends_what_waited() {
    let world = world(open_to_all()).await;
    let platform = &world.machine.platform;
    platform.receive(dm(&world, "ana", "1", "#a hold:x")).await.unwrap();
    world.until(|| world.gate.arrived() == 1).await;
    platform
        .break_line("default", ChannelError::Unreachable { reason: "cut".to_owned(), landed: Landed::No });
    world.gate.open();
    world.until(|| platform.connects("default") == 2).await;
    assert_eq!(heard(&world, "ana", 2).await, ["One moment.", "Heard #a."]);
}

#[tokio::test]
async fn files_are_fetched_for_those_who_are_let_in_and_named_to_the_model() {
    let world = world(open_to_all()).await;
    world.machine.platform.file("notes", b"%PDF-1.7 and so on");
    let mut event = dm(&world, "ana", "1", "#a");
    event.media = vec![
        MediaRef {
            kind: MediaKind::Document,
            handle: "notes".to_owned(),
            name: None,
            media_type: None,
            bytes: None,
        },
        MediaRef {
            kind: MediaKind::Image,
            handle: "gone".to_owned(),
            name: None,
            media_type: None,
            bytes: None,
        },
    ];
    world.machine.platform.receive(event).await.unwrap();
    heard(&world, "ana", 1).await;
    let told = world.transcript().await.remove(0);
    assert!(told.contains("notes (application/pdf)]") && told.contains("could not be fetched"), "{told}");
}

#[tokio::test]
async fn people_see_that_their_message_was_seen_and_that_we_write() {
    let file = json!({
        "channels": { "fake": { "accounts": { "default": open_to_all() } } },
        "messages": { "ackReaction": "👀", "ackReactionScope": "all", "removeAckAfterReply": true },
    });
    let world = World::with(file).await;
    world.flow.open_channels().await.unwrap();
    world.machine.platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
    heard(&world, "ana", 1).await;
    assert_eq!(world.machine.platform.signs(), ["react ana m-1 👀", "typing ana", "unreact ana m-1 👀"]);
}

#[tokio::test]
async fn every_message_of_a_run_shows_that_it_was_seen_until_the_answer_is_kept() {
    for mode in ["steer", "collect"] {
        let file = json!({
            "channels": { "fake": { "accounts": { "default": open_to_all() } } },
            "messages": {
                "ackReaction": "👀", "ackReactionScope": "all", "removeAckAfterReply": true,
                "queue": { "mode": mode },
            },
        });
        let world = World::with(file).await;
        world.flow.open_channels().await.unwrap();
        world.machine.platform.receive(dm(&world, "ana", "1", "#a hold:x")).await.unwrap();
        world.until(|| world.gate.arrived() == 1).await;
        for event in ["2", "3"] {
            world.machine.platform.receive(dm(&world, "ana", event, "#b")).await.unwrap();
        }
        let there = |sign: &str| world.machine.platform.signs().iter().any(|each| each == sign);
        world.until(|| there("react ana m-2 👀") && there("react ana m-3 👀")).await;
        assert!(!there("unreact ana m-1 👀"), "{mode}: nothing is answered yet");
        world.gate.open();
        world.quiet().await;
        world.until(|| ["1", "2", "3"].iter().all(|event| there(&format!("unreact ana m-{event} 👀")))).await;
    }
}

/// A world in which the typing sign begins with the first words.
async fn typing_with_words() -> World {
    let file = json!({
        "channels": { "fake": { "accounts": { "default": open_to_all() } } },
        "session": { "typingMode": "message" },
        // Time runs ahead while files are read on other threads.
        "agents": { "defaults": { "timeoutSeconds": 10_000_000 } },
    });
    let world = World::with(file).await;
    world.flow.open_channels().await.unwrap();
    world
}

#[tokio::test]
async fn a_silent_answer_is_not_announced_by_a_typing_sign() {
    let world = typing_with_words().await;
    world.machine.platform.receive(dm(&world, "ana", "1", "slow=NO,_REPLY")).await.unwrap();
    world.until(|| world.flow.busy() == 1).await;
    while world.flow.busy() > 0 {
        world.machine.clock.advance(Duration::from_secs(10)).await;
    }
    let (signs, said) = (world.machine.platform.signs(), world.machine.platform.words_to("ana"));
    assert_eq!((signs, said), (Vec::new(), Vec::new()), "{:?}", world.told());
}

#[tokio::test]
async fn the_typing_sign_stays_as_long_as_the_run_does_something() {
    let world = typing_with_words().await;
    world.machine.platform.receive(dm(&world, "ana", "1", "slow=One,two,three")).await.unwrap();
    world.until(|| !world.machine.platform.signs().is_empty()).await;
    let mut signs = Vec::new();
    for _ in 0..19 {
        world.machine.clock.advance(Duration::from_secs(10)).await;
        signs.push(world.machine.platform.signs().len());
    }
    assert_eq!(world.flow.busy(), 1, "the run is still under way");
    assert!(signs.windows(2).all(|pair| pair[0] < pair[1]), "the sign faded: {signs:?}");
}

#[tokio::test]
async fn a_changed_account_is_made_again_and_the_others_keep_their_lines() {
    let both = |one: &str| json!({ "accounts": { "one": { "token": one }, "two": { "token": "same" } } });
    let world = World::with(json!({ "channels": { "fake": both("old") } })).await;
    world.flow.open_channels().await.unwrap();
    let platform = &world.machine.platform;
    world.until(|| platform.is_up("one") && platform.is_up("two")).await;
    let sections = |section: Value| -> openclaw_config::sections::RawConfig {
        serde_json::from_value(json!({ "channels": { "fake": section } })).unwrap()
    };
    world.flow.channels().apply(&sections(both("new"))).await;
    world.until(|| platform.is_up("one")).await;
    assert_eq!((platform.connects("one"), platform.connects("two")), (2, 1));
    world.flow.channels().apply(&sections(json!({ "accounts": { "two": { "token": "same" } } }))).await;
    assert_eq!((platform.is_up("one"), platform.is_up("two")), (false, true));
}

#[tokio::test]
async fn an_answer_that_was_made_before_a_crash_is_sent_after_it() {
    let machine = Machine::new();
    let file = json!({ "channels": { "fake": { "accounts": { "default": open_to_all() } } } });
    {
        let world = World::open(machine.clone(), file.clone(), CrashPlan::never()).await;
        world.flow.open_channels().await.unwrap();
        let down = ChannelError::Unreachable { reason: "down".to_owned(), landed: Landed::No };
        (0..50).for_each(|_| machine.platform.fail(SendFailure::Before(down.clone())));
        machine.platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
        world.quiet().await;
        world.tasks.cancel();
        machine.clock.advance(Duration::from_secs(1)).await;
    }
    assert_eq!(machine.platform.words_to("ana"), Vec::<String>::new());
    machine.platform.forgive();
    let world = World::open(machine.clone(), file, CrashPlan::never()).await;
    world.flow.open_channels().await.unwrap();
    world.flow.recover().await.unwrap();
    assert_eq!(heard(&world, "ana", 1).await, ["Heard #a."]);
}

#[tokio::test]
async fn messages_in_quick_succession_are_answered_together() {
    let file = json!({
        "channels": { "fake": { "accounts": { "default": open_to_all() } } },
        "messages": { "inbound": { "debounceMs": 2000 } },
    });
    let world = World::with(file).await;
    world.flow.open_channels().await.unwrap();
    for (event, text) in [("1", "#a"), ("2", "#b"), ("3", "#c")] {
        world.machine.platform.receive(dm(&world, "ana", event, text)).await.unwrap();
        world.machine.clock.advance(Duration::from_millis(500)).await;
    }
    assert_eq!(world.open_letters().await, 3, "each is machine before anything waits");
    assert_eq!(heard(&world, "ana", 1).await, ["Heard #a #b #c."]);
    assert_eq!(world.open_letters().await, 0);
    world.machine.platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
    world.machine.clock.advance(Duration::from_secs(5)).await;
    world.quiet().await;
    assert_eq!(world.machine.platform.words_to("ana"), ["Heard #a #b #c."]);
}

#[tokio::test]
async fn the_message_tool_sends_through_the_outbox_and_what_it_said_is_not_said_again() {
    let world = world(open_to_all()).await;
    world.machine.platform.receive(dm(&world, "ana", "1", "#abcdefghijk tell:bob")).await.unwrap();
    assert_eq!(heard(&world, "bob", 1).await, ["[from ana] Heard #abcdefghijk."]);
    assert_eq!(heard(&world, "ana", 2).await, ["One moment.", "Heard #abcdefghijk."]);
    world.machine.platform.receive(dm(&world, "eve", "2", "#lmnopqrstuvw tell:eve")).await.unwrap();
    world.quiet().await;
    assert_eq!(heard(&world, "eve", 2).await, ["Heard #lmnopqrstuvw.", "One moment."]);
}

#[tokio::test]
async fn what_waits_for_long_is_sent_at_once_when_a_person_says_so() {
    let world = world(open_to_all()).await;
    let pause = ChannelError::RateLimited { after: Duration::from_secs(3_600) };
    world.machine.platform.fail(SendFailure::Before(pause));
    world.machine.platform.receive(dm(&world, "ana", "1", "#a")).await.unwrap();
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(1)).await;
    let rows = world.flow.outbox().list(OutboxQuery::default()).await.unwrap();
    assert_eq!(world.machine.platform.words_to("ana"), Vec::<String>::new());
    world.flow.outbox().retry(rows[0].id).await.unwrap();
    world.machine.clock.advance(Duration::from_secs(1)).await;
    assert_eq!(world.machine.platform.words_to("ana"), ["Heard #a."]);
}

#[tokio::test]
async fn a_direct_chat_with_a_session_of_its_own_is_looked_back_as_far_as_its_account_says() {
    let mut account = open_to_all();
    account["dmHistoryLimit"] = json!(2);
    for (scope, seen) in [("per-channel-peer", "Seen 2."), ("main", "Seen 3.")] {
        let world = World::with(json!({
            "session": { "dmScope": scope },
            "channels": { "fake": { "accounts": { "default": account } } },
        }))
        .await;
        world.flow.open_channels().await.unwrap();
        for (number, words) in ["#a", "#b", "count"].into_iter().enumerate() {
            world.machine.platform.receive(dm(&world, "ana", &number.to_string(), words)).await.unwrap();
            heard(&world, "ana", number + 1).await;
        }
        assert_eq!(world.machine.platform.words_to("ana")[2], seen);
    }
}

#[tokio::test]
async fn the_configuration_is_not_changed_from_an_account_that_forbids_it() {
    let mut account = open_to_all();
    account["configWrites"] = json!(false);
    let world = World::with(json!({
        "commands": { "config": true, "ownerAllowFrom": ["ana"] },
        "channels": { "fake": { "accounts": { "default": account } } },
    }))
    .await;
    world.flow.open_channels().await.unwrap();
    world.machine.platform.receive(dm(&world, "ana", "1", "/config set ui.seamColor=red")).await.unwrap();
    let said = heard(&world, "ana", 1).await;
    assert_eq!(
        said,
        ["⚠️ The configuration cannot be changed from Fake: channels.fake.configWrites is false."]
    );
}

#[tokio::test]
async fn the_default_account_is_the_one_that_the_platform_s_section_names() {
    let world = World::with(json!({ "channels": { "fake": {
        "defaultAccount": "work",
        "accounts": { "default": { "token": "one" }, "work": { "token": "two" } },
    } } }))
    .await;
    world.flow.open_channels().await.unwrap();
    let status = world.flow.channels().status();
    let accounts: Vec<_> = status.iter().map(|one| one.account.as_str()).collect();
    assert_eq!(accounts, ["work", "default"]);
}
