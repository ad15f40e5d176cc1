//! The whole table of decisions, and a story that must end.

use super::{
    Action, Asked, Claim, Finished, Gave, MOST_COMPACTIONS, Notice, Outcome, Round, Spent, Spoken, Steering,
    Unbegun, after_call, after_tools, unbegun,
};
use crate::turn::guard::{ToolLoop, ToolLoopKind};
use crate::turn::trouble::Trouble;

const TROUBLES: [Trouble; 7] = [
    Trouble::Overflow,
    Trouble::RoleOrdering,
    Trouble::ImageSize,
    Trouble::Empty,
    Trouble::Refused,
    Trouble::Budget,
    Trouble::Other,
];

const TRIED: [Option<Outcome>; 3] = [None, Some(Outcome::Room), Some(Outcome::NoRoom)];

fn every_gave() -> Vec<Gave> {
    let mut all = vec![
        Gave::Stopped,
        Gave::Calls,
        Gave::Answer(Claim::Fine),
        Gave::Answer(Claim::Unbacked),
        Gave::Nothing(Spoken::Yes),
        Gave::Nothing(Spoken::No),
        Gave::Refused,
    ];
    for trouble in TROUBLES {
        all.extend([Gave::Failed(trouble, Spoken::Yes), Gave::Failed(trouble, Spoken::No)]);
    }
    all
}

fn every_spent() -> Vec<Spent> {
    let mut all = Vec::new();
    for compactions in 0..=MOST_COMPACTIONS {
        for compaction in [Outcome::Room, Outcome::NoRoom] {
            for shortening in TRIED {
                for pictures in TRIED {
                    for empties in 0..=2 {
                        for asked in [Asked::Yes, Asked::No] {
                            all.push(Spent { compactions, compaction, shortening, pictures, empties, asked });
                        }
                    }
                }
            }
        }
    }
    all
}

/// The whole table, written the other way round: for each action, when it is right.
fn expected(gave: Gave, steering: Steering, spent: Spent) -> Action {
    let steered = steering == Steering::Waiting;
    let is_empty = matches!(gave, Gave::Nothing(_) | Gave::Failed(Trouble::Empty, _));
    let spoken = matches!(gave, Gave::Nothing(Spoken::Yes) | Gave::Failed(_, Spoken::Yes));
    let tries_left = spent.compaction == Outcome::Room && spent.compactions < 3;
    match gave {
        Gave::Stopped => Action::EndAborted,
        Gave::Calls => Action::RunTools,
        Gave::Answer(_) | Gave::Nothing(_) if steered => Action::CallAgain,
        Gave::Answer(Claim::Unbacked) if spent.asked == Asked::No => Action::Nudge,
        Gave::Answer(_) => Action::EndAnswered,
        _ if is_empty && spoken => Action::EndAnswered,
        _ if is_empty && spent.empties == 0 => Action::CallAgain,
        _ if is_empty => Action::EndNotice(Notice::Empty),
        Gave::Refused | Gave::Failed(Trouble::Refused, _) => Action::EndNotice(Notice::Refused),
        Gave::Failed(Trouble::Overflow, _) if tries_left => Action::Compact,
        Gave::Failed(Trouble::Overflow, _) if spent.shortening.is_none() => Action::Shorten,
        Gave::Failed(Trouble::Overflow, _) if spent.compaction == Outcome::NoRoom => {
            Action::EndNotice(Notice::CompactionFailed)
        }
        Gave::Failed(Trouble::Overflow, _) => Action::EndNotice(Notice::Overflow),
        Gave::Failed(Trouble::RoleOrdering, _) => Action::EndNotice(Notice::RoleOrdering),
        Gave::Failed(Trouble::ImageSize, _) if spent.pictures.is_none() => Action::ShrinkPictures,
        Gave::Failed(Trouble::ImageSize, _) => Action::EndNotice(Notice::ImageSize),
        Gave::Failed(Trouble::Budget, _) => Action::EndNotice(Notice::Budget),
        Gave::Failed(..) => Action::EndFailed,
        Gave::Nothing(_) => unreachable!("covered as empty"),
    }
}

#[test]
fn every_situation_after_a_call_has_its_action() {
    for gave in every_gave() {
        for steering in [Steering::Waiting, Steering::None] {
            for spent in every_spent() {
                assert_eq!(
                    after_call(gave, steering, spent),
                    expected(gave, steering, spent),
                    "{gave:?} {steering:?} {spent:?}"
                );
            }
        }
    }
}

#[test]
fn every_round_of_tools_has_its_action() {
    let circle = ToolLoop { kind: ToolLoopKind::Repeat, count: 20 };
    let rows = [
        (Round::Stopped, Action::EndAborted),
        (Round::Results, Action::CallAgain),
        (Round::ClientCalls, Action::EndForClient),
        (Round::ToolLoop(circle), Action::EndNotice(Notice::Loop(circle))),
        (Round::Fault, Action::EndFailed),
    ];
    for (round, action) in rows {
        assert_eq!(after_tools(round), action, "{round:?}");
    }
}

#[test]
fn a_call_is_skipped_only_after_another_has_its_result_and_a_message_waits() {
    let rows = [
        (Finished::None, Steering::None, Unbegun::Begin),
        (Finished::None, Steering::Waiting, Unbegun::Begin),
        (Finished::Some, Steering::None, Unbegun::Begin),
        (Finished::Some, Steering::Waiting, Unbegun::Skip),
    ];
    for (finished, steering, expected) in rows {
        assert_eq!(unbegun(finished, steering), expected, "{finished:?} {steering:?}");
    }
}

/// Plays a model that never fits, with compaction and shortening that always help a little.
#[test]
fn a_conversation_that_never_fits_is_given_up_after_a_bounded_number_of_attempts() {
    let mut spent = Spent::NOTHING;
    let mut story = Vec::new();
    loop {
        let action = after_call(Gave::Failed(Trouble::Overflow, Spoken::No), Steering::None, spent);
        story.push(action);
        match action {
            Action::Compact => spent.compactions += 1,
            Action::Shorten => {
                spent.shortening = Some(Outcome::Room);
                spent.compactions = 0;
            }
            _ => break,
        }
    }
    let compact = Action::Compact;
    let end = Action::EndNotice(Notice::Overflow);
    assert_eq!(story, [compact, compact, compact, Action::Shorten, compact, compact, compact, end]);
}
