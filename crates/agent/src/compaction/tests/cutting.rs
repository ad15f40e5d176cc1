//! Where a conversation is cut, and that no cut parts what belongs together.

use openclaw_types::{Message, ToolCallId};
use proptest::prelude::*;

use super::super::cut::{Cut, Keep, choose_cut, tokens};
use super::{calls, done, says, summary, user};

fn cut(messages: &[Message], recent: u64, most: u64) -> Option<(usize, usize, bool)> {
    let messages: Vec<&Message> = messages.iter().collect();
    choose_cut(&messages, Keep { recent, most })
        .map(|Cut { from, first_kept, splits_turn }| (from, first_kept, splits_turn))
}

/// Words that take about so many tokens.
fn long(count: usize) -> String {
    "word".repeat(count)
}

#[test]
fn the_latest_turns_stay_as_far_as_there_is_room() {
    let talk: Vec<Message> =
        (0..4).flat_map(|turn| [user(&format!("{turn} {}", long(100))), says(&long(100))]).collect();
    let rows = [
        (10_000, 10_000, None),
        (450, 450, Some((0, 4, false))),
        (250, 250, Some((0, 6, false))),
        (150, 250, Some((0, 6, false))),
        (150, 150, Some((0, 7, true))),
        (0, 10_000, Some((0, 6, false))),
        (0, 0, Some((0, 7, true))),
    ];
    for (recent, most, expected) in rows {
        assert_eq!(cut(&talk, recent, most), expected, "keeping {recent}, at most {most}");
    }
}

#[test]
fn an_earlier_summary_is_on_neither_side() {
    let talk = [summary("before"), user(&long(100)), says(&long(100)), user("now"), says("yes")];
    assert_eq!(cut(&talk, 20, 1_000), Some((1, 3, false)));
    assert_eq!(cut(&talk[..2], 0, 0), None, "a summary and one message leave nothing to sum up");
    assert_eq!(cut(&[summary("before")], 0, 0), None);
    assert_eq!(cut(&[], 0, 0), None);
}

#[test]
fn a_call_is_never_parted_from_its_result() {
    let talk = [
        user("one"),
        says("two"),
        user("three"),
        calls(&["a", "b"]),
        done("a", 4_000),
        user("meanwhile"),
        done("b", 40),
        says("four"),
    ];
    let rows = [
        (10, 10, Some((0, 7, true))),
        (60, 60, Some((0, 7, true))),
        (60, 5_000, Some((0, 3, false))),
        (5_000, 5_000, None),
        (1_050, 1_050, Some((0, 2, false))),
    ];
    for (recent, most, expected) in rows {
        assert_eq!(cut(&talk, recent, most), expected, "keeping {recent}, at most {most}");
    }
}

#[test]
fn one_turn_with_one_large_result_cannot_be_cut() {
    assert_eq!(cut(&[user("go"), calls(&["a"]), done("a", 90_000)], 100, 100), Some((0, 1, true)));
    assert_eq!(cut(&[calls(&["a"]), done("a", 90_000)], 100, 100), None);
}

fn conversations() -> impl Strategy<Value = Vec<Message>> {
    let one = prop_oneof![
        (1_usize..60).prop_map(|count| vec![user(&long(count))]),
        (1_usize..60).prop_map(|count| vec![says(&long(count))]),
        (0_u32..1_000, 1_usize..400, 0_usize..60).prop_map(|(id, letters, between)| {
            let (first, second) = (format!("{id}-1"), format!("{id}-2"));
            vec![
                calls(&[&first, &second]),
                done(&first, letters),
                user(&long(between)),
                done(&second, letters),
            ]
        }),
    ];
    prop::collection::vec(one, 0..20).prop_map(|turns| turns.concat())
}

proptest! {
    #[test]
    fn every_cut_keeps_something_sums_up_something_and_parts_nothing(
        messages in conversations(), recent in 0_u64..2_000, most in 0_u64..2_000,
    ) {
        let messages: Vec<&Message> = messages.iter().collect();
        let Some(cut) = choose_cut(&messages, Keep { recent, most: most.max(recent) }) else { return Ok(()) };
        prop_assert!(cut.from < cut.first_kept && cut.first_kept < messages.len());
        let (older, kept) = messages.split_at(cut.first_kept);
        let called: Vec<&ToolCallId> = older
            .iter()
            .filter_map(|message| match message {
                Message::Assistant(said) => Some(said.tool_calls().map(|call| &call.id)),
                _ => None,
            })
            .flatten()
            .collect();
        for message in kept {
            if let Message::ToolResult(result) = message {
                let earlier = called.iter().filter(|id| **id == &result.call).count();
                let later = kept.iter().filter(|message| match message {
                    Message::Assistant(said) => said.tool_calls().any(|call| call.id == result.call),
                    _ => false,
                }).count();
                prop_assert!(later > 0 || earlier == 0, "{} was parted from its call", result.call);
            }
        }
        if cut.splits_turn {
            let question = messages.iter().rposition(|message| matches!(message, Message::User(_)));
            prop_assert!(question.is_some_and(|question| question < cut.first_kept));
        }
        prop_assert!(tokens(older) > 0);
    }
}
