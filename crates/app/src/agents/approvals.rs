//! The way from a question about a command to the people who may answer it: over the gateway, once that is there, and in
//! chats.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use openclaw_exec::{ApprovalObserver, ApprovalRequest, ApproverReach, OpenApproval, SettledApproval};
use openclaw_flow::Flow;
use openclaw_gateway::ApprovalFace;

/// Slots for the gateway and the flow. While both are empty, nobody can be asked.
#[derive(Default)]
pub(crate) struct LateApprovals {
    face: OnceLock<ApprovalFace>,
    flow: OnceLock<Flow>,
}

impl LateApprovals {
    /// Fills the slot of the gateway.
    pub(crate) fn fill(&self, face: ApprovalFace) {
        if self.face.set(face).is_err() {
            tracing::error!("the gateway was put together twice");
        }
    }

    /// Fills the slot of the flow, through which chats are asked.
    pub(crate) fn fill_flow(&self, flow: Flow) {
        if self.flow.set(flow).is_err() {
            tracing::error!("the flow was put together twice");
        }
    }

    /// Whether anybody can be asked.
    pub(crate) fn reach(self: &Arc<Self>) -> Arc<dyn Fn(&ApprovalRequest) -> ApproverReach + Send + Sync> {
        let slot = Arc::clone(self);
        Arc::new(move |request| {
            if slot.flow.get().is_some_and(|flow| flow.asks_in_chats(request)) {
                return ApproverReach::Somebody;
            }
            slot.face.get().map_or(ApproverReach::Nobody, |face| face.reach(request))
        })
    }
}

impl ApprovalObserver for LateApprovals {
    fn requested(&self, question: &OpenApproval) {
        if let Some(face) = self.face.get() {
            face.requested(question);
        }
        if let Some(flow) = self.flow.get() {
            flow.ask_in_chats(question);
        }
    }

    fn resolved(&self, settled: &SettledApproval) {
        if let Some(face) = self.face.get() {
            face.resolved(settled);
        }
        if let Some(flow) = self.flow.get() {
            flow.tell_settled(settled);
        }
    }

    fn still_runs(&self, settled: &SettledApproval, after: Duration) {
        if let Some(flow) = self.flow.get() {
            flow.tell_still_runs(settled, after);
        }
    }
}
