//! Approvals: the file with what was allowed for good, and the desk where people are asked.
//!
//! The gateway's methods `exec.approvals.*` read and replace the file, `exec.approval.*` speak to the desk; the command
//! host asks both. What a decision leads to is not decided here.

mod desk;
mod document;
mod file;
mod record;
mod shown;

#[cfg(test)]
mod tests;

pub use desk::{
    ApprovalDecision, ApprovalDesk, ApprovalId, ApprovalObserver, ApprovalQuestion, ApprovalRequest,
    DeskError, DeskParts, Lapse, OpenApproval, Reach, ScopeError, SettledApproval, UnknownDecision,
};
pub use file::{ApprovalsError, ApprovalsFile, ApprovalsSnapshot, BaseHash};
pub use shown::{TooLong, shown_block, shown_inline, shown_line};

pub(crate) use document::EntryUse;
