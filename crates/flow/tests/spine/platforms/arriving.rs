//! How messages come in: in their order, without waiting for files, together where they belong together, and once.

use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_testkit::FakePlatform;
use openclaw_types::{Inbound, MediaKind, MediaRef};
use serde_json::{Value, json};

use crate::crash_plan::{CrashPlan, Side};
use crate::world::{MAIN, Machine, World, session_key};

fn account() -> Value {
    json!({ "token": "good", "dmPolicy": "allowlist", "allowFrom": ["ana", "bob"], "groupPolicy": "open" })
}

fn file(messages: Value) -> Value {
    json!({ "channels": { "fake": { "accounts": { "default": account() } } }, "messages": messages })
}

async fn world(messages: Value) -> World {
    let world = World::with(file(messages)).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world
}

/// A world whose submissions are answered one by one.
async fn one_by_one() -> World {
    world(json!({ "queue": { "mode": "followup" } })).await
}

fn dm(machine: &Machine, from: &str, event: &str, text: &str) -> Inbound {
    FakePlatform::direct("default", from, event, text, machine.clock.now())
}

fn with_picture(mut event: Inbound, handle: &str) -> Inbound {
    event.media.push(MediaRef {
        kind: MediaKind::Document,
        handle: handle.to_owned(),
        name: None,
        media_type: None,
        bytes: None,
    });
    event
}

#[tokio::test]
async fn two_people_who_write_in_quick_succession_into_one_session_are_both_answered() {
    let world = world(json!({ "inbound": { "debounceMs": 2000 }, "queue": { "mode": "followup" } })).await;
    let platform = &world.machine.platform;
    platform.receive(dm(&world.machine, "ana", "1", "#a")).await.unwrap();
    world.machine.clock.advance(Duration::from_millis(500)).await;
    platform.receive(dm(&world.machine, "bob", "2", "#b")).await.unwrap();
    world.quiet().await;
    assert_eq!(
        (platform.words_to("ana"), platform.words_to("bob")),
        (vec!["Heard #a.".to_owned()], vec!["Heard #b.".to_owned()])
    );
}

#[tokio::test]
async fn a_file_that_takes_its_time_keeps_no_message_from_being_taken() {
    let world = one_by_one().await;
    let platform = &world.machine.platform;
    platform.slow_file("big");
    platform.receive(with_picture(dm(&world.machine, "ana", "1", "#a"), "big")).await.unwrap();
    platform.receive(dm(&world.machine, "ana", "2", "#b")).await.unwrap();
    assert_eq!(world.open_letters().await, 2, "both are kept, and the file is not there");
    platform.file("big", b"%PDF-1.7 and so on");
    world.quiet().await;
    assert_eq!(platform.words_to("ana"), ["Heard #a.", "Heard #b."]);
    assert!(world.transcript().await[0].contains("big (application/pdf)"));
}

#[tokio::test]
async fn the_word_that_stops_does_not_wait_for_a_file() {
    let world = one_by_one().await;
    let platform = &world.machine.platform;
    platform.slow_file("big");
    platform.receive(with_picture(dm(&world.machine, "ana", "1", "#a"), "big")).await.unwrap();
    platform.receive(dm(&world.machine, "ana", "2", "stop")).await.unwrap();
    world.quiet().await;
    assert_eq!((platform.words_to("ana").len(), world.open_letters().await), (1, 0));
    assert_eq!(world.told(), ["fake:default:1 stopped stop"]);
    assert_eq!(world.transcript().await, Vec::<String>::new());
}

#[tokio::test]
async fn words_that_were_stopped_while_they_waited_are_not_part_of_the_next_message() {
    let world = world(json!({ "inbound": { "debounceMs": 2000 } })).await;
    let platform = &world.machine.platform;
    for (event, text) in [("1", "#a"), ("2", "stop"), ("3", "#b")] {
        platform.receive(dm(&world.machine, "ana", event, text)).await.unwrap();
    }
    world.quiet().await;
    assert_eq!(platform.words_to("ana").last().unwrap(), "Heard #b.");
    assert_eq!(world.open_letters().await, 0);
}

