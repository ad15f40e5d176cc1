//! Runs: one answer being made, from the order to the last word.

mod order;

pub use order::{
    AgentParts, CompactOrder, CompactOutcome, FaultKind, PromptMode, Reasoning, Reply, ReplyKind, RunFault,
    RunInput, RunOrder, RunOutcome, Surroundings,
};
