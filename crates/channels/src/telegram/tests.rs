//! What is pure: updates in neutral words, words in markup, targets, settings, refusals. Real sockets are in
//! `tests/telegram_fake.rs`.

pub(super) mod fixtures;
mod settings;

use std::collections::BTreeMap;
use std::time::Duration;

use openclaw_ports::channel::{ChannelError, ChannelKind as _, CommandEntry, Landed};
use openclaw_testkit::read_html;
use openclaw_types::{AccountId, ChannelId, LinkSpan, RichText, SendTarget, Style, StyleSpan, ThreadId};
use proptest::prelude::*;
use serde_json::json;

use super::Telegram;
use super::api::{ApiFault, No};
use super::format::format;
use super::slots::entries;
use super::target::{ChatRef, TelegramDestination, person, target};

fn span(start: usize, end: usize, style: Style) -> StyleSpan {
    StyleSpan { start, end, style }
}

fn link(start: usize, end: usize, address: &str) -> LinkSpan {
    LinkSpan { start, end, address: address.to_owned() }
}

#[test]
fn words_become_html_that_the_platform_takes() {
    let code = Style::CodeBlock { language: Some("rust".into()) };
    let cases = [
        (RichText::plain("a < b & c > \"d\""), "a &lt; b &amp; c &gt; &quot;d&quot;"),
        (RichText::new("bold", vec![span(0, 4, Style::Bold)], vec![]), "<b>bold</b>"),
        (
            RichText::new("one two", vec![span(0, 7, Style::Bold), span(4, 7, Style::Italic)], vec![]),
            "<b>one <i>two</i></b>",
        ),
        (
            RichText::new("x let y", vec![span(0, 7, Style::Bold), span(2, 5, Style::Code)], vec![]),
            "<b>x </b><code>let</code><b> y</b>",
        ),
        (
            RichText::new("fn a()", vec![span(0, 6, code)], vec![]),
            "<pre><code class=\"language-rust\">fn a()</code></pre>",
        ),
        (
            RichText::new("ls", vec![span(0, 2, Style::CodeBlock { language: Some("a\"b".into()) })], vec![]),
            "<pre>ls</pre>",
        ),
        (
            RichText::new(
                "see here",
                vec![span(0, 8, Style::Quote)],
                vec![link(4, 8, "https://a.example/?x=1&y=\"2\"")],
            ),
            "<blockquote>see <a href=\"https://a.example/?x=1&amp;y=&quot;2&quot;\">here</a></blockquote>",
        ),
        (
            RichText::new("over lap", vec![span(3, 8, Style::Italic)], vec![link(0, 5, "tg://user?id=1")]),
            "<a href=\"tg://user?id=1\">ove<i>r </i></a><i>lap</i>",
        ),
        (RichText::new("file", vec![], vec![link(0, 4, "docs/file.md")]), "file"),
        (
            RichText::new("hidden", vec![span(0, 6, Style::Spoiler)], vec![]),
            "<tg-spoiler>hidden</tg-spoiler>",
        ),
        (
            RichText::new("ab", vec![span(0, 1, Style::Quote), span(1, 2, Style::Quote)], vec![]),
            "<blockquote>a</blockquote><blockquote>b</blockquote>",
        ),
        (RichText::plain("tab\tnull\0bell\u{7}"), "tab\tnullbell"),
    ];
    for (text, expected) in cases {
        assert_eq!(format(&text), expected);
        read_html(expected).expect("the platform takes it");
    }
}

fn style(number: u8) -> Style {
    match number % 7 {
        0 => Style::Bold,
        1 => Style::Italic,
        2 => Style::Code,
        3 => Style::Quote,
        4 => Style::Spoiler,
        5 => Style::Strikethrough,
        _ => Style::CodeBlock { language: (number > 100).then(|| "c++".to_owned()) },
    }
}

