//! What scripts say in process, which one is chosen, and that the demonstration never passes for an AI.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use openclaw_ports::model::{
    ApiName, Completion, FaultReason, ModelEvent, ModelFault, ModelLine, ModelRequest, ModelRoute,
    ModelStream, ServerReach,
};
use openclaw_ports::{Clock, SystemClock};
use openclaw_testkit::SimClock;
use openclaw_types::{
    Content, ProviderId, StopReason, Thinking, ThinkingLevel, ToolCall, ToolCallId, ToolOutcome, Usage,
};
use serde_json::json;

use super::demo::script;
use super::{
    Asked, DemoLine, Gate, LastTurn, Rejection, SCRIPTED_USAGE, Script, ScriptedLine, Scripts, demo_provider,
};
use crate::apis::samples::{hello, request, result, target, user};

fn route() -> ModelRoute {
    ModelRoute {
        provider: ProviderId::new("demo").unwrap(),
        api: ApiName::OpenaiCompletions,
        target: target("scripted", "demo://scripted"),
        aws: None,
        reach: ServerReach::Anywhere,
    }
}

fn open(script: Script) -> ModelStream {
    open_with(script, Arc::new(SystemClock::new()))
}

fn open_with(script: Script, clock: Arc<dyn Clock>) -> ModelStream {
    ScriptedLine::new(script, clock).open(Arc::new(request(vec![hello()])), route())
}

fn started() -> ModelEvent {
    ModelEvent::Started { response_id: Some("scripted-1".to_owned()), model: Some("scripted".to_owned()) }
}

fn text(piece: usize, delta: &str) -> ModelEvent {
    ModelEvent::Text { piece, delta: delta.to_owned() }
}

fn done(content: Vec<Content>, stop: StopReason, usage: Usage) -> ModelEvent {
    ModelEvent::Done(Completion {
        content,
        stop,
        usage: Some(usage),
        response_id: Some("scripted-1".to_owned()),
        model: Some("scripted".to_owned()),
    })
}

#[tokio::test]
async fn a_script_is_played_piece_by_piece() {
    let arguments = json!({"path": "a.txt"});
    let usage = Usage { input: 3, output: 4, total_tokens: 7, ..Usage::default() };
    let script = Script::new()
        .in_pieces_of(9)
        .think("Let me see.")
        .say("I read.")
        .call_tool("read", arguments.clone())
        .usage(usage);
    let thought = Content::Thinking(Thinking { text: "Let me see.".to_owned(), signature: None });
    let id = ToolCallId::new("call_1_2").unwrap();
    let call =
        Content::ToolCall(ToolCall { id: id.clone(), name: "read".to_owned(), arguments, signature: None });
    let thinking = |delta: &str| ModelEvent::Thinking { piece: 0, delta: delta.to_owned() };
    let grew = |delta: &str| ModelEvent::ToolCallArguments { piece: 2, delta: delta.to_owned() };
    let events: Vec<ModelEvent> = open(script).collect().await;
    assert_eq!(
        events,
        [
            started(),
            thinking("Let me se"),
            thinking("e."),
            ModelEvent::PieceEnded { piece: 0, content: thought.clone() },
            text(1, "I read."),
            ModelEvent::PieceEnded { piece: 1, content: Content::text("I read.") },
            ModelEvent::ToolCallStarted { piece: 2, id, name: "read".to_owned() },
            grew("{\"path\":\""),
            grew("a.txt\"}"),
            ModelEvent::PieceEnded { piece: 2, content: call.clone() },
            done(vec![thought, Content::text("I read."), call], StopReason::ToolUse, usage),
        ]
    );
}

#[tokio::test]
async fn words_around_a_gate_are_one_piece() {
    let gate = Gate::new();
    let mut stream = open(Script::new().say("Hel").hold(&gate).say("lo"));
    assert_eq!(stream.next().await, Some(started()));
    assert_eq!(stream.next().await, Some(text(0, "Hel")));
    let (rest, ()) = tokio::join!(stream.collect::<Vec<_>>(), async {
        gate.until_arrived(1).await;
        gate.open();
    });
    let hello = Content::text("Hello");
    assert_eq!(
        rest,
        [
            text(0, "lo"),
            ModelEvent::PieceEnded { piece: 0, content: hello.clone() },
            done(vec![hello], StopReason::Stop, SCRIPTED_USAGE),
        ]
    );
}

