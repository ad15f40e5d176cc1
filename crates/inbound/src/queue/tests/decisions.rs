//! The whole table of decisions.

use super::*;

const OPEN: Phase = Phase::Running(SteeringState::Open);
const CLOSED: Phase = Phase::Running(SteeringState::Closed);
const PHASES: [Phase; 5] = [Phase::Idle, Phase::Settling, CLOSED, OPEN, Phase::Stopping];
const WAITINGS: [Waiting; 3] = [Waiting::Nothing, Waiting::Ripe, Waiting::Fresh];

#[test]
fn a_message_that_comes_is_dealt_with_by_mode_and_phase() {
    use Decision::{Await, Hold, HoldAndSettle, Interrupt, Replace, Start, Steer, SteerAndHold};
    // Idle, settling, running without steering, running with it, stopping; nothing else waits.
    let rows = [
        (QueueMode::Collect, [Start, HoldAndSettle, Hold, Hold, Hold]),
        (QueueMode::Followup, [Start, HoldAndSettle, Hold, Hold, Hold]),
        (QueueMode::Steer, [Start, HoldAndSettle, Hold, Steer, Hold]),
        (QueueMode::SteerBacklog, [Start, HoldAndSettle, Hold, SteerAndHold, Hold]),
        (QueueMode::Interrupt, [Start, Replace, Interrupt, Interrupt, Await]),
    ];
    for (mode, expected) in rows {
        for (phase, expected) in PHASES.into_iter().zip(expected) {
            assert_eq!(
                decide(phase, Waiting::Nothing, Happening::Arrived(Fit::Same), mode),
                expected,
                "{mode:?} {phase:?}"
            );
            for waiting in [Waiting::Ripe, Waiting::Fresh] {
                let overtakes = expected == Steer;
                let expected = if overtakes { Hold } else { expected };
                let decision = decide(phase, waiting, Happening::Arrived(Fit::Same), mode);
                assert_eq!(decision, expected, "{mode:?} {phase:?}");
            }
        }
    }
}

#[test]
fn what_does_not_fit_the_run_is_dealt_with_as_if_the_run_could_not_be_steered() {
    for mode in QueueMode::ALL {
        for waiting in WAITINGS {
            for phase in PHASES {
                let closed = if phase == OPEN { CLOSED } else { phase };
                let expected = decide(closed, waiting, Happening::Arrived(Fit::Same), mode);
                let decision = decide(phase, waiting, Happening::Arrived(Fit::Other), mode);
                assert_eq!(decision, expected, "{mode:?} {phase:?} {waiting:?}");
            }
        }
    }
}

#[test]
fn what_waits_is_started_when_a_run_has_ended_and_it_is_quiet() {
    use Decision::{Nothing, Rest, Settle, StartWaiting};
    for mode in QueueMode::ALL {
        for result in [RunResult::Answered, RunResult::Failed, RunResult::Aborted] {
            // Nothing waits, what waits is ripe, more may come.
            let rows = [
                (Phase::Idle, [Nothing, Nothing, Nothing]),
                (Phase::Settling, [Nothing, Nothing, Nothing]),
                (CLOSED, [Rest, StartWaiting, Settle]),
                (OPEN, [Rest, StartWaiting, Settle]),
                (Phase::Stopping, [Rest, StartWaiting, StartWaiting]),
            ];
            for (phase, expected) in rows {
                for (waiting, expected) in WAITINGS.into_iter().zip(expected) {
                    let decision = decide(phase, waiting, Happening::Ended(result), mode);
                    assert_eq!(decision, expected, "{mode:?} {phase:?} {waiting:?} {result:?}");
                }
            }
        }
        let rows = [
            (Phase::Idle, [Nothing, Nothing, Nothing]),
            (Phase::Settling, [Rest, StartWaiting, Settle]),
            (CLOSED, [Nothing, Nothing, Nothing]),
            (OPEN, [Nothing, Nothing, Nothing]),
            (Phase::Stopping, [Nothing, Nothing, Nothing]),
        ];
        for (phase, expected) in rows {
            for (waiting, expected) in WAITINGS.into_iter().zip(expected) {
                assert_eq!(decide(phase, waiting, Happening::Quiet, mode), expected, "{mode:?} {phase:?}");
            }
        }
    }
}

#[test]
fn stopping_clears_everything_in_every_mode() {
    for mode in QueueMode::ALL {
        for waiting in WAITINGS {
            for phase in PHASES {
                let expected = match phase {
                    Phase::Running(_) => Decision::ClearAndAbort,
                    Phase::Idle | Phase::Settling | Phase::Stopping => Decision::Clear,
                };
                assert_eq!(decide(phase, waiting, Happening::Stop, mode), expected, "{mode:?} {phase:?}");
            }
        }
    }
}

#[test]
fn what_waits_is_steered_when_steering_opens_in_steer_mode_only() {
    for mode in QueueMode::ALL {
        for phase in PHASES {
            for waiting in WAITINGS {
                for steering in [SteeringState::Open, SteeringState::Closed] {
                    let steered = mode == QueueMode::Steer
                        && matches!(phase, Phase::Running(_))
                        && waiting != Waiting::Nothing
                        && steering == SteeringState::Open;
                    let expected = if steered { Decision::SteerWaiting } else { Decision::Nothing };
                    let decision = decide(phase, waiting, Happening::Steerable(steering), mode);
                    assert_eq!(decision, expected, "{mode:?} {phase:?} {waiting:?} {steering:?}");
                }
            }
        }
    }
}
