//! What of a conversation is told as what was before, and what as said now.

use openclaw_flow::{Picture, ToldCall, ToldLine};
use openclaw_types::ToolCallId;
use serde_json::json;

use super::{Conversation, Memory, conversation};

fn person(text: &str) -> ToldLine {
    ToldLine::Person { text: text.to_owned(), pictures: Vec::new() }
}

fn agent(text: &str, calls: &[&str]) -> ToldLine {
    let call = |id: &&str| ToldCall { id: id_of(id), name: "weather".to_owned(), arguments: json!({}) };
    ToldLine::Agent { text: text.to_owned(), calls: calls.iter().map(call).collect() }
}

fn tool(id: &str, text: &str) -> ToldLine {
    ToldLine::Tool { call: id_of(id), text: text.to_owned(), pictures: Vec::new() }
}

fn id_of(id: &str) -> ToolCallId {
    ToolCallId::new(id).unwrap()
}

fn check(lines: &[ToldLine], memory: Memory, expected: Option<(&[ToldLine], &str)>) {
    let expected = expected.map(|(told, text)| Conversation {
        told: told.to_vec(),
        text: text.to_owned(),
        pictures: Vec::new(),
    });
    assert_eq!(conversation(lines.to_vec(), memory), expected, "{lines:?}");
}

#[test]
fn what_came_after_the_last_answer_is_said_now() {
    let lines = [person("one"), agent("two", &[]), person("three"), person(" "), person("four")];
    check(&lines, Memory::Blank, Some((&lines[..2], "three\n\nfour")));
    check(&lines, Memory::Kept, Some((&[], "three\n\nfour")));
    check(&lines[..1], Memory::Blank, Some((&[], "one")));
}

#[test]
fn results_stand_behind_their_calls_and_need_no_words() {
    let lines = [person("one"), agent("", &["a"]), tool("a", "rain")];
    check(&lines, Memory::Blank, Some((&lines, "")));
    check(&lines, Memory::Kept, Some((&lines[2..], "")));
    let more = [agent("", &["a"]), tool("a", "rain"), person("and tomorrow?")];
    check(&more, Memory::Kept, Some((&more[1..2], "and tomorrow?")));
}

#[test]
fn nothing_new_is_no_question() {
    check(&[], Memory::Blank, None);
    check(&[agent("two", &[])], Memory::Blank, None);
    check(&[person("")], Memory::Kept, None);
}

#[test]
fn answers_at_the_end_are_left_out() {
    let lines =
        [person("one"), agent("two", &[]), person("three"), agent("four", &[]), agent("five", &["a"])];
    check(&lines[..2], Memory::Blank, Some((&[], "one")));
    check(&lines, Memory::Blank, Some((&lines[..2], "three")));
    check(&lines, Memory::Kept, Some((&[], "three")));
}

#[test]
fn a_picture_alone_is_a_question() {
    let picture = Picture { media_type: "image/png".to_owned(), data: "eA==".to_owned() };
    let line = ToldLine::Person { text: String::new(), pictures: vec![picture.clone()] };
    let said = Conversation { told: Vec::new(), text: String::new(), pictures: vec![picture] };
    assert_eq!(conversation(vec![line], Memory::Blank), Some(said));
}
