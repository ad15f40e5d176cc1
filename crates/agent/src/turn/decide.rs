//! Decides what a run does next, after a call of a model and after a round of tools.
//!
//! Pure: no clock, no stores, no models. `run::engine` gathers what there is to know and carries the decision out.
//! Invariant: every way round the loop either makes progress in the transcript or spends one of a bounded number of
//! second chances, so that a run ends whatever models do.

use super::guard::ToolLoop;
use super::trouble::CallTrouble;

/// How often older parts are summed up because the conversation does not fit.
pub(crate) const MOST_COMPACTIONS: u32 = 3;

/// How often a call with an empty answer is made again.
pub(crate) const MOST_EMPTY_RETRIES: u32 = 1;

/// What a call gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gave {
    /// Somebody or something stopped the run meanwhile.
    Stopped,
    /// A message that asks for tools.
    Calls,
    /// Words for people, or the sign that there is nothing to say.
    Answer(WorkClaim),
    /// A whole message without a word or a call.
    Nothing(SpokeAlready),
    /// The vendor broke off and does not want to answer.
    Refused,
    /// No message.
    Failed(CallTrouble, SpokeAlready),
}

/// What a round of tools gave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Round {
    /// Somebody or something stopped the run meanwhile.
    Stopped,
    /// A result for every call.
    Results,
    /// The same, and calls of the client's own tools wait for theirs.
    ClientCalls,
    /// The run goes round in circles.
    ToolLoop(ToolLoop),
    /// Something is wrong on our side.
    Fault,
}

/// Whether an answer says that work was done which nobody did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkClaim {
    /// It claims nothing, or a tool did it.
    Fine,
    /// It does.
    Unbacked,
}

/// Whether the run has said something to people already, by a tool or in an earlier message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpokeAlready {
    /// It has.
    Yes,
    /// It has not.
    No,
}

/// Whether messages wait to be steered into the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SteeringQueue {
    /// They do.
    Waiting,
    /// They do not.
    None,
}

/// Whether a call of the message got its result already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finished {
    /// At least one.
    Some,
    /// None yet.
    None,
}

/// What becomes of the calls of a message that have not begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unbegun {
    /// They begin, as far as there is room beside each other.
    Begin,
    /// They are skipped, and the model is called with what waits to be steered in.
    Skip,
}

/// The second chances that were spent so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Spent {
    /// How often older parts were summed up since results were last shortened.
    pub(crate) compactions: u32,
    /// What the last of these came to.
    pub(crate) compaction: RoomOutcome,
    /// Whether long results were shortened, and whether that came to anything.
    pub(crate) shortening: Option<RoomOutcome>,
    /// Whether pictures were made smaller, and whether that came to anything.
    pub(crate) pictures: Option<RoomOutcome>,
    /// How many answers in a row were empty.
    pub(crate) empties: u32,
    /// Whether the model was asked about a claim.
    pub(crate) asked: ClaimQuestion,
}

/// What came of an attempt to make room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RoomOutcome {
    /// There is more room.
    Room,
    /// There is not.
    NoRoom,
}

/// Whether the model was asked about a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ClaimQuestion {
    /// It was.
    Yes,
    /// It was not.
    No,
}

impl Spent {
    /// Nothing yet.
    pub(crate) const NOTHING: Self = Self {
        compactions: 0,
        compaction: RoomOutcome::Room,
        shortening: None,
        pictures: None,
        empties: 0,
        asked: ClaimQuestion::No,
    };
}

/// What the run does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TurnAction {
    /// Runs the tools that the message asks for.
    RunTools,
    /// Calls the model again, with what waits to be steered in.
    CallAgain,
    /// Sums up older parts, then calls again.
    Compact,
    /// Shortens long results, then calls again.
    Shorten,
    /// Makes pictures smaller, then calls again.
    ShrinkPictures,
    /// Asks the model about its claim, then calls again.
    Nudge,
    /// Ends with what was said.
    EndAnswered,
    /// Ends because the client has to run its tools.
    EndForClient,
    /// Ends with an explanation.
    EndNotice(RunExplanation),
    /// Ends without an answer.
    EndFailed,
    /// Ends because somebody or something stopped it.
    EndAborted,
}

