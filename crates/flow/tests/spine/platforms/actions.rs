//! What the `message` tool does on platforms: only what accounts can and the configuration allows.

use std::time::Duration;

use openclaw_flow::ActionRights;
use openclaw_ports::Clock as _;
use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_ports::tool::{MessageAction, MessageFault, MessageReceipt, Messenger as _, ToolContext};
use openclaw_types::{Button, ChannelId, MediaKind, PeerId, PiecePayload, Sender};
use serde_json::{Value, json};

use crate::desk::context;
use crate::world::{MAIN, World};

async fn world(actions: Value) -> World {
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] });
    let fake = json!({ "actions": actions, "accounts": { "default": account } });
    let world = World::with(json!({ "channels": { "fake": fake } })).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world.until(|| world.machine.platform.is_up("default")).await;
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
            "sticker",
        ],
        "moderation is off unless somebody turns it on"
    );
    let other =
        world(json!({ "reactions": false, "messages": false, "moderation": true, "threads": false })).await;
    assert_eq!(other.desk.actions(), ["send", "broadcast", "reply", "poll", "pin", "kick", "sticker"]);
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
    let Err(MessageFault::Wrong(text)) = act(&world, "voice-status", json!({})).await else { panic!() };
    assert!(
        text.contains("'voice-status' is not something that fake can do") && text.contains("react"),
        "{text}"
    );
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
    world.until(|| !world.machine.platform.sent().is_empty()).await;
    world.quiet().await;
    let sent = world.machine.platform.sent();
    assert_eq!(sent.len(), 1, "the same call asks once");
    let PiecePayload::Poll(poll) = &sent[0].payload else { panic!() };
    assert_eq!((poll.question.as_str(), poll.most, poll.seconds), ("Tea?", 2, Some(7200)));
}

#[tokio::test]
async fn a_platform_does_what_only_it_knows() {
    let world = world(json!({})).await;
    let done = act(&world, "pin", json!({ "messageId": "m-1" })).await.unwrap();
    assert_eq!(done.report, json!({ "ok": true, "did": "pin" }));
    let made = act(&world, "thread-create", json!({ "threadName": "soup" })).await.unwrap();
    assert_eq!(made.report["threadId"], "thread-soup");
    assert_eq!(world.machine.platform.signs(), ["pin ana", "thread ana soup"]);
}

#[tokio::test]
async fn a_platform_hears_who_wants_something_done_from_the_run_and_from_nobody_else() {
    let world = world(json!({ "moderation": true })).await;
    let kick = || MessageAction {
        name: "kick".to_owned(),
        parameters: json!({ "senderId": "boss" }).as_object().unwrap().clone(),
    };
    let mut asked = here(&world);
    asked.sender.peer = PeerId::new("ana").ok();
    world.desk.act(&asked, kick()).await.unwrap();
    asked.sender.channel = None;
    let mut elsewhere = kick();
    elsewhere.parameters.insert("channel".to_owned(), json!("fake"));
    elsewhere.parameters.insert("target".to_owned(), json!("bob"));
    world.desk.act(&asked, elsewhere).await.unwrap();
    assert_eq!(world.machine.platform.signs(), ["kick ana for ana", "kick bob"]);
    asked.sender.peer = None;
    for (hands, whom) in [(ActionRights::Bound, "eve"), (ActionRights::Free, "mallory")] {
        let mut ordered = kick();
        ordered.parameters.insert("channel".to_owned(), json!("fake"));
        ordered.parameters.insert("target".to_owned(), json!(whom));
        world.flow.act(&asked, hands, ordered).await.unwrap();
    }
    let signs = world.machine.platform.signs();
    assert_eq!(signs[2..], ["kick eve", "kick mallory for an operator"], "an operator acts for the owner");
}

