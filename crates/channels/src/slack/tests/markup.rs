//! Our words in Slack's markup, buttons, and signs by name.

use openclaw_types::{Button, LinkSpan, RichText, Style, StyleSpan};
use proptest::prelude::*;
use serde_json::json;

use super::super::format::{format, markdown};
use super::super::send::{emoji_name, settled, with_buttons};

fn styled(text: &str, styles: &[(usize, usize, Style)], links: &[(usize, usize, &str)]) -> RichText {
    let styles =
        styles.iter().map(|(start, end, style)| StyleSpan { start: *start, end: *end, style: style.clone() });
    let links = links.iter().map(|(start, end, address)| LinkSpan {
        start: *start,
        end: *end,
        address: (*address).into(),
    });
    RichText::new(text, styles.collect(), links.collect())
}

#[test]
fn styles_and_links_are_written_in_both_kinds_of_markup() {
    let code = || Style::CodeBlock { language: Some("rust".into()) };
    for (rich, mrkdwn, in_markdown) in [
        (styled("a bold b", &[(2, 6, Style::Bold)], &[]), "a *bold* b", "a **bold** b"),
        (styled("both", &[(0, 4, Style::Bold), (0, 4, Style::Italic)], &[]), "*_both_*", "**_both_**"),
        (styled("in word", &[(1, 2, Style::Bold)], &[]), "i\u{200b}*n* word", "i\u{200b}**n** word"),
        (styled("inward", &[(0, 2, Style::Bold)], &[]), "*in*\u{200b}ward", "**in**\u{200b}ward"),
        (styled("one \n two", &[(0, 9, Style::Bold)], &[]), "*one* \n *two*", "**one** \n **two**"),
        (styled("gone", &[(0, 4, Style::Strikethrough)], &[]), "~gone~", "~~gone~~"),
        (styled("x a<b y", &[(2, 5, Style::Code)], &[]), "x `a&lt;b` y", "x `a<b` y"),
        (styled("fn a() {}", &[(0, 9, code())], &[]), "```\nfn a() {}\n```", "```rust\nfn a() {}\n```"),
        (styled("see\nx\nend", &[(4, 6, code())], &[]), "see\n```\nx\n```\nend", "see\n```rust\nx\n```\nend"),
        (styled("a\nb", &[(0, 3, Style::Quote)], &[]), "> a\n> b", "> a\n> b"),
        (
            styled("he: no way", &[(0, 10, Style::Bold), (4, 10, Style::Quote)], &[]),
            "*he:* \n> *no way*",
            "**he:** \n> **no way**",
        ),
        (
            styled("x ``` y", &[(0, 7, code()), (2, 5, Style::Code)], &[]),
            "```\nx `\u{200b}`\u{200b}` y\n```",
            "```rust\nx `\u{200b}`\u{200b}` y\n```",
        ),
        (
            styled("(a)(b)", &[(0, 3, Style::Code), (3, 6, Style::Code)], &[]),
            "`(a)`\u{200b}`(b)`",
            "`(a)`\u{200b}`(b)`",
        ),
        (RichText::plain("`````"), "`\u{200b}`\u{200b}`\u{200b}`\u{200b}`", "\\`\\`\\`\\`\\`"),
        (
            styled("read this now", &[], &[(5, 9, "https://a.example/?x=1&y=(2)")]),
            "read <https://a.example/?x=1&amp;y=%282%29|this> now",
            "read [this](https://a.example/?x=1&amp;y=%282%29) now",
        ),
        (
            styled("abcd", &[(0, 2, Style::Bold)], &[(1, 4, "https://a.example")]),
            "*a<https://a.example|b>*\u{200b}<https://a.example|cd>",
            "**a[b](https://a.example)**\u{200b}[cd](https://a.example)",
        ),
        (
            styled("https://a.example", &[], &[(0, 17, "https://a.example")]),
            "https://a.example",
            "https://a.example",
        ),
        (styled("click", &[], &[(0, 5, "javascript:alert(1)")]), "click", "click"),
        (RichText::plain("1 < 2 & 3 > 2"), "1 &lt; 2 &amp; 3 &gt; 2", "1 \\< 2 & 3 > 2"),
        (RichText::plain("hi <@U0ANA> in <#C1>"), "hi <@U0ANA> in <#C1>", "hi <@U0ANA> in <#C1>"),
        (
            RichText::plain("<!channel> <!here> <x>"),
            "&lt;!channel&gt; &lt;!here&gt; &lt;x&gt;",
            "\\<!channel> \\<!here> \\<x>",
        ),
        (RichText::plain("*a* _b_ [c]"), "*a* _b_ [c]", "\\*a\\* \\_b\\_ \\[c\\]"),
    ] {
        assert_eq!(format(&rich), mrkdwn);
        assert_eq!(markdown(&rich), in_markdown);
    }
}

