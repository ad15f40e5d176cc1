//! The system prompt: what the model is told before anybody speaks.
//!
//! One file for each part. `stable/` holds what stays the same from turn to turn and from session to session of an
//! agent, `changing/` what differs; they are sent in this order, so that vendors' caches hit. Pure: no clock, no disk.
//! The same input gives the same bytes. The turn loop builds it before each run; `/context` measures it.

mod build;
mod changing;
mod channel;
mod clean;
mod fence;
mod input;
mod settings;
mod stable;

#[cfg(test)]
pub(crate) mod tests;

pub use build::{PromptPart, Stability, SystemPrompt, build};
pub use clean::clean_block;
pub(crate) use clean::clean_unmarked;
pub use fence::{FenceKind, fence};
pub use input::{
    ChannelFacts, PromptInput, PromptSituation, ReactionLevel, ReasoningFormat, SandboxFacts, SkillLine,
    ToolLine,
};
pub use settings::{Citations, PromptSettings, person_zone};
pub(crate) use stable::{skill_text, tool_text};