#[tokio::test]
async fn the_same_words_go_to_several_places() {
    let world = world(json!({})).await;
    let done = act(&world, "broadcast", json!({ "targets": ["bob", "", "eve"], "message": "hello" })).await;
    assert_eq!(done.unwrap().said.len(), 2);
    world.until(|| world.machine.platform.sent().len() == 2).await;
    assert_eq!(world.machine.platform.words_to("bob"), ["[from ana] hello"]);
    assert_eq!(world.machine.platform.words_to("eve"), ["[from ana] hello"]);
}

async fn with_rules(message: Value) -> World {
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] });
    let world = World::with(json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "tools": { "message": message },
    }))
    .await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world.until(|| world.machine.platform.is_up("default")).await;
    world
}

#[tokio::test]
async fn who_may_not_write_elsewhere_writes_only_here() {
    let closed = json!({ "crossContext": { "allowWithinProvider": false } });
    let world = with_rules(closed.clone()).await;
    for (name, more) in
        [("send", json!({})), ("poll", json!({ "pollQuestion": "Tea?", "pollOption": ["a", "b"] }))]
    {
        let mut parameters = json!({ "message": "hello", "target": "bob" });
        parameters.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let Err(MessageFault::Refused(why)) = act(&world, name, parameters).await else { panic!("{name}") };
        assert!(why.contains("tools.message.crossContext.allowWithinProvider"), "{why}");
    }
    let done =
        act(&world, "broadcast", json!({ "targets": ["ana", "bob"], "message": "hello" })).await.unwrap();
    assert_eq!(
        (done.report["results"][0]["ok"].clone(), done.report["results"][1]["ok"].clone()),
        (json!(true), json!(false))
    );
    world.until(|| world.machine.platform.sent().len() == 1).await;
    assert_eq!(world.machine.platform.words_to("ana"), ["hello"], "here nothing is marked");
    let mut open = closed;
    open["allowCrossContextSend"] = json!(true);
    open["crossContext"]["marker"] = json!({ "prefix": "({channel}) ", "suffix": " <" });
    let world = with_rules(open).await;
    act(&world, "send", json!({ "message": "hello", "target": "bob" })).await.unwrap();
    world.until(|| world.machine.platform.sent().len() == 1).await;
    assert_eq!(world.machine.platform.words_to("bob"), ["(ana) hello <"]);
}

#[tokio::test]
async fn a_film_is_somebody_speaking_or_goes_round_where_the_call_says_so() {
    let film = "data:video/mp4;base64,AAAAGGZ0eXBpc29tAAACAGlzb21pc28y";
    let rows = [
        (true, false, MediaKind::VideoNote),
        (false, false, MediaKind::Video),
        (false, true, MediaKind::Animation),
    ];
    for (note, round, expected) in rows {
        let world = world(json!({})).await;
        let parameters = json!({
            "message": "Hi", "asVideoNote": note, "gifPlayback": round, "buffer": film, "filename": "hi.mp4",
        });
        act(&world, "send", parameters).await.unwrap();
        world.until(|| !world.machine.platform.sent().is_empty()).await;
        let PiecePayload::Media { kind, .. } = world.machine.platform.sent().remove(0).payload else {
            panic!()
        };
        assert_eq!(kind, expected);
    }
}

