//! Agents that answer in turn, words that come again, notices that find their session, files named by an address, and
//! questions about commands in chats.

use std::time::Duration;

use openclaw_exec::{ApprovalDecision, ApprovalRequest, Lapse, OpenApproval, SettledApproval};
use openclaw_ports::Clock as _;
use openclaw_ports::channel::ChannelError;
use openclaw_testkit::{FakePlatform, SendFailure};
use openclaw_types::{Inbound, InboundKind, PiecePayload, Press};
use serde_json::{Value, json};

use crate::crash_plan::CrashPlan;
use crate::world::{MOMENT, Machine, World, session_key};

fn file(more: Value) -> Value {
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"], "groupPolicy": "open" });
    let mut file = json!({ "channels": { "fake": { "accounts": { "default": account } } } });
    file.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    file
}

async fn world(more: Value) -> World {
    let world = World::with(file(more)).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world
}

fn dm(machine: &Machine, from: &str, event: &str, text: &str) -> Inbound {
    FakePlatform::direct("default", from, event, text, machine.clock.now())
}

async fn both_answer(strategy: &str) -> (usize, Vec<String>) {
    let world = world(json!({
        "broadcast": { "strategy": strategy, "kitchen": ["main", "work"] },
        "agents": { "list": [{ "id": "main" }, { "id": "work" }] },
    }))
    .await;
    let mut event = FakePlatform::in_room("default", "kitchen", dm(&world.machine, "ana", "1", "#a hold:x"));
    event.attention.mentions_us = true;
    world.machine.platform.receive(event).await.unwrap();
    world.until(|| world.gate.arrived() > 0).await;
    for _ in 0..300 {
        world.machine.clock.advance(MOMENT).await;
    }
    let at_once = world.gate.arrived();
    world.gate.open();
    world.quiet().await;
    (at_once, world.machine.platform.words_to("kitchen"))
}

#[tokio::test]
async fn agents_answer_at_once_or_in_turn() {
    let all = ["One moment.", "Heard #a.", "One moment.", "Heard #a."];
    assert_eq!(both_answer("sequential").await, (1, all.map(str::to_owned).to_vec()));
    let (at_once, mut said) = both_answer("parallel").await;
    said.sort();
    assert_eq!((at_once, said.len()), (2, 4));
}

#[tokio::test]
async fn a_word_that_comes_again_after_a_crash_stops_nothing_new() {
    let machine = Machine::new();
    {
        let world = World::open(machine.clone(), file(json!({})), CrashPlan::never()).await;
        world.flow.open_channels().await.unwrap();
        machine.platform.receive(dm(&machine, "ana", "1", "#a hold:x")).await.unwrap();
        world.until(|| world.gate.arrived() == 1).await;
        machine.platform.receive(dm(&machine, "ana", "2", "stop")).await.unwrap();
        world.quiet().await;
        assert_eq!(machine.platform.words_to("ana").len(), 1, "she is told that it stopped");
        world.tasks.cancel();
        machine.clock.advance(Duration::from_secs(1)).await;
        machine.platform.hang_up();
    }
    let world = World::open(machine.clone(), file(json!({})), CrashPlan::never()).await;
    world.flow.open_channels().await.unwrap();
    world.flow.recover().await.unwrap();
    machine.platform.receive(dm(&machine, "ana", "3", "#b hold:y")).await.unwrap();
    world.until(|| world.gate.arrived() == 1).await;
    machine.platform.receive(dm(&machine, "ana", "2", "stop")).await.unwrap();
    world.gate.open();
    world.quiet().await;
    assert_eq!(machine.platform.words_to("ana").last().unwrap(), "Heard #a #b.");
}

#[tokio::test]
async fn an_account_has_words_of_its_own_that_name_us() {
    let mut file = file(json!({}));
    file["channels"]["fake"]["accounts"]["default"]["mentionPatterns"] = json!(["\\bjeeves\\b"]);
    let world = World::with(file).await;
    world.flow.open_channels().await.unwrap();
    for (event, text) in [("1", "#a nobody asked"), ("2", "jeeves, #b")] {
        let mut event = FakePlatform::in_room("default", "kitchen", dm(&world.machine, "ana", event, text));
        event.attention.can_mention = true;
        world.machine.platform.receive(event).await.unwrap();
    }
    world.quiet().await;
    assert_eq!(world.machine.platform.words_to("kitchen").len(), 1);
}

