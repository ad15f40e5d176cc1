//! Words with styles and links by chance, with everything in them that markup languages trip over.

use openclaw_types::{LinkSpan, RichText, Style, StyleSpan};

use crate::Random;

/// What texts are made from: signs of markup, letters of several lengths, line ends, joined emoji, letters from the right.
const PIECES: &[&str] = &[
    "a",
    "word ",
    "<b>",
    "</b>",
    "&amp;",
    "&",
    "<",
    ">",
    "*",
    "**",
    "_",
    "__",
    "~",
    "~~",
    "`",
    "```",
    "```rust\n",
    "|",
    "||",
    "[",
    "](",
    ")",
    "\\",
    "\n",
    "\n\n",
    "> ",
    "# ",
    "- ",
    "1. ",
    "é",
    "ß",
    "🙂",
    "👩‍👩‍👧",
    "שלום",
    "\u{200f}",
    "\t",
    "\"",
    "'",
    "@all",
    "<!channel>",
    "<@U1>",
    "http://a.example/?q=1&b=2",
    "\u{0}",
    "\u{1}",
    "\u{3}04",
    "\r",
    " ",
    "{",
    "}",
    "$",
    "%s",
];

const ADDRESSES: &[&str] = &[
    "https://a.example/",
    "https://a.example/?q=\"x\"&y=<z>|",
    "https://a.example/(a)[b]\\",
    "mailto:ana@a.example",
    "javascript:alert(1)",
    "not an address",
    "",
    "https://a.example/ with space",
];

/// Words of a random length with random spans.
pub(super) fn any(random: &mut Random) -> RichText {
    let count = random.below(24);
    let mut text = String::new();
    for _ in 0..count {
        text.push_str(pick(random, PIECES));
    }
    let styles = (0..random.below(6))
        .map(|_| {
            let (start, end) = range(random, text.len());
            StyleSpan { start, end, style: style(random) }
        })
        .collect();
    let links = (0..random.below(3))
        .map(|_| {
            let (start, end) = range(random, text.len());
            LinkSpan { start, end, address: pick(random, ADDRESSES).to_owned() }
        })
        .collect();
    RichText::new(text, styles, links)
}

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    let at = usize::try_from(random.below(from.len() as u64)).unwrap_or(0);
    from[at]
}

fn range(random: &mut Random, length: usize) -> (usize, usize) {
    let mut at = || usize::try_from(random.below(length as u64 + 1)).unwrap_or(0);
    (at(), at())
}

fn style(random: &mut Random) -> Style {
    match random.below(8) {
        0 => Style::Quote,
        1 => Style::Bold,
        2 => Style::Italic,
        3 => Style::Strikethrough,
        4 => Style::Spoiler,
        5 => Style::Code,
        6 => Style::CodeBlock { language: None },
        _ => Style::CodeBlock { language: Some("ru\"st>".to_owned()) },
    }
}
