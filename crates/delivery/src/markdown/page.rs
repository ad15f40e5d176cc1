//! Words with spans while they are written.
//!
//! A style begins with the first word written after it was opened, so that white space between blocks belongs to none.

use openclaw_types::{LinkSpan, RichText, Style, StyleSpan};

/// Words with spans while they are written.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) text: String,
    pub(super) styles: Vec<StyleSpan>,
    pub(super) links: Vec<LinkSpan>,
    /// Characters that were escaped, by where they are.
    pub(super) escaped: Vec<usize>,
    open: Vec<Open>,
}

#[derive(Debug)]
struct Open {
    style: Style,
    start: Option<usize>,
}

impl Page {
    /// Writes words.
    pub(super) fn push(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        let at = self.text.len();
        for open in &mut self.open {
            open.start.get_or_insert(at);
        }
        self.text.push_str(words);
    }

    /// Writes white space that belongs to no style that has not begun.
    pub(super) fn space(&mut self, space: &str) {
        self.text.push_str(space);
    }

    /// Writes words that have a style of their own.
    pub(super) fn push_styled(&mut self, words: &str, style: Style) {
        let start = self.text.len();
        self.push(words);
        self.styles.push(StyleSpan { start, end: self.text.len(), style });
    }

    /// Writes words with their spans.
    pub(super) fn push_rich(&mut self, rich: &RichText) {
        let base = self.text.len();
        self.push(rich.text());
        self.styles.extend(rich.styles().iter().map(|span| StyleSpan {
            start: base + span.start,
            end: base + span.end,
            style: span.style.clone(),
        }));
        self.links.extend(rich.links().iter().map(|link| LinkSpan {
            start: base + link.start,
            end: base + link.end,
            address: link.address.clone(),
        }));
    }

    /// Begins a style with the next word.
    pub(super) fn open(&mut self, style: Style) {
        self.open.push(Open { style, start: None });
    }

    /// Ends the style that began last.
    pub(super) fn close(&mut self) {
        if let Some(Open { style, start: Some(start) }) = self.open.pop() {
            self.styles.push(StyleSpan { start, end: self.text.len(), style });
        }
    }

    /// Makes everything from `start` a link.
    pub(super) fn link(&mut self, start: usize, address: String) {
        if !address.is_empty() && start < self.text.len() {
            self.links.push(LinkSpan { start, end: self.text.len(), address });
        }
    }

    /// What was written, without white space at its end.
    pub(super) fn finish(mut self) -> RichText {
        while !self.open.is_empty() {
            self.close();
        }
        self.text.truncate(self.text.trim_end().len());
        let end = self.text.len();
        let styles = self
            .styles
            .into_iter()
            .map(|span| StyleSpan { end: span.end.min(end), ..span })
            .filter(|span| span.start < span.end)
            .collect();
        let links = self
            .links
            .into_iter()
            .map(|link| LinkSpan { end: link.end.min(end), ..link })
            .filter(|link| link.start < link.end)
            .collect();
        RichText::new(self.text, styles, links)
    }
}
