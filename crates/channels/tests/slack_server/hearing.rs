//! Socket Mode.

use std::collections::BTreeSet;

use openclaw_ports::channel::{Capability, ChannelError, Health};
use openclaw_testkit::SlackFake;
use openclaw_types::{ChatKind, InboundKind};
use serde_json::json;

use super::{connect, event, kind, said, within};

#[tokio::test]
async fn messages_come_in_with_names_and_are_acknowledged() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let mut declared: BTreeSet<_> = kind().descriptor().capabilities.iter().copied().collect();
    declared.remove(&Capability::Webhook);
    assert_eq!(ours.surface.capabilities(), declared);
    assert_eq!(ours.surface.identity.id.as_str(), "U0CLAW");
    let (mut heard, _ended) = ours.listen(0);
    let first = fake.send("events_api", said("C0ROOM", "1.000100", "<@U0CLAW> hello")).await;
    let event = within(heard.recv()).await.unwrap();
    fake.acknowledged(&first).await;
    assert_eq!((event.event.as_str(), event.text.as_str()), ("C0ROOM:1.000100", "<@U0CLAW> hello"));
    assert_eq!((event.place.kind, event.place.to.as_str()), (ChatKind::Channel, "channel:C0ROOM"));
    assert_eq!((event.place.name.as_deref(), event.place.subject.as_deref()), (Some("room"), Some("Tests")));
    assert_eq!((event.from.name.as_deref(), event.from.handle.as_deref()), (Some("Ana"), Some("ana")));
    fake.send("events_api", said("D0ANA", "1.000200", "just us")).await;
    let event = within(heard.recv()).await.unwrap();
    assert_eq!((event.place.kind, event.place.to.as_str()), (ChatKind::Direct, "user:U0ANA"));
    // Names are asked for once.
    assert_eq!((fake.calls("users.info").len(), fake.calls("conversations.info").len()), (1, 1));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn names_that_slack_does_not_tell_hold_nothing_up_and_are_not_asked_for_again() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen(0);
    fake.refuse("users.info", "missing_scope");
    fake.refuse("conversations.info", "missing_scope");
    for ts in ["1.000100", "1.000200"] {
        fake.send("events_api", said("C0ROOM", ts, "hello")).await;
        let event = within(heard.recv()).await.unwrap();
        assert_eq!((event.from.name, event.place.name, event.place.kind), (None, None, ChatKind::Channel));
    }
    assert_eq!((fake.calls("users.info").len(), fake.calls("conversations.info").len()), (1, 1));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn what_is_not_kept_is_not_acknowledged_and_comes_again() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen(1);
    let lost = fake.send("events_api", said("D0ANA", "1.000100", "hello")).await;
    let again = fake.send("events_api", said("D0ANA", "1.000100", "hello")).await;
    assert_eq!(within(heard.recv()).await.unwrap().event.as_str(), "D0ANA:1.000100");
    fake.acknowledged(&again).await;
    assert!(!fake.is_acknowledged(&lost));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn what_is_not_ours_or_not_heard_is_acknowledged_all_the_same() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen(0);
    let mut foreign = said("D0ANA", "1.000100", "from elsewhere");
    foreign["team_id"] = json!("T0OTHER");
    for payload in [
        foreign,
        event(
            &json!({ "type": "message", "user": "U0CLAW", "bot_id": "B0CLAW", "text": "mine", "ts": "1.2", "channel": "D0ANA" }),
        ),
        event(&json!({ "type": "app_home_opened", "user": "U0ANA", "channel": "D0ANA" })),
        json!("nonsense"),
    ] {
        let envelope = fake.send("events_api", payload).await;
        fake.acknowledged(&envelope).await;
    }
    let envelope = fake.send("something_new", json!({})).await;
    fake.acknowledged(&envelope).await;
    fake.send("events_api", said("D0ANA", "9.000100", "the only one")).await;
    assert_eq!(within(heard.recv()).await.unwrap().text, "the only one");
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_line_that_is_announced_to_end_is_followed_by_another_and_both_are_heard() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen(0);
    fake.send("events_api", said("D0ANA", "1.000100", "before")).await;
    assert_eq!(within(heard.recv()).await.unwrap().text, "before");
    fake.announce_end("warning");
    fake.lines(2).await;
    let envelope = fake.send("events_api", said("D0ANA", "1.000200", "after")).await;
    assert_eq!(within(heard.recv()).await.unwrap().text, "after");
    fake.acknowledged(&envelope).await;
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_line_that_breaks_is_opened_again() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen(0);
    fake.send("events_api", said("D0ANA", "1.000100", "before")).await;
    assert_eq!(within(heard.recv()).await.unwrap().text, "before");
    fake.cut();
    fake.lines(2).await;
    fake.send("events_api", said("D0ANA", "1.000200", "after")).await;
    assert_eq!(within(heard.recv()).await.unwrap().text, "after");
    let told = ours.told.0.lock().unwrap().clone();
    assert!(told.iter().any(|health| matches!(health, Health::Reconnecting { .. })), "{told:?}");
    assert!(matches!(told.last(), Some(Health::Connected(_))), "{told:?}");
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_line_that_cannot_be_opened_again_ends_with_the_reason() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (mut heard, mut ended) = ours.listen(0);
    fake.send("events_api", said("D0ANA", "1.000100", "before")).await;
    within(heard.recv()).await.unwrap();
    fake.refuse("apps.connections.open", "token_revoked");
    fake.cut();
    let end = within(ended.recv()).await.unwrap();
    assert_eq!(
        end,
        Err(ChannelError::Unauthorized { reason: "apps.connections.open: token_revoked".into() })
    );
}

