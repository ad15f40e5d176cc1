//! Our words in the platform's HTML. Pure, and never markup that it rejects.
//!
//! Tags are nested in one order (quote, link, bold, italic, struck, hidden, code); spans that cross are closed and opened
//! again. Code holds no other tags and stands in none but a quote, as the platform's rules for entities say.

use openclaw_types::{RichText, Style};

/// A tag that is open, with the span that it is for: two spans that touch stay two.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Tag<'a> {
    kind: Kind<'a>,
    span: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind<'a> {
    Quote,
    Link(&'a str),
    Bold,
    Italic,
    Struck,
    Spoiler,
    Code,
    Block(Option<&'a str>),
}

/// Writes words as HTML.
pub(super) fn format(text: &RichText) -> String {
    let words = text.text();
    let mut edges: Vec<usize> = text
        .styles()
        .iter()
        .flat_map(|span| [span.start, span.end])
        .chain(text.links().iter().flat_map(|link| [link.start, link.end]))
        .chain([0, words.len()])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    let mut out = String::with_capacity(words.len() + edges.len() * 8);
    let mut open: Vec<Tag<'_>> = Vec::new();
    for pair in edges.windows(2) {
        let (start, end) = (pair[0], pair[1]);
        let wanted = tags(text, start);
        let same = open.iter().zip(&wanted).take_while(|(one, other)| one == other).count();
        for tag in open.drain(same..).rev() {
            out.push_str(&closing(&tag.kind));
        }
        for tag in wanted.into_iter().skip(same) {
            out.push_str(&opening(&tag.kind));
            open.push(tag);
        }
        escape(&words[start..end], &mut out);
    }
    for tag in open.into_iter().rev() {
        out.push_str(&closing(&tag.kind));
    }
    out
}

/// Whether words need markup at all.
pub(super) fn is_plain(text: &RichText) -> bool {
    text.styles().is_empty() && text.links().is_empty()
}

/// The tags around a place, outer before inner.
fn tags(text: &RichText, at: usize) -> Vec<Tag<'_>> {
    let around: Vec<(usize, &Style)> = text
        .styles()
        .iter()
        .enumerate()
        .filter(|(_, span)| span.start <= at && at < span.end)
        .map(|(number, span)| (number, &span.style))
        .collect();
    let first = |wanted: fn(&Style) -> bool| around.iter().find(|(_, style)| wanted(style)).copied();
    let mut tags = Vec::new();
    if let Some((span, _)) = first(|style| *style == Style::Quote) {
        tags.push(Tag { kind: Kind::Quote, span });
    }
    if let Some((span, style)) = first(|style| matches!(style, Style::Code | Style::CodeBlock { .. })) {
        let kind = match style {
            Style::CodeBlock { language } => {
                Kind::Block(language.as_deref().filter(|name| is_language(name)))
            }
            _ => Kind::Code,
        };
        tags.push(Tag { kind, span });
        return tags;
    }
    let link = text.links().iter().enumerate().find(|(_, link)| link.start <= at && at < link.end);
    if let Some((span, link)) = link.filter(|(_, link)| leads_somewhere(&link.address)) {
        tags.push(Tag { kind: Kind::Link(&link.address), span });
    }
    let plain = [
        (Style::Bold, Kind::Bold),
        (Style::Italic, Kind::Italic),
        (Style::Strikethrough, Kind::Struck),
        (Style::Spoiler, Kind::Spoiler),
    ];
    for (style, kind) in plain {
        if let Some((span, _)) = around.iter().find(|(_, each)| **each == style) {
            tags.push(Tag { kind, span: *span });
        }
    }
    tags
}

fn opening(kind: &Kind<'_>) -> String {
    match kind {
        Kind::Quote => "<blockquote>".to_owned(),
        Kind::Link(address) => {
            let mut tag = "<a href=\"".to_owned();
            escape(address, &mut tag);
            tag.push_str("\">");
            tag
        }
        Kind::Bold => "<b>".to_owned(),
        Kind::Italic => "<i>".to_owned(),
        Kind::Struck => "<s>".to_owned(),
        Kind::Spoiler => "<tg-spoiler>".to_owned(),
        Kind::Code => "<code>".to_owned(),
        Kind::Block(None) => "<pre>".to_owned(),
        Kind::Block(Some(language)) => format!("<pre><code class=\"language-{language}\">"),
    }
}

fn closing(kind: &Kind<'_>) -> String {
    match kind {
        Kind::Quote => "</blockquote>",
        Kind::Link(_) => "</a>",
        Kind::Bold => "</b>",
        Kind::Italic => "</i>",
        Kind::Struck => "</s>",
        Kind::Spoiler => "</tg-spoiler>",
        Kind::Code => "</code>",
        Kind::Block(None) => "</pre>",
        Kind::Block(Some(_)) => "</code></pre>",
    }
    .to_owned()
}

/// Addresses that the platform makes links of. Others stand as their words alone.
fn leads_somewhere(address: &str) -> bool {
    let known = ["http://", "https://", "tg://", "mailto:", "tel:"];
    known.iter().any(|scheme| {
        let head = address.get(..scheme.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(scheme)) && address.len() > scheme.len()
    }) && !address.chars().any(|letter| letter.is_control() || letter.is_whitespace())
}

fn is_language(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= 32
        && name.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-#._".contains(letter))
}

/// Signs with a meaning become names; control characters, which nobody sees, are left out.
fn escape(text: &str, out: &mut String) {
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            other if other.is_control() && other != '\n' && other != '\t' => {}
            other => out.push(other),
        }
    }
}
