//! Pieces fit, lose nothing, and are cut where it hurts least.

use openclaw_types::{ChunkMode, RichText, TableMode};
use proptest::prelude::*;
use unicode_segmentation::UnicodeSegmentation;

use super::{Room, chunk};
use crate::markdown::tests::{laws, written};
use crate::markdown::{Formatted, read_markdown};

fn utf16(words: &RichText) -> usize {
    words.utf16_len()
}

/// As long as the words with a tag around every span.
fn tagged(words: &RichText) -> usize {
    words.utf16_len()
        + 7 * words.styles().len()
        + words.links().iter().map(|l| 15 + l.address.len()).sum::<usize>()
}

fn room(limit: usize) -> Room<'static> {
    Room { limit, lines: None, mode: ChunkMode::Length, measure: &utf16 }
}

fn cut(markdown: &str, room: &Room<'_>) -> Vec<String> {
    chunk(&read_markdown(markdown, TableMode::Code), room).iter().map(written).collect()
}

#[test]
fn short_words_are_one_piece_and_none_are_no_piece() {
    assert_eq!(cut("hello", &room(10)), ["hello"]);
    assert_eq!(cut("", &room(10)), [""; 0]);
    assert_eq!(cut("  \n ", &room(10)), [""; 0]);
}

#[test]
fn the_best_place_in_reach_is_taken() {
    let rows: [(&str, usize, &[&str]); 7] = [
        ("one two\n\nthree four", 14, &["one two", "three four"]),
        ("one two\nthree four", 14, &["one two", "three four"]),
        ("One two. Three four five", 14, &["One two.", "Three four", "five"]),
        ("one two three", 8, &["one two", "three"]),
        ("onetwothree", 4, &["onet", "woth", "ree"]),
        // A paragraph that ends early would waste the piece.
        ("a\n\nbbbb bbbb bbbb bbbb bbbb", 20, &["a\n\nbbbb bbbb bbbb", "bbbb bbbb"]),
        ("一二三。四五六。七八九", 8, &["一二三。四五六。", "七八九"]),
    ];
    for (source, limit, expected) in rows {
        assert_eq!(cut(source, &room(limit)), expected, "{source:?}");
    }
}

#[test]
fn styles_and_links_go_on_in_the_next_piece() {
    assert_eq!(cut("**one two**", &room(5)), ["{bold|one}", "{bold|two}"]);
    assert_eq!(
        cut("[one two](https://a.example)", &room(5)),
        ["{link https://a.example|one}", "{link https://a.example|two}"]
    );
}

#[test]
fn code_that_fits_stays_whole() {
    let source = "Run this now:\n\n```sh\none\ntwo\n```\n\nDone.";
    assert_eq!(cut(source, &room(18)), ["Run this now:", "{block sh|one\ntwo}\n\nDone."]);
}

#[test]
fn code_that_does_not_fit_is_closed_and_opened_again_at_a_line() {
    let source = "```py\nif a:\n    b()\n    c()\nelse:\n    d()\n```";
    assert_eq!(
        cut(source, &room(16)),
        ["{block py|if a:\n    b()}", "{block py|    c()\nelse:}", "{block py|    d()}"]
    );
}

#[test]
fn a_line_of_code_that_does_not_fit_is_cut_anywhere() {
    assert_eq!(cut("```\nabcdefghij\n```", &room(4)), ["{block|abcd}", "{block|efgh}", "{block|ij}"]);
}

#[test]
fn newline_mode_cuts_at_every_blank_line_but_not_in_code() {
    let room = Room { mode: ChunkMode::Newline, ..room(100) };
    let source = "one\ntwo\n\n# three\nfour\n\n```\na\n\nb\n```\n\n- x\n- y";
    assert_eq!(cut(source, &room), ["one\ntwo", "{bold|three}\n\nfour", "{block|a\n\nb}", "• x\n• y"]);
    let short = Room { limit: 5, ..room };
    assert_eq!(cut("one two\n\nthree", &short), ["one", "two", "three"]);
}