#[tokio::test]
async fn lines_that_end_soon_again_and_again_are_left_to_the_host() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (mut heard, mut ended) = ours.listen(0);
    for line in 1..=4 {
        fake.lines(line).await;
        fake.send("events_api", said("D0ANA", &format!("1.00010{line}"), "up")).await;
        within(heard.recv()).await.unwrap();
        fake.cut();
    }
    let end = within(ended.recv()).await.unwrap();
    assert!(matches!(end, Err(ChannelError::Unreachable { .. })), "{end:?}");
    assert_eq!(fake.calls("apps.connections.open").len(), 4);
}

#[tokio::test]
async fn too_many_connections_are_no_reason_for_another() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (_heard, mut ended) = ours.listen(0);
    fake.lines(1).await;
    fake.announce_end("too_many_websockets");
    let end = within(ended.recv()).await.unwrap();
    assert!(matches!(end, Err(ChannelError::Unreachable { .. })), "{end:?}");
    assert_eq!(fake.calls("apps.connections.open").len(), 1);
}

#[tokio::test]
async fn an_event_whose_lookups_take_long_holds_up_no_other_conversation() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen(0);
    fake.send("events_api", said("D0ANA", "1.000100", "so that Ana is known")).await;
    within(heard.recv()).await.unwrap();
    fake.hold_answer("conversations.info");
    let slow = fake.send("events_api", said("C0ROOM", "1.000200", "slow")).await;
    let quick = fake.send("events_api", said("D0ANA", "1.000300", "quick")).await;
    assert_eq!(within(heard.recv()).await.unwrap().text, "quick");
    assert_eq!(within(heard.recv()).await.unwrap().text, "slow");
    fake.acknowledged(&slow).await;
    fake.acknowledged(&quick).await;
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn what_is_said_in_a_shared_conversation_is_ours_wherever_it_was_said() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen(0);
    let mut shared = said("C0ROOM", "1.000100", "from the other company");
    shared["team_id"] = json!("T0OTHER");
    shared["authorizations"] = json!([{ "team_id": "T0FAKE", "user_id": "U0CLAW", "is_bot": true }]);
    fake.send("events_api", shared).await;
    let event = within(heard.recv()).await.unwrap();
    assert_eq!(event.place.team.as_ref().map(|team| team.as_str()), Some("T0FAKE"));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_field_that_is_not_as_expected_does_not_cost_the_message() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen(0);
    let mut odd = said("D0ANA", "1.000100", "hello");
    odd["challenge"] = json!(["none"]);
    odd["event"]["username"] = json!({ "name": "ana" });
    odd["event"]["files"] =
        json!([{ "id": "F1", "size": "large", "name": "note.txt", "url_private": fake.file("note") }, 7]);
    fake.send("events_api", odd).await;
    let event = within(heard.recv()).await.unwrap();
    assert_eq!((event.text.as_str(), event.media.len()), ("hello", 1));
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn what_slack_says_about_the_app_is_told_to_a_person() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (_heard, _ended) = ours.listen(0);
    for (payload, about) in [
        (event(&json!({ "type": "tokens_revoked", "tokens": { "bot": ["U0CLAW"] } })), "tokens were revoked"),
        (event(&json!({ "type": "app_uninstalled" })), "install it again"),
        (json!({ "type": "app_rate_limited", "team_id": "T0FAKE", "minute_rate_limited": 1 }), "too many"),
    ] {
        let envelope = fake.send("events_api", payload).await;
        fake.acknowledged(&envelope).await;
        let told = ours.told.0.lock().unwrap().clone();
        let Some(Health::Limited { reason }) = told.last() else { panic!("{told:?}") };
        assert!(reason.contains(about), "{reason}");
    }
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn socket_mode_that_is_switched_off_needs_a_person() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (_heard, mut ended) = ours.listen(0);
    fake.lines(1).await;
    fake.announce_end("link_disabled");
    assert!(matches!(within(ended.recv()).await.unwrap(), Err(ChannelError::Unauthorized { .. })));
}