proptest! {
    #[test]
    fn no_words_make_markup_that_the_platform_rejects(
        text in "[a-z<>&\"äß🙂\n ]{0,30}",
        raw in proptest::collection::vec((0usize..60, 0usize..60, any::<u8>()), 0..10),
    ) {
        let styles = raw.iter().map(|(start, end, kind)| span(*start, *end, style(*kind))).collect();
        let addresses = ["https://a.example/<\">", "javascript:x", "mailto:a@b.example", "", "http://a b"];
        let links = raw
            .iter()
            .map(|(start, end, kind)| link(*start, *end, addresses[usize::from(*kind) % addresses.len()]))
            .collect();
        let rich = RichText::new(text, styles, links);
        let (words, _) = read_html(&format(&rich)).map_err(TestCaseError::fail)?;
        prop_assert_eq!(words, rich.text());
    }

    #[test]
    fn no_text_makes_reading_a_target_panic(text in "\\PC{0,60}") {
        if let Ok(written) = target(&text) {
            prop_assert_eq!(target(&written), Ok(written.clone()));
        }
    }
}

#[test]
fn targets_are_read_as_people_write_them() {
    let cases = [
        ("123", "123"),
        ("telegram:123", "123"),
        ("tg:@some_name", "@some_name"),
        ("telegram:group:-1001:topic:4", "-1001:topic:4"),
        ("-1001:4", "-1001:topic:4"),
        ("@some_name", "@some_name"),
        ("some_name", "@some_name"),
        ("https://t.me/some_name", "@some_name"),
        ("t.me/some_name", "@some_name"),
        ("user:7", "7"),
        (" channel:-1009 ", "-1009"),
        ("-1001:direct:7", "-1001:direct:7"),
    ];
    for (written, meant) in cases {
        assert_eq!(Telegram.target(written), Ok(meant.to_owned()), "{written}");
    }
    for wrong in ["", "@", "a b", "0", "telegram:", "#room", "123:topic:x", "+100 000"] {
        assert!(Telegram.target(wrong).is_err(), "{wrong}");
    }
    assert_eq!(
        (person("tg:12"), person("@ana"), person("telegram:user:-5")),
        (Some("12".into()), None, Some("-5".into()))
    );
}

fn to(to: &str, thread: Option<&str>) -> TelegramDestination {
    let thread = thread.map(|thread| ThreadId::new(thread).expect("an id"));
    let target = SendTarget {
        channel: ChannelId::new("telegram").expect("an id"),
        account: AccountId::new("default").expect("an id"),
        to: to.to_owned(),
        thread,
    };
    TelegramDestination::of(&target).expect("a destination")
}

#[test]
fn the_general_topic_is_named_for_typing_and_not_for_messages() {
    let general = to("-1001", Some("1"));
    assert_eq!(json!(general.fields()), json!({ "chat_id": -1001 }));
    assert_eq!(json!(general.typing_fields()), json!({ "chat_id": -1001, "message_thread_id": 1 }));
    assert_eq!(
        json!(to("-1001:topic:4", None).fields()),
        json!({ "chat_id": -1001, "message_thread_id": 4 })
    );
    assert_eq!(
        json!(to("-1001:topic:4", Some("9")).fields()),
        json!({ "chat_id": -1001, "message_thread_id": 9 })
    );
    assert_eq!(json!(to("7", Some("1")).fields()), json!({ "chat_id": 7, "message_thread_id": 1 }));
    assert_eq!(
        json!(to("-1001:direct:7", Some("7")).fields()),
        json!({ "chat_id": -1001, "direct_messages_topic_id": 7 })
    );
    assert_eq!(to("@some_name", None).chat, ChatRef::Name("some_name".into()));
}

fn no(code: u16, words: &str) -> ChannelError {
    ApiFault::Said(No { code, words: words.to_owned(), moved_to: None, after: None }).into()
}

