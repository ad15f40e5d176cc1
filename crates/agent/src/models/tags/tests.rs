//! Texts with and without tags, whole and cut anywhere.

use openclaw_ports::model::ModelEvent;
use openclaw_types::{Content, Thinking};

use super::{Tags, apart};

fn thinking(text: &str) -> Content {
    Content::Thinking(Thinking { text: text.to_owned(), signature: None })
}

fn rows() -> Vec<(&'static str, Vec<Content>)> {
    let words = |text: &str| Content::text(text);
    vec![
        ("plain words", vec![words("plain words")]),
        ("  plain\n", vec![words("  plain\n")]),
        ("<think>hm</think>\n\nHello", vec![thinking("hm"), words("Hello")]),
        (" <Thinking>a < b</THINKING>Hello", vec![thinking("a < b"), words("Hello")]),
        ("<think>a</think><think>b</think> c", vec![thinking("ab"), words("c")]),
        ("<think>hm</think><final>Hello</final>\n", vec![thinking("hm"), words("Hello")]),
        ("<final>Hello</final> and more", vec![words("Helloand more")]),
        ("<think>never closed", vec![thinking("never closed")]),
        ("<think></think>", vec![]),
        ("The tag is <think>x</think>.", vec![words("The tag is <think>x</think>.")]),
        ("<thinker> of all", vec![words("<thinker> of all")]),
        ("<th", vec![words("<th")]),
        ("", vec![]),
    ]
}

#[test]
fn thoughts_in_tags_are_taken_out_of_whole_answers() {
    for (text, expected) in rows() {
        assert_eq!(apart(vec![Content::text(text)]), expected, "{text:?}");
    }
    let call = thinking("as the vendor said it");
    assert_eq!(apart(vec![call.clone()]), [call]);
}

#[test]
fn a_stream_says_the_same_wherever_it_is_cut() {
    for (text, _) in rows() {
        let whole = apart(vec![Content::text(text)]);
        for size in 1..=text.len().max(1) {
            let mut tags = Tags::default();
            let mut events = Vec::new();
            for delta in text.as_bytes().chunks(size) {
                let delta = String::from_utf8(delta.to_vec()).unwrap();
                events.extend(tags.split(ModelEvent::Text { piece: 0, delta }));
            }
            events.extend(tags.rest());
            let mut heard: Vec<Content> = Vec::new();
            for event in events {
                match (event, heard.last_mut()) {
                    (ModelEvent::Text { delta, .. }, Some(Content::Text(text))) => text.text.push_str(&delta),
                    (ModelEvent::Text { delta, .. }, _) => heard.push(Content::text(delta)),
                    (ModelEvent::Thinking { delta, .. }, Some(Content::Thinking(thoughts))) => {
                        thoughts.text.push_str(&delta);
                    }
                    (ModelEvent::Thinking { delta, .. }, _) => heard.push(thinking(&delta)),
                    (other, _) => panic!("{other:?}"),
                }
            }
            assert_eq!(heard, whole, "{text:?} in pieces of {size}");
        }
    }
}
