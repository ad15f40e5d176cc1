//! Commands: whether they may run, who is asked, and how they run, in the foreground or behind.
//!
//! `command_line` reads what would run, `policy` decides, `approvals` keeps what people allowed and asks them,
//! `process` starts, watches and ends. `Commands` joins them behind `ports::tool::CommandHost`. The gateway's methods
//! use the queue and the file; nothing here knows a channel, a model or a session's content.

mod approvals;
mod audit;
mod command_line;
mod host;
mod policy;
mod process;

pub use approvals::{
    ApprovalDecision, ApprovalError, ApprovalId, ApprovalObserver, ApprovalQuestion, ApprovalQueue,
    ApprovalQueueParts, ApprovalRequest, ApprovalsError, ApprovalsFile, ApprovalsSnapshot, ApproverReach,
    BaseHash, Lapse, OpenApproval, ScopeError, SettledApproval, TooLong, UnknownDecision, shown_block,
    shown_inline, shown_line,
};
pub use command_line::{Carrier, Opaque};
pub use host::{CommandParts, Commands};
pub use policy::{
    GrantFolder, GrantHolder, GrantScope, GrantWidth, GrantWords, UnknownScope, elevated_obstacle, loosened,
};
pub use process::ExitNotice;
