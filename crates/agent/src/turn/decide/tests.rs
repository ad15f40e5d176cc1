//! The whole table of decisions, and a story that must end.

use super::{
    ClaimQuestion, Finished, Gave, MOST_COMPACTIONS, RoomOutcome, Round, RunExplanation, Spent, SpokeAlready,
    SteeringQueue, TurnAction, Unbegun, WorkClaim, after_call, after_tools, unbegun,
};
use crate::turn::guard::{ToolLoop, ToolLoopKind};
use crate::turn::trouble::CallTrouble;

const TROUBLES: [CallTrouble; 7] = [
    CallTrouble::Overflow,
    CallTrouble::RoleOrdering,
    CallTrouble::ImageSize,
    CallTrouble::Empty,
    CallTrouble::Refused,
    CallTrouble::Budget,
    CallTrouble::Other,
];

const TRIED: [Option<RoomOutcome>; 3] = [None, Some(RoomOutcome::Room), Some(RoomOutcome::NoRoom)];

fn every_gave() -> Vec<Gave> {
    let mut all = vec![
        Gave::Stopped,
        Gave::Calls,
        Gave::Answer(WorkClaim::Fine),
        Gave::Answer(WorkClaim::Unbacked),
        Gave::Nothing(SpokeAlready::Yes),
        Gave::Nothing(SpokeAlready::No),
        Gave::Refused,
    ];
    for trouble in TROUBLES {
        all.extend([Gave::Failed(trouble, SpokeAlready::Yes), Gave::Failed(trouble, SpokeAlready::No)]);
    }
    all
}

fn every_spent() -> Vec<Spent> {
    let mut all = Vec::new();
    for compactions in 0..=MOST_COMPACTIONS {
        for compaction in [RoomOutcome::Room, RoomOutcome::NoRoom] {
            for shortening in TRIED {
                for pictures in TRIED {
                    for empties in 0..=2 {
                        for asked in [ClaimQuestion::Yes, ClaimQuestion::No] {
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
fn expected(gave: Gave, steering: SteeringQueue, spent: Spent) -> TurnAction {
    let steered = steering == SteeringQueue::Waiting;
    let is_empty = matches!(gave, Gave::Nothing(_) | Gave::Failed(CallTrouble::Empty, _));
    let spoken = matches!(gave, Gave::Nothing(SpokeAlready::Yes) | Gave::Failed(_, SpokeAlready::Yes));
    let tries_left = spent.compaction == RoomOutcome::Room && spent.compactions < 3;
    match gave {
        Gave::Stopped => TurnAction::EndAborted,
        Gave::Calls => TurnAction::RunTools,
        Gave::Answer(_) | Gave::Nothing(_) if steered => TurnAction::CallAgain,
        Gave::Answer(WorkClaim::Unbacked) if spent.asked == ClaimQuestion::No => TurnAction::Nudge,
        Gave::Answer(_) => TurnAction::EndAnswered,
        _ if is_empty && spoken => TurnAction::EndAnswered,
        _ if is_empty && spent.empties == 0 => TurnAction::CallAgain,
        _ if is_empty => TurnAction::EndNotice(RunExplanation::Empty),
        Gave::Refused | Gave::Failed(CallTrouble::Refused, _) => {
            TurnAction::EndNotice(RunExplanation::Refused)
        }
        Gave::Failed(CallTrouble::Overflow, _) if tries_left => TurnAction::Compact,
        Gave::Failed(CallTrouble::Overflow, _) if spent.shortening.is_none() => TurnAction::Shorten,
        Gave::Failed(CallTrouble::Overflow, _) if spent.compaction == RoomOutcome::NoRoom => {
            TurnAction::EndNotice(RunExplanation::CompactionFailed)
        }
        Gave::Failed(CallTrouble::Overflow, _) => TurnAction::EndNotice(RunExplanation::Overflow),
        Gave::Failed(CallTrouble::RoleOrdering, _) => TurnAction::EndNotice(RunExplanation::RoleOrdering),
        Gave::Failed(CallTrouble::ImageSize, _) if spent.pictures.is_none() => TurnAction::ShrinkPictures,
        Gave::Failed(CallTrouble::ImageSize, _) => TurnAction::EndNotice(RunExplanation::ImageSize),
        Gave::Failed(CallTrouble::Budget, _) => TurnAction::EndNotice(RunExplanation::Budget),
        Gave::Failed(..) => TurnAction::EndFailed,
        Gave::Nothing(_) => unreachable!("covered as empty"),
    }
}

#[test]
fn every_situation_after_a_call_has_its_action() {
    for gave in every_gave() {
        for steering in [SteeringQueue::Waiting, SteeringQueue::None] {
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
        (Round::Stopped, TurnAction::EndAborted),
        (Round::Results, TurnAction::CallAgain),
        (Round::ClientCalls, TurnAction::EndForClient),
        (Round::ToolLoop(circle), TurnAction::EndNotice(RunExplanation::Loop(circle))),
        (Round::Fault, TurnAction::EndFailed),
    ];
    for (round, action) in rows {
        assert_eq!(after_tools(round), action, "{round:?}");
    }
}

#[test]
fn a_call_is_skipped_only_after_another_has_its_result_and_a_message_waits() {
    let rows = [
        (Finished::None, SteeringQueue::None, Unbegun::Begin),
        (Finished::None, SteeringQueue::Waiting, Unbegun::Begin),
        (Finished::Some, SteeringQueue::None, Unbegun::Begin),
        (Finished::Some, SteeringQueue::Waiting, Unbegun::Skip),
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
        let action =
            after_call(Gave::Failed(CallTrouble::Overflow, SpokeAlready::No), SteeringQueue::None, spent);
        story.push(action);
        match action {
            TurnAction::Compact => spent.compactions += 1,
            TurnAction::Shorten => {
                spent.shortening = Some(RoomOutcome::Room);
                spent.compactions = 0;
            }
            _ => break,
        }
    }
    let compact = TurnAction::Compact;
    let end = TurnAction::EndNotice(RunExplanation::Overflow);
    assert_eq!(story, [compact, compact, compact, TurnAction::Shorten, compact, compact, compact, end]);
}
