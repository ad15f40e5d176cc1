//! Recorded events of every kind, and what they are in neutral words.

use openclaw_testkit::slack_event_fits;
use openclaw_types::{AccountId, ChatKind, Inbound, ReplyToMode, UnixMillis};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::config::Habits;
use super::super::known::{PersonFacts, RoomFacts};
use super::super::normalize::{Facts, SlackContext, Us, command, inbound, moment, needs, press, readable};
use super::super::wire::{Callback, Interaction, SlashCommand};

fn us() -> Us {
    Us { user: "U0CLAW".into(), bot: Some("B0CLAW".into()), team: Some("T0TEAM".into()), many_teams: false }
}

fn habits() -> Habits {
    Habits {
        threads_hear_room: false,
        slash: Some("openclaw".into()),
        slash_session: "slack:slash".into(),
        slash_only_for_them: true,
        commands: true,
        thread_history: 20,
        native_streams: true,
        reply_to: vec![(ChatKind::Channel, ReplyToMode::Off)],
        off: Vec::new(),
    }
}

/// What would have been looked up: Ana, and the kinds of the rooms.
fn facts(room: Option<&str>, called: fn(&Value) -> Value) -> Facts {
    let name = |key: &str, name: &str| called(&json!({ key: name }))[key].as_str().map(str::to_owned);
    let room = match room {
        Some("C0ROOM") => RoomFacts {
            name: name("name", "room"),
            kind: Some(ChatKind::Channel),
            topic: name("topic", "Tests"),
            ..RoomFacts::default()
        },
        _ => RoomFacts::default(),
    };
    let person = PersonFacts { name: name("name", "Ana"), handle: name("name", "ana"), bot: false };
    Facts { person, room, thread: Vec::new() }
}

/// The recorded events, by name.
pub(in crate::slack) fn recordings() -> Map<String, Value> {
    let files = [
        include_str!("../fixtures/messages.json"),
        include_str!("../fixtures/happenings.json"),
        include_str!("../fixtures/gestures.json"),
    ];
    let read = |file| serde_json::from_str::<Map<String, Value>>(file).expect("a map of events");
    files.into_iter().flat_map(read).collect()
}

/// A recorded event in neutral words, where people and places are called otherwise.
pub(in crate::slack) fn neutral(recorded: &Value, called: fn(&Value) -> Value) -> Option<Inbound> {
    neutral_to(recorded, called, &habits())
}

fn neutral_to(recorded: &Value, called: fn(&Value) -> Value, habits: &Habits) -> Option<Inbound> {
    let recorded = &called(recorded);
    let (account, us) = (AccountId::new("default").expect("an id"), us());
    let hear = |event: Option<&str>, facts: &Facts, read: &dyn Fn(&SlackContext<'_>) -> Option<Inbound>| {
        read(&SlackContext {
            account: &account,
            us: &us,
            habits,
            team: Some("T0TEAM"),
            event,
            now: UnixMillis(1_763_280_000_500),
            facts,
        })
    };
    if let Some(payload) = recorded.get("slash") {
        let typed: SlashCommand = serde_json::from_value(payload.clone()).expect("a command");
        return hear(None, &facts(Some(&typed.channel_id), called), &|hearing| {
            command(&typed, hearing).expect("ids")
        });
    }
    if let Some(payload) = recorded.get("interactive") {
        let touched: Interaction = serde_json::from_value(payload.clone()).expect("something touched");
        let room = touched.channel.as_ref().map(|channel| channel.id.clone());
        return hear(None, &facts(room.as_deref(), called), &|hearing| {
            press(&touched, hearing).expect("ids")
        });
    }
    let callback: Callback = serde_json::from_value(recorded["event"].clone()).expect("an event");
    let needed = needs(&callback.event, &us)?;
    let facts = Facts {
        person: if needed.person.is_some() { facts(None, called).person } else { PersonFacts::default() },
        ..facts(needed.room.as_deref(), called)
    };
    hear(callback.event_id.as_deref(), &facts, &|hearing| inbound(&callback.event, hearing).expect("ids"))
}

