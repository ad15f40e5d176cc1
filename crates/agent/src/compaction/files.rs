//! Which files were read and changed, collected from calls of tools and from what earlier compactions noted.
//!
//! Kept in the notes of a compaction for programs, and at the end of the summary for the model. A file that was changed
//! is not listed as read.

use std::collections::BTreeSet;

use openclaw_types::{Message, ToolCall};
use serde_json::{Value, json};

/// How many files of a kind the model is shown; the notes hold all.
const SHOWN: usize = 200;
const READ: &str = "read-files";
const CHANGED: &str = "modified-files";

/// Files that were read and changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct FileLists {
    read: BTreeSet<String>,
    changed: BTreeSet<String>,
}

impl FileLists {
    /// What the notes of an earlier compaction say.
    pub(super) fn of_details(details: Option<&Value>) -> Self {
        let list = |key: &str| -> BTreeSet<String> {
            let names = details.and_then(|details| details.get(key)?.as_array()).into_iter().flatten();
            names.filter_map(|name| Some(name.as_str()?.to_owned())).collect()
        };
        Self { read: list("readFiles"), changed: list("modifiedFiles") }
    }

    /// Adds what the calls in a message did.
    pub(super) fn add(&mut self, message: &Message) {
        let Message::Assistant(answer) = message else { return };
        for call in answer.tool_calls() {
            let path = path_of(call).map(str::to_owned);
            match call.name.as_str() {
                "read" => self.read.extend(path),
                "write" | "edit" => self.changed.extend(path),
                "apply_patch" => self.changed.extend(patched(call)),
                _ => {}
            }
        }
    }

    /// The notes of a compaction.
    pub(super) fn details(&self) -> Value {
        json!({ "readFiles": self.only_read().collect::<Vec<_>>(), "modifiedFiles": self.changed })
    }

    /// The end of a summary; empty when no file was touched.
    pub(super) fn section(&self) -> String {
        let read: Vec<&str> = self.only_read().collect();
        let changed: Vec<&str> = self.changed.iter().map(String::as_str).collect();
        [block(READ, &read), block(CHANGED, &changed)].concat()
    }

    fn only_read(&self) -> impl Iterator<Item = &str> {
        self.read.difference(&self.changed).map(String::as_str)
    }
}

/// A summary without the lists at its end, which are made anew.
pub(super) fn without_files(summary: &str) -> &str {
    let starts = [READ, CHANGED].map(|name| summary.find(&format!("\n\n<{name}>\n")));
    let end = starts.into_iter().flatten().min().unwrap_or(summary.len());
    summary.get(..end).unwrap_or(summary)
}

fn path_of(call: &ToolCall) -> Option<&str> {
    let path = ["path", "file_path"].into_iter().find_map(|key| call.arguments.get(key)?.as_str())?;
    let path = path.trim();
    (!path.is_empty() && !path.contains(['\n', '<', '>'])).then_some(path)
}

/// The files that a patch names.
fn patched(call: &ToolCall) -> Vec<String> {
    let text =
        ["input", "patch"].into_iter().find_map(|key| call.arguments.get(key)?.as_str()).unwrap_or_default();
    let names = text.lines().filter_map(|line| {
        let rest = line.strip_prefix("*** ")?;
        ["Add File: ", "Update File: ", "Delete File: ", "Move to: "]
            .iter()
            .find_map(|head| rest.strip_prefix(head))
    });
    names.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect()
}

fn block(name: &str, files: &[&str]) -> String {
    if files.is_empty() {
        return String::new();
    }
    let shown = files.iter().take(SHOWN).copied().collect::<Vec<_>>().join("\n");
    let more = match files.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("\n(and {more} more)"),
    };
    format!("\n\n<{name}>\n{shown}{more}\n</{name}>")
}
