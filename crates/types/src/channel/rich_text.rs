//! Words with styles and links as spans, without any platform's markup.
//!
//! `delivery::markdown` makes it, `delivery` cuts it, an adapter's `format.rs` writes it in the platform's markup.
//! Spans are byte offsets into the text, at character boundaries, not empty, and within the text; `new` sees to that.

use serde::{Deserialize, Serialize};

/// Words with styles and links.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RichText {
    text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    styles: Vec<StyleSpan>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    links: Vec<LinkSpan>,
}

/// A part of the words with a style. Spans nest or are apart; they never cross.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StyleSpan {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// The style.
    pub style: Style,
}

/// A part of the words that leads somewhere.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkSpan {
    /// Where it begins, in bytes.
    pub start: usize,
    /// Where it ends, in bytes.
    pub end: usize,
    /// Where it leads.
    pub address: String,
}

/// How words are shown. Of two styles of the same words, the one named first here is the outer.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Style {
    /// Words of somebody else.
    Quote,
    /// Bold.
    Bold,
    /// Slanted.
    Italic,
    /// Struck through.
    Strikethrough,
    /// Hidden until touched.
    Spoiler,
    /// Letters of one width within a line.
    Code,
    /// Lines of letters of one width.
    CodeBlock {
        /// The language they are in.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        language: Option<String>,
    },
}

impl RichText {
    /// Words without styles.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        Self { text: text.into(), styles: Vec::new(), links: Vec::new() }
    }

    /// Words with spans. Spans are moved to character boundaries, those that are empty or outside are left out, and those
    /// that cross another are cut where they cross.
    #[must_use]
    pub fn new(text: impl Into<String>, styles: Vec<StyleSpan>, links: Vec<LinkSpan>) -> Self {
        let text = text.into();
        let mut links: Vec<LinkSpan> = links
            .into_iter()
            .filter_map(|link| {
                let (start, end) = bounds(&text, link.start, link.end)?;
                Some(LinkSpan { start, end, ..link })
            })
            .collect();
        links.sort_by_key(|link| (link.start, link.end));
        // A link inside a link has no meaning anywhere: the first one stays.
        let mut reached = 0;
        links.retain(|link| {
            let apart = link.start >= reached;
            if apart {
                reached = link.end;
            }
            apart
        });
        let styles = nested(
            styles
                .into_iter()
                .filter_map(|span| {
                    let (start, end) = bounds(&text, span.start, span.end)?;
                    Some(StyleSpan { start, end, ..span })
                })
                .collect(),
        );
        Self { text, styles, links }
    }

    /// The words.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The styles, outer before inner, in order.
    #[must_use]
    pub fn styles(&self) -> &[StyleSpan] {
        &self.styles
    }

    /// The links, in order; they are apart from each other, but may cross styles.
    #[must_use]
    pub fn links(&self) -> &[LinkSpan] {
        &self.links
    }

    /// Whether there are no words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// A part of the words with what styles and links it has. Offsets are moved down to character boundaries.
    #[must_use]
    pub fn slice(&self, start: usize, end: usize) -> Self {
        let start = floor(&self.text, start);
        let end = floor(&self.text, end).max(start);
        let cut = |from: usize, to: usize| {
            let (from, to) = (from.max(start), to.min(end));
            (from < to).then(|| (from - start, to - start))
        };
        Self {
            text: self.text[start..end].to_owned(),
            styles: self
                .styles
                .iter()
                .filter_map(|span| {
                    let (start, end) = cut(span.start, span.end)?;
                    Some(StyleSpan { start, end, style: span.style.clone() })
                })
                .collect(),
            links: self
                .links
                .iter()
                .filter_map(|link| {
                    let (start, end) = cut(link.start, link.end)?;
                    Some(LinkSpan { start, end, address: link.address.clone() })
                })
                .collect(),
        }
    }

    /// The length of the words as UTF-16 counts it.
    #[must_use]
    pub fn utf16_len(&self) -> usize {
        self.text.encode_utf16().count()
    }

    /// A byte offset as UTF-16 counts it.
    #[must_use]
    pub fn utf16_offset(&self, byte: usize) -> usize {
        self.text[..floor(&self.text, byte)].encode_utf16().count()
    }
}

/// Cuts spans where they cross, so that each two are apart or one within the other.
fn nested(mut spans: Vec<StyleSpan>) -> Vec<StyleSpan> {
    spans.sort_by(|one, other| {
        one.start.cmp(&other.start).then(other.end.cmp(&one.end)).then(one.style.cmp(&other.style))
    });
    let mut kept: Vec<StyleSpan> = Vec::with_capacity(spans.len());
    // Those around the place that was reached, outer before inner: the last one ends first.
    let mut around: Vec<usize> = Vec::new();
    let mut waiting = std::collections::VecDeque::from(spans);
    while let Some(mut span) = waiting.pop_front() {
        while around.last().is_some_and(|last| kept[*last].end <= span.start) {
            around.pop();
        }
        if around.iter().any(|outer| kept[*outer].style == span.style && span.end <= kept[*outer].end) {
            continue;
        }
        if let Some(cut) = around.last().map(|last| kept[*last].end).filter(|end| *end < span.end) {
            let rest = StyleSpan { start: cut, end: span.end, style: span.style.clone() };
            let order = |span: &StyleSpan| (span.start, std::cmp::Reverse(span.end));
            let place = waiting.partition_point(|other| order(other) <= order(&rest));
            waiting.insert(place, rest);
            span.end = cut;
        }
        around.push(kept.len());
        kept.push(span);
    }
    kept
}

fn bounds(text: &str, start: usize, end: usize) -> Option<(usize, usize)> {
    let (start, end) = (floor(text, start), floor(text, end));
    (start < end).then_some((start, end))
}

fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}
