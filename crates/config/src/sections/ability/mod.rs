//! The sections about what agents can do: models, coding agents, memory, skills, plugins.
//!
//! Tools have a folder of their own. One file for each section; the file is named like the section. No defaults here.

mod acp;
mod memory;
mod models;
mod plugins;
mod skills;

pub use acp::{AcpRuntime, AcpSection, AcpStream};
pub use memory::{
    MemoryBackend, MemorySection, Qmd, QmdLimits, QmdMcporter, QmdPath, QmdSearchMode, QmdSessions, QmdUpdate,
};
pub use models::{
    AgentBudget, BedrockDiscovery, BudgetsSection, MaxTokensField, ModelApi, ModelCompat, ModelCost,
    ModelDefinition, ModelInput, ModelProvider, ModelsMode, ModelsSection, ProviderAuth, ThinkingFormat,
};
pub use plugins::{PluginEntry, PluginsLoad, PluginsSection, PluginsSlots};
pub use skills::{NodeManager, SkillEntry, SkillsInstall, SkillsLimits, SkillsLoad, SkillsSection};
