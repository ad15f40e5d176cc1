//! What the audit ledger is told about questions: asked, answered with how far it reaches, unanswered, heard late.
//!
//! The text of a command is never written down, only its fingerprint. The queue calls this.

use openclaw_ports::stores::{AuditEntry, AuditLedger};
use openclaw_types::UnixMillis;
use serde_json::{Value, json};

use super::queue::{ApprovalDecision, Lapse, OpenApproval, SettledApproval};

/// Appends an entry. Trouble is logged: it must not keep an answer back.
pub(super) async fn append(audit: &dyn AuditLedger, entry: AuditEntry) {
    if let Err(error) = audit.append(entry).await {
        tracing::error!(%error, "an approval could not be written to the audit ledger");
    }
}

/// A question was asked.
pub(super) fn asked(question: &OpenApproval) -> AuditEntry {
    let request = &question.request;
    let actor =
        request.agent_id.as_ref().map_or_else(|| "gateway".to_owned(), |agent| format!("agent:{agent}"));
    entry(question, question.created_at_ms, ("exec.approval.request", actor), json!({}))
}

/// A question was answered.
pub(super) fn answered(settled: &SettledApproval) -> AuditEntry {
    let detail = json!({
        "decision": settled.decision.map(ApprovalDecision::as_str),
        "scope": settled.scope.map(|scope| scope.to_string()),
    });
    let actor = settled.by.clone().unwrap_or_else(|| "gateway".to_owned());
    entry(&settled.question, settled.at, ("exec.approval.resolve", actor), detail)
}

/// A question ended without an answer.
pub(super) fn unanswered(settled: &SettledApproval, lapse: Lapse) -> AuditEntry {
    let why = match lapse {
        Lapse::RanOut => "nobody answered in time",
        Lapse::Unreachable => "nobody could be asked",
        Lapse::Withdrawn => "whoever asked does not wait any more",
    };
    let what = ("exec.approval.expire", "gateway".to_owned());
    entry(&settled.question, settled.at, what, json!({ "why": why }))
}

/// Somebody heard the answer after it was given.
pub(super) fn heard_late(settled: &SettledApproval, at: UnixMillis) -> AuditEntry {
    let detail = json!({ "decision": settled.decision.map(ApprovalDecision::as_str) });
    entry(&settled.question, at, ("exec.approval.grace", "gateway".to_owned()), detail)
}

fn entry(
    question: &OpenApproval,
    at: UnixMillis,
    (action, actor): (&str, String),
    mut detail: Value,
) -> AuditEntry {
    let request = &question.request;
    detail["agent"] = json!(request.agent_id);
    detail["session"] = json!(request.session_key);
    detail["program"] = json!(request.resolved_path);
    detail["command"] = json!(crate::audit::fingerprint(&request.command));
    AuditEntry { at, actor, action: action.to_owned(), subject: Some(question.id.clone()), detail }
}
