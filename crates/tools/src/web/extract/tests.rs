//! What is made of pages, honest and hostile.

use proptest::prelude::*;

use super::{Extracted, Mode, Sent, extract};

fn made(body: &str, content_type: Option<&str>, mode: Mode) -> Result<Extracted, String> {
    extract(Sent { body: body.as_bytes(), content_type, url: "https://example.com/a" }, mode)
}

fn article() -> String {
    let paragraph =
        "Bees find their way home by the sun, and tell each other about flowers in a dance. ".repeat(8);
    format!(
        "<html><head><title>Bees</title><script>alert('x')</script></head><body><nav>Home | About</nav>\
         <article><h1>Bees</h1><p>{paragraph}</p><p>Read <a href=\"/more\">more</a> about <b>honey</b>. {paragraph}</p>\
         </article><footer>Imprint</footer></body></html>"
    )
}

#[test]
fn an_article_is_found_and_given_as_markdown_or_text() {
    let found = made(&article(), Some("text/html; charset=utf-8"), Mode::Markdown).unwrap();
    assert_eq!((found.extractor, found.title.as_deref()), ("readability", Some("Bees")));
    assert!(
        found.text.contains("**honey**") && found.text.contains("https://example.com/more"),
        "{}",
        found.text
    );
    assert!(!found.text.contains("alert") && !found.text.contains("Imprint"));
    let plain = made(&article(), Some("text/html"), Mode::Text).unwrap();
    assert!(plain.text.contains("honey") && !plain.text.contains("**"), "{}", plain.text);
}

#[test]
fn a_page_without_an_article_gives_all_of_its_text() {
    let page = "<html><head><title>T</title></head><body><p>short</p><script>x()</script></body></html>";
    let found = made(page, None, Mode::Text).unwrap();
    assert!(found.text.contains("short") && !found.text.contains("x()"), "{found:?}");
}

#[test]
fn json_is_laid_out_and_text_stays_as_it_is() {
    let json = made("{\"b\":1,\"a\":[2]}", Some("application/ld+json"), Mode::Markdown).unwrap();
    let expected = "{\n  \"b\": 1,\n  \"a\": [\n    2\n  ]\n}";
    assert_eq!(json, Extracted { text: expected.to_owned(), title: None, extractor: "json" });
    let broken = made("{oops", Some("application/json"), Mode::Markdown).unwrap();
    assert_eq!(broken, Extracted { text: "{oops".to_owned(), title: None, extractor: "raw" });
    let text = made("a\n\n\nb", Some("text/plain"), Mode::Text).unwrap();
    assert_eq!(text, Extracted { text: "a\n\n\nb".to_owned(), title: None, extractor: "raw" });
}

#[test]
fn what_is_no_text_is_refused_with_what_to_do() {
    assert!(made("%PDF-1.7", Some("text/html"), Mode::Text).unwrap_err().contains("PDF"));
    assert!(made("x", Some("application/pdf"), Mode::Text).unwrap_err().contains("PDF"));
    assert!(made("x", Some("image/png"), Mode::Text).unwrap_err().contains("picture"));
    assert!(made("x", Some("application/zip"), Mode::Text).unwrap_err().contains("application/zip"));
    assert!(made("a\0b", None, Mode::Text).unwrap_err().contains("no text"));
}

#[test]
fn a_page_nested_beyond_reason_does_not_reach_the_parser() {
    for tag in ["div", "b", "a", "table", "svg", "template", "font"] {
        let page = format!("<html><body>{}deep", format!("<{tag}>").repeat(100_000));
        let found = made(&page, Some("text/html"), Mode::Markdown).unwrap();
        assert_eq!(
            found,
            Extracted { text: "deep".to_owned(), title: None, extractor: "tags-removed" },
            "{tag}"
        );
    }
    // Closing tags that close nothing do not make it flatter, and some elements nest only where a table or ruby is missing.
    for (tags, times) in [
        ("<blockquote></x>", 20_000),
        ("<blockquote></p>", 20_000),
        ("<b><div></b>", 20_000),
        ("<rt>", 20_000),
        ("<rp>", 20_000),
        ("<svg></x>", 20_000),
    ] {
        let page = format!("<html><body>{}deep", tags.repeat(times));
        let found = made(&page, Some("text/html"), Mode::Markdown).unwrap();
        assert_eq!((found.text.as_str(), found.extractor), ("deep", "tags-removed"), "{tags}");
    }
    let just_fits = format!("<html><body>{}text{}", "<div>".repeat(390), "</div>".repeat(390));
    assert!(made(&just_fits, Some("text/html"), Mode::Markdown).unwrap().text.contains("text"));
}

#[test]
fn a_page_that_looks_flat_but_is_nested_beyond_reason_is_not_walked_through() {
    for tags in ["<div title='</div>'>", "<div><!-- </div> -->"] {
        let page = format!("<html><body>{}deep", tags.repeat(3000));
        for mode in [Mode::Markdown, Mode::Text] {
            let found = made(&page, Some("text/html"), mode).unwrap();
            assert_eq!(found.extractor, "tags-removed", "{tags}");
            assert!(found.text.ends_with("deep"), "{tags}");
        }
    }
    // Cells nest in pictures.
    let cells = format!("<html><body><svg>{}deep", "<td>".repeat(3000));
    assert_eq!(made(&cells, Some("text/html"), Mode::Markdown).unwrap().extractor, "tags-removed");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn no_page_makes_it_panic(parts in prop::collection::vec("(<[a-z!/]{0,8}[ >]|[a-z&;\"'=<>]{0,6}|\\PC{0,4})", 0..80)) {
        for mode in [Mode::Markdown, Mode::Text] {
            drop(made(&parts.concat(), Some("text/html"), mode));
        }
    }
}
