//! A conversation as one page that needs nothing else: no script, no font, no address outside.
//!
//! Pure. Every word of the conversation is escaped, and the page's own policy forbids scripts and loading anything, so
//! that nothing somebody said can become part of the page.

use std::fmt::Write as _;

use jiff::Timestamp;
use openclaw_ports::stores::StoredEntry;
use openclaw_types::{Content, EntryBody, Image, ImageData, LineRecord, Message, ToolOutcome, UnixMillis};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;\
    color:#1c1c1e;background:#fff}header{border-bottom:1px solid #ccc;margin-bottom:1.5rem}dl{display:grid;\
    grid-template-columns:max-content 1fr;gap:.2rem 1rem}dt{color:#666}dd{margin:0;overflow-wrap:anywhere}\
    article{margin:1rem 0;padding:.6rem 1rem;border-radius:.5rem;background:#f4f4f6}article.user{background:#e4f0ff}\
    article.note{background:#fff8e1}h2{font-size:.8rem;color:#555;margin:0 0 .3rem}pre{white-space:pre-wrap;\
    overflow-wrap:anywhere;margin:0;font:inherit}details pre{font:13px/1.4 ui-monospace,monospace}img{max-width:100%}\
    @media(prefers-color-scheme:dark){body{color:#eee;background:#161618}article{background:#242428}\
    article.user{background:#1d3047}article.note{background:#3a3320}h2,dt{color:#aaa}}";

/// What stands above the conversation.
pub(super) struct Heading {
    pub(super) key: String,
    pub(super) session: String,
    pub(super) model: String,
    pub(super) exported_at: UnixMillis,
    pub(super) version: String,
}

/// The page.
pub(super) fn page(heading: &Heading, branch: &[StoredEntry]) -> String {
    let mut body = String::new();
    for stored in branch {
        if let LineRecord::Entry(entry) = &stored.line.record {
            body.push_str(&piece(&entry.body, entry.at));
        }
    }
    let title = format!("Session {}", escaped(&heading.key));
    let facts = [
        ("Session", &heading.key),
        ("Transcript", &heading.session),
        ("Model", &heading.model),
        ("Exported", &moment(Some(heading.exported_at))),
        ("OpenClaw", &heading.version),
    ];
    let facts: String = facts
        .into_iter()
        .map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>", escaped(value)))
        .collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">\n<meta name=\"viewport\" \
         content=\"width=device-width\"><title>{title}</title><style>{STYLE}</style></head>\n<body><header><h1>{title}\
         </h1><dl>{facts}</dl></header>\n<main>\n{body}</main></body></html>\n"
    )
}

/// One entry of the conversation; nothing for those that people need not see.
fn piece(body: &EntryBody, at: Option<UnixMillis>) -> String {
    match body {
        EntryBody::Message(message) => said(message, at),
        EntryBody::Compaction(compaction) => {
            note("Older parts were summed up", at, &words(&compaction.summary))
        }
        EntryBody::BranchSummary(branch) => note("A branch was left", at, &words(&branch.summary)),
        EntryBody::ModelChange(model) => note("Model", at, &words(&model.to_string())),
        EntryBody::ThinkingLevelChange(level) => note("Thinking", at, &words(level.as_str())),
        EntryBody::SessionName(Some(name)) => note("Name", at, &words(name)),
        EntryBody::CustomMessage(message) => note("Note", at, &contents(&message.content)),
        EntryBody::SessionName(None) | EntryBody::Custom(_) | EntryBody::Label(_) | EntryBody::Other(_) => {
            String::new()
        }
    }
}

fn said(message: &Message, at: Option<UnixMillis>) -> String {
    let at = message.at().or(at);
    match message {
        Message::User(user) => article("user", "Person", at, &contents(&user.content)),
        Message::Assistant(answer) => {
            let mut inside = contents(&answer.content);
            if let Some(error) = &answer.error {
                inside.push_str(&words(&format!("⚠️ {error}")));
            }
            article("assistant", "Assistant", at, &inside)
        }
        Message::ToolResult(result) => {
            let how = if result.outcome == ToolOutcome::Done { "gave" } else { "failed" };
            let inside = folded(&format!("{} {how}", result.tool), &contents(&result.content));
            article("tool", "Tool", at, &inside)
        }
        Message::Shell(shell) => {
            let inside = folded(&format!("$ {}", shell.command), &words(&shell.output));
            article("tool", "Shell", at, &inside)
        }
        Message::Custom(custom) => note("Note", at, &contents(&custom.content)),
        Message::CompactionSummary { summary, .. } => note("Older parts were summed up", at, &words(summary)),
        Message::BranchSummary { summary, .. } => note("A branch was left", at, &words(summary)),
        Message::Other(_) => String::new(),
    }
}

fn contents(content: &[Content]) -> String {
    content
        .iter()
        .map(|piece| match piece {
            Content::Text(text) => words(&text.text),
            Content::Thinking(thinking) => folded("Thoughts", &words(&thinking.text)),
            Content::ToolCall(call) => {
                let arguments = serde_json::to_string_pretty(&call.arguments)
                    .unwrap_or_else(|_never| call.arguments.to_string());
                folded(&format!("Asks for {}", call.name), &words(&arguments))
            }
            Content::Image(image) => picture(image),
            Content::RedactedThinking(_) => folded("Thoughts", &words("(sealed by the vendor)")),
            Content::Other(_) => String::new(),
        })
        .collect()
}

/// A picture that the page itself holds. Anything that is not plainly one is named instead of shown.
fn picture(image: &Image) -> String {
    let kind = image.media_type.as_deref().unwrap_or("");
    let known = matches!(kind, "image/png" | "image/jpeg" | "image/gif" | "image/webp");
    match &image.data {
        ImageData::Inline(data) if known && data.bytes().all(is_base64) => {
            format!("<img alt=\"picture\" src=\"data:{kind};base64,{data}\">")
        }
        ImageData::Url(address) => words(&format!("[picture at {address}]")),
        ImageData::Inline(_) | ImageData::Omitted { .. } => words("[picture]"),
    }
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

fn note(title: &str, at: Option<UnixMillis>, inside: &str) -> String {
    article("note", title, at, inside)
}

/// One block. What is inside is markup already.
fn article(kind: &str, title: &str, at: Option<UnixMillis>, inside: &str) -> String {
    if inside.is_empty() {
        return String::new();
    }
    let when = at.map_or_else(String::new, |at| format!(" · {}", moment(Some(at))));
    format!("<article class=\"{kind}\"><h2>{}{when}</h2>{inside}</article>\n", escaped(title))
}

fn folded(title: &str, inside: &str) -> String {
    format!("<details><summary>{}</summary>{inside}</details>", escaped(title))
}

fn words(text: &str) -> String {
    match text.trim().is_empty() {
        true => String::new(),
        false => format!("<pre>{}</pre>", escaped(text)),
    }
}

fn moment(at: Option<UnixMillis>) -> String {
    let moment = at.and_then(|at| Timestamp::from_millisecond(at.0).ok());
    moment.map_or_else(String::new, |moment| moment.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

/// Text that cannot become markup, in elements and in quoted attributes alike.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Other control characters are not allowed in a page.
            letter if letter.is_control() && !matches!(letter, '\n' | '\t') => {
                // Writing to a string cannot fail.
                if write!(out, "\u{fffd}").is_err() {
                    return out;
                }
            }
            letter => out.push(letter),
        }
    }
    out
}
