//! Blocks while words come, blocks put together, pauses, drafts.

use std::time::Duration;

use openclaw_types::{BreakPreference, Coalesce, DraftChunk, DraftMode, UnixMillis};
use proptest::prelude::*;

use super::{
    Block, BlockSettings, BlockStream, Coalescer, DraftSettings, DraftStep, DraftStream, FlushAt, HumanDelay,
    coalesce_settings, rest_of,
};
use crate::tags::{ReplyTo, Tags};

fn settings(least: usize, most: usize, prefer: BreakPreference) -> BlockSettings {
    BlockSettings { least, most, prefer, flush: FlushAt::TextEnd }
}

/// The blocks of words that come in these pieces, with what leaves at the end.
fn blocks(settings: BlockSettings, pieces: &[&str]) -> Vec<String> {
    let mut stream = BlockStream::new(settings);
    let mut blocks: Vec<Block> = pieces.iter().flat_map(|piece| stream.push(piece)).collect();
    blocks.extend(stream.message_end());
    assert_eq!(stream.held(), "");
    texts(blocks)
}

fn texts(blocks: Vec<Block>) -> Vec<String> {
    blocks.into_iter().map(|block| block.text).collect()
}

#[test]
fn a_block_leaves_at_the_place_that_is_liked_best() {
    let text = "One two. Three\nfour five. Six\n\nseven eight nine";
    let rows: [(BreakPreference, &[&str]); 3] = [
        (BreakPreference::Paragraph, &["One two. Three\nfour five. Six", "seven eight nine"]),
        (BreakPreference::Newline, &["One two. Three", "four five. Six", "seven eight nine"]),
        (BreakPreference::Sentence, &["One two. Three\nfour five.", "Six\n\nseven eight nine"]),
    ];
    for (prefer, expected) in rows {
        let words: Vec<&str> = text.split_inclusive(' ').collect();
        assert_eq!(blocks(settings(9, 40, prefer), &words), expected, "{prefer:?}");
    }
}

#[test]
fn nothing_leaves_before_there_is_enough() {
    let mut stream = BlockStream::new(settings(20, 40, BreakPreference::Paragraph));
    assert_eq!(texts(stream.push("short\n\nwords\n\n")), Vec::<String>::new());
    assert_eq!(texts(stream.push("and some more\n\n")), ["short\n\nwords\n\nand some more"]);
    assert_eq!(texts(stream.message_end()), Vec::<String>::new());
}

#[test]
fn a_full_block_ends_where_it_can() {
    let rows: [(&str, &[&str]); 4] = [
        ("one two three four five six", &["one two three four", "five six"]),
        ("one. two three four five six", &["one. two three four", "five six"]),
        ("onetwothreefourfivesix", &["onetwothreefourfives", "ix"]),
        ("one two three. four five six", &["one two three.", "four five six"]),
    ];
    for (text, expected) in rows {
        assert_eq!(blocks(settings(5, 20, BreakPreference::Paragraph), &[text]), expected, "{text:?}");
    }
}

#[test]
fn where_every_paragraph_is_a_message_each_leaves_when_it_is_whole() {
    let settings = settings(30, 40, BreakPreference::Sentence).by_paragraph();
    let mut stream = BlockStream::new(settings);
    assert_eq!(texts(stream.push("one\n\ntwo\n\n  - three\n")), ["one", "two"]);
    assert_eq!(texts(stream.push("four")), Vec::<String>::new());
    assert_eq!(texts(stream.message_end()), ["  - three\nfour"]);
}

#[test]
fn what_is_left_over_leaves_at_the_end_and_so_may_everything() {
    let mut early = BlockStream::new(settings(100, 200, BreakPreference::Paragraph));
    assert_eq!(texts(early.push("first")), Vec::<String>::new());
    assert_eq!(texts(early.message_end()), ["first"]);
    let late = BlockSettings { flush: FlushAt::MessageEnd, ..settings(5, 12, BreakPreference::Paragraph) };
    let mut late = BlockStream::new(late);
    assert_eq!(texts(late.push("first words\n\nsecond words")), Vec::<String>::new());
    assert_eq!(texts(late.message_end()), ["first words", "second words"]);
}