#[test]
fn what_is_streamed_ends_where_nothing_can_change() {
    for (rich, shown) in [
        (RichText::plain("half a wor"), "half a "),
        (RichText::plain("word"), ""),
        (styled("a bold and", &[(2, 10, Style::Bold)], &[]), "a "),
        (styled("a bold and more ", &[(2, 6, Style::Bold)], &[]), "a bold and more "),
        (styled("see code x", &[(4, 10, Style::CodeBlock { language: None })], &[]), "see "),
    ] {
        assert_eq!(settled(&rich).text(), shown);
    }
}

#[test]
fn buttons_stand_below_the_words_within_slacks_limits() {
    let long = format!("{}\n{}", "a".repeat(2_990), "b".repeat(500));
    let button = |text: &str| Button { text: text.into(), data: "d".repeat(2_000) };
    let blocks = with_buttons(&long, &[vec![button(&"t".repeat(100)), button(" ")], Vec::new()]);
    let blocks = blocks.as_array().expect("blocks");
    assert_eq!(blocks.len(), 3);
    assert_eq!(blocks[0]["text"]["text"], json!("a".repeat(2_990)));
    let elements = blocks[2]["elements"].as_array().expect("buttons");
    assert_eq!(elements[0]["text"]["text"].as_str().map(|text| text.chars().count()), Some(75));
    assert_eq!(elements[0]["value"].as_str().map(|data| data.chars().count()), Some(2_000));
    assert_eq!(
        (&elements[1]["text"]["text"], &elements[1]["action_id"]),
        (&json!("…"), &json!("openclaw:0:1"))
    );
}

#[test]
fn signs_have_names() {
    for (sign, name) in [
        ("👀", Some("eyes")),
        (":eyes:", Some("eyes")),
        ("Eyes", Some("eyes")),
        ("❤️", Some("heart")),
        ("thumbsup", Some("thumbsup")),
        ("👍", Some("+1")),
        ("🏴‍☠️", None),
        ("", None),
    ] {
        assert_eq!(emoji_name(sign).as_deref(), name, "{sign}");
    }
}

fn style(number: u8) -> Style {
    match number % 6 {
        0 => Style::Bold,
        1 => Style::Italic,
        2 => Style::Code,
        3 => Style::Strikethrough,
        4 => Style::CodeBlock { language: None },
        _ => Style::Quote,
    }
}

proptest! {
    #[test]
    fn whatever_is_written_is_whole_and_calls_nobody(
        text in "[a-zäß🙂<>&!@#|` \n]{0,40}",
        spans in proptest::collection::vec((0usize..60, 0usize..60, any::<u8>()), 0..6),
        links in proptest::collection::vec((0usize..60, 0usize..60), 0..3),
    ) {
        let styles = spans.iter().map(|(start, end, kind)| StyleSpan { start: *start, end: *end, style: style(*kind) });
        let links = links.iter().map(|(start, end)| LinkSpan { start: *start, end: *end, address: "https://l.example".into() });
        let rich = RichText::new(text.clone(), styles.collect(), links.collect());
        let written = format(&rich);
        prop_assert!(!written.contains("<!"), "{written}");
        // Every angle bracket belongs to a link of ours.
        let opened = written.matches('<').count();
        prop_assert_eq!(opened, written.matches("<https://l.example|").count());
        prop_assert_eq!(opened, written.matches('>').count() - written.matches("> ").count().min(written.matches('>').count() - opened));
        let letters = |text: &str| text.chars().filter(|letter| letter.is_alphabetic() && !letter.is_ascii()).collect::<String>();
        prop_assert_eq!(letters(&written), letters(&text));
        prop_assert_eq!(letters(&markdown(&rich)), letters(&text));
    }

    #[test]
    fn what_is_streamed_only_grows(words in proptest::collection::vec("[a-z*_`<]{1,8}", 1..20), bold in any::<Option<u8>>()) {
        let whole = words.join(" ");
        let mut shown = String::new();
        for end in 0..=whole.len() {
            let styles = bold.map(|at| {
                let start = usize::from(at) % (whole.len() + 1);
                StyleSpan { start, end: (start + 5).min(end), style: Style::Bold }
            });
            let part = RichText::new(&whole[..end], styles.into_iter().collect(), Vec::new());
            let now = markdown(&settled(&part));
            prop_assert!(now.starts_with(&shown), "{shown:?} then {now:?}");
            shown = now;
        }
    }
}
