//! The `grep` tool: lines that match, in a file or below a folder.
//!
//! Files are streamed line by line; what is not text is passed over. `lines` shows what was found in one file.

mod matches;

use std::fs::File;

use async_trait::async_trait;
use globset::GlobMatcher;
use openclaw_ports::tool::{
    Audience, Concurrency, Effect, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolOutput, ToolReply,
};
use regex::bytes::{Regex, RegexBuilder};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use self::matches::Search;
use super::find::glob;
use super::listing::CappedList;
use super::off_thread::off_thread;
use super::reach::{FileHandles, FileScope};
use super::walk::{Next, WalkKind, Walked, walk};
use crate::arguments::ToolArguments;
use crate::stop::{Stop, reply};

const MOST_MATCHES: u64 = 100;
const MOST_CONTEXT: u64 = 20;
/// How large a compiled pattern may be.
const LARGEST_PATTERN: usize = 4 * 1024 * 1024;

/// Searches in files.
pub(super) struct GrepTool {
    descriptor: ToolDescriptor,
    handles: FileHandles,
}

impl GrepTool {
    pub(super) fn new(handles: FileHandles) -> Self {
        let descriptor = ToolDescriptor {
            name: "grep",
            label: "Grep",
            summary: "Search for text in files",
            description: format!(
                "Searches files for a regular expression, or for plain text with literal, and shows the lines with \
                 their files and numbers. What .gitignore leaves out is left out. At most {MOST_MATCHES} matches \
                 unless limit says otherwise; very long lines are cut."
            ).into(),
            parameters: json!({
                "type": "object",
                "required": ["pattern"],
                "properties": {
                    "pattern": { "type": "string", "description": "What to search for." },
                    "path": { "type": "string", "description": "A file or a folder; the workspace when left out." },
                    "glob": { "type": "string", "description": "Only files that match, such as *.ts." },
                    "ignoreCase": { "type": "boolean", "description": "Whether A and a are the same." },
                    "literal": { "type": "boolean", "description": "Whether the pattern is plain text." },
                    "context": { "type": "number", "description": "How many lines around each match." },
                    "limit": { "type": "number", "description": "How many matches at most." },
                },
            }).into(),
            group: ToolGroup::Files,
            concurrency: Concurrency::Parallel,
            effect: Effect::Looks,
            audience: Audience::Everybody,
        };
        Self { descriptor, handles }
    }

    async fn grep(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of("grep", arguments)?;
        let written = given.needed_text(&["pattern", "query"])?;
        let pattern = pattern(&given, &written)?;
        let only = given.word(&["glob", "include"])?.map(|text| glob(&text)).transpose()?;
        let path = given.word(&["path"])?.unwrap_or_else(|| ".".to_owned());
        let around = given.whole("context")?.unwrap_or(0).min(MOST_CONTEXT);
        let limit = given.whole("limit")?.unwrap_or(MOST_MATCHES).clamp(1, 10_000);
        let reach = FileScope::of(context, &self.handles);
        off_thread(context, move |stop| {
            let search = Search { pattern, around: usize::try_from(around).unwrap_or(0) };
            let mut listing = CappedList::new(limit);
            let hunt = Hunt { reach: &reach, search: &search, only: only.as_ref(), stop };
            let shown = hunt.through(&path, &mut listing)?;
            let text = listing.told("(Nothing matches.)", "matches");
            Ok(ToolOutput::done(text).with_meta(format!("\"{written}\" in {shown}")))
        })
        .await
    }
}

#[async_trait]
impl Tool for GrepTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        reply(self.grep(context, arguments).await)
    }
}

fn pattern(given: &ToolArguments, written: &str) -> Result<Regex, Stop> {
    if written.is_empty() {
        return Err(given.missing(&["pattern"]).into());
    }
    let literal = given.flag("literal")?.unwrap_or(false);
    let text = if literal { regex::escape(written) } else { written.to_owned() };
    RegexBuilder::new(&text)
        .case_insensitive(given.flag("ignoreCase")?.unwrap_or(false))
        .size_limit(LARGEST_PATTERN)
        .build()
        .map_err(|error| {
            Stop::failed(format!(
                "`{written}` is not a regular expression that can be used: {error}. To search for it as plain text, \
                 set literal to true."
            ))
        })
}

/// A search through files.
struct Hunt<'a> {
    reach: &'a FileScope,
    search: &'a Search,
    only: Option<&'a GlobMatcher>,
    stop: &'a CancellationToken,
}

impl Hunt<'_> {
    /// Searches a file, or everything below a folder. Gives back how the place is called.
    fn through(&self, path: &str, listing: &mut CappedList) -> Result<String, Stop> {
        let place = self.reach.place(path)?;
        let folder = match self.reach.folder(&place) {
            Ok(folder) => folder,
            Err(no_folder) => {
                let open = self.reach.file(&place).map_err(|stop| match stop {
                    Stop::Failed(_) => no_folder,
                    refused @ Stop::Refused(_) => refused,
                })?;
                self.search.file(open.file, &place.shown, listing, self.stop)?;
                return Ok(place.shown);
            }
        };
        let walked = walk(self.reach, &folder, self.stop, |entry| {
            let fits = self.only.is_none_or(|only| only.is_match(entry.path));
            if entry.kind != WalkKind::File || !fits {
                return Ok(Next::GoOn);
            }
            let Some(file) = entry.open() else { return Ok(Next::GoOn) };
            self.one(file, &entry.path.display().to_string(), listing)
        })?;
        if walked == Walked::TooMuch {
            listing.note("there are more files than are looked at; search a smaller folder");
        }
        Ok(place.shown)
    }

    fn one(&self, file: File, name: &str, listing: &mut CappedList) -> Result<Next, Stop> {
        self.search.file(file, name, listing, self.stop)?;
        Ok(if listing.is_full() { Next::Enough } else { Next::GoOn })
    }
}
