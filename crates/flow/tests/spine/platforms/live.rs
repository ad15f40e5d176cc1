//! Answers that show while they are made: blocks that leave one by one, drafts that grow, each word seen once.

use std::time::Duration;

use openclaw_ports::Clock as _;
use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_testkit::{FakePlatform, SendFailure};
use openclaw_types::{Inbound, ThreadId};
use serde_json::{Value, json};

use crate::scripted_model::ESSAY;
use crate::world::World;

fn account(more: Value) -> Value {
    let mut account =
        json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"], "replyToMode": "first" });
    account.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    account
}

async fn world(more: Value, defaults: Value) -> World {
    let file = json!({
        "channels": { "fake": { "accounts": { "default": account(more) } } },
        "agents": { "defaults": defaults },
    });
    let world = World::with(file).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world
}

fn small_blocks() -> Value {
    json!({
        "blockStreamingChunk": { "minChars": 10, "maxChars": 60 },
        "blockStreamingCoalesce": { "minChars": 10, "maxChars": 30, "idleMs": 100 },
    })
}

fn dm(world: &World, event: &str, text: &str) -> Inbound {
    FakePlatform::direct("default", "ana", event, text, world.machine.clock.now())
}

async fn ask(world: &World, text: &str) {
    world.machine.platform.receive(dm(world, "1", text)).await.unwrap();
}

#[tokio::test]
async fn blocks_leave_while_the_run_goes_on_and_the_end_sends_only_the_rest() {
    let world = world(json!({ "blockStreaming": true }), small_blocks()).await;
    ask(&world, "essay").await;
    world.until(|| world.machine.platform.words_to("ana").len() == 1).await;
    assert_eq!(world.machine.platform.words_to("ana"), [ESSAY[0]]);
    assert_eq!(world.flow.busy(), 1, "the run is still under way");
    world.quiet().await;
    assert_eq!(world.machine.platform.words_to("ana"), ESSAY);
    let replies: Vec<bool> =
        world.machine.platform.sent().iter().map(|piece| piece.reply.is_some()).collect();
    assert_eq!(replies, [true, false, false], "only the first is shown as an answer");
}

#[tokio::test]
async fn messages_between_tools_leave_when_they_are_whole() {
    let world = world(json!({ "blockStreaming": true }), small_blocks()).await;
    ask(&world, "#a hold:x").await;
    world.until(|| world.gate.arrived() == 1).await;
    world.until(|| !world.machine.platform.words_to("ana").is_empty()).await;
    assert_eq!(world.machine.platform.words_to("ana"), ["One moment."]);
    world.gate.open();
    world.quiet().await;
    assert_eq!(world.machine.platform.words_to("ana"), ["One moment.", "Heard #a."]);
}

#[tokio::test]
async fn blocks_are_off_unless_somebody_turns_them_on() {
    let mut defaults = small_blocks();
    let off = world(json!({}), defaults.clone()).await;
    ask(&off, "essay").await;
    off.quiet().await;
    assert_eq!(off.machine.platform.words_to("ana"), [ESSAY.join("\n\n")]);
    defaults["blockStreamingDefault"] = json!("on");
    let on = world(json!({}), defaults.clone()).await;
    ask(&on, "essay").await;
    on.quiet().await;
    assert_eq!(on.machine.platform.words_to("ana"), ESSAY);
    let both = world(json!({ "streaming": "partial" }), defaults.clone()).await;
    ask(&both, "essay").await;
    both.quiet().await;
    assert_eq!(both.machine.platform.words_to("ana"), ESSAY, "who gets blocks gets no draft");
    let refused = world(json!({ "blockStreaming": false }), defaults).await;
    ask(&refused, "essay").await;
    refused.quiet().await;
    assert_eq!(refused.machine.platform.words_to("ana").len(), 1);
}

#[tokio::test]
async fn blocks_come_with_pauses_as_a_person_would_make_them() {
    let mut defaults = small_blocks();
    defaults["humanDelay"] = json!({ "mode": "custom", "minMs": 60_000, "maxMs": 60_000 });
    let world = world(json!({ "blockStreaming": true }), defaults).await;
    ask(&world, "essay").await;
    world.until(|| world.flow.busy() == 0).await;
    assert_eq!(world.machine.platform.words_to("ana"), [ESSAY[0]]);
    for expected in [2, 3] {
        world.machine.clock.advance(Duration::from_secs(61)).await;
        world.machine.clock.advance(Duration::from_millis(10)).await;
        assert_eq!(world.machine.platform.words_to("ana").len(), expected);
    }
    assert_eq!(world.machine.platform.words_to("ana"), ESSAY);
}

