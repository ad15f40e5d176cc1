//! What holds for a session because of its room: its model, and which tools may be used, as the rules of the room said
//! for the last message of a person there.
//!
//! The session keeps that for what comes into it without a person: what a sub-agent found, a command that ended. It gets
//! no more than the person who wrote last, and a sub-agent no more than who had it started.

mod model;

use openclaw_types::ToolRule;

use crate::submission::{Submission, SubmissionSurface};

pub(crate) use model::{Talk, chosen_model, selection, usual_model};

/// What holds for the run of a submission in a session that keeps this rule.
pub(crate) fn rule_of_room(submission: &Submission, kept: Option<&ToolRule>) -> Option<ToolRule> {
    let own = submission.options.tools.clone();
    match submission.surface {
        // The owner's own programs are in no room.
        SubmissionSurface::Channel
        | SubmissionSurface::Webchat
        | SubmissionSurface::Agent
        | SubmissionSurface::Api => own,
        SubmissionSurface::Session | SubmissionSurface::Subagent | SubmissionSurface::System => {
            own.or_else(|| kept.cloned())
        }
    }
}

/// What the session keeps once a submission came.
pub(crate) fn kept_of_room(submission: &Submission, kept: Option<&ToolRule>) -> Option<ToolRule> {
    match submission.surface {
        // What another session asks for is bound by that session's room, and leaves nothing behind.
        SubmissionSurface::Webchat
        | SubmissionSurface::Agent
        | SubmissionSurface::Api
        | SubmissionSurface::Session => kept.cloned(),
        SubmissionSurface::Channel | SubmissionSurface::Subagent | SubmissionSurface::System => {
            rule_of_room(submission, kept)
        }
    }
}
