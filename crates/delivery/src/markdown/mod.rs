//! Markdown as words with spans: one reading for every platform.
//!
//! CommonMark with strikethrough, tables and spoilers. Headings are bold, lists have their marks in the text, quotes are
//! spans, pictures are links, HTML is text. Marks without a partner stay as they are. Blocks are a blank line apart; the
//! span of a code block ends before the line end that follows it. `chunk` cuts what comes out, adapters write it in their
//! markup. Pure; `plan` and `flow` call it.

mod page;
mod reader;
mod shield;
mod spoiler;
mod table;

#[cfg(test)]
pub(crate) mod tests;

use openclaw_types::{RichText, TableMode};

/// Words that were read, and where they can be cut best.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Formatted {
    /// The words.
    pub text: RichText,
    /// Where a paragraph begins that a blank line separates from the one before, in bytes, in order.
    pub paragraphs: Vec<usize>,
}

/// Reads Markdown.
#[must_use]
pub fn read_markdown(markdown: &str, tables: TableMode) -> Formatted {
    let lines = markdown.replace("\r\n", "\n").replace('\r', "\n");
    // Control characters mean nothing to people and something else to every platform.
    let lines: String = lines.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    reader::read(&shield::shielded(&lines), tables)
}
