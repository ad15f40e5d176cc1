//! What every `SessionStore` does with runs: each begins once and ends once.

use std::sync::Arc;

use openclaw_ports::stores::{
    Append, BranchQuery, BranchReach, EntryChange, RunEnded, RunFinish, RunRecord, RunStart, SessionStore,
};
use openclaw_types::{AbortCause, AgentId, RunEnding, RunId, SessionEntry, TranscriptLine, UnixMillis};

use super::sessions::{entry, key, session};
use super::transcripts::{lines, said};

/// Tests runs of a `SessionStore`; see the module for what `make` gives.
#[macro_export]
macro_rules! run_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            runs,
            $make,
            [
                a_run_comes_back_whole,
                a_run_begins_once,
                a_run_begins_with_its_first_entries,
                a_run_may_begin_and_end_at_once,
                a_session_counts_with_the_end_of_its_run,
                every_way_to_end_comes_back,
                the_end_of_a_run_and_its_last_entries_are_one_change,
                a_run_ends_once,
                a_run_that_never_began_cannot_end,
                an_end_with_entries_that_do_not_fit_is_no_end,
                runs_under_way_are_listed_oldest_first,
                runs_that_ended_long_ago_are_forgotten,
            ]
        );
    };
}

/// A run of `main` in the transcript `s`.
///
/// # Panics
/// When the name is no id.
#[must_use]
pub fn start(run: &str, at: i64) -> RunStart {
    RunStart {
        run: RunId::new(run).expect("an id"),
        agent: AgentId::main(),
        key: key("main"),
        session: session("s"),
        at: UnixMillis(at),
    }
}

/// How a run of `main` ended.
///
/// # Panics
/// When the name is no id.
#[must_use]
pub fn finish(run: &str, at: i64, last: Vec<TranscriptLine>) -> RunFinish {
    RunFinish {
        agent: AgentId::main(),
        run: RunId::new(run).expect("an id"),
        at: UnixMillis(at),
        how: RunEnding::Answered,
        begins: None,
        last,
    }
}

async fn begin(store: &dyn SessionStore, start: RunStart) -> RunRecord {
    store.begin_run(start).await.expect("a store in order takes runs")
}

async fn end(store: &dyn SessionStore, finish: RunFinish) {
    store.end_run(finish, None).await.expect("a store in order takes ends");
}

async fn run(store: &dyn SessionStore, name: &str) -> Option<RunRecord> {
    let name = RunId::new(name).expect("an id");
    store.run(&AgentId::main(), &name).await.expect("a store in order can be read")
}

/// How many entries the transcript has.
async fn entries(store: &dyn SessionStore) -> usize {
    store.transcript(&AgentId::main(), &session("s")).await.expect("a store in order can be read").len()
}

/// The order is what recovery works with.
pub async fn a_run_comes_back_whole(store: &dyn SessionStore) {
    assert_eq!(run(store, "r1").await, None);
    let expected = RunRecord { start: start("r1", 5), end: None };
    assert_eq!(begin(store, start("r1", 5)).await, expected);
    assert_eq!(run(store, "r1").await, Some(expected));
}

/// A second beginning is told of the first, also when that has ended.
pub async fn a_run_begins_once(store: &dyn SessionStore) {
    let first = begin(store, start("r1", 5)).await;
    let other = RunStart { session: session("t"), ..start("r1", 6) };
    assert_eq!(begin(store, other.clone()).await, first);
    end(store, finish("r1", 7, vec![])).await;
    let ended = RunRecord { end: Some((UnixMillis(7), RunEnding::Answered)), ..first };
    assert_eq!(begin(store, other).await, ended);
    assert_eq!(run(store, "r1").await, Some(ended));
}

/// Both or neither; a run that is known stays as it is.
pub async fn a_run_begins_with_its_first_entries(store: &dyn SessionStore) {
    let first = |at, line| Append { begins: Some(start("r1", at)), ..lines("s", vec![line]) };
    assert!(store.append(first(5, said("a", "unknown"))).await.is_err());
    assert_eq!(run(store, "r1").await, None);
    store.append(first(5, said("a", ""))).await.expect("a store in order takes entries");
    store.append(first(6, said("b", "a"))).await.expect("a store in order takes entries");
    assert_eq!(run(store, "r1").await, Some(RunRecord { start: start("r1", 5), end: None }));
    assert_eq!(entries(store).await, 2);
}

/// One that failed before its first words.
pub async fn a_run_may_begin_and_end_at_once(store: &dyn SessionStore) {
    let both = RunFinish { begins: Some(start("r1", 5)), ..finish("r1", 7, vec![said("a", "")]) };
    end(store, both).await;
    let ended = RunRecord { start: start("r1", 5), end: Some((UnixMillis(7), RunEnding::Answered)) };
    assert_eq!(run(store, "r1").await, Some(ended));
    assert_eq!(entries(store).await, 1);
}

/// Once, as the run ends once. A session that was removed meanwhile stays away.
pub async fn a_session_counts_with_the_end_of_its_run(store: &dyn SessionStore) {
    let count = || -> EntryChange {
        Box::new(|stored| {
            stored.map(|mut entry| {
                entry.updated_at = UnixMillis(entry.updated_at.0 + 1);
                entry
            })
        })
    };
    let counted = |name: &'static str| async move {
        store.end_run(finish(name, 7, vec![]), Some(count())).await.expect("a store in order takes ends")
    };
    begin(store, start("r0", 5)).await;
    assert_eq!(counted("r0").await, RunEnded::default());
    let stored = Box::new(|_| Some(entry("s", 1)));
    store.change(&AgentId::main(), &key("main"), stored).await.expect("a store in order");
    begin(store, start("r1", 5)).await;
    let expected = SessionEntry { updated_at: UnixMillis(2), ..entry("s", 1) };
    assert_eq!(counted("r1").await.session.as_deref(), Some(&expected));
    assert_eq!(counted("r1").await, RunEnded::default());
    let now = store.entry(&AgentId::main(), &key("main")).await.expect("a store in order");
    assert_eq!(now.as_deref(), Some(&expected));
}

