//! What is tried again, comes late, or cannot be as it was asked for.

use openclaw_ports::channel::{ChannelError, Sent};
use openclaw_ports::stores::StateStore as _;
use openclaw_testkit::discord_fake::{Trouble, ids};
use openclaw_types::{
    Button, ChatKind, InboundKind, MessageId, Outgoing, Receipt, ReplyPlace, RichText, UnixMillis,
};
use serde_json::{Value, json};

use super::{DirectoryKind, Ours, World, general, next, text, within};

const BEFORE: UnixMillis = UnixMillis(0);
/// Some moment after everything that happens here.
const AFTER: UnixMillis = UnixMillis(4_000_000_000_000);

fn trouble(to: &str, status: u16, body: Value) -> Trouble {
    Trouble { to: to.to_owned(), status, headers: Vec::new(), body, lands: false }
}

async fn find(ours: &Ours, piece: &Outgoing, since: UnixMillis) -> Sent {
    within(ours.surface.send.as_ref().unwrap().find(piece, since)).await.unwrap()
}

fn yes(message: &str) -> Sent {
    Sent::Yes(Receipt { message: MessageId::new(message).unwrap(), moved_to: None })
}

#[tokio::test]
async fn a_message_whose_fate_is_unknown_is_found_by_its_words() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let piece = text("k/1", &general(), "once_");
    assert_eq!(find(&ours, &piece, BEFORE).await, Sent::No);
    let lost = trouble("POST /channels", 502, json!({}));
    world.fake.fail(Trouble { lands: true, ..lost });
    assert!(ours.send(piece.clone()).await.is_err());
    let sent = world.fake.messages(ids::GENERAL).pop().unwrap();
    assert_eq!(find(&ours, &piece, BEFORE).await, yes(sent["id"].as_str().unwrap()));
    assert_eq!(find(&ours, &piece, AFTER).await, Sent::No);
    assert_eq!(find(&ours, &text("k/1", &general(), "twice"), BEFORE).await, Sent::No);
    world.fake.fail(trouble("GET /channels", 403, json!({ "code": 50001, "message": "Missing Access" })));
    assert_eq!(find(&ours, &piece, BEFORE).await, Sent::Unknown);
    let thread = text("k/2", &format!("{}:thread:1299999999999999999", general()), "over there");
    assert_eq!(find(&ours, &thread, BEFORE).await, Sent::No);
}

#[tokio::test]
async fn messages_with_the_same_words_are_told_apart_by_what_the_gateway_said() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    let first = ours.send(text("k/1", &general(), "same")).await.unwrap();
    world.fake.say(ids::GENERAL, ids::ANA, "after it");
    next(&mut heard).await;
    assert_eq!(find(&ours, &text("k/2", &general(), "same"), BEFORE).await, Sent::No);
    assert_eq!(find(&ours, &text("k/1", &general(), "same"), BEFORE).await, yes(first.message.as_str()));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_post_whose_fate_is_unknown_is_found_in_its_forum() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let post = text("k/1", &format!("channel:{}", ids::FORUM), "How do I?\n\nPlease help");
    assert_eq!(find(&ours, &post, BEFORE).await, Sent::No);
    let made = ours.send(post.clone()).await.unwrap();
    assert_eq!(find(&ours, &post, BEFORE).await, Sent::Yes(made));
    assert_eq!(find(&ours, &post, AFTER).await, Sent::No);
}

