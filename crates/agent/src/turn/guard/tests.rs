//! Stories of calls, and what the guard says to each of them.

use openclaw_config::LoopRules;
use openclaw_types::Content;
use serde_json::{Value, json};

use super::{GuardVerdict, LoopGuard, ToolLoop, ToolLoopKind};

fn rules() -> LoopRules {
    LoopRules { warning: 3, critical: 5, last_resort: 7, ..LoopRules::default() }
}

/// What the guard says to each call of a story, in which a result belongs to every call.
fn story(rules: LoopRules, calls: &[(&str, Value, &str)]) -> Vec<GuardVerdict> {
    let mut guard = LoopGuard::new(rules);
    calls
        .iter()
        .map(|(tool, arguments, result)| {
            let verdict = guard.judge(tool, arguments);
            guard.note(tool, arguments, &[Content::text(*result)]);
            verdict
        })
        .collect()
}

fn warn(kind: ToolLoopKind, count: u64) -> GuardVerdict {
    GuardVerdict::Warn(ToolLoop { kind, count })
}

fn stop(kind: ToolLoopKind, count: u64) -> GuardVerdict {
    GuardVerdict::Stop(ToolLoop { kind, count })
}

#[test]
fn the_same_call_with_the_same_result_is_warned_about_and_then_stopped() {
    let calls: Vec<_> = (0..6).map(|_| ("read", json!({ "path": "a" }), "nothing")).collect();
    let repeat = ToolLoopKind::Repeat;
    assert_eq!(
        story(rules(), &calls),
        [
            GuardVerdict::Fine,
            GuardVerdict::Fine,
            GuardVerdict::Fine,
            warn(repeat, 3),
            warn(repeat, 4),
            stop(repeat, 5)
        ]
    );
}

#[test]
fn the_order_of_arguments_does_not_hide_a_repetition() {
    let calls = [
        ("edit", json!({ "a": 1, "b": [2, 3] }), "no"),
        ("edit", json!({ "b": [2, 3], "a": 1 }), "no"),
        ("edit", json!({ "a": 1, "b": [2, 3] }), "no"),
        ("edit", json!({ "b": [2, 3], "a": 1 }), "no"),
    ];
    assert_eq!(story(rules(), &calls).last(), Some(&warn(ToolLoopKind::Repeat, 3)));
}

#[test]
fn a_repetition_is_caught_with_other_calls_in_between() {
    let mut calls = Vec::new();
    for round in 0..6 {
        calls.push(("exec", json!({ "command": "make" }), "error: no rule"));
        calls.push(("read", json!({ "path": format!("file-{round}") }), "text"));
        calls.push(("grep", json!({ "pattern": format!("word-{round}") }), "line"));
    }
    let verdicts = story(rules(), &calls);
    let made: Vec<_> = verdicts.iter().step_by(3).copied().collect();
    let repeat = ToolLoopKind::Repeat;
    assert_eq!(
        made,
        [
            GuardVerdict::Fine,
            GuardVerdict::Fine,
            GuardVerdict::Fine,
            warn(repeat, 3),
            warn(repeat, 4),
            stop(repeat, 5)
        ]
    );
    assert!(
        verdicts.iter().enumerate().all(|(place, verdict)| place % 3 == 0 || *verdict == GuardVerdict::Fine)
    );
}

#[test]
fn a_call_that_comes_back_after_a_long_time_starts_anew() {
    let rules = LoopRules { history: 4, ..rules() };
    let mut calls = vec![("ls", json!({}), "same"); 3];
    calls.extend(
        (0..5)
            .map(|_| ("read", json!({ "path": "other" }), "x"))
            .enumerate()
            .map(|(place, (tool, _, _))| (tool, json!({ "path": place }), "x")),
    );
    calls.push(("ls", json!({}), "same"));
    assert_eq!(story(rules, &calls).last(), Some(&GuardVerdict::Fine));
}

#[test]
fn a_call_whose_result_changes_is_warned_about_and_never_stopped() {
    let results: Vec<String> = (0..40).map(|round| format!("result {round}")).collect();
    let calls: Vec<_> =
        results.iter().map(|result| ("exec", json!({ "command": "date" }), result.as_str())).collect();
    let verdicts = story(rules(), &calls);
    assert_eq!(verdicts[..3], [GuardVerdict::Fine; 3]);
    assert!(verdicts[3..].iter().all(|verdict| matches!(verdict, GuardVerdict::Warn(_))), "{verdicts:?}");
}

#[test]
fn a_poll_counts_only_while_nothing_new_comes() {
    let poll = json!({ "action": "poll", "sessionId": "s" });
    let results: Vec<String> = (0..20).map(|round| format!("line {round}")).collect();
    let busy: Vec<_> = results.iter().map(|result| ("process", poll.clone(), result.as_str())).collect();
    assert!(story(rules(), &busy).iter().all(|verdict| *verdict == GuardVerdict::Fine));
    let stuck: Vec<_> = (0..6).map(|_| ("process", poll.clone(), "(no new output)")).collect();
    assert_eq!(
        story(rules(), &stuck)[3..],
        [warn(ToolLoopKind::Poll, 3), warn(ToolLoopKind::Poll, 4), stop(ToolLoopKind::Poll, 5)]
    );
}

#[test]
fn two_calls_in_turn_are_caught_before_each_alone_would_be() {
    let calls: Vec<_> = (0..7)
        .map(
            |round| {
                if round % 2 == 0 { ("read", json!({ "path": "a" }), "x") } else { ("ls", json!({}), "y") }
            },
        )
        .collect();
    let turn = ToolLoopKind::PingPong;
    assert_eq!(
        story(rules(), &calls),
        [
            GuardVerdict::Fine,
            GuardVerdict::Fine,
            warn(turn, 3),
            warn(turn, 4),
            stop(turn, 5),
            stop(turn, 6),
            stop(turn, 7)
        ]
    );
}

#[test]
fn two_calls_in_turn_that_get_somewhere_are_not_stopped_as_such() {
    let results: Vec<String> = (0..12).map(|round| format!("state {round}")).collect();
    let calls: Vec<_> = (0..12)
        .map(|round| {
            let tool = if round % 2 == 0 { "edit" } else { "exec" };
            (tool, json!({ "n": round % 2 }), results[round].as_str())
        })
        .collect();
    assert!(story(rules(), &calls).iter().all(|verdict| !matches!(verdict, GuardVerdict::Stop(_))));
}

#[test]
fn switches_turn_detectors_off_and_the_last_resort_stays() {
    let calls: Vec<_> = (0..8).map(|_| ("read", json!({ "path": "a" }), "nothing")).collect();
    let verdicts = story(LoopRules { repeats: false, ..rules() }, &calls);
    assert_eq!(verdicts[..7], [GuardVerdict::Fine; 7]);
    assert_eq!(verdicts[7], stop(ToolLoopKind::Repeat, 7));
    assert_eq!(story(LoopRules { enabled: false, ..rules() }, &calls), [GuardVerdict::Fine; 8]);
    let turns: Vec<_> = (0..5)
        .map(|round| if round % 2 == 0 { ("read", json!({}), "x") } else { ("ls", json!({}), "y") })
        .collect();
    assert_eq!(story(LoopRules { ping_pong: false, ..rules() }, &turns), [GuardVerdict::Fine; 5]);
}