#[tokio::test]
async fn files_of_an_account_that_is_down_hold_up_nobody_at_a_start() {
    let machine = Machine::new();
    {
        let world = World::open(machine.clone(), file(json!({})), CrashPlan::never()).await;
        world.flow.open_channels().await.unwrap();
        machine.platform.slow_file("big");
        for event in ["1", "2", "3"] {
            let event = with_picture(dm(&machine, "ana", event, &format!("#{event}")), "big");
            machine.platform.receive(event).await.unwrap();
        }
        world.tasks.cancel();
        machine.clock.advance(Duration::from_secs(1)).await;
        machine.platform.hang_up();
    }
    let mut later = file(json!({ "queue": { "mode": "followup" } }));
    later["channels"]["fake"]["accounts"] = json!({
        "default": { "token": "revoked" },
        "other": { "token": "good", "dmPolicy": "allowlist", "allowFrom": ["bob"] },
    });
    later["session"] = json!({ "dmScope": "per-account-channel-peer" });
    let world = World::open(machine.clone(), later, CrashPlan::never()).await;
    world.flow.hold();
    world.flow.open_channels().await.unwrap();
    // Time stands still: nothing of this waits.
    assert_eq!(world.flow.recover().await.unwrap().restarted, 3);
    let event = FakePlatform::direct("other", "bob", "9", "#b", machine.clock.now());
    machine.platform.receive(event).await.unwrap();
    world.until(|| !machine.platform.words_to("bob").is_empty()).await;
    world.machine.clock.advance(Duration::from_secs(25)).await;
    world.quiet().await;
    let told =
        world.transcript().await.into_iter().filter(|line| line.contains("could not be fetched")).count();
    assert_eq!(told, 3, "the line is waited for once, and all of them are answered then");
}

#[tokio::test]
async fn what_is_written_right_behind_a_new_beginning_belongs_to_it() {
    let world = one_by_one().await;
    let platform = &world.machine.platform;
    platform.receive(dm(&world.machine, "ana", "1", "#old hold:x")).await.unwrap();
    world.until(|| world.gate.arrived() == 1).await;
    platform.receive(dm(&world.machine, "ana", "2", "/new")).await.unwrap();
    platform.receive(dm(&world.machine, "ana", "3", "#hello")).await.unwrap();
    world.quiet().await;
    assert_eq!(platform.words_to("ana").last().unwrap(), "Heard #hello.");
    let transcript = world.transcript().await;
    assert!(!transcript.iter().any(|line| line.contains("#old")), "{transcript:?}");
    assert_eq!(world.open_letters().await, 0);
}

#[tokio::test]
async fn the_parts_of_an_album_go_with_the_one_that_names_us() {
    let world = one_by_one().await;
    let platform = &world.machine.platform;
    let part = |event: &str, text: &str| {
        platform.file(event, b"%PDF-1.7 and so on");
        let event = with_picture(dm(&world.machine, "ana", event, text), event);
        let mut event = FakePlatform::in_room("default", "kitchen", event);
        event.bundle = Some("album".to_owned());
        event.attention.mentions_us = !text.is_empty();
        event
    };
    for (event, text) in [("one", ""), ("two", "#a"), ("three", "")] {
        platform.receive(part(event, text)).await.unwrap();
    }
    let mut stray = part("four", "");
    stray.bundle = Some("another".to_owned());
    platform.receive(stray).await.unwrap();
    world.quiet().await;
    assert_eq!(platform.words_to("kitchen"), ["Heard #a."]);
    let told = world.machine.transcript("agent:main:fake:group:kitchen").await.remove(0);
    for handle in ["one", "two", "three"] {
        assert!(told.contains(&format!("{handle} (application/pdf)")), "{told}");
    }
    assert!(!told.contains("four"), "{told}");
}