#[test]
fn code_is_not_torn_where_it_fits() {
    let text = "Look at this:\n\n```rust\nlet a = 1;\n\nlet b = 2;\n```\n\nThat is all.";
    assert_eq!(
        blocks(settings(10, 60, BreakPreference::Paragraph), &[text]),
        ["Look at this:\n\n```rust\nlet a = 1;\n\nlet b = 2;\n```", "That is all."]
    );
}

#[test]
fn code_longer_than_a_block_is_closed_and_opened_again() {
    let text = "```py\na = 1\nb = 2\nc = 3\nd = 4\n```\nend";
    assert_eq!(
        blocks(settings(5, 22, BreakPreference::Paragraph), &[text]),
        ["```py\na = 1\nb = 2\n```", "```py\nc = 3\nd = 4\n```", "end"]
    );
    let line = "~~~~\nabcdefghijklmnopqrstuvwxyz\n~~~~";
    assert_eq!(
        blocks(settings(5, 20, BreakPreference::Paragraph), &[line]),
        ["~~~~\nabcdefghij\n~~~~", "~~~~\nklmnopqrst\n~~~~", "~~~~\nuvwxyz\n~~~~"]
    );
}

#[test]
fn the_rest_of_an_answer_opens_torn_code_again() {
    let text = "```py\na = 1\nb = 2\nc = 3\n```\nend";
    let mut stream = BlockStream::new(settings(5, 22, BreakPreference::Paragraph));
    let first = stream.push(&text[..26]).remove(0);
    assert_eq!((first.text.as_str(), first.end), ("```py\na = 1\nb = 2\n```", 18));
    assert_eq!(rest_of(text, first.end), "```py\nc = 3\n```\nend");
    assert_eq!(rest_of(text, 24), "end", "code without a line left is not opened again");
    assert_eq!(rest_of("one\n\ntwo", 3), "two");
    assert_eq!(rest_of("one", 0), "one");
    assert_eq!(rest_of("one", 3), "");
    assert_eq!(rest_of("one", 9), "");
}

#[test]
fn settings_never_exceed_what_a_message_holds() {
    assert_eq!(BlockSettings::default().within(500), settings(500, 500, BreakPreference::Paragraph));
    assert_eq!(BlockSettings::default().within(4000), BlockSettings::default());
    let idle = Duration::from_secs(1);
    let blocks = BlockSettings::default();
    assert_eq!(coalesce_settings(None, &blocks, 2000), Coalesce { least: 800, most: 2000, idle });
    let asked = Coalesce { least: 3000, most: 9000, idle: Duration::ZERO };
    let given = Coalesce { least: 2000, most: 2000, idle: Duration::ZERO };
    assert_eq!(coalesce_settings(Some(asked), &blocks, 2000), given);
}

fn block(text: &str) -> Block {
    Block { text: text.to_owned(), tags: Tags::default(), end: 0 }
}

fn coalescer() -> Coalescer {
    let settings = Coalesce { least: 8, most: 20, idle: Duration::from_millis(500) };
    Coalescer::new(settings, BreakPreference::Newline)
}

#[test]
fn small_blocks_are_put_together_until_nothing_comes() {
    let mut coalescer = coalescer();
    assert_eq!(coalescer.push(block("one"), UnixMillis(0)), []);
    assert_eq!(coalescer.due(), None, "there is not enough yet");
    assert_eq!(coalescer.push(block("two six"), UnixMillis(400)), []);
    assert_eq!(coalescer.due(), Some(UnixMillis(900)));
    assert_eq!(coalescer.tick(UnixMillis(899)), None);
    assert_eq!(coalescer.tick(UnixMillis(900)), Some(block("one\ntwo six")));
    assert_eq!((coalescer.due(), coalescer.flush()), (None, None));
}

