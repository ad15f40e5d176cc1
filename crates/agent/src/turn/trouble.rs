//! What kind of trouble a failed call is, for the run: what can be done about it, and what people are told.
//!
//! Pure. Most vendors have no code of their own for a wrong order of messages or a picture that is too large; their
//! words are all there is to tell these apart from any other request that is not accepted.

use openclaw_ports::model::{FaultReason, ModelFault};

use crate::{CallFailed, FailureCause};

/// Kinds of trouble.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum CallTrouble {
    /// The conversation does not fit.
    Overflow,
    /// The order of messages is not accepted.
    RoleOrdering,
    /// A picture is too large.
    ImageSize,
    /// The answer was empty.
    Empty,
    /// The vendor does not want to answer.
    Refused,
    /// A budget forbids the call.
    Budget,
    /// Anything else.
    Other,
}

/// What kind of trouble a failed call is.
pub(crate) fn trouble(failed: &CallFailed) -> CallTrouble {
    match &failed.cause {
        FailureCause::Budget(_) | FailureCause::Books(_) => CallTrouble::Budget,
        FailureCause::Selection(_) => CallTrouble::Other,
        FailureCause::Fault(fault) => of_fault(fault),
    }
}

fn of_fault(fault: &ModelFault) -> CallTrouble {
    match fault.reason {
        FaultReason::ContextOverflow => CallTrouble::Overflow,
        FaultReason::Empty => CallTrouble::Empty,
        FaultReason::Refused => CallTrouble::Refused,
        FaultReason::Format | FaultReason::TooLarge | FaultReason::Unknown => by_words(&fault.message),
        _ => CallTrouble::Other,
    }
}

fn by_words(message: &str) -> CallTrouble {
    let words = message.to_lowercase();
    let any = |signs: &[&str]| signs.iter().any(|sign| words.contains(sign));
    if any(&["incorrect role information", "roles must alternate", "must alternate between"]) {
        return CallTrouble::RoleOrdering;
    }
    if any(&[
        "image exceeds",
        "image too large",
        "image dimensions exceed",
        "image is too large",
        "image size",
    ]) {
        return CallTrouble::ImageSize;
    }
    CallTrouble::Other
}

#[cfg(test)]
mod tests {
    use openclaw_ports::model::{FaultReason, ModelFault};

    use super::{CallTrouble, of_fault};

    #[test]
    fn faults_are_told_apart_by_what_can_be_done() {
        let rows = [
            (FaultReason::ContextOverflow, "prompt is too long", CallTrouble::Overflow),
            (FaultReason::Empty, "", CallTrouble::Empty),
            (FaultReason::Refused, "no", CallTrouble::Refused),
            (
                FaultReason::Format,
                "messages: roles must alternate between \"user\" and \"assistant\"",
                CallTrouble::RoleOrdering,
            ),
            (FaultReason::Format, "400 Incorrect role information", CallTrouble::RoleOrdering),
            (
                FaultReason::Format,
                "messages.0.content.1: image exceeds 5 MB maximum: 6291456 bytes",
                CallTrouble::ImageSize,
            ),
            (
                FaultReason::Format,
                "At least one of the image dimensions exceed max allowed size: 8000 pixels",
                CallTrouble::ImageSize,
            ),
            (FaultReason::Format, "unknown field", CallTrouble::Other),
            (FaultReason::Overloaded, "roles must alternate", CallTrouble::Other),
            (FaultReason::Auth, "image exceeds", CallTrouble::Other),
        ];
        for (reason, message, wanted) in rows {
            assert_eq!(of_fault(&ModelFault::new(reason, message)), wanted, "{reason:?} {message}");
        }
    }
}