#[tokio::test]
async fn answers_to_a_command_are_remembered() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    world.fake.command(ids::GENERAL, ids::ANA, "status", "");
    let to = next(&mut heard).await.place.to;
    ours.send(text("k/1", &to, "first")).await.unwrap();
    let later = ours.send(text("k/2", &to, "later")).await.unwrap();
    // The first is put into the same place again.
    assert_eq!(find(&ours, &text("k/1", &to, "first"), BEFORE).await, Sent::No);
    assert_eq!(find(&ours, &text("k/2", &to, "later"), BEFORE).await, Sent::Yes(later));
    assert_eq!(find(&ours, &text("k/3", &to, "lost"), BEFORE).await, Sent::Unknown);
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn an_answer_to_what_cannot_be_answered_is_sent_as_a_message() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let refusals = [
        json!({ "code": 50035, "message": "Invalid Form Body", "errors": { "message_reference": {
            "_errors": [{ "code": "REPLIES_CANNOT_REPLY_TO_SYSTEM_MESSAGE", "message": "A system message" }]
        } } }),
        json!({ "code": 160002, "message": "Cannot reply without permission to read message history" }),
    ];
    let answering = |key: &str, message: &str| Outgoing {
        reply: Some(ReplyPlace { message: MessageId::new(message).unwrap(), quote: None }),
        ..text(key, &general(), "answer")
    };
    for (number, refusal) in refusals.into_iter().enumerate() {
        world.fake.fail(trouble("POST /channels", 400, refusal));
        ours.send(answering(&format!("k/{number}"), "1300000000000000001")).await.unwrap();
        assert_eq!(world.fake.requests().pop().unwrap().body.get("message_reference"), None);
    }
    ours.send(answering("k/7", "m-1")).await.unwrap();
    assert_eq!(world.fake.requests().pop().unwrap().body.get("message_reference"), None);
    assert_eq!(world.fake.messages(ids::GENERAL).len(), 3);
    world.fake.fail(trouble(
        "POST /channels",
        403,
        json!({ "code": 50013, "message": "Missing Permissions" }),
    ));
    let refused = ours.send(answering("k/8", "1300000000000000001")).await.unwrap_err();
    assert!(matches!(refused, ChannelError::Refused { .. }), "{refused:?}");
}

#[tokio::test]
async fn buttons_that_carry_much_or_the_same_come_back_whole() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    let long = "a long story ".repeat(20);
    let carried = ["short", &long, "short", "", &long];
    let row = carried.map(|data| Button { text: "Go".to_owned(), data: data.to_owned() }).to_vec();
    let ask = Outgoing { buttons: vec![row], ..text("k/1", &general(), "Which?") };
    let receipt = ours.send(ask).await.unwrap();
    let sent = world.fake.messages(ids::GENERAL).pop().unwrap();
    let shown = sent["components"][0]["components"].as_array().unwrap().clone();
    assert_eq!(shown[0]["custom_id"], "short");
    for (button, data) in shown.iter().zip(carried) {
        let name = button["custom_id"].as_str().unwrap();
        world.fake.press(ids::GENERAL, ids::ANA, receipt.message.as_str(), name);
        let InboundKind::Press(press) = next(&mut heard).await.kind else { panic!("a press") };
        assert_eq!(press.data, data);
    }
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn an_answer_for_one_person_never_goes_to_the_room() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    world.fake.command(ids::GENERAL, ids::ANA, "status", "");
    let late = next(&mut heard).await.place.to;
    world.fake.fail(trouble("PATCH /webhooks", 404, json!({ "message": "Unknown Webhook", "code": 10015 })));
    let sent = ours.send(text("k/1", &late, "late")).await.unwrap();
    world.fake.fail(trouble("PATCH /webhooks", 404, json!({ "message": "Unknown Webhook", "code": 10015 })));
    assert!(ours.send(text("k/2", &late, "later")).await.is_ok());
    world.fake.fail(trouble(
        "POST /interactions",
        404,
        json!({ "message": "Unknown interaction", "code": 10062 }),
    ));
    world.fake.command(ids::GENERAL, ids::ANA, "status", "");
    let missed = next(&mut heard).await.place.to;
    assert_eq!(missed, format!("user:{}", ids::ANA));
    ours.send(text("k/3", &missed, "missed")).await.unwrap();
    let alone: Vec<Value> =
        world.fake.messages(ids::DIRECT).iter().map(|each| each["content"].clone()).collect();
    assert!(alone.contains(&json!("late")) && alone.contains(&json!("missed")), "{alone:?}");
    assert_eq!(world.fake.messages(ids::GENERAL), Vec::<Value>::new());
    assert_eq!(sent.message.as_str(), world.fake.messages(ids::DIRECT)[0]["id"].as_str().unwrap());
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_chat_with_several_people_is_nobodys_direct_chat() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    let room = "1250000000000000009";
    world.fake.say_more(room, ids::BEN, &json!({ "content": "all of you", "channel_type": 3 }));
    let event = next(&mut heard).await;
    assert_eq!((event.place.kind, event.place.to), (ChatKind::Group, format!("channel:{room}")));
    // What is for the person alone does not go there.
    ours.send(text("k/1", &format!("user:{}", ids::BEN), "only you")).await.unwrap();
    assert_eq!(world.fake.messages(room).len(), 1);
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn rooms_and_people_are_found_after_a_session_was_taken_up() {
    let world = World::start().await;
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, mut ended) = ours.listen();
    world.fake.say(ids::GENERAL, ids::ANA, "before");
    next(&mut heard).await;
    ours.context.tasks.cancel();
    within(ended.recv()).await.unwrap().unwrap();
    let again = world.connect(json!({})).await.unwrap();
    assert_eq!(world.fake.sessions(), 1, "it is the same session");
    let directory = again.surface.directory.as_ref().unwrap();
    for _ in 0..2 {
        let rooms = directory.search(DirectoryKind::Rooms, "gen", 10).await.unwrap();
        assert_eq!(rooms.iter().map(|room| room.id.as_str()).collect::<Vec<_>>(), [general()]);
        assert_eq!(rooms[0].raw["guild"], "The Guild");
        assert_eq!(directory.search(DirectoryKind::People, "an", 10).await.unwrap().len(), 1);
    }
    let asked =
        world.fake.requests().into_iter().filter(|request| request.path == "/users/@me/guilds").count();
    assert_eq!(asked, 1);
}

