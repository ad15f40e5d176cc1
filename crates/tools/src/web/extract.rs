//! Makes readable text of what a server sent: the article of a page, JSON laid out, plain text as it is. Pure.
//!
//! Pages may be hostile. Of one that is nested deeper than any honest page only the tags are taken out: what looks deep is
//! never given to the parser, and what turns out to be deep is never given to those who walk through it by recursion.
//! Called off the async threads.

use dom_query::Document;
use dom_smoothie::{Config, Readability, TextMode};
use serde_json::Value;

use super::charset::decode;

/// How deep a page may be nested, and how many elements it may have.
const DEEPEST: usize = 400;
const MOST_ELEMENTS: usize = 60_000;

/// How text is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    Markdown,
    Text,
}

impl Mode {
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Text => "text",
        }
    }
}

/// Readable text, and how it was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Extracted {
    pub(super) text: String,
    pub(super) title: Option<String>,
    pub(super) extractor: &'static str,
}

/// What a server sent.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sent<'a> {
    pub(super) body: &'a [u8],
    pub(super) content_type: Option<&'a str>,
    pub(super) url: &'a str,
}

/// Makes text of it; says in words why there is none.
pub(super) fn extract(sent: Sent<'_>, mode: Mode) -> Result<Extracted, String> {
    let kind =
        sent.content_type.unwrap_or_default().split(';').next().unwrap_or_default().trim().to_lowercase();
    if kind == "application/pdf" || sent.body.starts_with(b"%PDF") {
        return Err(
            "This is a PDF document, which web_fetch does not read. Download it with a command and convert \
                    it, for example with pdftotext."
                .to_owned(),
        );
    }
    if kind.starts_with("image/") && kind != "image/svg+xml" {
        return Err("This is a picture. Look at it with the image tool, if there is one.".to_owned());
    }
    let is_text =
        kind.is_empty() || kind.starts_with("text/") || TEXT_TYPES.iter().any(|part| kind.contains(part));
    if !is_text || sent.body.iter().take(4096).any(|byte| *byte == 0) {
        let kind = if kind.is_empty() { "something else than text".to_owned() } else { kind };
        return Err(format!("This is no text but {kind}. Download it with a command if it is needed."));
    }
    let text = decode(sent.body, sent.content_type);
    if kind.contains("html") || (kind.is_empty() && looks_like_a_page(&text)) {
        return Ok(page(&text, sent.url, mode));
    }
    if kind.contains("json")
        && let Ok(value) = serde_json::from_str::<Value>(&text)
        && let Ok(pretty) = serde_json::to_string_pretty(&value)
    {
        return Ok(Extracted { text: pretty, title: None, extractor: "json" });
    }
    let extractor = if kind.contains("markdown") { "markdown" } else { "raw" };
    Ok(Extracted { text, title: None, extractor })
}

/// Types that are text although their name does not begin so.
const TEXT_TYPES: &[&str] =
    &["json", "xml", "javascript", "ecmascript", "yaml", "toml", "html", "csv", "markdown", "x-sh", "sql"];

fn looks_like_a_page(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(200).collect::<String>().to_lowercase();
    start.starts_with("<!doctype html") || start.contains("<html") || start.starts_with("<head")
}

fn page(html: &str, url: &str, mode: Mode) -> Extracted {
    let tags_removed = || Extracted { text: without_tags(html), title: None, extractor: "tags-removed" };
    if seems_deep(html) {
        return tags_removed();
    }
    let document = Document::from(html);
    if is_deep(&document) {
        return tags_removed();
    }
    let text_mode = match mode {
        Mode::Markdown => TextMode::Markdown,
        Mode::Text => TextMode::Formatted,
    };
    let config = Config { text_mode, max_elements_to_parse: MOST_ELEMENTS, ..Config::default() };
    let article =
        Readability::with_document(document, Some(url), Some(config)).and_then(|mut page| page.parse());
    match article {
        Ok(article) if !article.text_content.trim().is_empty() => Extracted {
            text: tidy(&article.text_content),
            title: Some(article.title).filter(|title| !title.trim().is_empty()),
            extractor: "readability",
        },
        _ => whole_page(html, mode),
    }
}

/// All text of a page that has no article.
fn whole_page(html: &str, mode: Mode) -> Extracted {
    let document = Document::from(html);
    document.select("script, style, noscript, template, svg, iframe").remove();
    let title = document.select("title").text().trim().to_owned();
    let text = match (mode, document.body()) {
        (Mode::Markdown, Some(body)) => body.md(None),
        (Mode::Text, Some(body)) => body.formatted_text(),
        (_, None) => document.formatted_text(),
    };
    Extracted { text: tidy(&text), title: Some(title).filter(|title| !title.is_empty()), extractor: "page" }
}

/// At most one blank line in a row, and no space at the ends of lines.
fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut blank = 0;
    for line in text.lines() {
        let line = line.trim_end();
        blank = if line.is_empty() { blank + 1 } else { 0 };
        if blank < 2 {
            out.push_str(line);
            out.push('\n');
        }
    }
    out.trim().to_owned()
}

/// Elements that hold nothing, or that the next of their kind ends.
const NOT_NESTED: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "p", "li", "td", "th", "tr", "option", "dt", "dd", "tbody", "thead", "tfoot",
];

/// Whether a page seems to be nested too deep, by its tags alone. Parsers pass over a closing tag that closes nothing, so
/// one counts only where its name is open.
fn seems_deep(html: &str) -> bool {
    let mut open: Vec<&str> = Vec::new();
    for piece in html.split('<').skip(1) {
        let closing = piece.starts_with('/');
        let piece = piece.trim_start_matches('/');
        let end = piece.bytes().take(12).position(|byte| !byte.is_ascii_alphanumeric()).unwrap_or(12);
        let name = piece.get(..end.min(piece.len())).unwrap_or_default();
        let is_element = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if !is_element || NOT_NESTED.iter().any(|other| name.eq_ignore_ascii_case(other)) {
            continue;
        }
        if !closing {
            open.push(name);
        } else if let Some(place) = open.iter().rposition(|other| name.eq_ignore_ascii_case(other)) {
            // What is above it may stay open in the eyes of a parser, so it stays here too.
            open.remove(place);
        }
        if open.len() > DEEPEST {
            return true;
        }
    }
    false
}

/// Whether a page is nested too deep. Tags in comments and attributes, and elements that nest only inside of pictures,
/// cannot be told from the text.
fn is_deep(document: &Document) -> bool {
    let mut left = vec![(document.root(), 0_usize)];
    while let Some((node, depth)) = left.pop() {
        if depth > DEEPEST {
            return true;
        }
        left.extend(node.children_it(false).map(|child| (child, depth + 1)));
    }
    false
}

/// The text between tags. Scripts and styles are left out as far as they are closed.
fn without_tags(html: &str) -> String {
    let mut out = String::new();
    let mut silent = false;
    for piece in html.split('<') {
        let lower: String = piece.chars().take(8).collect::<String>().to_ascii_lowercase();
        if lower.starts_with("script") || lower.starts_with("style") {
            silent = true;
        } else if lower.starts_with("/script") || lower.starts_with("/style") {
            silent = false;
        }
        if !silent {
            out.push_str(piece.split_once('>').map_or(piece, |(_, text)| text));
            out.push(' ');
        }
    }
    tidy(&out)
}

#[cfg(test)]
mod tests;