#[test]
fn a_message_has_no_more_lines_than_allowed() {
    let room = Room { lines: Some(2), ..room(100) };
    assert_eq!(cut("a\nb\nc\nd\ne", &room), ["a\nb", "c\nd", "e"]);
    assert_eq!(cut("```\na\nb\nc\n```", &room), ["{block|a\nb}", "{block|c}"]);
    assert_eq!(cut("a\n\nb", &Room { lines: Some(0), ..room }), ["a", "b"]);
}

#[test]
fn characters_that_people_see_as_one_stay_one() {
    let family = "👨‍👩‍👧‍👦";
    assert_eq!(cut(&family.repeat(3), &room(12)), [family, family, family]);
    assert_eq!(cut("🇩🇪🇫🇷🇮🇹", &room(9)), ["🇩🇪🇫🇷", "🇮🇹"]);
    assert_eq!(cut("e\u{301}e\u{301}e\u{301}", &room(3)), ["e\u{301}", "e\u{301}", "e\u{301}"]);
}

#[test]
fn a_character_longer_than_a_message_is_cut_between_code_points() {
    assert_eq!(cut("👨‍👩‍👧‍👦", &room(5)).concat(), "👨‍👩‍👧‍👦");
    assert_eq!(cut("abc", &room(0)), ["a", "b", "c"]);
}

#[test]
fn markup_counts_and_words_go_without_it_when_it_takes_all_room() {
    let room = Room { measure: &tagged, ..room(12) };
    assert_eq!(cut("**one two**", &room), ["{bold|one}", "{bold|two}"]);
    let tight = Room { limit: 5, ..room };
    assert_eq!(cut("**one two**", &tight), ["one t", "wo"]);
}

#[test]
fn the_mark_of_an_item_stays_with_its_words() {
    assert_eq!(cut("- abcdefgh", &room(8)), ["• abcdef", "gh"]);
    assert_eq!(cut("one two\n\n- abcdefgh", &room(12)), ["one two", "• abcdefgh"]);
}

fn without_space(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn check(words: &Formatted, room: &Room<'_>) -> Result<(), TestCaseError> {
    let pieces = chunk(words, room);
    let joined: String = pieces.iter().map(RichText::text).collect();
    prop_assert_eq!(without_space(&joined), without_space(words.text.text()));
    let longest = words.text.text().graphemes(true).map(str::len).max().unwrap_or(0);
    for piece in &pieces {
        prop_assert!(!piece.text().trim().is_empty());
        let small = piece.text().chars().count() == 1;
        prop_assert!(room.fits(piece) || small, "{:?} does not fit into {}", piece, room.limit);
    }
    if room.limit > 40 + longest * 4 {
        let whole: Vec<&str> = words.text.text().graphemes(true).filter(|g| !g.trim().is_empty()).collect();
        let cut: Vec<&str> = pieces
            .iter()
            .flat_map(|piece| piece.text().graphemes(true))
            .filter(|g| !g.trim().is_empty())
            .collect();
        prop_assert_eq!(cut, whole);
    }
    Ok(())
}

proptest! {
    #[test]
    fn pieces_fit_and_lose_nothing(source in laws::markdown(), limit in 0usize..90, lines in 0usize..6) {
        let words = read_markdown(&source, TableMode::Code);
        for mode in [ChunkMode::Length, ChunkMode::Newline] {
            for measure in [&utf16 as &dyn Fn(&RichText) -> usize, &tagged] {
                let lines = (lines > 0).then_some(lines);
                check(&words, &Room { limit, lines, mode, measure })?;
            }
        }
    }

    #[test]
    fn any_words_can_be_cut(source in any::<String>(), limit in 0usize..40) {
        let text = RichText::plain(source.trim());
        check(&Formatted { text, paragraphs: Vec::new() }, &room(limit))?;
    }
}
