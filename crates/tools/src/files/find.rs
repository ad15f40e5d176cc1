//! The `find` tool: files by the pattern of their names.

use async_trait::async_trait;
use globset::{GlobBuilder, GlobMatcher};
use openclaw_ports::tool::{
    Audience, Concurrency, Effect, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolOutput, ToolReply,
};
use serde_json::{Value, json};

use super::listing::CappedList;
use super::off_thread::off_thread;
use super::reach::{FileHandles, FileScope};
use super::walk::{Next, WalkKind, Walked, walk};
use crate::arguments::ToolArguments;
use crate::stop::{Stop, reply};

const MOST_PATHS: u64 = 1000;
/// The longest pattern.
const LONGEST_PATTERN: usize = 1000;

/// Finds files.
pub(super) struct FindTool {
    descriptor: ToolDescriptor,
    handles: FileHandles,
}

impl FindTool {
    pub(super) fn new(handles: FileHandles) -> Self {
        let descriptor = ToolDescriptor {
            name: "find",
            label: "Find",
            summary: "Find files by a pattern of their names",
            description: format!(
                "Finds files whose path matches a glob such as *.ts, **/*.json or src/**/test_*.py, and gives their \
                 paths from the folder that was searched. What .gitignore leaves out is left out. At most \
                 {MOST_PATHS} paths unless limit says otherwise."
            ).into(),
            parameters: json!({
                "type": "object",
                "required": ["pattern"],
                "properties": {
                    "pattern": { "type": "string", "description": "The glob." },
                    "path": { "type": "string", "description": "The folder; the workspace when left out." },
                    "limit": { "type": "number", "description": "How many paths at most." },
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

    async fn find(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of("find", arguments)?;
        let pattern = given.needed_word(&["pattern", "glob"])?;
        let matcher = glob(&pattern)?;
        let path = given.word(&["path"])?.unwrap_or_else(|| ".".to_owned());
        let limit = given.whole("limit")?.unwrap_or(MOST_PATHS).clamp(1, 10_000);
        let reach = FileScope::of(context, &self.handles);
        off_thread(context, move |stop| {
            let place = reach.place(&path)?;
            let folder = reach.folder(&place)?;
            let mut listing = CappedList::new(limit);
            let walked = walk(&reach, &folder, stop, |entry| {
                if matcher.is_match(entry.path) {
                    let mark = if entry.kind == WalkKind::Folder { "/" } else { "" };
                    listing.add(&format!("{}{mark}", entry.path.display()));
                    if listing.is_full() {
                        listing.add("");
                        return Ok(Next::Enough);
                    }
                }
                Ok(Next::GoOn)
            })?;
            if walked == Walked::TooMuch {
                listing.note("there are more files than are looked at; search a smaller folder");
            }
            let text = listing.told("(Nothing matches.)", "paths");
            Ok(ToolOutput::done(text).with_meta(format!("{pattern} in {}", place.shown)))
        })
        .await
    }
}

#[async_trait]
impl Tool for FindTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        reply(self.find(context, arguments).await)
    }
}

/// Reads a glob; one without a slash matches names in any folder.
pub(super) fn glob(pattern: &str) -> Result<GlobMatcher, Stop> {
    if pattern.len() > LONGEST_PATTERN {
        return Err(Stop::failed("The pattern is too long."));
    }
    let pattern = pattern.trim_start_matches("./");
    let anywhere = match pattern.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None if pattern.contains('/') => pattern.to_owned(),
        None => format!("**/{pattern}"),
    };
    GlobBuilder::new(&anywhere)
        .literal_separator(true)
        .build()
        .map(|glob| glob.compile_matcher())
        .map_err(|error| Stop::failed(format!("`{pattern}` is not a glob: {}.", error.kind())))
}
