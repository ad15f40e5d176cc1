//! Which sessions are looked at, in which order.

use openclaw_types::{Money, Usage};

use super::*;

fn sum(agent: &str, session: &str, last: i64) -> UsageSum {
    UsageSum {
        group: vec![agent.to_owned(), session.to_owned()],
        calls: 1,
        unpriced: 0,
        usage: Usage::default(),
        cost: Money::ZERO,
        duration_ms: 0,
        first: UnixMillis(last),
        last: UnixMillis(last),
    }
}

fn entry(key: &str, id: &str, updated_at: i64) -> (SessionKey, SessionEntry) {
    let entry = SessionEntry::new(SessionId::new(id).unwrap(), UnixMillis(updated_at));
    (key.parse().unwrap(), entry)
}

/// Key, transcript, moment, number of notes and whether something is stored.
type Row<'a> = (&'a str, Option<&'a str>, i64, usize, bool);

fn check(sums: &[UsageSum], entries: Vec<(SessionKey, SessionEntry)>, since: i64, expected: &[Row<'_>]) {
    let found = candidates(sums, entries, UnixMillis(since));
    let rows: Vec<Row<'_>> = found
        .iter()
        .map(|one| {
            let id = one.session_id.as_ref().map(SessionId::as_str);
            (one.key.as_str(), id, one.updated_at.0, one.notes.len(), one.entry.is_some())
        })
        .collect();
    assert_eq!(rows, expected);
}

#[test]
fn calls_and_stored_sessions_meet_under_the_key() {
    let sums = [
        sum("main", "", 40),
        sum("main", "0a-orphan", 30),
        sum("main", "1b-known", 35),
        sum("main", "agent:main:main", 20),
        sum("work", "1b-known", 10),
    ];
    let entries = vec![
        entry("agent:main:main", "1b-known", 50),
        entry("agent:main:quiet", "2c", 25),
        entry("agent:main:old", "3d", 14),
    ];
    let expected = [
        ("agent:main:main", Some("1b-known"), 50, 2, true),
        ("unknown", None, 40, 1, false),
        ("agent:main:0a-orphan", Some("0a-orphan"), 30, 1, false),
        ("agent:main:quiet", Some("2c"), 25, 0, true),
        // The same id with another agent is another session.
        ("agent:work:1b-known", Some("1b-known"), 10, 1, false),
    ];
    check(&sums, entries, 15, &expected);
}

#[test]
fn a_session_that_called_a_model_is_listed_whenever_it_changed() {
    let entries = || vec![entry("agent:main:main", "1b", 5)];
    check(
        &[sum("main", "agent:main:main", 20)],
        entries(),
        15,
        &[("agent:main:main", Some("1b"), 5, 1, true)],
    );
    check(&[], entries(), 15, &[]);
    check(&[], entries(), 5, &[("agent:main:main", Some("1b"), 5, 0, true)]);
}
