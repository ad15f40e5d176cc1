//! `/approve`: answers a question about a command of the agent.
//!
//! Who may answer was decided where the message came in. A request may be named by the beginning of its id.

use openclaw_exec::{ApprovalDecision, ApprovalDesk, DeskError};
use openclaw_inbound::commands::ApprovalChoice;

use super::CommandCall;

/// The shortest beginning that names a request.
const SHORTEST: usize = 4;

/// Answers a question.
pub(super) async fn approve(call: &CommandCall<'_>, written: &str, choice: ApprovalChoice) -> String {
    if !call.letter.from.may_approve {
        return "⚠️ You may not answer this: it takes a connection with the right to approve (operator.approvals)."
            .to_owned();
    }
    let Some(desk) = &call.handles().approvals else {
        return "⚠️ Nobody asks for approvals here.".to_owned();
    };
    let id = match full_id(desk, written) {
        Some(id) => id,
        None => return unknown(desk, written),
    };
    let decision = match choice {
        ApprovalChoice::AllowOnce => ApprovalDecision::AllowOnce,
        ApprovalChoice::AllowAlways => ApprovalDecision::AllowAlways,
        ApprovalChoice::Deny => ApprovalDecision::Deny,
    };
    match desk.resolve(&id, decision, &by(call)).await {
        Ok(settled) => {
            let done = match choice {
                ApprovalChoice::AllowOnce => "✅ Allowed this once",
                ApprovalChoice::AllowAlways => "✅ Allowed from now on",
                ApprovalChoice::Deny => "🚫 Denied",
            };
            format!("{done}: {}", settled.question.request.command)
        }
        Err(DeskError::Unknown | DeskError::Taken | DeskError::Full) => unknown(desk, written),
    }
}

/// The request that a text names: its id, or the beginning of one that is open.
fn full_id(desk: &ApprovalDesk, written: &str) -> Option<String> {
    let open = desk.open();
    if let Some(exact) = open.iter().find(|question| question.id == written) {
        return Some(exact.id.clone());
    }
    let mut fitting =
        open.iter().filter(|question| written.len() >= SHORTEST && question.id.starts_with(written));
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Some(only.id.clone()),
        _ => None,
    }
}

fn unknown(desk: &ApprovalDesk, written: &str) -> String {
    let open = desk.open();
    let mut text =
        format!("⚠️ There is no open request {written}; it may have been answered or have run out.");
    if !open.is_empty() {
        text.push_str("\nOpen requests:");
        for question in open {
            text.push_str(&format!("\n• {}: {}", question.id, question.request.command));
        }
    }
    text
}

/// Who answers, for the books.
fn by(call: &CommandCall<'_>) -> String {
    let from = &call.letter.from;
    let who = from.peer.as_ref().map(|peer| peer.as_str()).or(from.name.as_deref()).unwrap_or("owner");
    format!("{}:{who}", call.channel())
}
