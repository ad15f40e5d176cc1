//! What holds for every source.

use openclaw_types::TableMode;
use proptest::prelude::*;

use crate::markdown::{Formatted, read_markdown};

/// Sources that are likely to be Markdown: pieces of it in any order.
pub(crate) fn markdown() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        Just("**".to_owned()),
        Just("*".to_owned()),
        Just("_".to_owned()),
        Just("~~".to_owned()),
        Just("`".to_owned()),
        Just("```\n".to_owned()),
        Just("\n".to_owned()),
        Just("\n\n".to_owned()),
        Just("- ".to_owned()),
        Just("1. ".to_owned()),
        Just("> ".to_owned()),
        Just("# ".to_owned()),
        Just("||".to_owned()),
        Just("[".to_owned()),
        Just("](https://a.example)".to_owned()),
        Just("<".to_owned()),
        Just("| a | b |\n|---|---|\n| 1 | 2 |\n".to_owned()),
        Just("  ".to_owned()),
        Just("![".to_owned()),
        Just("\\".to_owned()),
        Just("👨‍👩‍👧".to_owned()),
        Just("é".to_owned()),
        Just("https://a.example/_x_".to_owned()),
        "[a-z日אب ]{1,8}",
    ];
    proptest::collection::vec(pieces, 0..24).prop_map(|pieces| pieces.concat())
}

fn check(source: &str, tables: TableMode) -> Result<(), TestCaseError> {
    let Formatted { text, paragraphs } = read_markdown(source, tables);
    prop_assert_eq!(text.text(), text.text().trim_end());
    prop_assert!(paragraphs.is_sorted());
    for start in paragraphs {
        prop_assert!(start > 0 && start < text.text().len());
        prop_assert!(text.text()[..start].ends_with('\n'), "a paragraph begins inside a line");
    }
    for span in text.styles() {
        prop_assert!(text.text().get(span.start..span.end).is_some_and(|words| !words.is_empty()));
    }
    Ok(())
}

proptest! {
    #[test]
    fn paragraphs_begin_lines_and_spans_hold_words(source in markdown()) {
        for tables in [TableMode::Code, TableMode::Bullets, TableMode::Off] {
            check(&source, tables)?;
        }
    }

    #[test]
    fn letters_are_never_lost(source in markdown()) {
        let letters = |text: &str| text.chars().filter(|c| "日אب".contains(*c)).collect::<String>();
        // Where a link leads is no text, what follows the marks of a code block is none, and a row has no more cells than
        // its table has columns.
        let source = source.replace(['[', '`', '|'], "").replace("~~", "~");
        let read = read_markdown(&source, TableMode::Code);
        prop_assert_eq!(letters(read.text.text()), letters(&source));
    }

    #[test]
    fn any_text_is_read(source in any::<String>()) {
        check(&source, TableMode::Code)?;
    }
}
