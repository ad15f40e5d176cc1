//! Markdown in readable fixtures: each case with what comes of it, and what always holds.

pub(crate) mod laws;
mod notation;

use openclaw_types::TableMode;

pub(crate) use notation::{paragraphs, written};

use super::read_markdown;

/// The cases of a fixture: their names and sources.
fn cases(fixture: &'static str) -> Vec<(&'static str, &'static str)> {
    let all = fixture.strip_prefix("=== ").unwrap_or(fixture);
    all.split("\n=== ")
        .map(|case| {
            let (name, source) = case.split_once('\n').unwrap_or((case, ""));
            (name, source.strip_suffix('\n').unwrap_or(source))
        })
        .collect()
}

fn shown(fixture: &'static str, tables: TableMode) -> String {
    let mut all = String::new();
    for (name, source) in cases(fixture) {
        let result = paragraphs(&read_markdown(source, tables));
        all.push_str(&format!("=== {name}\n{source}\n---\n{result}\n\n"));
    }
    all
}

macro_rules! fixtures {
    ($($test:ident = $file:literal, $tables:ident;)*) => {
        $(#[test]
        fn $test() {
            let shown = shown(include_str!(concat!("fixtures/", $file)), TableMode::$tables);
            insta::assert_snapshot!(stringify!($test), shown);
        })*
    };
}

fixtures! {
    emphasis_becomes_styles = "emphasis.txt", Code;
    lists_have_their_marks_in_the_text = "lists.txt", Code;
    code_is_kept_as_it_is = "code.txt", Code;
    quotes_are_spans = "quotes.txt", Code;
    links_keep_their_words_and_addresses = "links.txt", Code;
    tables_become_aligned_code = "tables.txt", Code;
    tables_become_lists = "tables.txt", Bullets;
    tables_stay_as_written = "tables.txt", Off;
    spoilers_need_two_marks_that_touch_words = "spoilers.txt", Code;
    html_is_text = "html.txt", Code;
    every_script_keeps_its_characters = "scripts.txt", Code;
    broken_marks_stay_as_text = "broken.txt", Code;
}
