//! The way from a question about a command to the people who may answer it: over the gateway, once that is there.

use std::sync::{Arc, OnceLock};

use openclaw_exec::{ApprovalObserver, ApprovalRequest, OpenApproval, Reach, SettledApproval};
use openclaw_gateway::ApprovalFace;

/// A slot for the gateway. While it is empty, nobody can be asked.
#[derive(Default)]
pub(crate) struct LateApprovals(OnceLock<ApprovalFace>);

impl LateApprovals {
    /// Fills the slot.
    pub(crate) fn fill(&self, face: ApprovalFace) {
        if self.0.set(face).is_err() {
            tracing::error!("the gateway was put together twice");
        }
    }

    /// Whether anybody can be asked.
    pub(crate) fn reach(self: &Arc<Self>) -> Arc<dyn Fn(&ApprovalRequest) -> Reach + Send + Sync> {
        let slot = Arc::clone(self);
        Arc::new(move |request| slot.0.get().map_or(Reach::Nobody, |face| face.reach(request)))
    }
}

impl ApprovalObserver for LateApprovals {
    fn requested(&self, question: &OpenApproval) {
        if let Some(face) = self.0.get() {
            face.requested(question);
        }
    }

    fn resolved(&self, settled: &SettledApproval) {
        if let Some(face) = self.0.get() {
            face.resolved(settled);
        }
    }
}
