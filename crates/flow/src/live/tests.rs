//! What keys say about what has left, and what is still to be said.

use openclaw_delivery::clean;
use openclaw_types::RunId;

use super::sent::{SentForm, SentMark, SentSoFar, Whole, reading};

fn run() -> RunId {
    RunId::new("fake:default:1").unwrap()
}

fn key(form: SentForm, number: u64, words: &str) -> String {
    format!("{}/{}/0", run(), SentSoFar::name(form, number, SentMark::after(words)))
}

fn rest(left: &mut SentSoFar, text: &str) -> Whole {
    left.rest(clean(text))
}

#[test]
fn only_the_rest_of_an_answer_is_said_however_its_pieces_are_joined() {
    let keys = [key(SentForm::Blocks, 0, "One two."), key(SentForm::Blocks, 0, "One two.\n\nThree.")];
    let mut left = reading(&run(), &[&keys[0], &keys[1]]);
    assert_eq!(rest(&mut left.clone(), "One two.\nThree. Four."), Whole::Say(clean("Four.")));
    assert_eq!(rest(&mut left.clone(), "One two.\n\nThree."), Whole::Said);
    assert_eq!(rest(&mut left.clone(), "One two. Other."), Whole::Say(clean("Other.")));
    assert_eq!(rest(&mut left, "Something else."), Whole::Say(clean("Something else.")));
}

#[test]
fn the_same_words_said_twice_have_left_only_once() {
    let keys = [key(SentForm::Blocks, 0, "One moment.")];
    let mut left = reading(&run(), &[&keys[0]]);
    assert_eq!(rest(&mut left, "One moment."), Whole::Said);
    assert_eq!(rest(&mut left, "One moment."), Whole::Say(clean("One moment.")));
}

#[test]
fn an_answer_takes_the_place_of_the_draft_of_its_own_words() {
    let name = SentSoFar::name(SentForm::Draft, 3, SentMark::after("Well, let"));
    let mut left =
        reading(&run(), &[&format!("{}/{name}", run()), "other/draft/1-2-3", "fake:default:1/0/0"]);
    assert_eq!(rest(&mut left, "Something else."), Whole::Say(clean("Something else.")));
    assert_eq!(left.orphans(), std::slice::from_ref(&name));
    assert_eq!(rest(&mut left, "Well, let me see."), Whole::Replace(name, clean("Well, let me see.")));
    assert_eq!(left.orphans(), Vec::<String>::new());
}

#[test]
fn what_says_only_what_is_being_done_makes_room_for_the_first_answer() {
    let name = SentSoFar::name(SentForm::Draft, 0, SentMark::after(""));
    let mut left = reading(&run(), &[&format!("{}/{name}", run())]);
    assert_eq!(rest(&mut left, "First."), Whole::Replace(name, clean("First.")));
    assert_eq!(rest(&mut left, "Second."), Whole::Say(clean("Second.")));
}

#[test]
fn a_draft_that_is_to_be_taken_back_is_nobodys() {
    let name = SentSoFar::name(SentForm::Draft, 0, SentMark::after("Well, let"));
    let key = format!("{}/{name}", run());
    let mut left = reading(&run(), &[&key, &format!("{key}/gone")]);
    assert_eq!(left.open_draft(), None);
    assert_eq!(left.orphans(), Vec::<String>::new());
    assert_eq!(rest(&mut left, "Well, let me see."), Whole::Say(clean("Well, let me see.")));
    assert_eq!(left.fresh(), 1);
}
