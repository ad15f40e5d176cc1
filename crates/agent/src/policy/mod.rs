//! Which tools a run gets, and why not the others.
//!
//! Pure: `decide` puts the configured layers (`layers`), the rules that hold by themselves (`built_in`) and what a
//! channel says about groups and senders (`circles`) over the tools there are. `sandbox` says which sessions belong into
//! one, `lineage` whose groups count for a sub-agent, which alone asks a store. `catalog` knows the built-in tools,
//! `names` how people write them, `rule` the words of a refusal. No tool is run here.

mod built_in;
mod catalog;
mod circles;
mod decide;
mod layers;
mod lineage;
mod names;
mod rule;
mod sandbox;

#[cfg(test)]
mod tests;

pub use built_in::http_objection;
pub use catalog::{CatalogGroup, CatalogTool, ToolCandidate, ToolCatalog, tool_catalog};
pub use circles::{GroupSections, SenderNames, circle_rules};
pub use decide::{
    CircleRules, ImageModel, SandboxExit, Sandboxing, ToolDecision, ToolSituation, ToolVerdict, decide_tools,
};
pub(crate) use lineage::circles;
pub use names::canonical_tool_name;
pub(crate) use names::fits;
pub use rule::{ToolRule, UnknownToolName};
pub(crate) use sandbox::sandboxing;
