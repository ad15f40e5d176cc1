//! How sub-agents are named and how their ends are told.

use std::time::Duration;

use openclaw_ports::stores::{Cleanup, SpawnMode, Subagent, SubagentOutcome};
use openclaw_types::{Cost, RunId, SessionKey, UnixMillis, Usage};

use super::roster::{Numbered, Roster, label, status};
use super::words::{Announcement, about_itself, span, tokens};

fn row(run: &str, name: Option<&str>, outcome: Option<SubagentOutcome>) -> Subagent {
    Subagent {
        run: RunId::new(run).unwrap(),
        child: format!("agent:main:subagent:{run}").parse::<SessionKey>().unwrap(),
        requester: "agent:main:main".parse().unwrap(),
        requester_display: "main".to_owned(),
        depth: 1,
        task: "Look  at\nthe pictures".to_owned(),
        label: name.map(str::to_owned),
        model: Some("v/small".to_owned()),
        cleanup: Cleanup::Keep,
        mode: SpawnMode::Run,
        timeout_seconds: None,
        created_at: UnixMillis(0),
        started_at: Some(UnixMillis(1_000)),
        ended_at: outcome.is_some().then_some(UnixMillis(63_000)),
        outcome,
        result: Some("All fine.".to_owned()),
        announced_at: None,
        announce_attempts: 0,
        archive_at: None,
    }
}

fn roster() -> Roster {
    let numbered = |index, row: Subagent| {
        let model = "v/small".to_owned();
        Numbered { index, row, entry: None, model, took: Duration::from_secs(62) }
    };
    let (one, two) =
        (row("r-one", Some("Ants"), None), row("r-two", Some("Antelopes"), Some(SubagentOutcome::Done)));
    let three = row("s-three", None, Some(SubagentOutcome::Killed));
    Roster {
        active: vec![numbered(1, one.clone())],
        recent: vec![numbered(2, two.clone())],
        all: vec![three, one, two],
    }
}

#[test]
fn a_line_of_the_list_names_the_model_and_the_time() {
    let line = roster().active[0].line();
    assert!(line.starts_with("1. Ants (small, 1m2s) "), "{line}");
}

#[test]
fn a_sub_agent_is_found_by_what_people_call_it() {
    let roster = roster();
    for (target, expected) in [
        ("1", Some("r-one")),
        ("2", Some("r-two")),
        ("3", None),
        ("0", None),
        ("last", Some("s-three")),
        ("ants", Some("r-one")),
        ("ante", Some("r-two")),
        ("ant", None),
        ("look at the pictures", Some("s-three")),
        ("r-t", Some("r-two")),
        ("r-", None),
        ("agent:main:subagent:r-one", Some("r-one")),
        ("", None),
    ] {
        let found = roster.find(target).ok().map(|row| row.run.as_str());
        assert_eq!(found, expected, "{target}");
    }
}

#[test]
fn the_list_says_who_works_how_long_and_on_what() {
    assert_eq!(
        roster().text(Duration::from_secs(1800)),
        "active subagents:\n1. Ants (small, 1m2s) running - Look at the pictures\n\n\
         recent (last 30m):\n2. Antelopes (small, 1m2s) done - Look at the pictures"
    );
    assert_eq!(label(&row("r", None, None)), "Look at the pictures");
    assert_eq!(status(&row("r", None, Some(SubagentOutcome::TimedOut))), "timeout");
}

#[test]
fn an_end_is_told_with_its_numbers_and_what_to_do_with_it() {
    let usage = Usage {
        input: 900,
        output: 250,
        cache_read: 100,
        cost: Some(Cost { total: 0.5, ..Cost::default() }),
        ..Usage::default()
    };
    let check = |outcome, others, nested, parts: &[&str]| {
        let row = row("r", Some("Ants"), Some(outcome));
        let text = Announcement { row: &row, usage, others, nested }.text();
        for part in parts {
            assert!(text.contains(part), "{part} in {text}");
        }
    };
    let numbers =
        "Stats: runtime 1m2s • tokens 1.2k (in 1.0k / out 250) • cost $0.50 • session agent:main:subagent:r";
    check(
        SubagentOutcome::Done,
        0,
        false,
        &["⟦label: Ants⟧ has finished", "All fine.", numbers, "in your own voice"],
    );
    check(SubagentOutcome::Done, 2, false, &["2 other sub-agents of this session"]);
    check(SubagentOutcome::Done, 0, true, &["for your own task"]);
    check(
        SubagentOutcome::Failed { message: "no money".to_owned() },
        0,
        false,
        &["failed (⟦label: no money⟧)"],
    );
    check(SubagentOutcome::Interrupted, 0, false, &["was interrupted"]);
}

#[test]
fn a_sub_agent_hears_whether_it_may_hand_work_on() {
    let row = row("r", None, None);
    assert!(about_itself(&row, 2).contains("`sessions_spawn`"));
    assert!(about_itself(&row, 1).contains("do it yourself"));
}

#[test]
fn spans_and_counts_are_short() {
    assert_eq!(
        [0, 59, 61, 3_700].map(|seconds| span(Duration::from_secs(seconds))),
        ["0s", "59s", "1m1s", "1h1m"]
    );
    assert_eq!([0, 999, 1_500, 2_000_000].map(tokens), ["0", "999", "1.5k", "2.0m"]);
}