#[tokio::test]
async fn the_session_whose_answer_was_given_up_is_told() {
    let world = world(json!({ "session": { "dmScope": "per-peer" } })).await;
    world.machine.platform.fail(SendFailure::Before(ChannelError::Refused { reason: "blocked".to_owned() }));
    world.machine.platform.receive(dm(&world.machine, "ana", "1", "#a")).await.unwrap();
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(1)).await;
    let notes = world.flow.notes(&session_key("agent:main:direct:ana"));
    assert!(notes.len() == 1 && notes[0].contains("was not delivered"), "{notes:?}");
    assert_eq!(world.flow.notes(&session_key("agent:main:main")), Vec::<String>::new());
}

#[tokio::test]
async fn a_file_named_by_its_address_is_fetched_and_sent() {
    let world = world(json!({})).await;
    let ask = |event: &str, address: &str| dm(&world.machine, "ana", event, &format!("picture={address}"));
    world.machine.platform.receive(ask("1", "https://pictures.example/a/cat.png?size=1")).await.unwrap();
    world.machine.platform.receive(ask("2", "http://127.0.0.1/secret.png")).await.unwrap();
    world.until(|| world.machine.platform.sent().len() == 2).await;
    let sent = world.machine.platform.sent();
    let PiecePayload::Media { file, caption, .. } = &sent[0].payload else { panic!("{:?}", sent[0]) };
    assert_eq!(
        (file.name.as_str(), file.media_type.as_str(), caption.text()),
        ("cat.png", "image/png", "Look.")
    );
    let PiecePayload::Text { text } = &sent[1].payload else { panic!("{:?}", sent[1]) };
    assert_eq!(text.text(), "Look.\n\nhttp://127.0.0.1/secret.png", "what is refused is named");
}

#[tokio::test]
async fn chats_offer_no_always_where_every_command_is_asked_about() {
    let exec =
        json!({ "enabled": true, "mode": "targets", "targets": [{ "channel": "fake", "to": "boss" }] });
    let world = world(json!({ "approvals": { "exec": exec } })).await;
    let request = ApprovalRequest {
        command: "rm -rf soup".to_owned(),
        agent_id: Some("main".to_owned()),
        session_key: Some("agent:main:main".to_owned()),
        ask: Some("always".to_owned()),
        ..ApprovalRequest::default()
    };
    let now = world.machine.clock.now();
    let question = OpenApproval {
        id: "abcd-1234".to_owned(),
        request,
        created_at_ms: now,
        expires_at_ms: now.plus(Duration::from_secs(120)),
    };
    world.flow.ask_in_chats(&question);
    world.until(|| !world.machine.platform.sent().is_empty()).await;
    let asked = world.machine.platform.sent().remove(0);
    let offered: Vec<&str> = asked.buttons.iter().flatten().map(|button| button.text.as_str()).collect();
    assert_eq!(offered, ["Allow once", "Deny"]);
    world.flow.tell_settled(&SettledApproval {
        question,
        decision: Some(ApprovalDecision::AllowAlways),
        lapse: None,
        by: Some("fake:boss".to_owned()),
        at: now,
        scope: None,
    });
    world.until(|| world.machine.platform.sent().len() == 2).await;
    let said = world.machine.platform.words_to("boss").remove(1);
    assert!(said.contains("Allowed once") && said.contains("ask is always"), "{said}");
}

