//! Voices against captured runs of the original, and what people must not see.

use std::time::Duration;

use openclaw_flow::Verbose;
use openclaw_protocol::events::ChatState;
use openclaw_types::{
    AbortCause, ConnectionId, Content, ModelAttempt, ModelRef, ModelSwitch, RunEnd, RunEnding, RunEvent,
    RunId, SessionKey, ToolCallId, ToolOutcome, UnixMillis,
};
use serde_json::{Value, json};

use super::dialect::for_older;
use super::encoder::{Moment, RunEventEncoder, WireEvent};
use super::run_events::{MOST_WATCHED, RunEvents};

const CAPTURED: &str = include_str!("fixtures/captured-runs.json");

fn encoder() -> RunEventEncoder {
    let key: SessionKey = "agent:main:main".parse().unwrap();
    RunEventEncoder::new(RunId::new("run-1").unwrap(), key, "main".to_owned())
}

fn at(millis: i64) -> Moment {
    Moment { now: UnixMillis(millis), elapsed: Duration::from_millis(u64::try_from(millis).unwrap()) }
}

fn words(delta: &str) -> RunEvent {
    RunEvent::Words { delta: delta.to_owned() }
}

fn ended(how: RunEnding) -> RunEvent {
    RunEvent::Ended(RunEnd { started_at: UnixMillis(0), ended_at: UnixMillis(0), how })
}

/// What a client of protocol 3 gets, without times.
fn shown(sayings: &[WireEvent]) -> Vec<Value> {
    let row = |event: &str, numbered: bool, payload: Value| json!({"event": event, "numbered": numbered, "payload": payload});
    let rows = sayings.iter().filter_map(|saying| match saying {
        WireEvent::Agent(payload) => Some(row("agent", true, json!(payload))),
        WireEvent::Tool(payload) => Some(row("agent", false, json!(payload))),
        WireEvent::Chat(payload) => Some(row("chat", true, json!(for_older((**payload).clone())))),
        WireEvent::Status(_) => None,
    });
    rows.map(timeless).collect()
}

fn timeless(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields
                .into_iter()
                .filter(|(name, _)| !matches!(name.as_str(), "ts" | "timestamp" | "startedAt" | "endedAt"));
            Value::Object(kept.map(|(name, value)| (name, timeless(value))).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(timeless).collect()),
        other => other,
    }
}

/// The steps that led to a captured event; chat events follow from the others.
fn steps(row: &Value) -> Vec<RunEvent> {
    let (payload, data) = (&row["payload"], &row["payload"]["data"]);
    if row["event"] != "agent" {
        return Vec::new();
    }
    let call = || ToolCallId::new(data["toolCallId"].as_str().unwrap()).unwrap();
    let name = || data["name"].as_str().unwrap().to_owned();
    match (payload["stream"].as_str().unwrap(), data["phase"].as_str()) {
        ("lifecycle", Some("start")) => vec![RunEvent::Started { at: UnixMillis(0) }],
        ("lifecycle", _) => vec![RunEvent::MessageEnded, ended(RunEnding::Answered)],
        ("assistant", _) if data["text"] == data["delta"] => {
            vec![RunEvent::MessageStarted, words(data["delta"].as_str().unwrap())]
        }
        ("assistant", _) => vec![words(data["delta"].as_str().unwrap())],
        ("tool", Some("start")) => vec![
            RunEvent::MessageEnded,
            RunEvent::ToolStarted { call: call(), name: name(), arguments: data["args"].clone() },
        ],
        ("tool", Some("update")) => {
            let partial = vec![Content::text("hello-tool")];
            vec![RunEvent::ToolProgressed { call: call(), name: name(), partial, details: None }]
        }
        ("tool", _) => vec![RunEvent::ToolEnded {
            call: call(),
            name: name(),
            outcome: ToolOutcome::Done,
            meta: data["meta"].as_str().map(str::to_owned),
            result: vec![Content::text("hello-tool")],
            details: None,
        }],
        other => panic!("a captured step nobody knows: {other:?}"),
    }
}