#[tokio::test]
async fn a_draft_is_one_message_that_grows_into_the_answer() {
    let world = world(json!({ "streaming": "partial" }), json!({})).await;
    ask(&world, "essay").await;
    world.until(|| !world.machine.platform.signs().iter().all(|sign| !sign.starts_with("edit"))).await;
    assert_eq!(world.flow.busy(), 1, "the run is still under way");
    assert_eq!(world.machine.platform.screen("ana").len(), 1);
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(2)).await;
    assert_eq!(world.machine.platform.screen("ana"), [ESSAY.join("\n\n")]);
    assert_eq!(world.machine.platform.sent().len(), 1, "nothing else was sent");
    assert!(world.machine.platform.sent()[0].reply.is_some());
    let edits = world.machine.platform.signs().iter().filter(|sign| sign.starts_with("edit")).count();
    assert!(edits <= 6, "not for every word: {edits}");
}

#[tokio::test]
async fn a_draft_that_cannot_be_changed_at_the_end_is_replaced_by_the_answer() {
    let world = world(json!({ "streaming": "partial" }), json!({})).await;
    world.machine.platform.refuse_edits(100);
    ask(&world, "essay").await;
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(2)).await;
    assert_eq!(world.machine.platform.screen("ana"), [ESSAY.join("\n\n")]);
}

#[tokio::test]
async fn a_draft_waits_as_long_as_the_platform_asks() {
    let world = world(json!({ "streaming": "partial" }), json!({})).await;
    world.machine.platform.limit_edit(Duration::from_secs(3_600));
    ask(&world, "essay").await;
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(2)).await;
    assert_eq!(world.machine.platform.screen("ana"), [ESSAY.join("\n\n")]);
    let signs = world.machine.platform.signs();
    let edits: Vec<_> = signs.iter().filter(|sign| sign.starts_with("edit")).collect();
    assert_eq!(edits.len(), 1, "only the whole answer: {edits:?}");
}

#[tokio::test]
async fn a_platform_that_is_down_gets_the_answer_once_it_is_up() {
    let world = world(json!({ "streaming": "partial" }), json!({})).await;
    let down = ChannelError::Unreachable { reason: "down".to_owned(), landed: Landed::No };
    (0..4).for_each(|_| world.machine.platform.fail(SendFailure::Before(down.clone())));
    ask(&world, "essay").await;
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(600)).await;
    world.machine.clock.advance(Duration::from_secs(1)).await;
    assert_eq!(world.machine.platform.screen("ana"), [ESSAY.join("\n\n")]);
}

#[tokio::test]
async fn progress_says_what_is_being_done_until_the_answer_comes() {
    let world = world(json!({ "streaming": "progress" }), json!({})).await;
    ask(&world, "#a hold:x").await;
    world.until(|| world.gate.arrived() == 1).await;
    world.machine.clock.advance(Duration::from_secs(3)).await;
    let shown = world.machine.platform.screen("ana");
    assert!(shown.len() == 1 && shown[0].contains("held"), "{shown:?}");
    world.gate.open();
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(2)).await;
    assert_eq!(world.machine.platform.screen("ana"), ["One moment.", "Heard #a."]);
}

#[tokio::test]
async fn short_messages_without_a_draft_keep_their_place_before_the_draft_of_the_next() {
    let world = world(json!({ "streaming": "partial" }), json!({})).await;
    ask(&world, "essay do:x").await;
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(2)).await;
    assert_eq!(world.machine.platform.screen("ana"), ["One moment.".to_owned(), ESSAY.join("\n\n")]);
}

#[tokio::test]
async fn where_the_platform_has_a_form_for_it_a_draft_is_no_message() {
    let world = world(json!({ "streaming": "partial" }), json!({})).await;
    let event = FakePlatform::direct("default", "sketch-ana", "1", "essay", world.machine.clock.now());
    world.machine.platform.receive(event).await.unwrap();
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(2)).await;
    let drafts: Vec<String> =
        world.machine.platform.signs().into_iter().filter(|sign| sign.starts_with("draft")).collect();
    assert!(drafts.len() >= 2, "{drafts:?}");
    let numbers: std::collections::BTreeSet<&str> =
        drafts.iter().map(|sign| sign.split(':').next().unwrap()).collect();
    assert_eq!(numbers.len(), 1, "one answer has one draft: {drafts:?}");
    assert_eq!(world.machine.platform.screen("sketch-ana"), [ESSAY.join("\n\n")]);
}

