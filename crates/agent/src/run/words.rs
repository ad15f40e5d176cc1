//! What a run says in its own words: to people when there is no better answer, and to the model in place of results.
//!
//! Plain text from typed facts. Each says what happened and what to do next; none holds a secret.

use openclaw_types::{AbortCause, AssistantMessage, Content, ProviderId, RunId, StopReason, UnixMillis};

use super::order::FaultKind;
use crate::turn::decide::RunExplanation;
use crate::turn::guard::{ToolLoop, ToolLoopKind};

/// The model's name on messages that the gateway writes in its place.
const OWN_MODEL: &str = "gateway-injected";

/// The name of the note that asks about a claim.
pub(super) const CLAIM_NOTE: &str = "openclaw.claim-check";

/// What people are told instead of an answer, and the kind of fault it is.
pub(super) fn notice(notice: RunExplanation, detail: &str) -> (FaultKind, String) {
    match notice {
        RunExplanation::Overflow => (
            FaultKind::ContextOverflow,
            "This conversation has become too long for the model, and making it shorter did not help. Start over with \
             /new, or choose a model that reads more with /model."
                .to_owned(),
        ),
        RunExplanation::CompactionFailed => (
            FaultKind::Compaction,
            "This conversation has become too long for the model, and it could not be summed up. Try /compact, or \
             start over with /new."
                .to_owned(),
        ),
        RunExplanation::RoleOrdering => (
            FaultKind::RoleOrdering,
            "The model does not accept the order of messages in this conversation. Try again; if it stays so, start \
             over with /new."
                .to_owned(),
        ),
        RunExplanation::ImageSize => (
            FaultKind::ImageSize,
            "A picture in this conversation is too large for the model. Send it again smaller, or start over with \
             /new."
                .to_owned(),
        ),
        RunExplanation::Empty => {
            (FaultKind::Model, "The model gave an empty answer twice. Try again, or ask in other words.".to_owned())
        }
        RunExplanation::Refused => (
            FaultKind::Model,
            "The model's vendor declined to answer this. Ask in other words, or choose another model with /model."
                .to_owned(),
        ),
        RunExplanation::Budget => (FaultKind::Budget, detail.to_owned()),
        RunExplanation::Loop(circle) => (FaultKind::Loop, stopped_circle(circle)),
    }
}

/// What people are told when the last thing that happened before an empty answer was a tool that failed.
pub(super) fn empty_after(tool: &str) -> String {
    format!(
        "The tool {tool} failed, and the model gave an empty answer twice. Try again, or ask in other words."
    )
}

fn stopped_circle(circle: ToolLoop) -> String {
    let count = circle.count;
    let what = match circle.kind {
        ToolLoopKind::Repeat => format!("made the same call {count} times with the same result"),
        ToolLoopKind::PingPong => format!("went back and forth between the same two calls {count} times"),
        ToolLoopKind::Poll => format!("asked {count} times for progress that did not come"),
    };
    format!(
        "I stopped because I was going round in circles: I {what}. Tell me how to go on, or what to try instead."
    )
}

/// What people are told when the time was over before anything was said.
pub(super) fn timeout() -> String {
    "The time for this answer was over before it was ready. Try again with a smaller task, or raise \
     agents.defaults.timeoutSeconds."
        .to_owned()
}

/// Thoughts as people are shown them, before the answer they led to.
pub(super) fn thoughts(text: &str) -> String {
    format!("Thoughts:\n{text}")
}

/// What people are told when something is wrong on our side.
pub(super) fn internal() -> String {
    "Something went wrong inside the gateway while this answer was made. Try again; the log says more."
        .to_owned()
}

/// Added to a result when a call goes round in circles.
pub(super) fn circle_warning(circle: ToolLoop) -> String {
    let count = circle.count.saturating_add(1);
    let what = match circle.kind {
        ToolLoopKind::Repeat => format!("this is call number {count} of this tool with these arguments"),
        ToolLoopKind::PingPong => format!("these two calls have been made in turn {} times", circle.count),
        ToolLoopKind::Poll => format!("this was asked {count} times and nothing new came"),
    };
    format!(
        "[note from the gateway: {what}. If it does not get you further, do something else, or tell the person what is \
         in the way. The run is stopped when this goes on.]"
    )
}

/// The result of a call that was not made because the run goes round in circles.
pub(super) fn circle_refusal(circle: ToolLoop) -> String {
    format!("Not done: the run is stopped because it goes round in circles ({} calls).", circle.count)
}

/// The result of a call whose tool does not exist.
pub(super) fn unknown_tool(name: &str, known: &[&str]) -> String {
    let name: String = name.chars().take(80).collect();
    match known {
        [] => format!("There is no tool named {name:?}; no tools can be called here. Answer in words."),
        known => format!("There is no tool named {name:?}. The tools are: {}.", known.join(", ")),
    }
}

/// The result of a call that the policy forbids.
pub(super) fn refused(name: &str, rule: &str) -> String {
    format!("Not done: {name} may not be used here, because {rule}. Do it another way, or tell the person.")
}

/// The result of a call that a restart cut off.
pub(super) fn interrupted() -> String {
    "The gateway was restarted while this call was under way. It may or may not have had its effect: look before you \
     do it again."
        .to_owned()
}

/// The result of a call that was cut off because the run was stopped.
pub(super) fn stopped() -> String {
    "The run was stopped while this call was under way. It may or may not have had its effect: look before you do it \
     again."
        .to_owned()
}

/// The result of a call that had not begun when the run was stopped.
pub(super) fn not_begun() -> String {
    "Not done: the run ended before this call began.".to_owned()
}

/// The result of a call that was not made because a message came in meanwhile.
pub(super) fn skipped() -> String {
    "Not done: a new message came in, and the calls that had not begun were skipped so that you can read it first. Make \
     this call again if it is still wanted."
        .to_owned()
}

/// The result of a call of the client's own tools that the client never answered.
pub(super) fn unanswered() -> String {
    "The client gave no result for this call.".to_owned()
}

/// The result of a call in which something on our side went wrong.
pub(super) fn tool_fault(name: &str) -> String {
    format!("{name} failed because of a fault inside the gateway; the run ends here.")
}

/// Asks the model about a claim that no tool backs.
pub(super) fn claim_question() -> String {
    "[note from the gateway, not from the person: your last message says that something was done, but no tool that \
     could have done it was used in this turn. If it is still to be done, do it now with a tool. If it was not done, \
     say so plainly. If it was really done earlier, or you meant something else, give your answer again as it should \
     stand. Do not mention this note.]"
        .to_owned()
}

/// A message in the model's place that says why there is no better answer. Models do not get to see it.
pub(super) fn own_message(text: &str, detail: &str, at: UnixMillis) -> AssistantMessage {
    AssistantMessage {
        content: vec![Content::text(text)],
        provider: ProviderId::new("openclaw").ok(),
        model: Some(OWN_MODEL.to_owned()),
        stop: Some(StopReason::Error),
        error: Some(detail.to_owned()),
        at: Some(at),
        ..AssistantMessage::default()
    }
}

/// Names the answer of a run, so that it stands in a transcript once.
pub(super) fn answer_key(run: &RunId) -> String {
    format!("{run}:assistant")
}

/// Who stopped an answer, as transcripts name it.
pub(super) fn abort_origin(cause: AbortCause) -> &'static str {
    match cause {
        AbortCause::Word => "stop-command",
        AbortCause::Request | AbortCause::Timeout | AbortCause::Superseded | AbortCause::Shutdown => {
            cause.as_str()
        }
    }
}
