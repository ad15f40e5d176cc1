//! Whether a message in a room is for us.

use openclaw_types::{NativeCommand, Press};
use proptest::prelude::*;

use super::*;

#[test]
fn a_room_message_that_does_not_name_us_is_kept_as_context() {
    let quiet = || World::room("ana", "hello all");
    assert_eq!(quiet().decide(), AccessVerdict::ContextOnly { rule: Rule::NotMentioned });
    assert_eq!(quiet().mentioned().short().0, "admit");
    assert_eq!(quiet().with(|world| world.inbound.attention.answers_us = true).short().0, "admit");
    assert_eq!(
        quiet().with(|world| world.inbound.attention.mentions_anybody = true).short().0,
        "context",
        "naming somebody else is not naming us"
    );
}

#[test]
fn where_nobody_can_tell_whether_we_were_named_every_message_is_for_us() {
    let mute = |patterns: MentionSettings| {
        World::room("ana", "hello all").with(|world| {
            world.inbound.attention.can_mention = false;
            world.mentions = Mentions::of_any([&patterns]);
        })
    };
    assert_eq!(mute(patterns(&[])).short().0, "admit");
    assert_eq!(mute(patterns(&["claw"])).short().0, "context");
}

#[test]
fn the_most_exact_word_on_mentions_holds_and_a_choice_for_the_session_wins() {
    let says = |room: RoomRule, need: bool| RoomRule { require_mention: Some(need), ..room };
    let rows = [
        (vec![], Activation::AsConfigured, "context"),
        (vec![], Activation::Always, "admit"),
        (vec![says(every_room(), false)], Activation::AsConfigured, "admit"),
        (vec![says(every_room(), false)], Activation::Mention, "context"),
        (vec![says(every_room(), false), says(room("room"), true)], Activation::AsConfigured, "context"),
        (vec![says(every_room(), true), says(room("room"), false)], Activation::AsConfigured, "admit"),
        (vec![says(every_room(), false), room("room")], Activation::AsConfigured, "admit"),
    ];
    for (rooms, activation, word) in rows {
        let world =
            World::room("ana", "hello").rooms(rooms.clone()).with(|world| world.activation = activation);
        assert_eq!(world.short().0, word, "{rooms:?} {activation:?}");
    }
}

#[test]
fn buttons_and_menus_are_pointed_at_us() {
    let press = InboundKind::Press(Press { data: "x".to_owned(), on: None });
    let command = InboundKind::Command(NativeCommand { name: "status".to_owned(), arguments: String::new() });
    for kind in [press, command] {
        let world = World::room("ana", "").with(|world| world.inbound.kind = kind);
        assert!(world.admission().mention.was_mentioned);
    }
}

#[test]
fn patterns_match_in_any_case_and_through_signs_that_nobody_sees() {
    let mentions = Mentions::of_any([&patterns(&["@openclaw", r"\bclaw\b", "\u{8}hey bot\u{8}"])]);
    for (text, named) in [
        ("Hello @OpenClaw", true),
        ("the CLAW!", true),
        ("clawed", false),
        ("c\u{200b}law", true),
        ("hey bot", true),
        ("they bots", false),
        ("", false),
        ("nothing", false),
    ] {
        assert_eq!(mentions.name_in(text), named, "{text:?}");
    }
}

#[test]
fn an_agent_without_patterns_is_named_by_its_name_or_its_sign() {
    let identity = |name: Option<&str>, emoji: Option<&str>| {
        Mentions::of_any([&MentionSettings {
            source: MentionSource::Identity {
                name: name.map(str::to_owned),
                emoji: emoji.map(str::to_owned),
            },
            history_limit: 1,
        }])
    };
    let family = identity(Some("Family  Bot"), Some("🏠"));
    for (text, named) in [
        ("family bot, hi", true),
        ("hi @Family\tBot", true),
        ("familybot", false),
        ("🏠?", true),
        ("family", false),
    ] {
        assert_eq!(family.name_in(text), named, "{text:?}");
    }
    assert!(identity(Some("C-3PO (gold)"), None).name_in("ask c-3po (gold) now"));
    assert!(identity(Some("Ähre"), None).name_in("liebe ähre!"));
    assert!(identity(None, None).is_empty());
}

#[test]
fn agents_that_answer_together_are_named_by_any_of_their_names() {
    let (one, two) = (patterns(&["one"]), patterns(&["two"]));
    let both = Mentions::of_any([&one, &two]);
    assert!(both.name_in("one") && both.name_in("two") && !both.name_in("three"));
}

#[test]
fn patterns_that_are_none_or_too_large_are_left_out_and_told() {
    let long = "a".repeat(600);
    let wanted = ["(", "", &long, r"(\w{1000}){1000}", "ok", r"(?=look)"];
    let mentions = Mentions::of_any([&patterns(&wanted)]);
    assert_eq!(mentions.refused(), texts(&["(", "", &long, r"(\w{1000}){1000}", r"(?=look)"]));
    assert!(mentions.name_in("ok"));
}

#[test]
fn a_pattern_that_would_take_for_ever_elsewhere_is_done_at_once() {
    let mentions = Mentions::of_any([&patterns(&["(a+)+$", "(a|a)*b"])]);
    assert!(!mentions.name_in(&format!("{}!", "a".repeat(15_000))));
}

proptest! {
    #[test]
    fn no_pattern_and_no_text_panics(pattern in ".{0,40}", text in ".{0,80}") {
        let mentions = Mentions::of_any([&patterns(&[&pattern])]);
        let named = mentions.name_in(&text);
        prop_assert!(!named || !mentions.is_empty());
    }
}