#[test]
fn blocks_that_would_be_too_much_leave_one_after_the_other() {
    let mut coalescer = coalescer();
    assert_eq!(coalescer.push(block("twelve chars"), UnixMillis(0)), []);
    assert_eq!(coalescer.push(block("ten  chars"), UnixMillis(1)), [block("twelve chars")]);
    let long = "a block that is longer";
    assert_eq!(coalescer.push(block(long), UnixMillis(2)), [block("ten  chars"), block(long)]);
    assert_eq!(coalescer.push(block("  "), UnixMillis(3)), []);
    assert_eq!(coalescer.flush(), None);
}

#[test]
fn blocks_that_are_sent_in_different_ways_stay_apart() {
    let mut coalescer = coalescer();
    let tagged = |text: &str, reply: &str| Block {
        text: text.to_owned(),
        tags: Tags { reply_to: Some(ReplyTo::Message(reply.to_owned())), voice: false },
        end: 0,
    };
    assert_eq!(coalescer.push(tagged("a", "1"), UnixMillis(0)), []);
    assert_eq!(coalescer.push(block("b"), UnixMillis(0)), []);
    assert_eq!(coalescer.push(tagged("c", "2"), UnixMillis(0)), [tagged("a\nb", "1")]);
    assert_eq!(coalescer.flush(), Some(tagged("c", "2")));
}

#[test]
fn pauses_lie_between_their_ends() {
    let millis = Duration::from_millis;
    assert_eq!(HumanDelay::Off.pause(7), Duration::ZERO);
    assert_eq!(HumanDelay::Natural.pause(0), millis(800));
    assert_eq!(HumanDelay::Natural.pause(1700), millis(2500));
    assert_eq!(HumanDelay::Natural.pause(1701), millis(800));
    let custom = |least, most| HumanDelay::Custom { least, most };
    assert_eq!(custom(Some(millis(5)), Some(millis(6))).pause(3), millis(6));
    assert_eq!(custom(Some(millis(9)), Some(millis(6))).pause(3), millis(9));
    assert_eq!(custom(None, None).pause(1), millis(801));
    assert_eq!(custom(Some(Duration::ZERO), Some(Duration::MAX)).pause(5), millis(5));
}

fn draft(mode: DraftMode) -> DraftStream {
    let every = Duration::from_millis(1000);
    let blocks = settings(5, 16, BreakPreference::Paragraph);
    DraftStream::new(DraftSettings { mode, every, least: 6, most: 40, blocks })
}

fn show(draft: &mut DraftStream, at: i64) -> DraftStep {
    let step = draft.next(UnixMillis(at));
    if let DraftStep::Show(words) = &step {
        draft.showed(words.clone(), UnixMillis(at));
    }
    step
}

fn shows(words: &str) -> DraftStep {
    DraftStep::Show(words.to_owned())
}

#[test]
fn a_draft_shows_more_but_not_too_often() {
    let mut draft = draft(DraftMode::Partial);
    draft.push("Hi");
    assert_eq!(show(&mut draft, 0), DraftStep::Nothing, "too short for a notification");
    draft.push(" there ");
    assert_eq!(show(&mut draft, 10), shows("Hi there"));
    assert_eq!(show(&mut draft, 20), DraftStep::Nothing, "nothing new");
    draft.push("friend");
    assert_eq!(show(&mut draft, 30), DraftStep::Wait(UnixMillis(1010)));
    assert_eq!(show(&mut draft, 1010), shows("Hi there friend"));
    draft.failed(UnixMillis(1500));
    draft.push("!");
    assert_eq!(show(&mut draft, 2020), DraftStep::Wait(UnixMillis(2500)));
}

#[test]
fn a_draft_stops_when_it_is_longer_than_a_message_and_begins_again_with_the_next() {
    let mut draft = draft(DraftMode::Partial);
    draft.push(&"word ".repeat(9));
    assert_eq!(show(&mut draft, 0), DraftStep::Stopped);
    draft.push("more");
    assert_eq!(show(&mut draft, 5000), DraftStep::Stopped);
    draft.restart();
    draft.push("next message");
    assert_eq!(show(&mut draft, 6000), shows("next message"));
    draft.stop();
    assert_eq!(show(&mut draft, 9000), DraftStep::Stopped);
}

