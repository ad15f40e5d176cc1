//! What reading Markdown and cutting it promises: spans that fit their words, pieces that fit their room and lose nothing,
//! markup that each platform takes, blocks without torn code, and the same blocks' letters however the words come.

use openclaw_delivery::{Block, BlockSettings, BlockStream, FlushAt, Formatted, Room, chunk, read_markdown};
use openclaw_types::{BreakPreference, ChunkMode, RichText, TableMode};

use crate::check_renderings;

/// Reads the bytes as Markdown and cuts it. The first four bytes choose how.
pub(crate) fn check(data: &[u8]) {
    let (choices, source) = data.split_at(data.len().min(4));
    let choice = |at: usize| choices.get(at).copied().map_or(0, usize::from);
    let source = String::from_utf8_lossy(source);
    let tables = [TableMode::Code, TableMode::Bullets, TableMode::Off][choice(0) % 3];
    let words = read_markdown(&source, tables);
    well_read(&words);
    check_renderings(&words.text);
    let mode = if choice(1) % 2 == 0 { ChunkMode::Length } else { ChunkMode::Newline };
    let lines = Some(choice(2) % 8).filter(|lines| *lines > 0);
    for measure in [&plain as &dyn Fn(&RichText) -> usize, &marked] {
        well_cut(&words, &Room { limit: choice(3), lines, mode, measure });
    }
    blocks(&source, choice(2), choice(3));
}

fn plain(words: &RichText) -> usize {
    words.utf16_len()
}

/// As long as HTML for these words might be.
fn marked(words: &RichText) -> usize {
    let escaped = words.text().bytes().filter(|byte| matches!(byte, b'<' | b'>' | b'&')).count();
    let links: usize = words.links().iter().map(|link| 15 + link.address.len()).sum();
    words.text().len() + 4 * escaped + 7 * words.styles().len() + links
}

fn well_read(words: &Formatted) {
    let text = words.text.text();
    for span in words.text.styles() {
        assert!(
            text.get(span.start..span.end).is_some_and(|part| !part.is_empty()),
            "a style holds no words"
        );
    }
    for link in words.text.links() {
        assert!(text.get(link.start..link.end).is_some_and(|part| !part.is_empty()), "a link holds no words");
    }
    assert!(words.paragraphs.is_sorted(), "paragraphs are not in order");
    for start in &words.paragraphs {
        assert!(
            text.get(..*start).is_some_and(|before| before.ends_with('\n')),
            "a paragraph begins in a line"
        );
    }
}

fn well_cut(words: &Formatted, room: &Room<'_>) {
    let pieces = chunk(words, room);
    let joined: String = pieces.iter().map(RichText::text).collect();
    assert_eq!(without_space(&joined), without_space(words.text.text()), "cutting lost something");
    for piece in &pieces {
        assert!(!piece.text().trim().is_empty(), "a piece is empty");
        let fits = room.fits(piece) || piece.text().chars().count() == 1;
        assert!(fits, "a piece does not fit: {piece:?}");
        check_renderings(piece);
    }
}

fn blocks(source: &str, least: usize, most: usize) {
    let settings = BlockSettings { least, most, prefer: BreakPreference::Paragraph, flush: FlushAt::TextEnd };
    let mut stream = BlockStream::new(settings);
    let mut blocks: Vec<Block> =
        source.split_inclusive([' ', '\n', '`']).flat_map(|words| stream.push(words)).collect();
    blocks.extend(stream.message_end());
    assert!(blocks.iter().all(|block| !block.text.trim().is_empty()), "a block is empty");
    assert_eq!(stream.held(), "", "words were kept back");
}

fn without_space(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}
