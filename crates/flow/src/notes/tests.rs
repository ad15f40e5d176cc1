//! Which lines stay when too many wait. What is told with a message is tested in `tests/spine`.

use super::*;

#[test]
fn when_too_many_sessions_have_lines_waiting_the_one_that_waits_longest_loses_its_own() {
    let notes = Notes::default();
    let key = |number: usize| format!("agent:main:room-{number}").parse::<SessionKey>().unwrap();
    for number in 0..=MOST_SESSIONS {
        notes.add(&key(number), "something happened");
    }
    assert_eq!(notes.waiting(&key(0)), Vec::<String>::new());
    assert_eq!(notes.waiting(&key(1)), ["something happened"]);
    assert_eq!(notes.waiting(&key(MOST_SESSIONS)), ["something happened"]);
}