#[test]
fn captured_runs_of_the_original_are_told_event_for_event() {
    let captured: Value = serde_json::from_str(CAPTURED).unwrap();
    for (name, rows) in captured.as_object().unwrap() {
        let mut encoder = encoder();
        let mut told = Vec::new();
        for row in rows.as_array().unwrap() {
            let moment = at(row["payload"]["ts"].as_i64().unwrap_or_default());
            for step in steps(row) {
                told.extend(encoder.tell(&step, Verbose::Off, moment));
            }
        }
        let expected: Vec<Value> = rows.as_array().unwrap().iter().cloned().map(timeless).collect();
        assert_eq!(shown(&told), expected, "{name}");
    }
}

#[test]
fn words_in_a_rush_are_joined_and_none_is_lost() {
    let mut encoder = encoder();
    encoder.tell(&RunEvent::MessageStarted, Verbose::Off, at(0));
    let mut told = Vec::new();
    for number in 0..100 {
        told.extend(encoder.tell(&words(&format!("{number} ")), Verbose::Off, at(number)));
    }
    told.extend(encoder.tell(&RunEvent::MessageEnded, Verbose::Off, at(100)));
    told.extend(encoder.tell(&ended(RunEnding::Answered), Verbose::Off, at(101)));
    let deltas: String = told
        .iter()
        .filter_map(|saying| match saying {
            WireEvent::Agent(step) => step.data.get("delta").and_then(Value::as_str),
            _ => None,
        })
        .collect();
    let expected: Vec<String> = (0..100).map(|number| number.to_string()).collect();
    assert_eq!(deltas, expected.join(" "));
    let steps = told.iter().filter(|saying| matches!(saying, WireEvent::Agent(_))).count();
    assert_eq!(steps, 6, "four every 30 ms, the rest, the end");
    let states: Vec<ChatState> = told
        .iter()
        .filter_map(|saying| match saying {
            WireEvent::Chat(chat) => Some(chat.state),
            _ => None,
        })
        .collect();
    assert_eq!(states, [ChatState::Delta, ChatState::Final]);
}

#[test]
fn silence_and_marks_are_not_shown() {
    for (said, expected) in
        [("NO_REPLY", Value::Null), ("[[reply_to_current]] Hi.", json!("Hi.")), ("", Value::Null)]
    {
        let mut encoder = encoder();
        encoder.tell(&RunEvent::MessageStarted, Verbose::Off, at(0));
        let mut told = encoder.tell(&words(said), Verbose::Off, at(0));
        told.extend(encoder.tell(&RunEvent::MessageEnded, Verbose::Off, at(1)));
        told.extend(encoder.tell(&ended(RunEnding::Answered), Verbose::Off, at(2)));
        let last = shown(&told).pop().unwrap();
        assert_eq!(last["payload"]["state"], "final");
        assert_eq!(last["payload"]["message"]["content"][0]["text"], expected, "{said}");
    }
}

#[test]
fn a_stopped_run_names_its_session_as_it_was_written_and_keeps_its_words() {
    let mut encoder = encoder();
    encoder.tell(&RunEvent::MessageStarted, Verbose::Off, at(0));
    encoder.tell(&words("half an"), Verbose::Off, at(0));
    let told = encoder.tell(&ended(RunEnding::Aborted(AbortCause::Request)), Verbose::Off, at(1));
    assert_eq!(
        shown(&told).pop().unwrap()["payload"],
        json!({
            "runId": "run-1", "sessionKey": "main", "seq": 2, "state": "aborted", "stopReason": "rpc",
            "message": {"role": "assistant", "content": [{"type": "text", "text": "half an"}]},
        })
    );
}

#[test]
fn results_of_tools_are_shown_only_where_everything_is() {
    let whole = json!({"content": [{"type": "text", "text": "out"}], "details": {"exitCode": 3}});
    for (verbose, expected) in
        [(Verbose::Off, Value::Null), (Verbose::On, Value::Null), (Verbose::Full, whole)]
    {
        let (call, name) = (ToolCallId::new("c").unwrap(), "exec".to_owned());
        let (content, details) = (vec![Content::text("out")], Some(json!({"exitCode": 3})));
        let shows = RunEvent::ToolProgressed {
            call: call.clone(),
            name: name.clone(),
            partial: content.clone(),
            details: details.clone(),
        };
        let ends = RunEvent::ToolEnded {
            call,
            name,
            outcome: ToolOutcome::Failed,
            meta: None,
            result: content,
            details,
        };
        let data =
            |event: &RunEvent| shown(&encoder().tell(event, verbose, at(0)))[0]["payload"]["data"].clone();
        assert_eq!(data(&shows)["partialResult"], expected);
        assert_eq!(data(&ends)["isError"], true);
        assert_eq!(data(&ends)["result"], expected);
    }
}