#[tokio::test]
async fn a_message_has_the_trimmings_that_the_call_names() {
    let world = world(json!({})).await;
    let parameters = json!({
        "message": "Tea?", "replyTo": "m-7", "quoteText": "soup", "silent": true, "asVoice": true,
        "buttons": [[{ "text": "Yes", "callback_data": "y", "style": "primary" }, { "text": "No", "callback_data": "n" }]],
        "buffer": "data:audio/mpeg;base64,SUQzBA==", "filename": "tea.mp3",
    });
    let done = act(&world, "send", parameters).await.unwrap();
    assert_eq!((done.said.len(), done.said[0].media.len()), (1, 1), "what was sent is not sent again");
    world.until(|| !world.machine.platform.sent().is_empty()).await;
    let sent = world.machine.platform.sent().remove(0);
    let button = |text: &str, data: &str| Button { text: text.to_owned(), data: data.to_owned() };
    assert_eq!(sent.buttons, [[button("Yes", "y"), button("No", "n")]]);
    let reply = sent.reply.unwrap();
    assert_eq!((reply.message.as_str(), reply.quote.as_deref(), sent.silent), ("m-7", Some("soup"), true));
    let PiecePayload::Media { file, kind, caption } = sent.payload else { panic!() };
    assert_eq!((kind, caption.text()), (MediaKind::Voice, "Tea?"));
    assert_eq!(std::fs::read(file.path).unwrap(), b"ID3\x04");
    for wrong in [json!({ "buttons": [{}] }), json!({ "buttons": "x" }), json!({ "buffer": "%" })] {
        let mut parameters = json!({ "message": "hello" });
        parameters.as_object_mut().unwrap().extend(wrong.as_object().unwrap().clone());
        assert!(matches!(act(&world, "send", parameters).await, Err(MessageFault::Wrong(_))), "{wrong}");
    }
}

#[tokio::test]
async fn numbers_and_switches_written_as_other_types_are_read_as_every_tool_reads_them() {
    let world = world(json!({})).await;
    let dry =
        act(&world, "send", json!({ "target": "bob", "message": "no", "dryRun": "true" })).await.unwrap();
    assert_eq!(dry.report["dryRun"], true);
    let sent = json!({ "target": -100_123, "message": 5, "threadId": 7, "replyTo": 8, "silent": "true" });
    act(&world, "send", sent).await.unwrap();
    world.until(|| !world.machine.platform.sent().is_empty()).await;
    let sent = world.machine.platform.sent().remove(0);
    let thread = sent.target.thread.as_ref().map(ToString::to_string);
    let reply = sent.reply.as_ref().map(|reply| reply.message.as_str().to_owned());
    assert_eq!((sent.target.to.as_str(), sent.silent), ("-100123", true));
    assert_eq!((thread.as_deref(), reply.as_deref()), (Some("7"), Some("8")));
    act(&world, "react", json!({ "messageId": 3, "emoji": "👍", "remove": "true" })).await.unwrap();
    assert_eq!(world.machine.platform.signs(), ["unreact ana 3 👍"]);
    let wrong = act(&world, "send", json!({ "message": "hello", "dryRun": "perhaps" })).await;
    let words = "message: the parameter `dryRun` must be true or false.".to_owned();
    assert_eq!(wrong, Err(MessageFault::Wrong(words)));
}

#[tokio::test]
async fn a_level_that_leaves_no_reactions_to_the_agent_forbids_them_by_its_name() {
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"], "reactionLevel": "ack" });
    let fake = json!({ "reactionLevel": "extensive", "accounts": { "default": account } });
    let world = World::with(json!({ "channels": { "fake": fake } })).await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world.until(|| world.machine.platform.is_up("default")).await;
    assert!(!world.desk.actions().contains(&"react"), "it is not offered");
    let refused = act(&world, "react", json!({ "messageId": "m-1", "emoji": "👍" })).await;
    let rule = "'react' is turned off on fake (channels.fake.reactionLevel is \"ack\").".to_owned();
    assert_eq!(refused, Err(MessageFault::Refused(rule)));
    let named =
        act(&world, "send", json!({ "accountId": "DEFAULT", "message": "hello", "dryRun": true })).await;
    assert_eq!(named.unwrap().report["accountId"], "default", "names of accounts are read in any case");
}

#[tokio::test]
async fn a_thread_begins_with_its_first_words_and_what_the_platform_has_not_is_refused() {
    let world = world(json!({})).await;
    let made = act(&world, "thread-create", json!({ "threadName": "soup", "message": "who cooks?" })).await;
    assert_eq!(made.unwrap().report["threadId"], "thread-soup");
    world.until(|| !world.machine.platform.sent().is_empty()).await;
    let first = world.machine.platform.sent().remove(0);
    assert_eq!(first.target.thread.as_ref().map(ToString::to_string).as_deref(), Some("thread-soup"));
    assert_eq!(world.machine.platform.words_to("ana"), ["who cooks?"]);
    let rests = act(&world, "thread-create", json!({ "threadName": "tea", "autoArchiveMin": 60 })).await;
    let Err(MessageFault::Wrong(why)) = rests else { panic!() };
    assert!(why.contains("`autoArchiveMin`"), "{why}");
}