#[test]
fn a_draft_by_blocks_shows_whole_blocks() {
    let mut draft = draft(DraftMode::Block);
    draft.push("First words\n");
    assert_eq!(show(&mut draft, 0), DraftStep::Nothing);
    draft.push("\nand sec");
    assert_eq!(show(&mut draft, 0), shows("First words"));
    draft.push("ond words, long");
    assert_eq!(show(&mut draft, 2000), shows("First words\n\nand second"));
}

#[test]
fn a_draft_of_progress_says_what_is_being_done() {
    let mut draft = draft(DraftMode::Progress);
    draft.push("the words are not shown");
    assert_eq!(show(&mut draft, 0), shows("Working on it…"));
    draft.step("  read\n file.txt ");
    draft.step("read file.txt");
    assert_eq!(show(&mut draft, 2000), shows("Working on it…\n- read file.txt"));
    assert_eq!(show(&mut draft, 4000), DraftStep::Nothing);
}

#[test]
fn thoughts_are_shown_until_there_are_words() {
    let mut draft = draft(DraftMode::Partial);
    draft.think("first this");
    assert_eq!(show(&mut draft, 0), shows("💭 first this"));
    assert!(draft.thinks());
    draft.think(", then that");
    assert_eq!(show(&mut draft, 500), DraftStep::Wait(UnixMillis(1000)));
    assert_eq!(show(&mut draft, 1000), shows("💭 first this, then that"));
    draft.push("The words");
    assert!(!draft.thinks());
    assert_eq!(show(&mut draft, 2000), shows("The words"), "though they are fewer");
    draft.think("and on");
    assert_eq!(show(&mut draft, 3000), DraftStep::Nothing, "never beside words");
    draft.restart();
    assert_eq!(show(&mut draft, 4000), DraftStep::Nothing);
}

#[test]
fn of_long_thoughts_the_end_is_shown() {
    let mut draft = DraftStream::new(DraftSettings {
        most: 2000,
        ..DraftSettings::new(DraftMode::Block, 2000, DraftChunk::default())
    });
    draft.think(&"tea ".repeat(1000));
    draft.think("and soup");
    let DraftStep::Show(shown) = draft.next(UnixMillis(0)) else { panic!("nothing is shown") };
    assert!(shown.starts_with("💭 …") && shown.ends_with("tea and soup"), "{shown}");
    assert_eq!(shown.chars().count(), 603);
}

#[test]
fn no_draft_is_shown_where_it_is_off() {
    let mut draft = draft(DraftMode::Off);
    draft.push("words enough");
    assert_eq!(show(&mut draft, 0), DraftStep::Stopped);
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphabetic()).collect()
}

proptest! {
    #[test]
    fn blocks_lose_no_letter_and_hold_no_torn_code(
        pieces in proptest::collection::vec(
            prop_oneof![Just("\n"), Just("\n\n"), Just("```\n"), Just("~~~\n"), Just("a b. "), Just("日本"), Just("xyz")],
            0..40,
        ),
        least in 1usize..20,
        most in 1usize..40,
    ) {
        let stream = settings(least, most, BreakPreference::Paragraph);
        let text = pieces.concat();
        let mut live = BlockStream::new(stream);
        let mut said = String::new();
        for block in pieces.iter().flat_map(|piece| live.push(piece)).collect::<Vec<_>>() {
            said.push_str(&block.text);
            let rest = rest_of(&text, block.end);
            prop_assert_eq!(letters(&said) + &letters(&rest), letters(&text));
        }
        let blocks = blocks(stream, &pieces);
        prop_assert_eq!(letters(&blocks.concat()), letters(&text));
        for block in blocks.iter().rev().skip(1) {
            prop_assert!(!block.trim().is_empty());
            let fences = super::fences::fences(block);
            prop_assert!(fences.iter().all(|fence| fence.closed), "{:?} of {:?}", block, text);
        }
    }
}