#[tokio::test]
async fn a_message_of_one_person_can_still_be_changed_after_its_command_is_over() {
    let world = World::start().await;
    let ours = world.connect(json!({})).await.unwrap();
    let to = format!("{}:interaction:1299999999999999999:only:{}", general(), ids::ANA);
    let sent = ours.send(text("k/1", &to, "first")).await.unwrap();
    let target = text("k/1", &to, "").target;
    let edit = ours.surface.edit.as_ref().unwrap();
    edit.edit(&target, &sent.message, &RichText::plain("second")).await.unwrap();
    assert_eq!(world.fake.messages(ids::DIRECT)[0]["content"], "second");
}

#[tokio::test]
async fn a_session_is_not_given_up_because_its_place_cannot_be_reached() {
    let world = World::start().await;
    world.hear_and_end().await;
    let name = "channel/discord/default";
    let mut noted = world.state.get(name, "resume").await.unwrap().unwrap();
    noted["url"] = json!("ws://127.0.0.1:1/gone");
    world.state.put(name, "resume", noted).await.unwrap();
    world.fake.say(ids::GENERAL, ids::ANA, "meanwhile");
    let down = || trouble("GET /gateway/bot", 502, json!({}));
    world.fake.fail(down());
    let error = world.connect(json!({})).await.err().expect("nothing can be reached");
    assert!(error.is_passing(), "{error:?}");
    let mut ours = world.connect(json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen();
    assert_eq!(next(&mut heard).await.text, "meanwhile");
    // Also a line that was up tries for long enough.
    for _ in 0..4 {
        world.fake.fail(down());
    }
    world.fake.close_lines(4000);
    world.fake.say(ids::GENERAL, ids::ANA, "at last");
    assert_eq!(next(&mut heard).await.text, "at last");
    assert_eq!(world.fake.sessions(), 1);
    ours.context.tasks.cancel();
}
