//! The table of next steps: what to do after each kind of trouble.
//!
//! Pure and total: every reason has a row. A conversation that does not fit, a refusal and a cancelled call are
//! never tried elsewhere: another model would not change what they are about.

use openclaw_ports::model::FaultReason;
use openclaw_types::ThinkingLevel;

/// What to do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailoverStep {
    /// The same once more, thinking at this level.
    Rethink(ThinkingLevel),
    /// The same once more, after renewing the sign-in.
    Renew,
    /// The same model with the next credential.
    NextProfile,
    /// The next model.
    NextModel,
    /// Nothing: the call has failed.
    GiveUp,
}

/// Where a call stands when an attempt fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Situation {
    /// The level of thinking to try instead, when the server refused the level.
    pub(crate) other_thinking: Option<ThinkingLevel>,
    /// Whether the sign-in can be renewed and was not yet for this attempt.
    pub(crate) renewal: Renewal,
    /// Whether another credential may be tried with this model.
    pub(crate) profiles: Remaining,
    /// Whether another model may be tried.
    pub(crate) models: Remaining,
}

/// Whether a refused sign-in can be renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Renewal {
    Possible,
    Impossible,
}

/// Whether there is another one to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Remaining {
    Some,
    None,
}

impl Remaining {
    pub(crate) fn of(count: usize) -> Self {
        if count == 0 { Self::None } else { Self::Some }
    }
}

/// How far a kind of trouble reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// This credential with this model: another credential may work.
    Credential,
    /// This model, whoever asks.
    Model,
    /// Any model.
    Everything,
}

/// What is left alone after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Blame {
    /// The credential with this model.
    ProfileWithModel,
    /// The credential with every model.
    Profile,
    /// The credential with every model, for long: a person has to act.
    BudgetHold,
    /// Nothing: the trouble says nothing about the next call.
    Nobody,
}

/// The next step after a failure.
pub(crate) fn decide(reason: FaultReason, situation: Situation) -> FailoverStep {
    if let Some(level) = situation.other_thinking {
        return FailoverStep::Rethink(level);
    }
    if reason == FaultReason::Auth && situation.renewal == Renewal::Possible {
        return FailoverStep::Renew;
    }
    match (reach(reason), situation.profiles, situation.models) {
        (Reach::Everything, _, _) => FailoverStep::GiveUp,
        (Reach::Credential, Remaining::Some, _) => FailoverStep::NextProfile,
        (_, _, Remaining::Some) => FailoverStep::NextModel,
        (_, _, Remaining::None) => FailoverStep::GiveUp,
    }
}

fn reach(reason: FaultReason) -> Reach {
    match reason {
        FaultReason::RateLimit
        | FaultReason::Auth
        | FaultReason::Billing
        | FaultReason::Overloaded
        | FaultReason::ModelNotFound
        | FaultReason::Timeout
        | FaultReason::Network
        | FaultReason::Truncated
        | FaultReason::Empty
        | FaultReason::Unknown => Reach::Credential,
        FaultReason::Format | FaultReason::Malformed | FaultReason::TooLarge => Reach::Model,
        FaultReason::ContextOverflow | FaultReason::Refused | FaultReason::Cancelled => Reach::Everything,
    }
}

/// What is left alone after a failure of a kind.
pub(crate) fn blame(reason: FaultReason) -> Blame {
    match reason {
        FaultReason::RateLimit
        | FaultReason::Overloaded
        | FaultReason::ModelNotFound
        | FaultReason::Timeout
        | FaultReason::Network
        | FaultReason::Truncated
        | FaultReason::Unknown => Blame::ProfileWithModel,
        FaultReason::Auth => Blame::Profile,
        FaultReason::Billing => Blame::BudgetHold,
        FaultReason::Format
        | FaultReason::Malformed
        | FaultReason::TooLarge
        | FaultReason::Empty
        | FaultReason::ContextOverflow
        | FaultReason::Refused
        | FaultReason::Cancelled => Blame::Nobody,
    }
}