/// Asks something in a session that is so long that the agent writes down its memories first, with a process that may
/// end meanwhile. Gives what she heard.
fn asked_in_a_long_session(crash_plan: &std::sync::Arc<CrashPlan>) -> Vec<String> {
    let machine = Machine::new();
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let life = async |crash_plan: std::sync::Arc<CrashPlan>| {
        let world = World::open(machine.clone(), file(json!({})), crash_plan).await;
        world.flow.open_channels().await.unwrap();
        world.flow.recover().await.unwrap();
        world
    };
    runtime().block_on(async {
        let world = life(CrashPlan::never()).await;
        machine.platform.receive(dm(&machine, "ana", "1", "#a")).await.unwrap();
        world.quiet().await;
        let key = session_key(MAIN);
        let long = world.flow.sessions().change(&key, |entry| {
            entry.facts.total_tokens = Some(990_000);
            entry.facts.total_tokens_fresh = Some(true);
        });
        long.await.unwrap();
        world.machine.clock.advance(Duration::from_secs(1)).await;
    });
    machine.platform.hang_up();
    for crash_plan in [crash_plan.clone(), CrashPlan::never()] {
        runtime().block_on(async {
            let answered = async {
                let world = life(crash_plan.clone()).await;
                machine.platform.receive(dm(&machine, "ana", "2", "#b")).await.unwrap();
                world.quiet().await;
                world.machine.clock.advance(Duration::from_secs(1)).await;
            };
            tokio::select! {
                biased;
                () = crash_plan.ended() => {}
                () = answered => {}
            }
        });
        machine.platform.hang_up();
    }
    machine.platform.words_to("ana")
}

#[test]
fn what_the_agent_writes_down_for_itself_is_said_to_nobody_after_a_crash_either() {
    let whole = CrashPlan::never();
    assert_eq!(asked_in_a_long_session(&whole), ["Heard #a.", "Heard #b."]);
    for step in 1..=whole.steps() {
        let heard = asked_in_a_long_session(&CrashPlan::at(step, Side::Before));
        assert_eq!(heard, ["Heard #a.", "Heard #b."], "after a crash before step {step}");
    }
}

/// A world with more settings, and an account that says something of its own.
async fn with_files(account_says: Value, more: Value) -> World {
    let mut account = account();
    account.as_object_mut().unwrap().extend(account_says.as_object().cloned().unwrap());
    let mut file = json!({ "channels": { "fake": { "accounts": { "default": account } } } });
    file.as_object_mut().unwrap().extend(more.as_object().cloned().unwrap());
    let world = World::with(file).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world.until(|| world.machine.platform.is_up("default")).await;
    world
}

/// What the agent was told of a file of half a megabyte.
async fn told_of_a_file(world: &World, name: Option<&str>) -> String {
    world.machine.platform.file("f1", &vec![b'x'; 512 * 1024]);
    let mut event = with_picture(dm(&world.machine, "ana", "1", "#file"), "f1");
    event.media[0].name = name.map(str::to_owned);
    world.machine.platform.receive(event).await.unwrap();
    world.machine.platform.told("ana", 1).await;
    world.transcript().await.into_iter().find(|line| line.contains("#file")).unwrap()
}

#[tokio::test]
async fn how_large_files_may_be_is_said_by_the_account_before_the_usual() {
    let usual = json!({ "agents": { "defaults": { "mediaMaxMb": 0.25 } } });
    let rows = [
        (json!({}), json!({}), true),
        (json!({}), usual.clone(), false),
        (json!({ "mediaMaxMb": 1 }), usual, true),
        (json!({ "mediaMaxMb": 0.1 }), json!({}), false),
    ];
    for (account, more, taken) in rows {
        let world = with_files(account.clone(), more.clone()).await;
        let told = told_of_a_file(&world, None).await;
        assert_eq!(told.contains("media attached"), taken, "{account} {more}: {told}");
        assert_eq!(told.contains("could not be fetched"), !taken, "{account} {more}: {told}");
    }
}

#[tokio::test]
async fn files_keep_their_names_where_somebody_wants_that() {
    let name = Some("../Holiday plan.txt");
    let kept = with_files(json!({}), json!({ "media": { "preserveFilenames": true } })).await;
    let told = told_of_a_file(&kept, name).await;
    assert!(told.contains("Holiday") && told.contains("f1"), "{told}");
    assert!(!told.contains(".."), "{told}");
    let path = told.split("media attached: ").nth(1).and_then(|rest| rest.split(" (").next()).unwrap();
    assert_eq!(std::fs::read(path).unwrap().len(), 512 * 1024, "{path}");
    let usual = with_files(json!({}), json!({})).await;
    assert!(!told_of_a_file(&usual, name).await.contains("Holiday"));
}
