//! How agents work: runs and their limits, the queue, chat commands, the workspace, keeping within a model's context,
//! handing work to other agents. Each is read where it is used, from the sections of the moment.

mod commands;
mod compaction;
mod delegation;
mod pruning;
mod queue;
mod run;
mod workspace;

pub use commands::CommandSettings;
pub use compaction::{CompactionSettings, MemoryFlushSettings};
pub use delegation::{BetweenAgents, SessionToolSettings, SubagentCharacter, SubagentSettings, Targets};
pub use pruning::{CachedVendorSignIn, PruningSettings, SoftTrimSettings};
pub use queue::{LaneLimits, QueueMode, QueueOverrides, QueueSettings};
pub use run::{LoopRules, RunSettings, ToolErrors};
pub use workspace::{FirstFiles, WorkspacePlace, WorkspaceSettings};
