//! The spine: a message's life from acceptance to answer, one file for each stage, one way only.
//!
//! `intake` accepts a submission durably, `directives` reads it, `run_command` does what needs no model, `enqueue` says when it is
//! answered, `execute` has the agent answer it, `publish` tells those who show it, `recover` goes on after a crash.
//! `channels` is where messages of platforms come in, `outbox` where answers to them leave,
//! `live` what people there see before an answer is whole. Stages share `Inner` and
//! know nothing of sockets or wire shapes; surfaces talk to `Flow`.

mod accept_locks;
mod bindings;
mod channels;
mod commands;
mod directives;
mod enqueue;
mod error;
mod execute;
mod flow;
mod intake;
mod lanes;
mod live;
mod notes;
mod order;
mod outbox;
mod pipeline;
mod publish;
mod recover;
mod run_command;
mod runs;
mod session_tools;
mod stamp;
mod subagents;
mod submission;
mod wake;

pub use channels::{
    AccountStatus, Accounts, AccountsParts, Called, Hook, Look, LookupFault, NoSuchAccount, PairingFault,
    RouteFault, RouteQuestion, SectionFault,
};
pub use commands::CommandHandles;
pub use enqueue::{HeldSubmissions, SessionState};
pub use error::FlowError;
pub use flow::{Flow, FlowParts, StillBusy, Submitted, Whose, WrongSession};
pub use openclaw_inbound::commands::{ListedArgument, ListedCommand};
pub use openclaw_inbound::route::{Explained, ExplainedTier, MatchedBy, Miss};
pub use outbox::{Fate, OutboxAdmin, OutboxFault, Posted, PostedMessage, Posting};
pub use publish::{FlowEvent, Observer, RunStep, Verbose};
pub use recover::Recovered;
pub use runs::EndedRun;
pub use session_tools::{ActionRights, SessionTools};
pub use submission::{
    Author, ChannelOrigin, CommandRights, Picture, Rank, Submission, SubmissionOptions, SubmissionSurface,
    ToldCall, ToldLine,
};