/// The explanations a run can end with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RunExplanation {
    /// The conversation does not fit the model, and nothing helped.
    Overflow,
    /// The conversation does not fit the model, and summing up failed.
    CompactionFailed,
    /// The vendor does not accept the order of messages.
    RoleOrdering,
    /// A picture is too large.
    ImageSize,
    /// The model gave nothing, twice.
    Empty,
    /// The vendor does not want to answer.
    Refused,
    /// A budget forbids the call.
    Budget,
    /// The run went round in circles.
    Loop(ToolLoop),
}

/// What comes after a call of a model.
pub(crate) fn after_call(gave: Gave, steering: SteeringQueue, spent: Spent) -> TurnAction {
    match gave {
        Gave::Stopped => TurnAction::EndAborted,
        Gave::Calls => TurnAction::RunTools,
        Gave::Answer(_) | Gave::Nothing(_) if steering == SteeringQueue::Waiting => TurnAction::CallAgain,
        Gave::Answer(WorkClaim::Unbacked) if spent.asked == ClaimQuestion::No => TurnAction::Nudge,
        Gave::Answer(_) => TurnAction::EndAnswered,
        Gave::Nothing(spoken) | Gave::Failed(CallTrouble::Empty, spoken) => empty(spoken, spent),
        Gave::Refused | Gave::Failed(CallTrouble::Refused, _) => {
            TurnAction::EndNotice(RunExplanation::Refused)
        }
        Gave::Failed(CallTrouble::Overflow, _) => overflow(spent),
        Gave::Failed(CallTrouble::RoleOrdering, _) => TurnAction::EndNotice(RunExplanation::RoleOrdering),
        Gave::Failed(CallTrouble::ImageSize, _) => match spent.pictures {
            None => TurnAction::ShrinkPictures,
            Some(_) => TurnAction::EndNotice(RunExplanation::ImageSize),
        },
        Gave::Failed(CallTrouble::Budget, _) => TurnAction::EndNotice(RunExplanation::Budget),
        Gave::Failed(CallTrouble::Other, _) => TurnAction::EndFailed,
    }
}

/// Whether calls that have not begun still do. Asked before each of them.
///
/// The first call of a message always begins, so that steering cannot keep a run from ever doing anything. Calls that
/// run already are never asked about: they come to their end.
pub(crate) fn unbegun(finished: Finished, steering: SteeringQueue) -> Unbegun {
    match (finished, steering) {
        (Finished::Some, SteeringQueue::Waiting) => Unbegun::Skip,
        (Finished::Some, SteeringQueue::None) | (Finished::None, _) => Unbegun::Begin,
    }
}

/// What comes after a round of tools.
pub(crate) fn after_tools(round: Round) -> TurnAction {
    match round {
        Round::Stopped => TurnAction::EndAborted,
        Round::Results => TurnAction::CallAgain,
        Round::ClientCalls => TurnAction::EndForClient,
        Round::ToolLoop(circle) => TurnAction::EndNotice(RunExplanation::Loop(circle)),
        Round::Fault => TurnAction::EndFailed,
    }
}

/// Models often end a round of tools with an empty message: whoever has spoken need not speak again.
fn empty(spoken: SpokeAlready, spent: Spent) -> TurnAction {
    match spoken {
        SpokeAlready::Yes => TurnAction::EndAnswered,
        SpokeAlready::No if spent.empties < MOST_EMPTY_RETRIES => TurnAction::CallAgain,
        SpokeAlready::No => TurnAction::EndNotice(RunExplanation::Empty),
    }
}

fn overflow(spent: Spent) -> TurnAction {
    if spent.compaction == RoomOutcome::Room && spent.compactions < MOST_COMPACTIONS {
        return TurnAction::Compact;
    }
    match (spent.shortening, spent.compaction) {
        (None, _) => TurnAction::Shorten,
        (Some(_), RoomOutcome::NoRoom) => TurnAction::EndNotice(RunExplanation::CompactionFailed),
        (Some(_), RoomOutcome::Room) => TurnAction::EndNotice(RunExplanation::Overflow),
    }
}

#[cfg(test)]
mod tests;
