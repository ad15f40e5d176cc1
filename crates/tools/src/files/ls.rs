//! The `ls` tool: what is in a folder.

use async_trait::async_trait;
use openclaw_ports::tool::{
    Audience, Concurrency, Effect, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolOutput, ToolReply,
};
use serde_json::{Value, json};

use super::listing::CappedList;
use super::off_thread::off_thread;
use super::reach::{FileHandles, FileScope};
use super::walk::{WalkKind, names};
use crate::arguments::ToolArguments;
use crate::stop::{Stop, reply};

const MOST_NAMES: u64 = 500;

/// Lists folders.
pub(super) struct LsTool {
    descriptor: ToolDescriptor,
    handles: FileHandles,
}

impl LsTool {
    pub(super) fn new(handles: FileHandles) -> Self {
        let descriptor = ToolDescriptor {
            name: "ls",
            label: "List",
            summary: "List what is in a folder",
            description: format!(
                "Lists a folder by name, hidden files included; folders end with a slash, links with an @. At most \
                 {MOST_NAMES} names unless limit says otherwise."
            ).into(),
            parameters: json!({
                "type": "object",
                "required": [],
                "properties": {
                    "path": { "type": "string", "description": "The folder; the workspace when left out." },
                    "limit": { "type": "number", "description": "How many names at most." },
                },
            })
            .into(),
            group: ToolGroup::Files,
            concurrency: Concurrency::Parallel,
            effect: Effect::Looks,
            audience: Audience::Everybody,
        };
        Self { descriptor, handles }
    }

    async fn list(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of("ls", arguments)?;
        let path = given.word(&["path", "file_path"])?.unwrap_or_else(|| ".".to_owned());
        let limit = given.whole("limit")?.unwrap_or(MOST_NAMES).clamp(1, 10_000);
        let reach = FileScope::of(context, &self.handles);
        off_thread(context, move |_stop| {
            let place = reach.place(&path)?;
            let folder = reach.folder(&place)?;
            let found = names(&reach, &folder, std::path::Path::new("")).ok_or_else(|| {
                Stop::failed(format!("{} cannot be listed; its permissions forbid it.", place.shown))
            })?;
            let mut listing = CappedList::new(limit);
            for (name, kind) in found {
                let mark = match kind {
                    WalkKind::Folder => "/",
                    WalkKind::Link => "@",
                    WalkKind::File | WalkKind::Other => "",
                };
                listing.add(&format!("{}{mark}", name.display()));
            }
            let text = listing.told("(The folder is empty.)", "names");
            Ok(ToolOutput::done(text).with_meta(format!("in {}", place.shown)))
        })
        .await
    }
}

#[async_trait]
impl Tool for LsTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        reply(self.list(context, arguments).await)
    }
}
