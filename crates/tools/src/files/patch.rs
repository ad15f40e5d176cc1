//! The `apply_patch` tool: changes several files with one patch, all of them or none.
//!
//! `parse` reads the envelope, `hunks` is the pure change of one text, `apply` does it to files.

mod apply;
mod hunks;
mod parse;

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_config::{Config, ToolRules};
use openclaw_ports::tool::{
    Audience, Concurrency, Effect, FileReach, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolOutput,
    ToolReply,
};
use serde_json::{Value, json};

use super::off_thread::off_thread;
use super::reach::{FileHandles, FileScope};
use crate::arguments::ToolArguments;
use crate::stop::{Stop, reply};

/// Gives the configuration as it is now.
pub(crate) type PatchSettings = Arc<dyn Fn() -> Arc<Config> + Send + Sync>;

/// Changes several files at once.
pub(super) struct PatchTool {
    descriptor: ToolDescriptor,
    handles: FileHandles,
    settings: PatchSettings,
}

impl PatchTool {
    pub(super) fn new(handles: FileHandles, settings: PatchSettings) -> Self {
        let descriptor = ToolDescriptor {
            name: "apply_patch",
            label: "Apply Patch",
            summary: "Change several files with one patch",
            description: "Changes files as a patch says, all of them or none. The patch begins with the line \
                          *** Begin Patch and ends with *** End Patch. In between: *** Add File: <path> with + lines; \
                          *** Delete File: <path>; *** Update File: <path>, with *** Move to: <path> to rename it, and \
                          hunks that begin with @@ and hold lines that stay (space), go (-) and come (+)."
                .into(),
            parameters: json!({
                "type": "object",
                "required": ["input"],
                "properties": {
                    "input": { "type": "string", "description": "The patch, from *** Begin Patch to *** End Patch." },
                },
            }).into(),
            group: ToolGroup::Files,
            concurrency: Concurrency::Exclusive,
            effect: Effect::Changes,
            audience: Audience::Everybody,
        };
        Self { descriptor, handles, settings }
    }

    async fn apply(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of("apply_patch", arguments)?;
        let input = given.needed_word(&["input", "patch"])?;
        let rules = ToolRules::of(&(self.settings)().raw, &context.agent).apply_patch;
        let reach = if rules.workspace_only { FileReach::Workspace } else { context.files };
        let reach = FileScope::with(context, &self.handles, reach);
        off_thread(context, move |_stop| {
            let changes = parse::parse(&input).map_err(Stop::failed)?;
            let summary = apply::apply(&reach, &changes)?;
            let meta = summary.meta();
            let details = json!({ "summary": {
                "added": summary.added, "modified": summary.modified, "deleted": summary.deleted,
            } });
            Ok(ToolOutput { details: Some(details), ..ToolOutput::done(summary.told()).with_meta(meta) })
        })
        .await
    }
}

#[async_trait]
impl Tool for PatchTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        reply(self.apply(context, arguments).await)
    }
}

#[cfg(test)]
mod tests;
