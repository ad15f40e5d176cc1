//! What is remembered of runs that ended, and for how long.

use openclaw_types::{RunEnd, Usage};

use super::*;

fn run(number: usize) -> RunId {
    RunId::new(format!("r{number}")).unwrap()
}

fn outcome() -> RunOutcome {
    let at = UnixMillis(1);
    RunOutcome {
        end: RunEnd { started_at: at, ended_at: at, how: RunEnding::Answered },
        replies: Vec::new(),
        model: None,
        profile: None,
        context_window: Some(7),
        usage: Usage::default(),
        last_call: None,
        stop: None,
        compactions: 0,
        client_calls: Vec::new(),
        said: Vec::new(),
        prompt_report: Some(serde_json::json!({ "long": "words" })),
        fault: None,
        left_over: Vec::new(),
        session: None,
    }
}

fn end(runs: &Runs, number: usize) {
    runs.accepted(&run(number), &"agent:main:main".parse().unwrap(), "main");
    runs.ended(&run(number), RunEnding::Answered, Some(Arc::new(outcome())), UnixMillis(1));
}

fn remembered(runs: &Runs, number: usize) -> Option<RunOutcome> {
    match runs.state(&run(number)) {
        RunState::Ended(ended) => ended.outcome.map(|outcome| (*outcome).clone()),
        RunState::Active(_) | RunState::Unknown => None,
    }
}

#[test]
fn the_newest_ends_are_remembered_whole_and_older_ones_without_what_is_large() {
    let runs = Runs::default();
    for number in 0..=MOST_WHOLE {
        end(&runs, number);
    }
    assert_eq!(remembered(&runs, MOST_WHOLE), Some(outcome()));
    assert_eq!(remembered(&runs, 1), Some(outcome()));
    assert_eq!(remembered(&runs, 0), Some(RunOutcome { prompt_report: None, ..outcome() }));
}

#[test]
fn so_many_ends_are_remembered_and_no_more() {
    let runs = Runs::default();
    for number in 0..=MOST_ENDS {
        end(&runs, number);
    }
    assert_eq!(remembered(&runs, 0), None);
    assert!(remembered(&runs, 1).is_some());
    assert_eq!(runs.known().ended.len(), MOST_ENDS);
}

#[test]
fn only_letters_that_are_stored_can_be_withdrawn() {
    let runs = Runs::default();
    for number in 0..3 {
        runs.accepted(&run(number), &"agent:main:main".parse().unwrap(), "main");
    }
    runs.stored(&run(1), InboxId(5));
    assert_eq!(runs.submissions(&[run(0), run(1), run(7)]), [InboxId(5)]);
}

#[test]
fn a_run_with_words_of_somebody_else_is_nobodys_alone() {
    let runs = Runs::default();
    runs.accepted(&run(1), &"agent:main:main".parse().unwrap(), "main");
    assert!(!runs.is_shared(&run(1)));
    runs.share(&run(1));
    assert!(runs.is_shared(&run(1)) && !runs.is_shared(&run(2)));
}