#[tokio::test]
async fn questions_about_commands_are_asked_in_the_chats_that_are_configured() {
    let exec = json!({
        "enabled": true, "mode": "both", "agentFilter": ["main"], "sessionFilter": ["^agent:.*direct"],
        "targets": [{ "channel": "pretend", "to": "fake:boss" }, { "channel": "nowhere", "to": "x" }],
    });
    let world = world(json!({ "approvals": { "exec": exec } })).await;
    let request = ApprovalRequest {
        command: "rm -rf soup".to_owned(),
        agent_id: Some("main".to_owned()),
        session_key: Some("agent:main:direct:ana".to_owned()),
        turn_source_channel: Some("fake".to_owned()),
        turn_source_to: Some("ana".to_owned()),
        ..ApprovalRequest::default()
    };
    let now = world.machine.clock.now();
    let question = OpenApproval {
        id: "abcd-1234".to_owned(),
        request: request.clone(),
        created_at_ms: now,
        expires_at_ms: now.plus(Duration::from_secs(120)),
    };
    assert!(world.flow.asks_in_chats(&request));
    let foreign = ApprovalRequest { agent_id: Some("work".to_owned()), ..request.clone() };
    assert!(!world.flow.asks_in_chats(&foreign));
    let elsewhere = ApprovalRequest { session_key: Some("agent:main:main".to_owned()), ..request };
    assert!(!world.flow.asks_in_chats(&elsewhere));
    world.flow.ask_in_chats(&question);
    world.until(|| world.machine.platform.sent().len() == 2).await;
    for place in ["ana", "boss"] {
        let told = world.machine.platform.words_to(place);
        assert!(told[0].contains("rm -rf soup") && told[0].contains("/approve abcd-1234"), "{told:?}");
    }
    let settled = SettledApproval {
        question: question.clone(),
        decision: Some(ApprovalDecision::Deny),
        lapse: None,
        by: Some("fake:boss".to_owned()),
        at: now,
        scope: None,
    };
    world.flow.tell_settled(&settled);
    world.until(|| world.machine.platform.sent().len() == 4).await;
    assert_eq!(world.machine.platform.words_to("ana")[1], "🚫 Denied by fake:boss (abcd-1234)");
    let unanswered = |lapse, id: &str| SettledApproval {
        question: OpenApproval { id: id.to_owned(), ..question.clone() },
        decision: None,
        lapse: Some(lapse),
        by: None,
        at: now,
        scope: None,
    };
    world.flow.tell_settled(&unanswered(Lapse::RanOut, "b"));
    world.until(|| world.machine.platform.sent().len() == 6).await;
    assert_eq!(world.machine.platform.words_to("ana")[2], "⏱️ Nobody answered in time (b)");
    world.flow.tell_still_runs(&settled, Duration::from_secs(10));
    world.until(|| world.machine.platform.sent().len() == 8).await;
    assert_eq!(
        world.machine.platform.words_to("ana")[3],
        "⏳ The command that was allowed still runs after 10 s (abcd-1234)"
    );
    let long = ApprovalRequest { command: "a".repeat(2_000), ..question.request.clone() };
    world.flow.ask_in_chats(&OpenApproval { id: "long".to_owned(), request: long, ..question });
    world.until(|| world.machine.platform.sent().len() == 10).await;
    let told = &world.machine.platform.words_to("ana")[4];
    assert!(told.contains("too long to show here") && !told.contains("allow-once"), "{told}");
}

#[tokio::test]
async fn those_whom_an_account_names_are_asked_about_commands_and_they_alone_answer() {
    let account = json!({
        "token": "good", "dmPolicy": "allowlist", "allowFrom": ["ana"],
        "execApprovals": { "approvers": ["boss", "deputy"], "target": "both", "cleanupAfterResolve": true },
    });
    let file = json!({ "channels": { "fake": { "accounts": { "default": account } } } });
    let world = World::with(file).await;
    world.flow.open_channels().await.unwrap();
    let platform = &world.machine.platform;
    let now = world.machine.clock.now();
    let request = ApprovalRequest {
        command: "rm -rf soup".to_owned(),
        turn_source_channel: Some("fake".to_owned()),
        turn_source_account_id: Some("default".to_owned()),
        turn_source_to: Some("ana".to_owned()),
        ..ApprovalRequest::default()
    };
    let question = OpenApproval {
        id: "abcd-1234".to_owned(),
        request,
        created_at_ms: now,
        expires_at_ms: now.plus(Duration::from_secs(120)),
    };
    assert!(world.flow.asks_in_chats(&question.request));
    world.flow.ask_in_chats(&question);
    world.until(|| platform.sent().len() == 3).await;
    for place in ["ana", "boss", "deputy"] {
        assert!(platform.words_to(place)[0].contains("rm -rf soup"), "{place}");
    }
    let press = |from: &str, event: &str| {
        let data = "/approve abcd-1234 deny".to_owned();
        let mut event = FakePlatform::direct("default", from, event, &data, now);
        event.kind = InboundKind::Press(Press { data, on: None });
        event
    };
    for (from, event, expected) in [
        ("boss", "1", Some("Nobody asks for approvals here")),
        ("ana", "2", Some("You may not answer this")),
        ("eve", "3", None),
    ] {
        let before = platform.words_to(from).len();
        platform.receive(press(from, event)).await.unwrap();
        world.quiet().await;
        let said = platform.words_to(from)[before..].join("\n");
        match expected {
            Some(expected) => assert!(said.contains(expected), "{from}: {said}"),
            None => assert_eq!(said, "", "{from}"),
        }
    }
    let told = platform.sent().len();
    world.flow.tell_settled(&SettledApproval {
        question,
        decision: Some(ApprovalDecision::Deny),
        lapse: None,
        by: Some("fake:boss".to_owned()),
        at: now,
        scope: None,
    });
    world.until(|| platform.signs().iter().filter(|sign| sign.starts_with("delete")).count() == 3).await;
    assert_eq!(platform.sent().len(), told, "a question that is taken back needs no more words");
}
