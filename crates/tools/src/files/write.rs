//! The `write` tool: makes a file, or replaces the content of one, in one step.

use async_trait::async_trait;
use openclaw_ports::tool::{
    Audience, Concurrency, Effect, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolOutput, ToolReply,
};
use serde_json::{Value, json};

use super::content::{replace, size};
use super::off_thread::off_thread;
use super::reach::{FileHandles, FileScope};
use crate::arguments::ToolArguments;
use crate::stop::{Stop, reply, with_subject};

/// Makes and replaces files.
pub(super) struct WriteTool {
    descriptor: ToolDescriptor,
    handles: FileHandles,
}

impl WriteTool {
    pub(super) fn new(handles: FileHandles) -> Self {
        let descriptor = ToolDescriptor {
            name: "write",
            label: "Write",
            summary: "Make a file or replace its content",
            description:
                "Writes a file: makes it with the folders above it, or replaces all of its content. To \
                          change a part of a file, use edit."
                    .into(),
            parameters: json!({
                "type": "object",
                "required": ["content"],
                "properties": {
                    "path": { "type": "string", "description": "The file, relative to the workspace or absolute." },
                    "content": { "type": "string", "description": "Everything the file is to hold." },
                    "file_path": { "type": "string", "description": "Another name for path." },
                },
            }).into(),
            group: ToolGroup::Files,
            concurrency: Concurrency::Exclusive,
            effect: Effect::Changes,
            audience: Audience::Everybody,
        };
        Self { descriptor, handles }
    }

    async fn write(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of("write", arguments)?;
        let path = given.needed_word(&["path", "file_path", "filePath", "file"])?;
        let content = given.needed_text(&["content"])?;
        let reach = FileScope::of(context, &self.handles);
        let subject = format!("to {path}");
        let written = off_thread(context, move |_stop| {
            let place = reach.place(&path)?;
            let target = reach.target(&place)?;
            replace(&target, content.as_bytes())?;
            let links = match target.existing {
                Some(existing) if existing.names > 1 => {
                    " The file had other hard links; those still hold the old content."
                }
                _ => "",
            };
            let what = if target.existing.is_some() { "Replaced" } else { "Made" };
            let text = format!("{what} {} with {}.{links}", place.shown, size(content.len() as u64));
            Ok(ToolOutput::done(text).with_meta(format!("to {}", place.shown)))
        });
        with_subject(subject, written.await)
    }
}

#[async_trait]
impl Tool for WriteTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        reply(self.write(context, arguments).await)
    }
}