#[tokio::test]
async fn cancelling_ends_the_line_at_once() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (_heard, mut ended) = ours.listen(0);
    ours.context.tasks.cancel();
    assert_eq!(within(ended.recv()).await.unwrap(), Ok(()));
}

#[tokio::test]
async fn wrong_tokens_are_told_when_connecting() {
    let fake = SlackFake::start().await;
    for (more, reason) in [
        (json!({ "botToken": "xoxb-wrong" }), "auth.test: invalid_auth"),
        (json!({ "appToken": "xapp-wrong" }), "apps.connections.open: invalid_auth"),
    ] {
        let error = connect(&fake, more).await.err().expect("refused");
        assert_eq!(error, ChannelError::Unauthorized { reason: reason.into() });
        assert!(!error.to_string().contains("wrong"));
    }
}

#[tokio::test]
async fn a_thread_we_come_to_brings_what_was_said_there() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({})).await.unwrap();
    let (mut heard, _ended) = ours.listen(0);
    let page = json!({ "ok": true, "messages": [
        { "ts": "1.000100", "user": "U0BEN", "text": "How &amp; why?" },
        { "ts": "1.000200", "user": "U0CLAW", "text": "Because." },
        { "ts": "1.000300", "user": "U0ANA", "text": "<@U0CLAW> and then?" },
    ] });
    fake.answer("conversations.replies", page);
    let reply = |ts: &str| {
        event(&json!({
            "type": "message", "user": "U0ANA", "text": "<@U0CLAW> and then?", "ts": ts, "thread_ts": "1.000100",
            "parent_user_id": "U0BEN", "channel": "C0ROOM", "channel_type": "channel", "event_ts": ts,
        }))
    };
    fake.send("events_api", reply("1.000300")).await;
    let first = within(heard.recv()).await.unwrap();
    assert_eq!(first.facts, [("thread_before".to_owned(), "<@U0BEN>: How & why?\nyou: Because.".to_owned())]);
    assert_eq!(first.place.session_thread.as_ref().map(|thread| thread.as_str()), Some("1.000100"));
    fake.send("events_api", reply("1.000400")).await;
    assert_eq!(within(heard.recv()).await.unwrap().facts, []);
    assert_eq!(fake.calls("conversations.replies").len(), 1);
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn a_command_is_answered_to_the_one_who_typed_it() {
    let fake = SlackFake::start().await;
    let mut ours = connect(&fake, json!({ "slashCommand": { "enabled": true } })).await.unwrap();
    let (mut heard, _ended) = ours.listen(0);
    let envelope = fake
        .send(
            "slash_commands",
            json!({
                "command": "/openclaw", "text": "hello", "user_id": "U0ANA", "user_name": "ana",
                "channel_id": "C0ROOM", "channel_name": "room", "team_id": "T0FAKE", "trigger_id": "1.2.3",
                "response_url": fake.response_url(),
            }),
        )
        .await;
    let event = within(heard.recv()).await.unwrap();
    fake.acknowledged(&envelope).await;
    assert_eq!((event.kind, event.text.as_str()), (InboundKind::Message, "hello"));
    assert_eq!(event.place.to, "ephemeral:C0ROOM:U0ANA");
    // What is said by command stays out of the room's session.
    assert_eq!(event.place.own_session.as_deref(), Some("slack:slash:U0ANA"));
    ours.send(&super::piece("k/1", &event.place.to, "psst")).await.unwrap();
    assert_eq!(
        fake.responses(),
        [json!({ "response_type": "ephemeral", "replace_original": false, "text": "psst" })]
    );
    ours.context.tasks.cancel();
}

#[tokio::test]
async fn names_of_rooms_are_looked_up_once_when_the_line_comes_up() {
    let fake = SlackFake::start().await;
    let ours =
        connect(&fake, json!({ "channels": { "#Room": {}, "nowhere": {}, "C0OTHER": {} } })).await.unwrap();
    let found: Vec<_> = ours.surface.named_rooms.iter().map(|room| (&*room.name, &*room.id)).collect();
    assert_eq!(found, [("room", "C0ROOM")]);
}
