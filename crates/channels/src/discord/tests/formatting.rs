//! Words in the platform's markup.

use openclaw_types::{LinkSpan, RichText, Style, StyleSpan};
use proptest::prelude::*;

use crate::discord::format::format;

fn rich(text: &str, styles: &[(&str, Style)], links: &[(&str, &str)]) -> RichText {
    let find = |part: &str| {
        let start = text.find(part).unwrap();
        (start, start + part.len())
    };
    let styles = styles
        .iter()
        .map(|(part, style)| {
            let (start, end) = find(part);
            StyleSpan { start, end, style: style.clone() }
        })
        .collect();
    let links = links
        .iter()
        .map(|(part, address)| {
            let (start, end) = find(part);
            LinkSpan { start, end, address: (*address).to_owned() }
        })
        .collect();
    RichText::new(text, styles, links)
}

fn check(text: RichText, expected: &str) {
    assert_eq!(format(&text), expected);
}

#[test]
fn styles_are_written() {
    check(rich("a bold move", &[("bold", Style::Bold)], &[]), "a **bold** move");
    check(rich("all in all", &[("all in all", Style::Bold), ("in", Style::Italic)], &[]), "**all *in* all**");
    check(rich("gone", &[("gone", Style::Strikethrough)], &[]), "~~gone~~");
    check(rich("he dies", &[("dies", Style::Spoiler)], &[]), "he ||dies||");
    check(rich("x = a*b", &[("a*b", Style::Code)], &[]), "x = `a*b`");
    check(rich("a`b", &[("a`b", Style::Code)], &[]), "`` a`b ``");
    check(rich("one\ntwo", &[("one\ntwo", Style::Quote)], &[]), "> one\n> two");
}

#[test]
fn space_stays_outside_of_signs() {
    check(rich("a bold move", &[(" bold ", Style::Bold)], &[]), "a **bold** move");
    check(rich("a   b", &[("   ", Style::Bold)], &[]), "a   b");
}

#[test]
fn blocks_of_code_hold_what_they_hold() {
    let code = Style::CodeBlock { language: Some("rust".to_owned()) };
    check(rich("look:\nlet a = *b;", &[("let a = *b;", code)], &[]), "look:\n```rust\nlet a = *b;\n```");
    let code = Style::CodeBlock { language: Some("a b`".to_owned()) };
    check(rich("x ``` y", &[("x ``` y", code)], &[]), "```ab\nx ``\u{200b}` y\n```");
}

#[test]
fn code_ends_where_it_should() {
    check(rich("a```b", &[("a```b", Style::Code)], &[]), "`` a`\u{200b}`\u{200b}`b ``");
    check(rich("ab", &[("a", Style::Code), ("b", Style::Code)], &[]), "`a`\u{200b}`b`");
    let code = Style::CodeBlock { language: None };
    check(rich("x `````", &[("x `````", code)], &[]), "```\nx ``\u{200b}``\u{200b}`\n```");
    check(RichText::plain("https://a.example\\`x"), "https://a.example\\\\\\`x");
}

#[test]
fn links_lead_where_they_say() {
    check(rich("see here", &[], &[("here", "https://a.example/x_y")]), "see [here](https://a.example/x_y)");
    check(
        rich("see here", &[], &[("here", "https://a.example/(x)")]),
        "see [here](https://a.example/%28x%29)",
    );
    check(
        rich("see here", &[], &[("here", "https://a.example/`x\\")]),
        "see [here](https://a.example/%60x%5C)",
    );
    check(
        rich("https://a.example/a_b", &[], &[("https://a.example/a_b", "https://a.example/a_b")]),
        "https://a.example/a_b",
    );
    check(rich("mail me", &[], &[("me", "mailto:a@b.example")]), "mail me (mailto:a@b.example)");
    check(
        rich("https://good.example", &[], &[("https://good.example", "https://evil.example")]),
        "https://good.example (https://evil.example)",
    );
    check(rich("[x] y", &[], &[("[x]", "https://a.example")]), "[\\[x\\]](https://a.example) y");
    check(
        rich("one two three", &[("one two", Style::Bold)], &[("two three", "https://a.example")]),
        "**one** [**two** three](https://a.example)",
    );
}

#[test]
fn what_looks_like_markup_is_escaped_and_mentions_are_not() {
    check(
        RichText::plain("2*3*4 snake_case ~~no~~ ||no||"),
        "2\\*3\\*4 snake\\_case \\~\\~no\\~\\~ \\|\\|no\\|\\|",
    );
    check(
        RichText::plain("# no heading\n> no quote\n-# no small"),
        "\\# no heading\n\\> no quote\n\\-# no small",
    );
    check(RichText::plain("a # b > c"), "a # b > c");
    check(RichText::plain("[a](https://x.example)"), "\\[a](https://x.example)");
    check(
        RichText::plain("<@1> <@!2> <@&3> <#4> <:my_sign:5> <a:my_sign:6> <t:7:R>"),
        "<@1> <@!2> <@&3> <#4> <:my_sign:5> <a:my_sign:6> <t:7:R>",
    );
    check(RichText::plain("<@me> <b_c>"), "<@me> <b\\_c>");
    check(RichText::plain("https://a.example/b_c_d?e=*f"), "https://a.example/b_c_d?e=\\*f");
}

fn style(number: u8) -> Style {
    match number % 7 {
        0 => Style::Bold,
        1 => Style::Italic,
        2 => Style::Code,
        3 => Style::Quote,
        4 => Style::Spoiler,
        5 => Style::Strikethrough,
        _ => Style::CodeBlock { language: None },
    }
}

proptest! {
    #[test]
    fn whatever_the_spans_are_all_words_are_written(
        text in "[a-cä🙂*_`> \n\\[\\]<]{0,24}",
        raw in proptest::collection::vec((0usize..60, 0usize..60, any::<u8>()), 0..8),
        links in proptest::collection::vec((0usize..60, 0usize..60), 0..3),
    ) {
        let styles = raw.iter().map(|(start, end, kind)| StyleSpan { start: *start, end: *end, style: style(*kind) });
        let links = links.iter().map(|(start, end)| LinkSpan { start: *start, end: *end, address: "https://x.example".into() });
        let rich = RichText::new(text.clone(), styles.collect(), links.collect());
        let written = format(&rich);
        let letters = |text: &str| text.chars().filter(|letter| "abcä🙂".contains(*letter)).count();
        // The address of each link adds an `a` of its own.
        let added = letters("https://x.example") * written.matches("https://x.example").count();
        prop_assert_eq!(letters(&written) - added, letters(&text));
    }
}
