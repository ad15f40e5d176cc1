//! Runs: one answer being made, from the order to the last word.
//!
//! `agent` is the face, `order` holds its words, `control` and `stream` are the two ends of a run under way. `engine`
//! goes round the loop; `setup`, `input`, `flush`, `request`, `call`, `tools`, `room`, `shorten` and `ending` are its
//! steps, `record`, `totals`, `keep` and `caches` what it keeps, `words` what it says itself. Decisions are made in `turn`.

mod agent;
mod caches;
mod call;
mod control;
mod ending;
mod engine;
mod flush;
mod input;
mod keep;
mod known;
mod order;
mod record;
mod request;
mod room;
mod setup;
mod shorten;
mod stream;
mod tools;
mod totals;
mod words;

pub use agent::Agent;
pub use control::RunControl;
pub use keep::{OutputSweep, SweptOutputs, agent_outputs, session_outputs, sweep_outputs};
pub use order::{
    AgentParts, CompactOrder, CompactOutcome, FaultKind, HostFacts, PromptMeasuring, PromptMode, Reasoning,
    ReplyKind, RunFault, RunInput, RunOrder, RunOutcome, RunReply,
};
pub use stream::RunStream;
