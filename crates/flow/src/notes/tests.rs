//! Which lines stay when too many wait. What is told with a message is tested in `tests/spine`.

use super::*;

#[test]
fn when_too_many_sessions_have_lines_waiting_the_one_that_waits_longest_loses_its_own() {
    let notes = Notes::default();
    let key = |number: usize| format!("agent:main:room-{number}").parse::<SessionKey>().unwrap();
    for number in 0..=MOST_SESSIONS {
        notes.add(&key(number), "something happened", UnixMillis(0));
    }
    assert_eq!(notes.waiting(&key(0)), Vec::<String>::new());
    assert_eq!(notes.waiting(&key(1)), ["something happened"]);
    assert_eq!(notes.waiting(&key(MOST_SESSIONS)), ["something happened"]);
}

#[test]
fn lines_say_when_they_were_noted_and_the_same_line_twice_in_a_row_is_one() {
    let notes = Notes::default();
    let key = "agent:main:main".parse::<SessionKey>().unwrap();
    notes.add(&key, "the build is done", UnixMillis(1_794_770_797_847));
    notes.add(&key, "the build is done", UnixMillis(1_794_770_800_000));
    notes.add(&key, "two\nlines", UnixMillis(1_794_770_857_847));
    assert_eq!(
        notes.take(&key, &TimeZone::UTC),
        "System: [Sun 2026-11-15 19:26 UTC] the build is done\nSystem: [Sun 2026-11-15 19:27 UTC] two lines\n\n"
    );
    assert_eq!(notes.take(&key, &TimeZone::UTC), "");
}
