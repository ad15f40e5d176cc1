//! What is counted of a transcript.

use jiff::tz::TimeZone;
use openclaw_types::TranscriptLine;
use serde_json::{Value, json};

use super::*;

/// 2026-02-26T00:00:00Z.
const MIDNIGHT: i64 = 1_772_064_000_000;
const SECOND: i64 = 1_000;

/// A line of a transcript, so many seconds after midnight.
fn line(seconds: i64, message: Value) -> StoredEntry {
    let mut message = message;
    message["timestamp"] = json!(MIDNIGHT + seconds * SECOND);
    let line = json!({"type": "message", "id": format!("e{seconds}"), "parentId": null, "message": message});
    StoredEntry { sequence: seconds, run: None, line: TranscriptLine::from_value(&line).into() }
}

fn user(seconds: i64) -> StoredEntry {
    line(seconds, json!({"role": "user", "content": "hi"}))
}

fn answer(seconds: i64, tools: &[&str], stop: &str) -> StoredEntry {
    let call = |name: &&str| json!({"type": "toolCall", "id": "c", "name": name, "arguments": {}});
    let content: Vec<Value> = tools.iter().map(call).collect();
    line(seconds, json!({"role": "assistant", "content": content, "stopReason": stop}))
}

fn result(seconds: i64, is_error: bool) -> StoredEntry {
    line(
        seconds,
        json!({"role": "toolResult", "toolCallId": "c", "toolName": "ls", "content": [], "isError": is_error}),
    )
}

fn other(record: Value) -> StoredEntry {
    StoredEntry { sequence: 0, run: None, line: TranscriptLine::from_value(&record).into() }
}

/// Counts what was said within the given seconds after midnight.
fn counted(within: Range<i64>, transcripts: &[&[StoredEntry]]) -> Option<Activity> {
    let moment = |seconds: i64| UnixMillis(MIDNIGHT + seconds * SECOND);
    let names = DayLabeler::new(TimeZone::UTC);
    let mut counter = ActivityCounter::new(moment(within.start)..moment(within.end), names);
    transcripts.iter().for_each(|lines| counter.add_transcript(lines));
    counter.finish()
}

fn waits(milliseconds: &[u64]) -> Durations {
    let mut waits = Durations::default();
    milliseconds.iter().for_each(|one| waits.add(*one));
    waits
}

#[test]
fn messages_tools_failures_and_waits_are_counted_by_day() {
    let day = 86_400;
    let transcript = [
        other(json!({"type": "session", "version": 3, "id": "s", "timestamp": "2026-02-26T00:00:00.000Z"})),
        user(10),
        answer(12, &["ls", "read", "ls"], "toolUse"),
        result(13, false),
        result(14, true),
        answer(17, &[], "stop"),
        line(18, json!({"role": "bashExecution", "command": "ls", "output": "", "exitCode": 0})),
        user(day + 1),
        answer(day + 2, &["ls"], "error"),
        answer(day + 4, &[], "aborted"),
    ];
    let first = DayActivity {
        user: 1,
        assistant: 2,
        tool_results: 2,
        failed_tools: 1,
        failed_answers: 0,
        tools: BTreeMap::from([("ls".to_owned(), 2), ("read".to_owned(), 1)]),
        waits: waits(&[2_000, 7_000]),
    };
    let second = DayActivity {
        user: 1,
        assistant: 2,
        failed_answers: 2,
        tools: BTreeMap::from([("ls".to_owned(), 1)]),
        waits: waits(&[1_000, 3_000]),
        ..DayActivity::default()
    };
    let moment = |seconds: i64| UnixMillis(MIDNIGHT + seconds * SECOND);
    let expected = Activity {
        days: BTreeMap::from([("2026-02-26".to_owned(), first), ("2026-02-27".to_owned(), second)]),
        span: Some((moment(10), moment(day + 4))),
    };
    assert_eq!(counted(0..2 * day, &[&transcript]), Some(expected));
}

#[test]
fn only_the_range_counts_and_nobody_waits_across_transcripts() {
    let (first, second) = ([user(10), answer(20, &[], "stop")], [answer(30, &[], "stop"), user(40)]);
    let day = |user, assistant, waited: &[u64], from: i64, to: i64| {
        let counts = DayActivity { user, assistant, waits: waits(waited), ..DayActivity::default() };
        Some(Activity {
            days: BTreeMap::from([("2026-02-26".to_owned(), counts)]),
            span: Some((UnixMillis(MIDNIGHT + from * SECOND), UnixMillis(MIDNIGHT + to * SECOND))),
        })
    };
    let both: [&[StoredEntry]; 2] = [&first, &second];
    assert_eq!(counted(0..100, &both), day(2, 2, &[10_000], 10, 40));
    assert_eq!(counted(11..40, &both), day(0, 2, &[], 20, 30));
    assert_eq!(counted(50..60, &both), Some(Activity::default()));
    let header = other(json!({"type": "session", "version": 3, "id": "s"}));
    assert_eq!((counted(0..100, &[&[header]]), counted(0..100, &[])), (None, None));
}
