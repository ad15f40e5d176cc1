//! What the model sees, in numbers: tokens of messages and texts, and reports about the system prompt.
//!
//! Estimates are cheap and always there. Exact counts need a vocabulary, which is loaded for a report and dropped after
//! it. Compaction and pruning estimate; `/context` reports; the turn loop keeps a report with each session.

mod counter;
mod estimate;
#[cfg(feature = "tokenizer")]
mod pieces;
mod render;
mod report;
#[cfg(feature = "tokenizer")]
mod tokenizer;

#[cfg(test)]
mod tests;

pub use counter::TokenCounter;
pub use estimate::{estimate_text_tokens, estimate_tokens};
pub use render::{ContextView, SessionTokens, context_help, context_text};
pub use report::{
    FileSize, PromptReport, PromptSize, ReportFrame, ReportSource, SandboxReport, SkillSize, SkillsSize,
    ToolSize, ToolsSize,
};

/// What a counter that guesses is called.
const ESTIMATE: &str = "estimate";