#[test]
fn a_second_message_replaces_the_first_for_those_who_add_up_what_is_new() {
    let mut encoder = encoder();
    let mut deltas = Vec::new();
    for (moment, said) in [(0, "first"), (1_000, "second")] {
        encoder.tell(&RunEvent::MessageStarted, Verbose::Off, at(moment));
        for saying in encoder.tell(&words(said), Verbose::Off, at(moment)) {
            if let WireEvent::Chat(chat) = saying {
                deltas.push((chat.delta_text.unwrap(), chat.replace));
            }
        }
    }
    assert_eq!(deltas, [("first".to_owned(), None), ("second".to_owned(), Some(true))]);
}

#[test]
fn newer_chats_are_told_what_a_run_does_until_its_first_word() {
    let mut encoder = encoder();
    let mut phases = Vec::new();
    let asked = RunEvent::ModelAsked;
    for event in [RunEvent::Started { at: UnixMillis(0) }, asked.clone(), asked.clone()] {
        for saying in encoder.tell(&event, Verbose::Off, at(0)) {
            if let WireEvent::Status(status) = saying {
                phases.push(json!(status));
            }
        }
    }
    let status = |phase: &str| {
        json!({
            "runId": "run-1", "sessionKey": "agent:main:main", "agentId": "main", "seq": 1, "state": "status",
            "phase": phase,
        })
    };
    assert_eq!(phases, [status("preparing_context"), status("starting_model")]);
    encoder.tell(&RunEvent::MessageStarted, Verbose::Off, at(1));
    encoder.tell(&words("Hi."), Verbose::Off, at(1));
    assert_eq!(encoder.tell(&asked, Verbose::Off, at(2)), []);
}

/// The chat event that ends a run of these messages.
fn end_of(messages: &[&str]) -> Value {
    let mut encoder = encoder();
    let mut told = Vec::new();
    for (number, said) in (0..).zip(messages) {
        encoder.tell(&RunEvent::MessageStarted, Verbose::Off, at(number));
        encoder.tell(&words(said), Verbose::Off, at(number));
        encoder.tell(&RunEvent::MessageEnded, Verbose::Off, at(number));
    }
    told.extend(encoder.tell(&ended(RunEnding::Answered), Verbose::Off, at(1_000)));
    shown(&told).pop().unwrap()["payload"]["message"]["content"][0]["text"].clone()
}

#[test]
fn a_run_that_ends_with_an_empty_message_ends_with_what_it_said_last() {
    for (messages, expected) in [
        (vec!["One moment.", ""], json!("One moment.")),
        (vec!["One moment.", "", ""], json!("One moment.")),
        (vec!["One moment.", "NO_REPLY"], json!("One moment.")),
        (vec!["One moment.", "Done."], json!("Done.")),
        (vec!["", ""], Value::Null),
    ] {
        assert_eq!(end_of(&messages), expected, "{messages:?}");
    }
}

#[test]
fn words_between_sessions_that_end_a_talk_are_not_shown() {
    for said in ["REPLY_SKIP", "**ANNOUNCE_SKIP**", "NO_REPLY"] {
        assert_eq!(end_of(&[said]), Value::Null, "{said}");
    }
}

#[test]
fn what_the_gateway_writes_below_an_answer_stands_on_a_line_of_its_own() {
    let mut encoder = encoder();
    encoder.tell(&RunEvent::MessageStarted, Verbose::Off, at(0));
    encoder.tell(&words("Done.\n"), Verbose::Off, at(0));
    encoder.tell(&RunEvent::MessageEnded, Verbose::Off, at(1));
    encoder.tell(&words("\nUsage: 1 in / 2 out"), Verbose::Off, at(2));
    let told = shown(&encoder.tell(&ended(RunEnding::Answered), Verbose::Off, at(3)));
    let text = &told.last().unwrap()["payload"]["message"]["content"][0]["text"];
    assert_eq!(text, "Done.\nUsage: 1 in / 2 out");
}

