//! The `edit` tool: replaces one piece of text in a file, if it is there exactly once.
//!
//! `swap` is the pure change, `explain` says why a text was not found. Line endings and everything that is not replaced
//! stay as they are, byte for byte.

mod explain;
mod swap;

use async_trait::async_trait;
use openclaw_ports::tool::{
    Audience, Concurrency, Effect, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolOutput, ToolReply,
};
use serde_json::{Value, json};

pub(super) use self::explain::nearest;
pub(super) use self::swap::ends_in_crlf;
use self::swap::{Miss, Swapped, swap};
use super::content::{replace, whole_text};
use super::off_thread::off_thread;
use super::reach::{FileHandles, FileScope};
use crate::arguments::ToolArguments;
use crate::stop::{Stop, reply, with_subject};

/// Changes files.
pub(super) struct EditTool {
    descriptor: ToolDescriptor,
    handles: FileHandles,
}

impl EditTool {
    pub(super) fn new(handles: FileHandles) -> Self {
        let descriptor = ToolDescriptor {
            name: "edit",
            label: "Edit",
            summary: "Replace a piece of text in a file",
            description:
                "Replaces a piece of text in a file. oldText must be in the file exactly once, with every \
                          space and line break; add lines around it to make it unique."
                    .into(),
            parameters: json!({
                "type": "object",
                "required": [],
                "properties": {
                    "path": { "type": "string", "description": "The file, relative to the workspace or absolute." },
                    "oldText": { "type": "string", "description": "The text to replace, exactly as it is." },
                    "newText": { "type": "string", "description": "What stands there afterwards." },
                    "file_path": { "type": "string", "description": "Another name for path." },
                    "old_string": { "type": "string", "description": "Another name for oldText." },
                    "new_string": { "type": "string", "description": "Another name for newText." },
                },
            }).into(),
            group: ToolGroup::Files,
            concurrency: Concurrency::Exclusive,
            effect: Effect::Changes,
            audience: Audience::Everybody,
        };
        Self { descriptor, handles }
    }

    async fn edit(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of("edit", arguments)?;
        let path = given.needed_word(&["path", "file_path", "filePath", "file"])?;
        let old = given.needed_text(&["oldText", "old_string", "oldString", "old_text"])?;
        let new = given.needed_text(&["newText", "new_string", "newString", "new_text"])?;
        let reach = FileScope::of(context, &self.handles);
        let subject = format!("in {path}");
        let edited = off_thread(context, move |_stop| {
            // The file that was read is the one that is written, however its name was spelled.
            let (place, open) = reach.spelled(&reach.place(&path)?)?;
            let target = reach.target(&place)?;
            let content = whole_text(open, &place.shown)?;
            let swapped = swap(&content, &old, &new)
                .map_err(|miss| Stop::failed(told(&miss, &place.shown, &content, (&old, &new))))?;
            replace(&target, swapped.content.as_bytes())?;
            Ok(done(&swapped, &place.shown))
        });
        with_subject(subject, edited.await)
    }
}

#[async_trait]
impl Tool for EditTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        reply(self.edit(context, arguments).await)
    }
}

fn done(swapped: &Swapped, shown: &str) -> ToolOutput {
    let text = format!("Replaced the text at line {} of {shown}.", swapped.line);
    let details = json!({ "diff": swapped.diff, "firstChangedLine": swapped.line });
    ToolOutput { details: Some(details), ..ToolOutput::done(text).with_meta(format!("in {shown}")) }
}

/// Why nothing was changed, and what to do about it.
fn told(miss: &Miss, shown: &str, content: &str, (old, new): (&str, &str)) -> String {
    match miss {
        Miss::Empty => format!(
            "oldText is empty, so there is nothing to replace in {shown}. To write the whole file, use write."
        ),
        Miss::Same => format!("oldText and newText are the same, so {shown} stays as it is."),
        Miss::Many(lines) => {
            let list: Vec<String> = lines.iter().take(10).map(ToString::to_string).collect();
            format!(
                "oldText is in {shown} {} times (lines {}{}). Add lines around it so that it is there once.",
                lines.len(),
                list.join(", "),
                if lines.len() > 10 { ", …" } else { "" }
            )
        }
        Miss::Absent => explain::absent(shown, content, old, new),
    }
}
