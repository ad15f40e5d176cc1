//! Blocks that come in odd orders still make one whole answer.

use openclaw_ports::model::{Completion, FaultReason, ModelEvent, ModelFault};
use openclaw_types::{Content, RedactedThinking, StopReason, Thinking, ToolCallId};
use serde_json::json;

use super::{AnswerEnd, BlockAnswer, Draft, Growth};
use crate::apis::samples;

fn called(id: &str, arguments: serde_json::Value) -> Content {
    samples::call(id, "read", arguments)
}

fn text(words: &str) -> Growth {
    Growth::Text(words.to_owned())
}

fn call(id: &str) -> Draft {
    let id = ToolCallId::new(id).unwrap();
    Draft::Call { id, name: "read".to_owned(), arguments: String::new(), given: None }
}

fn done(answer: &mut BlockAnswer, stop: Option<StopReason>) -> ModelEvent {
    let mut events = Vec::new();
    answer.done(AnswerEnd { stop, usage: None }, &mut events);
    events.pop().unwrap()
}

fn whole(content: Vec<Content>, stop: StopReason) -> ModelEvent {
    ModelEvent::Done(Completion { content, stop, usage: None, response_id: None, model: None })
}

#[test]
fn blocks_that_grow_at_once_are_numbered_by_their_first_substance() {
    let mut answer = BlockAnswer::default();
    let mut events = Vec::new();
    answer.begin(5, Draft::Text(String::new()), &mut events).unwrap();
    answer.begin(9, call("a"), &mut events).unwrap();
    answer.grow(5, text("one"), &mut events).unwrap();
    answer.grow(9, Growth::Arguments("{\"x\":1}".to_owned()), &mut events).unwrap();
    answer.grow(5, text(" two"), &mut events).unwrap();
    answer.close(5, &mut events);
    let said = Content::text("one two");
    let id = ToolCallId::new("a").unwrap();
    assert_eq!(
        events,
        [
            ModelEvent::ToolCallStarted { piece: 0, id, name: "read".to_owned() },
            ModelEvent::Text { piece: 1, delta: "one".to_owned() },
            ModelEvent::ToolCallArguments { piece: 0, delta: "{\"x\":1}".to_owned() },
            ModelEvent::Text { piece: 1, delta: " two".to_owned() },
            ModelEvent::PieceEnded { piece: 1, content: said.clone() },
        ]
    );
    assert_eq!(
        done(&mut answer, None),
        whole(vec![called("a", json!({ "x": 1 })), said], StopReason::ToolUse)
    );
}

#[test]
fn a_key_that_is_used_again_begins_another_piece() {
    let mut answer = BlockAnswer::default();
    let mut events = Vec::new();
    answer.grow(0, text("one"), &mut events).unwrap();
    answer.begin(0, call("a"), &mut events).unwrap();
    answer.begin(0, call("b"), &mut events).unwrap();
    let content = vec![Content::text("one"), called("a", json!({})), called("b", json!({}))];
    assert_eq!(done(&mut answer, Some(StopReason::ToolUse)), whole(content, StopReason::ToolUse));
}

#[test]
fn growth_of_another_kind_and_ignored_blocks_leave_no_trace() {
    let mut answer = BlockAnswer::default();
    let mut events = Vec::new();
    answer.begin(0, Draft::Ignored, &mut events).unwrap();
    answer.grow(0, text("lost"), &mut events).unwrap();
    answer.grow(1, text("kept"), &mut events).unwrap();
    answer.grow(1, Growth::Signature("lost".to_owned()), &mut events).unwrap();
    answer.grow(1, text(""), &mut events).unwrap();
    assert_eq!(events, [ModelEvent::Text { piece: 0, delta: "kept".to_owned() }]);
    assert_eq!(done(&mut answer, None), whole(vec![Content::text("kept")], StopReason::Stop));
}

#[test]
fn sealed_thoughts_in_parts_are_one() {
    let mut answer = BlockAnswer::default();
    let mut events = Vec::new();
    for part in ["YQ==", "YmM="] {
        answer.grow(0, Growth::Sealed(part.to_owned()), &mut events).unwrap();
    }
    answer.grow(1, text("hi"), &mut events).unwrap();
    let sealed = Content::RedactedThinking(RedactedThinking { data: "YWJj".to_owned() });
    assert_eq!(done(&mut answer, None), whole(vec![sealed, Content::text("hi")], StopReason::Stop));
}

