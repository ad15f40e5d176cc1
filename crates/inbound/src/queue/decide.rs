//! Decides what something that happens to a session means for its messages.
//!
//! Pure, without memory: `SessionQueue` holds the state and applies the decision. What happens to more messages than
//! may wait is decided in `overflow`.
//! Invariant: a run is started only where none is under way.

use openclaw_config::QueueMode;

/// What a session is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing.
    Idle,
    /// Messages wait until it is quiet.
    Settling,
    /// An answer is being made.
    Running(SteeringState),
    /// An answer is being stopped.
    Stopping,
}

/// Whether a message can join the answer being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SteeringState {
    /// It can.
    Open,
    /// It cannot: the run has not begun, cannot be steered, or is about to end.
    Closed,
}

/// Whether messages wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Waiting {
    /// None.
    Nothing,
    /// Some, and the last came long enough ago.
    Ripe,
    /// Some, and more may come.
    Fresh,
}

/// Whether a message may become part of the answer being made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fit {
    /// The answer goes where the message's own would go, and is made with the same rights.
    Same,
    /// It goes elsewhere, or its author may do more or less.
    Other,
}

/// Something that happens to a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Happening {
    /// A message came.
    Arrived(Fit),
    /// The run can be steered from now on, or no longer.
    Steerable(SteeringState),
    /// The run ended.
    Ended(RunResult),
    /// The time to wait is over.
    Quiet,
    /// A person wants everything to stop.
    Stop,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunResult {
    /// With an answer.
    Answered,
    /// Without one.
    Failed,
    /// It was stopped.
    Aborted,
}

/// What to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Decision {
    /// Nothing.
    Nothing,
    /// Answer the message now.
    Start,
    /// Answer now what waits.
    StartWaiting,
    /// Let the message join the answer being made.
    Steer,
    /// Let it join, and answer it later as well.
    SteerAndHold,
    /// Let all that wait join the answer being made.
    SteerWaiting,
    /// Let the message wait.
    Hold,
    /// Let the message wait, and wait for quiet anew.
    HoldAndSettle,
    /// Forget what waits, stop the run, and answer the message then.
    Interrupt,
    /// Forget what waits, and answer the message now.
    Replace,
    /// Forget what waits, and let the message wait for the run to stop.
    Await,
    /// Wait for quiet.
    Settle,
    /// There is nothing left to do.
    Rest,
    /// Forget what waits.
    Clear,
    /// Forget what waits, and stop the run.
    ClearAndAbort,
}

/// Says what a happening means.
#[must_use]
pub fn decide(phase: Phase, waiting: Waiting, happening: Happening, mode: QueueMode) -> Decision {
    match happening {
        Happening::Arrived(fit) => arrived(phase, waiting, fit, mode),
        Happening::Steerable(steering) => steerable(phase, waiting, steering, mode),
        Happening::Ended(_) => match phase {
            Phase::Running(_) | Phase::Stopping => next(phase, waiting),
            Phase::Idle | Phase::Settling => Decision::Nothing,
        },
        Happening::Quiet => match phase {
            Phase::Settling => next(phase, waiting),
            Phase::Idle | Phase::Running(_) | Phase::Stopping => Decision::Nothing,
        },
        Happening::Stop => match phase {
            Phase::Running(_) => Decision::ClearAndAbort,
            Phase::Idle | Phase::Settling | Phase::Stopping => Decision::Clear,
        },
    }
}

fn arrived(phase: Phase, waiting: Waiting, fit: Fit, mode: QueueMode) -> Decision {
    match (phase, mode) {
        (Phase::Idle, _) => Decision::Start,
        (Phase::Settling, QueueMode::Interrupt) => Decision::Replace,
        (Phase::Settling, _) => Decision::HoldAndSettle,
        (Phase::Stopping, QueueMode::Interrupt) => Decision::Await,
        (Phase::Stopping, _) => Decision::Hold,
        (Phase::Running(_), QueueMode::Interrupt) => Decision::Interrupt,
        (Phase::Running(_), _) if fit == Fit::Other => Decision::Hold,
        // A message never overtakes one that waits.
        (Phase::Running(SteeringState::Open), QueueMode::Steer) if waiting == Waiting::Nothing => {
            Decision::Steer
        }
        (Phase::Running(SteeringState::Open), QueueMode::SteerBacklog) => Decision::SteerAndHold,
        (Phase::Running(_), _) => Decision::Hold,
    }
}

fn steerable(phase: Phase, waiting: Waiting, steering: SteeringState, mode: QueueMode) -> Decision {
    match (phase, steering, mode) {
        (Phase::Running(_), SteeringState::Open, QueueMode::Steer) if waiting != Waiting::Nothing => {
            Decision::SteerWaiting
        }
        _ => Decision::Nothing,
    }
}

/// A run that was stopped for a newer message makes way for it at once; otherwise more may be on its way.
fn next(phase: Phase, waiting: Waiting) -> Decision {
    match (waiting, phase) {
        (Waiting::Nothing, _) => Decision::Rest,
        (Waiting::Ripe, _) | (Waiting::Fresh, Phase::Stopping) => Decision::StartWaiting,
        (Waiting::Fresh, _) => Decision::Settle,
    }
}
