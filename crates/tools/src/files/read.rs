//! The `read` tool: text by lines, and pictures.
//!
//! Text is streamed: only what is shown is held, however large the file is.

mod lines;

use std::io::{Read, Seek, SeekFrom};

use async_trait::async_trait;
use openclaw_ports::tool::{
    Audience, Concurrency, Effect, Tool, ToolContext, ToolDescriptor, ToolGroup, ToolOutput, ToolReply,
};
use openclaw_types::{Content, ToolOutcome};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use self::lines::{MOST_BYTES, MOST_LINES, Page, Shown};
use super::content::{SNIFFED, is_binary, size};
use super::off_thread::off_thread;
use super::reach::{FileHandles, FileScope, OpenFile};
use crate::arguments::ToolArguments;
use crate::picture;
use crate::stop::{Stop, reply, with_subject};

/// Shows files.
pub(super) struct ReadTool {
    descriptor: ToolDescriptor,
    handles: FileHandles,
}

impl ReadTool {
    pub(super) fn new(handles: FileHandles) -> Self {
        let descriptor = ToolDescriptor {
            name: "read",
            label: "Read",
            summary: "Show the content of a file",
            description: format!(
                "Shows a text file, or a picture (png, jpeg, gif, webp). At most {MOST_LINES} lines or {} KB of text \
                 come at once; a note at the end says with which offset to read on.",
                MOST_BYTES / 1024
            ).into(),
            parameters: json!({
                "type": "object",
                "required": [],
                "properties": {
                    "path": { "type": "string", "description": "The file, relative to the workspace or absolute." },
                    "offset": { "type": "number", "description": "The first line to show, counted from 1." },
                    "limit": { "type": "number", "description": "How many lines to show." },
                    "file_path": { "type": "string", "description": "Another name for path." },
                },
            }).into(),
            group: ToolGroup::Files,
            concurrency: Concurrency::Parallel,
            effect: Effect::Looks,
            audience: Audience::Everybody,
        };
        Self { descriptor, handles }
    }

    async fn read(&self, context: &ToolContext, arguments: Value) -> Result<ToolOutput, Stop> {
        let given = ToolArguments::of("read", arguments)?;
        let path = given.needed_word(&["path", "file_path", "filePath", "file"])?;
        let page = Page { offset: given.whole("offset")?.unwrap_or(1).max(1), limit: given.whole("limit")? };
        let reach = FileScope::of(context, &self.handles);
        let sees = context.sees_images;
        let subject = subject(&path, page);
        let read = off_thread(context, move |stop| {
            let place = reach.place(&path)?;
            let open = reach.file(&place)?;
            show(open, &place.shown, page, Sight { sees, stop })
        });
        with_subject(subject, read.await)
    }
}

/// What the one who asks can see, and when it no longer wants to.
struct Sight<'a> {
    sees: bool,
    stop: &'a CancellationToken,
}

#[async_trait]
impl Tool for ReadTool {
    fn descriptor(&self) -> &ToolDescriptor {
        &self.descriptor
    }

    async fn call(&self, context: &ToolContext, arguments: Value) -> ToolReply {
        reply(self.read(context, arguments).await)
    }
}

fn show(mut open: OpenFile, shown: &str, page: Page, sight: Sight<'_>) -> Result<ToolOutput, Stop> {
    let unreadable = |error: std::io::Error| Stop::failed(format!("{shown} could not be read: {error}."));
    let mut head = Vec::with_capacity(SNIFFED);
    (&mut open.file).take(SNIFFED as u64).read_to_end(&mut head).map_err(unreadable)?;
    open.file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    if let Some(media_type) = picture::sniff(&head) {
        return show_picture(open, shown, media_type, &sight);
    }
    if is_binary(&head) {
        return Err(Stop::failed(format!(
            "{shown} is not text ({}{}). Use a command that understands this kind of file.",
            size(open.size),
            kind(&head)
        )));
    }
    let text = lines::page(&mut open.file, page, sight.stop).map_err(unreadable)?;
    Ok(told(text, shown, page))
}

fn show_picture(
    mut open: OpenFile,
    shown: &str,
    media_type: &str,
    sight: &Sight<'_>,
) -> Result<ToolOutput, Stop> {
    if open.size > picture::LARGEST {
        return Err(Stop::failed(format!(
            "{shown} is a picture of {}, and pictures up to {} are shown. Make it smaller first.",
            size(open.size),
            size(picture::LARGEST)
        )));
    }
    let mut bytes = Vec::new();
    (&mut open.file)
        .take(picture::LARGEST)
        .read_to_end(&mut bytes)
        .map_err(|error| Stop::failed(format!("{shown} could not be read: {error}.")))?;
    let mut content = vec![Content::text(format!("{shown}: a picture, {media_type}, {}.", size(open.size)))];
    if sight.sees {
        content.push(Content::Image(picture::picture(media_type, &bytes)));
    } else {
        content.push(Content::text(
            "The model that asked cannot see pictures, so it is left out. Ask about it with the image tool, if \
             there is one.",
        ));
    }
    let meta = Some(format!("from {shown}"));
    Ok(ToolOutput { content, details: None, outcome: ToolOutcome::Done, meta, said: Vec::new() })
}

/// Which lines of which file, for people.
fn subject(shown: &str, page: Page) -> String {
    match page.limit {
        _ if page.offset == 1 && page.limit.is_none() => format!("from {shown}"),
        Some(limit) => format!(
            "lines {}-{} from {shown}",
            page.offset,
            page.offset.saturating_add(limit).saturating_sub(1)
        ),
        None => format!("from line {} of {shown}", page.offset),
    }
}

/// The answer: the lines, and how to read on.
fn told(found: Shown, shown: &str, page: Page) -> ToolOutput {
    let meta = subject(shown, page);
    let details = found.details(page);
    let output = match found.note(page) {
        None if found.text.is_empty() && found.count == 0 => ToolOutput::done("(The file is empty.)"),
        None => ToolOutput::done(found.text),
        Some(note) if found.text.is_empty() => ToolOutput::done(note),
        Some(note) => ToolOutput::done(format!("{}\n\n{note}", found.text)),
    };
    ToolOutput { details, ..output.with_meta(meta) }
}

/// What a file seems to be, for those that are met often.
fn kind(head: &[u8]) -> &'static str {
    match head {
        [b'%', b'P', b'D', b'F', ..] => ", a PDF document",
        [b'P', b'K', 3, 4, ..] => ", a ZIP archive or an office document",
        [0x1f, 0x8b, ..] => ", packed with gzip",
        [0x7f, b'E', b'L', b'F', ..] => ", a program",
        [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => ", probably text in UTF-16: convert it to UTF-8 first",
        [b'S', b'Q', b'L', b'i', b't', b'e', ..] => ", an SQLite database",
        _ => "",
    }
}