#[tokio::test]
async fn every_way_to_break_off_ends_in_one_typed_fault() {
    let wait = Duration::from_secs(7);
    let table = [
        (Script::new().say("x").cut(), FaultReason::Truncated, None, None),
        (Script::new().malformed(), FaultReason::Malformed, None, None),
        (Script::new().say("x").refuse(), FaultReason::Refused, None, None),
        (Script::new().say("gone").empty(), FaultReason::Empty, None, None),
        (Script::new().status(500), FaultReason::Overloaded, Some(500), None),
        (Script::new().status_after(429, wait), FaultReason::RateLimit, Some(429), Some(wait)),
        (Script::new().fault(FaultReason::Billing), FaultReason::Billing, None, None),
    ];
    for (script, reason, status, retry_after) in table {
        let events: Vec<ModelEvent> = open(script.clone()).collect().await;
        let ends = events.iter().filter(|event| event.is_end()).count();
        let Some(ModelEvent::Failed(fault)) = events.last() else { panic!("{script:?}: {events:?}") };
        assert_eq!((ends, fault.reason, fault.status, fault.retry_after), (1, reason, status, retry_after));
    }
}

#[tokio::test]
async fn a_stalled_script_begins_and_says_nothing_more() {
    let clock = Arc::new(SimClock::new());
    let mut stream = open_with(Script::new().say("x").pause(Duration::from_secs(5)).stall(), clock.clone());
    assert_eq!(stream.next().await, Some(started()));
    assert_eq!(stream.next().await, Some(text(0, "x")));
    tokio::select! {
        event = stream.next() => panic!("{event:?}"),
        () = async { clock.until_asleep(1).await; clock.advance(Duration::from_secs(3600)).await } => {}
    }
}

#[test]
fn conditions_come_before_the_queue_and_the_queue_before_the_rest() {
    let asked = |said: &str, last_turn: LastTurn| Asked {
        model: "m".to_owned(),
        last_user: said.to_owned(),
        last_turn,
        turns: 1,
        ..Asked::default()
    };
    let scripts = Scripts::new()
        .then(Script::new().say("first"))
        .when_last_user_contains("weather", Script::new().say("sunny"))
        .after_tool_result(Script::new().say("seen"))
        .then(Script::new().say("second"))
        .otherwise_echo();
    scripts.push_for("m2", Script::new().say("for m2"));
    let said = |asked: &Asked| format!("{:?}", scripts.choose(asked).steps);
    let user = |text: &str| asked(text, LastTurn::User);
    let tool = asked("the weather?", LastTurn::ToolResult("21 degrees".to_owned()));
    let table = [
        (user("hi"), "first"),
        (user("the weather?"), "sunny"),
        (tool, "seen"),
        (user("the weather again?"), "sunny"),
        (Asked { model: "m2".to_owned(), ..user("hi") }, "for m2"),
        (Asked { model: "m2".to_owned(), ..user("hi") }, "second"),
        (user("again"), "You said: again"),
    ];
    for (asked, expected) in table {
        assert_eq!(said(&asked), format!("[Say({expected:?})]"), "{asked:?}");
    }
}

#[tokio::test]
async fn scripts_that_run_out_say_so() {
    let line = ScriptedLine::new(Scripts::new(), Arc::new(SystemClock::new()));
    let events: Vec<ModelEvent> = line.open(Arc::new(request(vec![hello()])), route()).collect().await;
    let message = "no script is left for this request (model \"scripted\", 1 turns, the person said \"hello\"); push \
                   one or set what is said otherwise";
    assert_eq!(events, [ModelEvent::Failed(ModelFault::new(FaultReason::Format, message))]);
}

