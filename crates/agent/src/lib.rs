//! The agent: which model answers, what happens when it fails, and how much it may cost.
//!
//! Engines decide; adapters do. This crate sees contracts and configuration, no socket and no store. `Models` is the
//! face that the turn loop, the gateway and the command line use.

mod budget;
mod compaction;
pub mod context;
mod error;
mod failover;
mod models;
mod pictures;
mod policy;
mod profiles;
pub mod prompt;
mod pruning;
mod run;
mod selection;
mod turn;
pub mod workspace;

pub use budget::{BudgetRefusal, Zone, limits_of};
pub use compaction::{
    CompactionCause, CompactionDone, CompactionHandles, CompactionResult, CompactionRoom, CompactionWork,
    FlushCase, FlushWords, SummaryBy, WorkspaceWrites, compact, context_tokens, cut_oversized_results,
    flush_words, mark_flushed, should_compact, should_flush,
};
pub use error::{SelectionError, ZoneError};
pub use models::{
    Attempt, AttemptSent, CallDone, CallEvent, CallFailed, CallStream, CountedBy, FailureCause, ListedModel,
    ModelCall, Models, ModelsParts, ModelsStatus, Pin, PinStrength, Purpose, SwitchRecord, TriedModel,
    Unlisted,
};
pub use pictures::{PictureLimits, PictureRoom};
pub use policy::{
    CatalogGroup, CatalogTool, CircleRules, GroupSections, ImageModel, SandboxExit, Sandboxing, SenderNames,
    ToolCandidate, ToolCatalog, ToolDecision, ToolRule, ToolSituation, ToolVerdict, UnknownToolName,
    canonical_tool_name, circle_rules, decide_tools, http_objection, tool_catalog,
};
pub use pruning::{
    CacheState, PruneMark, PruneMarks, ResultName, apply_prune, decide_prune, is_prunable_now,
};
pub use run::{
    Agent, AgentParts, CompactOrder, CompactOutcome, FaultKind, HostFacts, OutputSweep, PromptMeasuring,
    PromptMode, Reasoning, ReplyKind, RunControl, RunFault, RunInput, RunOrder, RunOutcome, RunReply,
    RunStream, SweptOutputs, agent_outputs, session_outputs, sweep_outputs,
};
pub use selection::{ContextWindow, ModelNames, Reference, ResolvedModel, Selection, WindowVerdict};
