//! Words with spans in a form that people can read: `{bold|words}`, `{link https://a.example|words}`, and `¶` where a
//! paragraph begins.

use openclaw_types::{RichText, Style};

use crate::markdown::Formatted;

/// Words with their spans.
pub(crate) fn written(words: &RichText) -> String {
    write(words, &[])
}

/// Words with their spans and paragraphs.
pub(crate) fn paragraphs(words: &Formatted) -> String {
    write(&words.text, &words.paragraphs)
}

fn write(words: &RichText, paragraphs: &[usize]) -> String {
    let mut spans: Vec<(usize, usize, String)> = words
        .links()
        .iter()
        .map(|link| (link.start, link.end, format!("{{link {}|", link.address)))
        .collect();
    spans.extend(
        words.styles().iter().map(|span| (span.start, span.end, format!("{{{}|", name(&span.style)))),
    );
    spans.sort_by(|one, other| one.0.cmp(&other.0).then(other.1.cmp(&one.1)));
    let mut out = String::new();
    for at in 0..=words.text().len() {
        out.extend(spans.iter().filter(|span| span.1 == at).map(|_| '}'));
        if paragraphs.contains(&at) {
            out.push('¶');
        }
        spans.iter().filter(|span| span.0 == at).for_each(|span| out.push_str(&span.2));
        if words.text().is_char_boundary(at) {
            out.extend(words.text()[at..].chars().next());
        }
    }
    out
}

fn name(style: &Style) -> String {
    match style {
        Style::Bold => "bold".to_owned(),
        Style::Italic => "italic".to_owned(),
        Style::Strikethrough => "strike".to_owned(),
        Style::Spoiler => "spoiler".to_owned(),
        Style::Code => "code".to_owned(),
        Style::CodeBlock { language: Some(language) } => format!("block {language}"),
        Style::CodeBlock { language: None } => "block".to_owned(),
        Style::Quote => "quote".to_owned(),
    }
}