#[test]
fn a_proof_grows_or_is_replaced_as_the_protocol_says() {
    let part = |text: &str| Growth::Signature(text.to_owned());
    let whole = |text: &str| Growth::WholeSignature(text.to_owned());
    for (growths, proof) in [([part("a"), part("b")], "ab"), ([whole("a"), whole("b")], "b")] {
        let mut answer = BlockAnswer::default();
        let mut events = Vec::new();
        for growth in growths {
            answer.grow(0, growth, &mut events).unwrap();
        }
        answer.close(0, &mut events);
        let thought = Content::Thinking(Thinking { text: String::new(), signature: Some(proof.to_owned()) });
        assert_eq!(events, [ModelEvent::PieceEnded { piece: 0, content: thought }]);
    }
}

#[test]
fn thoughts_alone_are_an_answer_only_when_the_limit_cut_it_off() {
    let thought = Content::Thinking(Thinking { text: "hm".to_owned(), signature: None });
    let empty = ModelEvent::Failed(ModelFault::new(FaultReason::Empty, "the model gave an empty answer"));
    for (stop, expected) in
        [(StopReason::Length, whole(vec![thought], StopReason::Length)), (StopReason::Stop, empty)]
    {
        let mut answer = BlockAnswer::default();
        answer.grow(0, Growth::Thinking("hm".to_owned()), &mut Vec::new()).unwrap();
        assert_eq!(done(&mut answer, Some(stop)), expected);
    }
}

#[test]
fn the_first_end_is_the_only_one() {
    let mut answer = BlockAnswer::default();
    let mut events = Vec::new();
    answer.grow(0, text("hi"), &mut events).unwrap();
    answer.done(AnswerEnd { stop: None, usage: None }, &mut events);
    let before = events.clone();
    answer.done(AnswerEnd { stop: None, usage: None }, &mut events);
    answer.fail(ModelFault::new(FaultReason::Unknown, "late"), &mut events);
    answer.start(None, None, &mut events);
    assert_eq!((events, answer.is_over()), (before, true));
}

#[test]
fn endless_pieces_are_stopped() {
    let mut answer = BlockAnswer::default();
    let mut events = Vec::new();
    let too_many = (0..1000).try_for_each(|key| answer.begin(key, Draft::Ignored, &mut events));
    assert_eq!(too_many.map_err(|fault| fault.reason), Err(FaultReason::Malformed));
    let mut answer = BlockAnswer::default();
    let endless = (0..1_000_000).try_for_each(|_| answer.begin(0, Draft::Ignored, &mut events));
    assert_eq!(endless.map_err(|fault| fault.reason), Err(FaultReason::TooLarge));
    assert_eq!(events, []);
}

#[test]
fn sealed_thoughts_in_very_many_parts_are_read_in_time() {
    let mut answer = BlockAnswer::default();
    let mut events = Vec::new();
    for _ in 0..200_000 {
        answer.grow(0, Growth::Sealed("YWJj".to_owned()), &mut events).unwrap();
    }
    answer.close(0, &mut events);
    let sealed = Content::RedactedThinking(RedactedThinking { data: "YWJj".repeat(200_000) });
    assert_eq!(events, [ModelEvent::PieceEnded { piece: 0, content: sealed }]);
}

#[test]
fn sealed_thoughts_that_are_no_base64_stay_as_they_came() {
    let mut answer = BlockAnswer::default();
    let mut events = Vec::new();
    for part in ["YWJj", "ZG", "Vm"] {
        answer.grow(0, Growth::Sealed(part.to_owned()), &mut events).unwrap();
    }
    answer.close(0, &mut events);
    let sealed = Content::RedactedThinking(RedactedThinking { data: "YWJjZGVm".to_owned() });
    assert_eq!(events, [ModelEvent::PieceEnded { piece: 0, content: sealed }]);
}

#[test]
fn arguments_that_come_with_the_start_count() {
    let mut answer = BlockAnswer::default();
    let mut events = Vec::new();
    let mut begin = |key| {
        let given = Some(json!({ "text": "a".repeat(5 * 1024 * 1024) }));
        let id = ToolCallId::new("a").unwrap();
        let draft = Draft::Call { id, name: "write".to_owned(), arguments: String::new(), given };
        answer.begin(key, draft, &mut events).map_err(|fault| fault.reason)
    };
    assert_eq!([begin(0), begin(1)], [Ok(()), Err(FaultReason::TooLarge)]);
}
