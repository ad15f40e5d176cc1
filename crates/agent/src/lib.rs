//! The agent: which model answers, what happens when it fails, and how much it may cost.
//!
//! Engines decide; adapters do. This crate sees contracts and configuration, no socket and no store. `Models` is the
//! face that the turn loop, the gateway and the command line use.

mod budget;
mod error;
mod failover;
mod models;
mod profiles;
mod run;
mod selection;

pub use budget::{BudgetRefusal, Zone, limits_of};
pub use error::{SelectionError, ZoneError};
pub use models::{
    Attempt, CallDone, CallEvent, CallFailed, CallStream, CountedBy, FailureCause, ListedModel, Listing,
    ModelCall, Models, ModelsParts, ModelsStatus, Pin, PinStrength, Purpose, Sent, SwitchRecord, Tried,
    Unlisted,
};
pub use run::{
    AgentParts, CompactOrder, CompactOutcome, FaultKind, PromptMode, Reasoning, Reply, ReplyKind, RunFault,
    RunInput, RunOrder, RunOutcome, Surroundings,
};
pub use selection::{ModelNames, Reference, ResolvedModel, Selection, Window, WindowVerdict};
