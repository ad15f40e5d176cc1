//! Approvals: the file with what was allowed for good, and the queue where people are asked.
//!
//! The gateway's methods `exec.approvals.*` read and replace the file, `exec.approval.*` speak to the queue; the command
//! host asks both. What a decision leads to is not decided here.

mod document;
mod file;
mod queue;
mod record;
mod shown;

#[cfg(test)]
mod tests;

pub use file::{ApprovalsError, ApprovalsFile, ApprovalsSnapshot, BaseHash};
pub use queue::{
    ApprovalDecision, ApprovalError, ApprovalId, ApprovalObserver, ApprovalQuestion, ApprovalQueue,
    ApprovalQueueParts, ApprovalRequest, ApproverReach, Lapse, OpenApproval, ScopeError, SettledApproval,
    UnknownDecision,
};
pub use shown::{TooLong, shown_block, shown_inline, shown_line};

pub(crate) use document::EntryUse;