#[test]
fn refusals_are_told_apart_by_what_the_host_should_do() {
    let reason = |words: &str| words.to_owned();
    assert_eq!(no(401, "Unauthorized"), ChannelError::Unauthorized { reason: reason("Unauthorized") });
    assert_eq!(no(404, "Not Found"), ChannelError::Unauthorized { reason: reason("Not Found") });
    assert!(matches!(no(404, "Not Found: method not found"), ChannelError::Refused { .. }));
    assert!(matches!(no(403, "Forbidden: bot was blocked by the user"), ChannelError::Refused { .. }));
    assert!(matches!(
        no(409, "Conflict: terminated by other getUpdates request"),
        ChannelError::Conflict { .. }
    ));
    let markup = "Bad Request: can't parse entities: Unsupported start tag \"x\" at byte offset 0";
    assert!(matches!(no(400, markup), ChannelError::Markup { .. }));
    assert!(matches!(no(400, "Bad Request: chat not found"), ChannelError::Refused { .. }));
    assert!(matches!(no(502, "Bad Gateway"), ChannelError::Unreachable { landed: Landed::Maybe, .. }));
    let slow = No {
        code: 429,
        words: "Too Many Requests: retry after 7".into(),
        moved_to: None,
        after: Some(Duration::from_secs(7)),
    };
    assert_eq!(
        ChannelError::from(ApiFault::Said(slow)),
        ChannelError::RateLimited { after: Duration::from_secs(7) }
    );
    let moved = No {
        code: 400,
        words: "Bad Request: group chat was upgraded to a supergroup chat".into(),
        moved_to: Some(-1009),
        after: None,
    };
    assert_eq!(ChannelError::from(ApiFault::Said(moved)), ChannelError::Moved { to: "-1009".into() });
}

#[test]
fn the_menu_has_names_that_the_platform_takes_and_keeps_what_people_added() {
    let command = |name: &str, description: &str| CommandEntry {
        name: name.to_owned(),
        description: description.to_owned(),
        choices: Vec::new(),
        takes_words: false,
    };
    let ours = [
        command("export-session", "Saves"),
        command("Think", "Thinks"),
        command("bad name", "x"),
        command("none", " "),
    ];
    let added = [("think".to_owned(), "mine".to_owned()), ("backup".to_owned(), "Copies".to_owned())];
    let menu = entries(&ours, &added);
    let shown: Vec<&str> = menu.shown.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(shown, ["export_session", "think", "backup"]);
    let names = BTreeMap::from([
        ("export_session".into(), "export-session".into()),
        ("think".into(), "Think".into()),
    ]);
    assert_eq!(menu.names, names);
    let many: Vec<CommandEntry> = (0..150).map(|number| command(&format!("c{number}"), "x")).collect();
    let full = entries(&many, &added);
    assert_eq!((full.shown.len(), full.shown.last().map(|(name, _)| name.as_str())), (100, Some("backup")));
}

#[test]
fn the_words_of_a_rich_message_are_heard() {
    let paragraph = |text: serde_json::Value| json!({ "type": "paragraph", "text": text });
    let link =
        json!({ "type": "url", "text": { "type": "bold", "text": "here" }, "url": "https://a.example" });
    let blocks = json!([
        { "type": "heading", "text": "Hello @Claw_Bot", "size": 1 },
        paragraph(json!(["see ", link, { "type": "custom_emoji", "custom_emoji_id": "1", "alternative_text": "🙂" }])),
        { "type": "divider" },
        { "type": "list", "items": [
            { "label": "1.", "blocks": [paragraph(json!("one"))] },
            { "label": "•", "blocks": [paragraph(json!("two"))], "has_checkbox": true, "is_checked": true },
        ] },
        { "type": "table", "cells": [[{ "text": "a" }, { "text": "b" }]], "caption": "numbers" },
        { "type": "blockquote", "blocks": [paragraph(json!("said"))], "credit": "Ana" },
        { "type": "photo", "photo": [], "caption": { "text": "the sea", "credit": "Ben" } },
    ]);
    let update = |rich: serde_json::Value| {
        json!({ "update_id": 1, "message": {
            "message_id": 5, "date": 1_760_000_000, "rich_message": rich,
            "chat": { "id": -1900, "type": "group", "title": "Garden" },
            "from": { "id": 7001, "is_bot": false, "first_name": "Ana" },
        } })
    };
    let heard = fixtures::meaning(&update(json!({ "blocks": blocks })), "claw_bot");
    let expected = "Hello @Claw_Bot\nsee [here](https://a.example)🙂\n1. one\n• [x] two\na | b\nnumbers\nsaid\nAna\n\
                    the sea\nBen";
    assert_eq!(heard[0].text, expected);
    assert!(heard[0].attention.mentions_us);
    // Without a word it is still told that something came.
    let heard = fixtures::meaning(&update(json!({ "blocks": [{ "type": "divider" }] })), "claw_bot");
    assert_eq!(heard[0].text, "<media:rich>");
}
