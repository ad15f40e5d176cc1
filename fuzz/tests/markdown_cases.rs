//! Every Markdown case that `delivery` shows in its snapshots, in the words of every platform, read strictly; whole and cut
//! into small pieces.

use std::path::Path;

use fuzz::check_renderings;
use openclaw_delivery::{Room, chunk, read_markdown};
use openclaw_types::{ChunkMode, RichText, TableMode};

fn length(words: &RichText) -> usize {
    words.utf16_len()
}

#[test]
fn every_case_becomes_markup_that_each_platform_takes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/delivery/src/markdown/tests/fixtures");
    let mut cases = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        for case in text.strip_prefix("=== ").unwrap().split("\n=== ") {
            let source = case.split_once('\n').map_or("", |(_, source)| source);
            for tables in [TableMode::Code, TableMode::Bullets, TableMode::Off] {
                let words = read_markdown(source, tables);
                check_renderings(&words.text);
                for limit in [1, 7, 40] {
                    let room = Room { limit, lines: None, mode: ChunkMode::Length, measure: &length };
                    chunk(&words, &room).iter().for_each(check_renderings);
                }
            }
            cases += 1;
        }
    }
    assert!(cases >= 300, "{cases} cases");
}
