//! What agents may do with tools, and how the tools work.

mod exec;
mod file_tools;
mod message;
mod tool_policy;
mod web_tools;

pub use exec::{ElevatedGates, ExecSettings, ExitNotices, SafeBinRule};
pub use file_tools::FileToolSettings;
pub use message::CrossContextSettings;
pub use tool_policy::{
    ApplyPatchRules, HttpToolRules, PlacedList, SandboxRule, ToolRules, ToolScope, WebRules,
};
pub use web_tools::{WebFetchSettings, WebSearchSettings, WebToolSettings};