/// Deeds beside sending, with what shows that they were done.
fn deeds() -> Vec<(&'static str, Value, &'static str)> {
    vec![
        ("react", json!({ "messageId": "m1", "emoji": "👍" }), "react ana m1 👍"),
        ("edit", json!({ "messageId": "m1", "message": "other" }), "edit ana m1: other"),
        ("delete", json!({ "messageId": "m1" }), "delete ana m1"),
        ("thread-create", json!({ "threadName": "soup" }), "thread ana soup"),
        ("pin", json!({ "messageId": "m1" }), "pin ana"),
        ("sticker", json!({ "stickerId": "s1" }), "sticker ana"),
    ]
}

#[tokio::test]
async fn what_is_too_much_at_once_is_done_when_the_platform_says() {
    let world = world(json!({})).await;
    for (name, parameters, sign) in deeds() {
        world.machine.platform.fail_deed(ChannelError::RateLimited { after: Duration::from_secs(7) });
        let before = world.machine.clock.now();
        let waiting = async {
            loop {
                world.machine.clock.advance(Duration::from_millis(100)).await;
            }
        };
        let done = tokio::select! {
            done = act(&world, name, parameters) => done,
            () = waiting => unreachable!("it waits for ever"),
        };
        assert!(done.is_ok(), "{name}: {done:?}");
        assert!(
            world.machine.clock.now().since(before) >= Duration::from_secs(7),
            "{name} waits as long as it was told"
        );
        let signs = world.machine.platform.signs();
        assert_eq!(signs.iter().filter(|one| one.starts_with(sign)).count(), 1, "{name}: {signs:?}");
    }
}

#[tokio::test]
async fn what_waits_too_long_or_may_be_done_already_is_told_instead() {
    let world = world(json!({})).await;
    let slow = ChannelError::RateLimited { after: Duration::from_secs(600) };
    let doubtful =
        || ChannelError::Unreachable { reason: "the line broke".to_owned(), landed: Landed::Maybe };
    for (name, parameters, _) in deeds() {
        world.machine.platform.fail_deed(slow.clone());
        let told = act(&world, name, parameters).await;
        assert!(matches!(&told, Err(MessageFault::Failed(why)) if why.contains("600")), "{name}: {told:?}");
    }
    for name in ["thread-create", "sticker"] {
        world.machine.platform.fail_deed(doubtful());
        let told = act(&world, name, json!({ "threadName": "soup" })).await;
        assert!(matches!(&told, Err(MessageFault::Failed(_))), "{name} might be there twice: {told:?}");
    }
    assert_eq!(world.machine.platform.signs(), Vec::<String>::new());
}

#[tokio::test]
async fn a_sticker_goes_where_words_may_go() {
    let account = json!({ "token": "good", "dmPolicy": "open", "allowFrom": ["*"] });
    let world = World::with(json!({
        "channels": { "fake": { "accounts": { "default": account } } },
        "tools": { "message": { "crossContext": { "allowWithinProvider": false } } },
    }))
    .await;
    assert_eq!(world.flow.open_channels().await.unwrap(), Vec::new());
    world.until(|| world.machine.platform.is_up("default")).await;
    let elsewhere = act(&world, "sticker", json!({ "stickerId": "s1", "to": "bob" })).await;
    assert!(
        matches!(&elsewhere, Err(MessageFault::Refused(why)) if why.contains("crossContext")),
        "{elsewhere:?}"
    );
    act(&world, "sticker", json!({ "stickerId": "s1" })).await.unwrap();
    assert_eq!(world.machine.platform.signs().len(), 1);
}
