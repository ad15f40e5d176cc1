//! One event of several.

use openclaw_types::{Forwarded, Quoted};

use super::*;

#[test]
fn nothing_that_any_of_them_says_is_lost_and_the_last_gives_place_and_time() {
    let quoted =
        Quoted { message: message("m0"), from: None, text: "q".to_owned(), part: false, media: Vec::new() };
    let first = Inbound {
        reply: Some(quoted.clone()),
        media: vec![picture("a")],
        facts: vec![("one".to_owned(), "1".to_owned())],
        attention: Attention { mentions_us: true, ..Attention::default() },
        ..direct(" one ")
    };
    let second = Inbound {
        message: message("m2"),
        event: EventId::new("second").unwrap(),
        at: UnixMillis(AT.0 + 5),
        media: vec![picture("b")],
        forwarded: Some(Forwarded { from: "x".to_owned(), at: None }),
        attention: Attention { answers_us: true, ..Attention::default() },
        ..direct("two")
    };
    let expected = Inbound {
        text: "one\ntwo".to_owned(),
        reply: Some(quoted),
        media: vec![picture("a"), picture("b")],
        facts: vec![("one".to_owned(), "1".to_owned())],
        attention: Attention { mentions_us: true, answers_us: true, ..Attention::default() },
        ..second.clone()
    };
    assert_eq!(merge(vec![first, second]), Some(expected));
}

#[test]
fn words_that_stand_for_media_give_way_to_others() {
    let texts =
        |texts: &[&str]| merge(texts.iter().map(|text| direct(text)).collect()).map(|merged| merged.text);
    assert_eq!(texts(&["<media:image>", "look", "<media:image>"]).as_deref(), Some("look"));
    assert_eq!(texts(&["<media:image>", "<media:image>"]).as_deref(), Some("<media:image> (2 files)"));
    assert_eq!(texts(&["<media:image>", "<media:video>"]).as_deref(), Some("<media:image>\n<media:video>"));
    assert_eq!(texts(&["one", "", "two"]).as_deref(), Some("one\ntwo"));
    assert_eq!(texts(&[" alone "]).as_deref(), Some(" alone "));
    assert_eq!(texts(&[]), None);
}