#[test]
fn a_request_is_seen_without_its_protocol() {
    let messages = vec![
        user(vec![Content::text("read a.txt")]),
        result("call_1", vec![Content::text("it says b")], ToolOutcome::Done),
    ];
    let request = ModelRequest {
        system: vec!["be".to_owned(), "kind".to_owned()].into(),
        thinking: ThinkingLevel::Low,
        ..request(messages)
    };
    assert_eq!(
        Asked::of(&request, &target("m", "http://x")),
        Asked {
            model: "m".to_owned(),
            system: "be\nkind".to_owned(),
            last_user: "read a.txt".to_owned(),
            last_turn: LastTurn::ToolResult("it says b".to_owned()),
            tools: Vec::new(),
            thinking: true,
            turns: 2,
            pictures: 0,
        }
    );
}

#[test]
fn a_status_stands_for_a_reason() {
    let rejection = Rejection::with_status(402).saying("pay").retry_after(Duration::from_secs(1));
    assert_eq!(
        rejection.fault(),
        ModelFault {
            reason: FaultReason::Billing,
            message: "pay".to_owned(),
            status: Some(402),
            retry_after: Some(Duration::from_secs(1)),
        }
    );
}

/// What the demonstration says to these words.
async fn demonstrated(said: &str, thinking: ThinkingLevel) -> Completion {
    let clock = Arc::new(SimClock::new());
    let request = ModelRequest { thinking, ..request(vec![user(vec![Content::text(said)])]) };
    let stream = DemoLine::new(clock.clone()).open(Arc::new(request), route());
    let (events, ()) = tokio::join!(stream.collect::<Vec<_>>(), async {
        clock.until_asleep(1).await;
        clock.advance(Duration::from_secs(600)).await;
    });
    match events.last() {
        Some(ModelEvent::Done(completion)) => completion.clone(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn every_answer_of_the_demonstration_says_that_it_is_no_ai() {
    let table = [
        ("hi", "The gateway is running"),
        ("help", "Here is what I can show you"),
        ("How do I add a model?", "`openclaw models set <provider/model>`"),
        ("where does my API key go", "`openclaw models auth paste-token --provider anthropic`"),
        ("can I use ollama", "`openclaw models list --local`"),
        ("who are you?", "I follow a short script"),
        ("this is something else", "> this is something else"),
        ("", "Your message had no words"),
    ];
    for (said, expected) in table {
        let completion = demonstrated(said, ThinkingLevel::Off).await;
        let [Content::Text(answer)] = &completion.content[..] else { panic!("{completion:?}") };
        assert!(answer.text.contains(expected), "{said:?}: {}", answer.text);
        assert!(answer.text.ends_with("It is a fixed script, not an AI.)"), "{said:?}: {}", answer.text);
    }
}

#[tokio::test]
async fn the_demonstration_thinks_when_it_is_asked_to() {
    let completion = demonstrated("hello", ThinkingLevel::Low).await;
    let [Content::Thinking(thought), Content::Text(_)] = &completion.content[..] else {
        panic!("{completion:?}")
    };
    assert!(thought.text.contains("A real model would show its own reasoning"), "{}", thought.text);
    let usage = completion.usage.unwrap();
    assert_eq!((usage.total_tokens, usage.reasoning > 0), (usage.sum(), true));
}

#[test]
fn the_demonstration_streams_word_by_word() {
    let asked = Asked { last_user: "hi".to_owned(), last_turn: LastTurn::User, ..Asked::default() };
    let beats = script(&asked).beats();
    let pauses = beats.iter().filter(|beat| beat.is_wait()).count();
    assert!(pauses > 20, "{pauses}");
}

#[test]
fn the_demonstration_costs_nothing_and_wants_no_key() {
    let provider = demo_provider().unwrap();
    let model = provider.model("scripted").unwrap();
    let usage = Usage { input: 1_000_000, output: 1_000_000, ..Usage::default() };
    assert_eq!(model.prices.unwrap().amount(&usage), openclaw_types::Money::default());
    assert_eq!(
        (provider.sign_in, &model.headers),
        (openclaw_ports::model::SignIn::Nothing, &BTreeMap::new())
    );
}