#[tokio::test]
async fn what_a_tool_said_there_is_not_said_again_in_blocks() {
    let world = world(json!({ "blockStreaming": true }), small_blocks()).await;
    ask(&world, "#lmnopqrstuvw tell:ana").await;
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(2)).await;
    let mut told = world.machine.platform.words_to("ana");
    told.sort();
    assert_eq!(told, ["Heard #lmnopqrstuvw.", "One moment."]);
}

#[tokio::test]
async fn silence_stays_silent_while_it_is_made() {
    for more in [json!({ "blockStreaming": true }), json!({ "streaming": "partial" })] {
        let world = world(more, small_blocks()).await;
        ask(&world, "Heard #bye").await;
        world.quiet().await;
        world.machine.clock.advance(Duration::from_secs(2)).await;
        assert!(world.machine.platform.screen("ana").iter().all(|words| words != "NO_REPLY"));
    }
}

#[tokio::test]
async fn what_was_shown_of_an_answer_that_ends_without_words_is_taken_back() {
    let world = world(json!({ "streaming": "partial" }), json!({})).await;
    let said = "#lmnopqrstuvw tell:sketch-ana";
    let event = FakePlatform::direct("default", "sketch-ana", "1", said, world.machine.clock.now());
    world.machine.platform.receive(event).await.unwrap();
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(2)).await;
    assert_eq!(world.machine.platform.signs().last().map(String::as_str), Some("withdraw sketch-ana"));
}

#[tokio::test]
async fn an_answer_goes_into_the_thread_it_begins() {
    let world = world(json!({}), json!({})).await;
    let mut event = FakePlatform::direct("default", "ana", "1", "#soup", world.machine.clock.now());
    event.place.answers_in = Some(ThreadId::new("7.1").unwrap());
    world.machine.platform.receive(event).await.unwrap();
    world.quiet().await;
    let threads: Vec<_> =
        world.machine.platform.sent().into_iter().map(|piece| piece.target.thread).collect();
    assert_eq!(threads, [Some(ThreadId::new("7.1").unwrap())]);
}

/// A world with drafts, in which Ana wants to see thoughts as they come.
async fn thinking(more: Value) -> World {
    let world = world(more, json!({})).await;
    ask(&world, "/reasoning stream").await;
    world.quiet().await;
    world
}

#[tokio::test]
async fn thoughts_show_in_the_draft_until_there_are_words_and_are_gone_with_the_answer() {
    for mode in ["partial", "block"] {
        let world = thinking(json!({ "streaming": mode })).await;
        let before = world.machine.platform.screen("ana").len();
        world.machine.platform.receive(dm(&world, "2", "think=tea+or+soup")).await.unwrap();
        world.until(|| world.machine.platform.screen("ana").len() > before).await;
        let shown = world.machine.platform.screen("ana").last().cloned().unwrap();
        assert!(shown.starts_with("💭 tea tea"), "{mode}: {shown}");
        assert_eq!(world.flow.busy(), 1, "the run is still under way");
        world.until(|| world.machine.platform.screen("ana").last().unwrap().contains("or or")).await;
        world.quiet().await;
        world.machine.clock.advance(Duration::from_secs(2)).await;
        let screen = world.machine.platform.screen("ana");
        assert_eq!(screen[before..], ["Thought about it, at some length. Done."], "{mode}");
    }
}

#[tokio::test]
async fn thoughts_that_lead_to_silence_leave_nothing_behind() {
    let world = thinking(json!({ "streaming": "partial" })).await;
    let before = world.machine.platform.screen("ana");
    world.machine.platform.receive(dm(&world, "2", "quietly think=tea+or+soup")).await.unwrap();
    world.until(|| world.machine.platform.screen("ana").len() > before.len()).await;
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(2)).await;
    assert_eq!(world.machine.platform.screen("ana"), before);
}

#[tokio::test]
async fn thoughts_show_nowhere_unless_somebody_wants_to_see_them() {
    let world = world(json!({ "streaming": "partial" }), json!({})).await;
    ask(&world, "think=tea+or+soup").await;
    world.quiet().await;
    world.machine.clock.advance(Duration::from_secs(2)).await;
    assert_eq!(world.machine.platform.screen("ana"), ["Thought about it, at some length. Done."]);
    assert!(world.machine.platform.signs().iter().all(|sign| !sign.contains("💭")));
}
