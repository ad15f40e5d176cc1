//! `/approve`: answers a question about a command of the agent, and says how far "always" reaches.
//!
//! Who may answer was decided where the message came in. A request may be named by the beginning of its id; the words for a
//! scope are those of `openclaw_exec::GrantScope`.

use openclaw_exec::{
    ApprovalDecision, ApprovalError, ApprovalQueue, GrantScope, GrantWidth, OpenApproval, ScopeError,
    shown_inline, shown_line,
};
use openclaw_inbound::commands::ApprovalChoice;

use super::CommandCall;

/// Answers a question.
pub(super) async fn approve(
    call: &CommandCall<'_>,
    written: &str,
    choice: ApprovalChoice,
    scope: &str,
) -> String {
    if !call.submission.from.may_approve {
        return "⚠️ You may not answer this: it takes a connection with the right to approve (operator.approvals)."
            .to_owned();
    }
    let Some(desk) = &call.handles().approvals else {
        return "⚠️ Nobody asks for approvals here.".to_owned();
    };
    let Some(question) = desk.find(written) else { return unknown(desk, written) };
    let command = match shown_inline(&question.request.command) {
        Ok(command) => command,
        // Nobody says yes to what they cannot have read here; a no is safe.
        Err(too_long) if choice != ApprovalChoice::Deny => return format!("⚠️ Not answered: {too_long}."),
        Err(_too_long) => "a long command".to_owned(),
    };
    let answered = match choice {
        ApprovalChoice::AllowOnce => {
            let settled = desk.resolve(&question.id, ApprovalDecision::AllowOnce, &by(call)).await;
            settled.map(|_| format!("✅ Allowed this once: {command}"))
        }
        ApprovalChoice::Deny => {
            let settled = desk.resolve(&question.id, ApprovalDecision::Deny, &by(call)).await;
            settled.map(|_| format!("🚫 Denied: {command}"))
        }
        ApprovalChoice::AllowAlways => match always(desk, &question, scope, &by(call)).await {
            Ok(said) => Ok(format!("{said}: {command}")),
            Err(Unanswered::Wrong(text)) => return text,
            Err(Unanswered::Desk(error)) => Err(error),
        },
    };
    answered.unwrap_or_else(|(ApprovalError::Unknown | ApprovalError::Taken | ApprovalError::Full)| {
        unknown(desk, written)
    })
}

/// Why "always" was not taken. The question is still open.
enum Unanswered {
    Wrong(String),
    Desk(ApprovalError),
}

async fn always(
    desk: &ApprovalQueue,
    question: &OpenApproval,
    scope: &str,
    by: &str,
) -> Result<String, Unanswered> {
    let scope = GrantScope::read(scope).map_err(|error| Unanswered::Wrong(format!("⚠️ {error}")))?;
    let latitude = desk.latitude(&question.id).unwrap_or(GrantWidth::Foreign);
    match desk.allow_always(&question.id, scope, by).await {
        Ok(_) => Ok(match latitude {
            GrantWidth::Foreign => "✅ Allowed from now on".to_owned(),
            GrantWidth::EveryTime => {
                "✅ Allowed this once: exec asks every time here (ask is always)".to_owned()
            }
            GrantWidth::Nothing => {
                "✅ Allowed this once, because such a command cannot be remembered".to_owned()
            }
            GrantWidth::Exact | GrantWidth::Leading | GrantWidth::Wide => {
                format!("✅ Allowed from now on ({scope})")
            }
        }),
        Err(ScopeError::Desk(error)) => Err(Unanswered::Desk(error)),
        Err(error @ (ScopeError::TooWide | ScopeError::Over)) => {
            let hint = latitude.hint().map_or_else(String::new, |hint| format!("\n{hint}"));
            Err(Unanswered::Wrong(format!("⚠️ Not answered: {error}.{hint}")))
        }
    }
}

fn unknown(desk: &ApprovalQueue, written: &str) -> String {
    let open = desk.open();
    let mut text =
        format!("⚠️ There is no open request {written}; it may have been answered or have run out.");
    if !open.is_empty() {
        text.push_str("\nOpen requests:");
        for question in open {
            text.push_str(&format!("\n• {}", told(desk, &question)));
        }
    }
    text
}

/// A question as the person who answers it has to see it.
fn told(desk: &ApprovalQueue, question: &OpenApproval) -> String {
    let request = &question.request;
    let command = shown_inline(&request.command).unwrap_or_else(|too_long| too_long.to_string());
    let mut text = format!("{}: {command}", question.id);
    if let Some(folder) = &request.cwd {
        text.push_str(&format!("\n  in {}", shown_line(folder)));
    }
    if let Some(names) = &request.env_keys {
        text.push_str(&format!("\n  sets {}", shown_line(&names.join(", "))));
    }
    if let Some(hint) = desk.latitude(&question.id).and_then(GrantWidth::hint) {
        text.push_str(&format!("\n  {hint}"));
    }
    text
}

/// Who answers, for the books.
fn by(call: &CommandCall<'_>) -> String {
    let from = &call.submission.from;
    let who = from.peer.as_ref().map(|peer| peer.as_str()).or(from.name.as_deref()).unwrap_or("owner");
    format!("{}:{who}", call.channel())
}