/// With its cause or its message.
pub async fn every_way_to_end_comes_back(store: &dyn SessionStore) {
    let causes = [
        AbortCause::Request,
        AbortCause::Word,
        AbortCause::Timeout,
        AbortCause::Superseded,
        AbortCause::Shutdown,
    ];
    let failed =
        [String::new(), "no answer \u{1f980}".to_owned()].map(|message| RunEnding::Failed { message });
    let all = causes.map(RunEnding::Aborted).into_iter().chain(failed).chain([RunEnding::Answered]);
    for (number, how) in all.enumerate() {
        let name = format!("r{number}");
        begin(store, start(&name, 1)).await;
        end(store, RunFinish { how: how.clone(), ..finish(&name, 2, vec![]) }).await;
        let stored = run(store, &name).await.and_then(|run| run.end);
        assert_eq!(stored, Some((UnixMillis(2), how)));
    }
}

/// The entries carry the run.
pub async fn the_end_of_a_run_and_its_last_entries_are_one_change(store: &dyn SessionStore) {
    begin(store, start("r1", 5)).await;
    store.append(lines("s", vec![said("a", "")])).await.expect("a store in order takes entries");
    end(store, finish("r1", 7, vec![said("b", "a"), said("c", "b")])).await;
    let query = BranchQuery {
        agent: AgentId::main(),
        session: session("s"),
        leaf: None,
        reach: BranchReach::Newest(2),
    };
    let last = store.branch(query).await.expect("a store in order can be read");
    let written: Vec<_> =
        last.into_iter().map(|stored| (stored.run, Arc::unwrap_or_clone(stored.line))).collect();
    let run = RunId::new("r1").ok();
    assert_eq!(written, [(run.clone(), said("b", "a")), (run, said("c", "b"))]);
}

/// As after a crash between the commit and its answer.
pub async fn a_run_ends_once(store: &dyn SessionStore) {
    begin(store, start("r1", 5)).await;
    end(store, finish("r1", 7, vec![said("a", "")])).await;
    let ended = run(store, "r1").await;
    end(store, finish("r1", 7, vec![said("a", "")])).await;
    let other = RunEnding::Failed { message: "late".to_owned() };
    end(store, RunFinish { how: other, ..finish("r1", 9, vec![said("b", "a")]) }).await;
    assert_eq!(run(store, "r1").await, ended);
    assert_eq!(entries(store).await, 1);
}

/// Its last entries would belong nowhere.
pub async fn a_run_that_never_began_cannot_end(store: &dyn SessionStore) {
    assert!(store.end_run(finish("r1", 7, vec![said("a", "")]), None).await.is_err());
    assert_eq!(run(store, "r1").await, None);
    assert_eq!(entries(store).await, 0);
}

/// All or nothing.
pub async fn an_end_with_entries_that_do_not_fit_is_no_end(store: &dyn SessionStore) {
    begin(store, start("r1", 5)).await;
    let gap = vec![said("a", ""), said("b", "unknown")];
    assert!(store.end_run(finish("r1", 7, gap), None).await.is_err());
    assert_eq!(run(store, "r1").await, Some(RunRecord { start: start("r1", 5), end: None }));
    assert_eq!(entries(store).await, 0);
}

/// Those of one moment in the order they were noted.
pub async fn runs_under_way_are_listed_oldest_first(store: &dyn SessionStore) {
    for (name, at) in [("late", 9), ("b", 5), ("a", 5), ("ended", 1), ("early", 2)] {
        begin(store, start(name, at)).await;
    }
    end(store, finish("ended", 10, vec![])).await;
    let left = store.unfinished(&AgentId::main()).await.expect("a store in order can be read");
    let expected = [("early", 2), ("b", 5), ("a", 5), ("late", 9)]
        .map(|(name, at)| RunRecord { start: start(name, at), end: None });
    assert_eq!(left, expected);
}

/// One under way is never forgotten, however old.
pub async fn runs_that_ended_long_ago_are_forgotten(store: &dyn SessionStore) {
    for name in ["old", "edge", "new", "busy"] {
        begin(store, start(name, 0)).await;
    }
    for (name, at) in [("old", 4), ("edge", 5), ("new", 6)] {
        end(store, finish(name, at, vec![])).await;
    }
    for expected in [1, 0] {
        let forgotten = store.forget_runs(&AgentId::main(), UnixMillis(5)).await;
        assert_eq!(forgotten.expect("a store in order forgets"), expected);
    }
    assert_eq!(run(store, "old").await, None);
    for name in ["edge", "new", "busy"] {
        assert!(run(store, name).await.is_some(), "{name}");
    }
    // Whatever stands before and behind them: one that goes on for long, one of a clock that was wrong.
    begin(store, start("young", 4_102_444_800_000)).await;
    begin(store, start("late", 1)).await;
    end(store, finish("late", 6, vec![])).await;
    let forgotten = store.forget_runs(&AgentId::main(), UnixMillis(7)).await;
    assert_eq!(forgotten.expect("a store in order forgets"), 3);
    for name in ["busy", "young"] {
        assert!(run(store, name).await.is_some(), "{name}");
    }
}