#[test]
fn every_recorded_event_is_told_as_written_down() {
    let mut different = Map::new();
    for (name, recorded) in recordings() {
        let told = json!(neutral(&recorded, Value::clone));
        if told != recorded["neutral"] {
            different.insert(name, told);
        }
    }
    assert!(different.is_empty(), "told otherwise:\n{}", json!(different));
}

#[test]
fn recorded_events_are_such_as_slack_describes() {
    for (name, recorded) in recordings() {
        if let Some(event) = recorded.get("event") {
            assert_eq!(slack_event_fits(event), Ok(()), "{name}");
        }
    }
}

#[test]
fn threads_hear_their_room_where_the_account_says_so() {
    let recorded = &recordings()["message_channel_mention"];
    for threads_hear_room in [false, true] {
        let said = neutral_to(recorded, Value::clone, &Habits { threads_hear_room, ..habits() });
        assert_eq!(said.expect("a message").place.threads_hear_room, threads_hear_room);
    }
}

#[test]
fn a_message_and_its_mention_are_one_event() {
    let recorded = recordings();
    let said = neutral(&recorded["message_channel_mention"], Value::clone).expect("a message");
    let mentioned = neutral(&recorded["app_mention"], Value::clone).expect("a message");
    assert_eq!((&said.event, said.message), (&mentioned.event, mentioned.message));
    assert!(said.attention.mentions_us && mentioned.attention.mentions_us);
}

#[test]
fn words_are_read_as_people_see_them() {
    for (written, read) in [
        ("a &amp;lt; b &lt;i&gt;", "a &lt; b <i>"),
        ("<https://a.example>", "https://a.example"),
        (
            "<https://a.example|here> and <mailto:a@b.example|a@b.example>",
            "here (https://a.example) and a@b.example",
        ),
        ("<@U1> <@U1|ana> <#C1> <#C1|general>", "<@U1> <@U1> <#C1> #general"),
        ("<!here> <!subteam^S1|@team> <!date^1^{date}|today>", "@here @team today"),
        ("unfinished <tag", "unfinished <tag"),
        ("<>", ""),
    ] {
        assert_eq!(readable(written), read, "{written}");
    }
}

#[test]
fn times_of_messages_are_read_and_nonsense_is_not() {
    assert_eq!(moment("1763280000.123456"), Some(UnixMillis(1_763_280_000_123)));
    assert_eq!(moment("5"), Some(UnixMillis(5_000)));
    for wrong in ["", "x", "1.x", "99999999999999999999.1", "9223372036854775807.9"] {
        assert_eq!(moment(wrong), None, "{wrong}");
    }
}

proptest! {
    #[test]
    fn nothing_that_comes_makes_reading_panic(text in "\\PC{0,200}", ts in "[0-9.x]{0,24}", kind in "[a-z_]{0,20}") {
        let event = json!({ "event": { "type": "event_callback", "event": {
            "type": if kind.len() > 10 { "message" } else { "app_mention" }, "subtype": (kind.len() > 15).then_some(&kind),
            "text": text, "ts": ts, "thread_ts": ts, "user": kind, "channel": text,
            "attachments": [{ "is_share": true, "text": text, "ts": ts, "author_id": text }],
        } } });
        let callback: Callback = serde_json::from_value(event["event"].clone()).expect("an event");
        let (account, us, habits, facts) =
            (AccountId::new("default").expect("an id"), us(), habits(), Facts::default());
        let hearing = SlackContext {
            account: &account, us: &us, habits: &habits, team: None, event: None, now: UnixMillis(1), facts: &facts,
        };
        if let Ok(Some(told)) = inbound(&callback.event, &hearing) {
            prop_assert!(!told.text.is_empty());
        }
    }
}
