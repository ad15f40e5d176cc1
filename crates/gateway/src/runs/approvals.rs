//! Tells those who may answer them about questions whether a command may run.
//!
//! The approval queue in `exec` keeps the questions and decides who won; `app` joins it with this face. Holds the gateway weakly:
//! once it is gone, nobody can be asked.

use std::sync::{Arc, Weak};

use openclaw_exec::{ApprovalDecision, ApprovalRequest, ApproverReach, OpenApproval, SettledApproval};
use openclaw_protocol::events::{ExecApprovalRequested, ExecApprovalResolved};
use openclaw_protocol::methods::approvals::{
    ApprovalDecision as WireDecision, ApprovalQuestion, ApprovalRequested, ApprovalResolved,
};
use openclaw_protocol::{EncodeError, Event as _, EventText};
use openclaw_types::{Role, Scope};
use serde_json::Value;

use crate::broadcast::Announcement;
use crate::context::GatewayContext;

/// The way from a question about a command to the clients that may answer it.
#[derive(Clone)]
pub struct ApprovalFace(Weak<GatewayContext>);

impl ApprovalFace {
    pub(crate) fn new(context: &Arc<GatewayContext>) -> Self {
        Self(Arc::downgrade(context))
    }

    /// Whether a client is connected that may answer.
    #[must_use]
    pub fn reach(&self, _request: &ApprovalRequest) -> ApproverReach {
        let Some(context) = self.0.upgrade() else { return ApproverReach::Nobody };
        let somebody = context
            .roster
            .any(|client| client.principal.role == Role::Operator && client.principal.may(Scope::Approvals));
        if somebody { ApproverReach::Somebody } else { ApproverReach::Nobody }
    }

    /// Tells that a question was asked.
    pub fn requested(&self, question: &OpenApproval) {
        let Some(payload) = requested(question) else { return };
        self.tell(ExecApprovalRequested::text(&payload));
    }

    /// Tells how a question was answered.
    pub fn resolved(&self, settled: &SettledApproval) {
        let Some(decision) = settled.decision.map(wire_decision) else { return };
        let payload = ApprovalResolved {
            id: settled.question.id.clone(),
            decision,
            resolved_by: settled.by.clone(),
            ts: settled.at,
            request: written(&settled.question.request),
        };
        self.tell(ExecApprovalResolved::text(&payload));
    }

    fn tell(&self, text: Result<EventText, EncodeError>) {
        let Some(context) = self.0.upgrade() else { return };
        match text {
            Ok(event) => context.roster.broadcast(&Announcement::of(event)),
            Err(error) => tracing::error!(%error, "a question about a command could not be told"),
        }
    }
}

/// The decision in the words of the protocol.
pub(crate) fn wire_decision(decision: ApprovalDecision) -> WireDecision {
    match decision {
        ApprovalDecision::AllowOnce => WireDecision::AllowOnce,
        ApprovalDecision::AllowAlways => WireDecision::AllowAlways,
        ApprovalDecision::Deny => WireDecision::Deny,
    }
}

fn requested(question: &OpenApproval) -> Option<ApprovalRequested> {
    let request: ApprovalQuestion = match serde_json::from_value(written(&question.request)?) {
        Ok(request) => request,
        Err(error) => {
            tracing::error!(%error, "a question about a command does not have the protocol's shape");
            return None;
        }
    };
    Some(ApprovalRequested {
        id: question.id.clone(),
        request,
        created_at_ms: question.created_at_ms,
        expires_at_ms: question.expires_at_ms,
    })
}

fn written(request: &ApprovalRequest) -> Option<Value> {
    match serde_json::to_value(request) {
        Ok(value) => Some(value),
        Err(error) => {
            tracing::error!(%error, "a question about a command could not be written");
            None
        }
    }
}