#[test]
fn the_oldest_wish_to_see_a_run_makes_room_and_a_wish_is_taken_back() {
    let board = RunEvents::default();
    let run = |number: usize| RunId::new(format!("run-{number}")).unwrap();
    let (one, two) = (ConnectionId::new("one").unwrap(), ConnectionId::new("two").unwrap());
    for number in 0..MOST_WATCHED {
        assert!(board.watch(&run(number), &one));
    }
    assert!(!board.watch(&run(1), &one), "it sees that run already");
    assert!(board.watch(&run(MOST_WATCHED), &one));
    assert_eq!((board.watchers(&run(0)).len(), board.watchers(&run(MOST_WATCHED)).len()), (0, 1));
    board.watch(&run(1), &two);
    board.unwatch(&run(1), &one);
    assert_eq!(board.watchers(&run(1)), std::slice::from_ref(&two));
    board.unwatch(&run(1), &two);
    assert_eq!(board.watchers(&run(1)), []);
}

#[test]
fn files_of_an_answer_are_told_and_shown_at_its_end() {
    let mut encoder = encoder();
    let mut told = Vec::new();
    for (number, step) in [
        RunEvent::MessageStarted,
        words("Here:\nMEDIA:/w/a.png\n"),
        RunEvent::MessageEnded,
        ended(RunEnding::Answered),
    ]
    .iter()
    .enumerate()
    {
        told.extend(encoder.tell(step, Verbose::Off, at(i64::try_from(number).unwrap() * 1_000)));
    }
    let rows = shown(&told);
    let files: Vec<&Value> = rows.iter().filter_map(|row| row.pointer("/payload/data/mediaUrls")).collect();
    assert_eq!(files.last(), Some(&&json!(["/w/a.png"])));
    let last = rows.last().unwrap();
    assert_eq!(last.pointer("/payload/message/content/0/text"), Some(&json!("Here:\nMEDIA:/w/a.png")));
}

#[test]
fn an_answer_that_is_only_a_file_ends_with_something_to_show() {
    let mut encoder = encoder();
    let steps = [
        RunEvent::MessageStarted,
        words("MEDIA:./a.png"),
        RunEvent::MessageEnded,
        ended(RunEnding::Answered),
    ];
    let told: Vec<WireEvent> =
        steps.iter().flat_map(|step| encoder.tell(step, Verbose::Off, at(0))).collect();
    let rows = shown(&told);
    let step = &rows[0]["payload"]["data"];
    assert_eq!(step, &json!({ "text": "", "delta": "", "mediaUrls": ["./a.png"] }));
    let last = &rows.last().unwrap()["payload"];
    assert_eq!(
        (&last["state"], last["message"]["content"][0]["text"].as_str()),
        (&json!("final"), Some("MEDIA:./a.png"))
    );
}

#[test]
fn another_model_is_told_with_what_was_tried_and_its_return_with_what_answered_before() {
    let model = |text: &str| -> ModelRef { text.parse().unwrap() };
    let tried = ModelAttempt {
        model: model("acme/large"),
        reason: "rate_limit".to_owned(),
        error: "acme/large rests".to_owned(),
    };
    let switch = ModelSwitch {
        selected: model("acme/large"),
        active: model("box/small"),
        reason: Some("rate_limit".to_owned()),
        attempts: vec![tried],
        previous: Some(model("acme/large")),
    };
    let mut encoder = encoder();
    let told = shown(&encoder.tell(&RunEvent::ModelSwitched(switch.clone()), Verbose::Off, at(0)));
    let data = &told[0]["payload"]["data"];
    assert_eq!(data["attemptSummaries"], json!(["acme/large rate_limit"]));
    assert_eq!(
        data["attempts"],
        json!([{ "provider": "acme", "model": "large", "error": "acme/large rests", "reason": "rate_limit" }])
    );
    assert_eq!(data.get("previousActiveModel"), None);
    let back = ModelSwitch {
        active: model("acme/large"),
        attempts: Vec::new(),
        reason: None,
        previous: Some(model("box/small")),
        ..switch
    };
    let told = shown(&encoder.tell(&RunEvent::ModelRestored(back), Verbose::Off, at(0)));
    assert_eq!(told[0]["payload"]["data"]["previousActiveModel"], "box/small");
}
