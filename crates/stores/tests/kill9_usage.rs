//! Kills a process that spends money again and again, and looks at its books.
//!
//! The child is this test binary again: the second test below, told by a variable where to write. Its tasks reserve,
//! settle and release under a limit and print a line for each answer they got. The parent looks at the books while the
//! child lives, kills it, and then expects: every acknowledged settlement is there once, every reservation ended in
//! one way, nothing stays set aside, and at no moment was more promised than the limit allows.
#![expect(clippy::unwrap_used, reason = "a test fails where something is wrong")]

mod storm;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Arc;

use openclaw_ports::stores::{
    BudgetScope, Hold, HoldId, Limit, Reservation, UsageLedger, UsageQuery, UsageRecord,
};
use openclaw_stores::sqlite::StateDatabase;
use openclaw_testkit::conformance::usage::{MIDNIGHT, dollars, hold, limit, record};
use openclaw_testkit::{Random, TempHome};
use openclaw_types::{Money, RunId, UnixMillis};

use storm::{ChildTest, Ends, Say, kill, open, runtime, storm, whole_line};

const ROUNDS: u64 = 120;
const CALLERS: u64 = 16;

/// Maximum number of answers before the child is killed.
const LONGEST_ROUND: u64 = 120;

/// Tells the child its state directory and its round: `<round>:<directory>`.
const CHILD: ChildTest = ChildTest {
    variable: "OPENCLAW_KILL9_USAGE_CHILD",
    test: "a_storm_of_calls_is_all_settled_after_a_clean_close",
};

/// Every round has an hour of its own, so that its limit counts its own calls only.
fn hour(round: u64) -> UnixMillis {
    UnixMillis(MIDNIGHT.0 + i64::try_from(round).unwrap() * 3_600_000)
}

/// Room for half of the callers at once.
fn cap(round: u64) -> Limit {
    Limit { since: hour(round), ..limit(BudgetScope::Total, dollars(CALLERS / 2)) }
}

fn call(round: u64, run: &str) -> Hold {
    Hold { run: RunId::new(run).unwrap(), ..hold("main", hour(round), dollars(1)) }
}

/// A settled call cost two cents, one that was cut off the cent that `hold` says.
fn settled(round: u64, run: &str) -> UsageRecord {
    UsageRecord {
        run: RunId::new(run).unwrap(),
        ..record("main", hour(round), Money::from_nanos(20_000_000))
    }
}

#[test]
fn the_books_are_right_after_a_hundred_and_twenty_kills() {
    let home = TempHome::new();
    let mut random = Random::new();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let (mut promised, mut cut_off) = (0, 0);
    for round in 0..ROUNDS {
        let said = spend_until_killed(&home, round, &mut random, &runtime);
        cut_off += runtime.block_on(expect_right_books(home.state_dir(), round, &said));
        promised += said.settled.len();
    }
    let files = std::fs::read_dir(home.path("state/holders")).unwrap().count();
    assert_eq!(files, 0, "lock files of dead processes stay behind");
    assert!(promised as u64 > ROUNDS && cut_off > ROUNDS, "too little happened: {promised} {cut_off}");
    eprintln!("{promised} settlements survived {ROUNDS} kills; {cut_off} calls were cut off");
}

#[test]
fn a_storm_of_calls_is_all_settled_after_a_clean_close() {
    let runtime = runtime();
    if let Some((round, directory)) = CHILD.orders() {
        return runtime.block_on(call_all(&directory, round, Ends::WhenKilled, std::io::stdout()));
    }
    let home = TempHome::new();
    let (reader, writer) = std::io::pipe().unwrap();
    let lines = std::thread::spawn(move || {
        let mut said = Said::default();
        said.take_all(&mut BufReader::new(reader));
        said
    });
    runtime.block_on(call_all(home.state_dir(), 0, Ends::After(10), writer));
    let said = lines.join().unwrap();
    assert_eq!(said.answers, CALLERS * 10);
    assert_eq!(runtime.block_on(expect_right_books(home.state_dir(), 0, &said)), 0);
}

/// What a child said it had been told.
#[derive(Debug, Default)]
struct Said {
    settled: BTreeSet<String>,
    released: BTreeSet<String>,
    granted: BTreeSet<String>,
    answers: u64,
}

impl Said {
    fn take_all(&mut self, from: &mut impl BufRead) {
        while let Some(line) = whole_line(from) {
            self.take(&line);
        }
    }

    /// Takes one line; lines of the test harness are not ours.
    fn take(&mut self, line: &str) {
        match line.split(' ').collect::<Vec<_>>()[..] {
            ["granted", run] => {
                self.granted.insert(run.to_owned());
                return;
            }
            ["settled", run] => self.settled.insert(run.to_owned()),
            ["released", run] => self.released.insert(run.to_owned()),
            ["refused", _] => true,
            _ => return,
        };
        self.answers += 1;
    }
}

fn spend_until_killed(
    home: &TempHome,
    round: u64,
    random: &mut Random,
    runtime: &tokio::runtime::Runtime,
) -> Said {
    let mut child = CHILD.start(home.state_dir(), round);
    let mut lines = BufReader::new(child.stdout.take().unwrap());
    let mut said = Said::default();
    let wanted = random.below(LONGEST_ROUND);
    while said.answers < wanted {
        said.take(&whole_line(&mut lines).unwrap());
    }
    if round.is_multiple_of(8) && wanted > 0 {
        runtime.block_on(expect_untouched_while_it_lives(home.state_dir(), round));
    }
    kill(&mut child, round, random);
    said.take_all(&mut lines);
    said
}

/// Calls from many tasks at once and says each answer on `out`.
async fn call_all(directory: &Path, round: u64, ends: Ends, out: impl Write + Send + 'static) {
    storm(directory, out, |tasks, ledger, say| {
        for caller in 0..CALLERS {
            tasks.spawn(make_calls(Arc::clone(ledger), (round, caller), ends, say.clone()));
        }
    })
    .await;
}

async fn make_calls(ledger: Arc<StateDatabase>, (round, caller): (u64, u64), ends: Ends, say: Say) {
    let mut made = 0;
    while !ends.at(made) {
        let run = format!("{round}-{caller}-{made}");
        made += 1;
        let reservation = ledger.reserve(call(round, &run), vec![cap(round)]).await.unwrap();
        let Reservation::Granted(id) = reservation else {
            say.send(format!("refused {run}\n")).unwrap();
            continue;
        };
        say.send(format!("granted {run}\n")).unwrap();
        say.send(end_call(&ledger, id, round, &run).await).unwrap();
    }
}

async fn end_call(ledger: &StateDatabase, id: HoldId, round: u64, run: &str) -> String {
    if run.ends_with('3') {
        ledger.release(id).await.unwrap();
        return format!("released {run}\n");
    }
    // Now and then twice, as after an answer that was lost.
    for _ in 0..if run.ends_with('5') { 2 } else { 1 } {
        ledger.settle(id, settled(round, run)).await.unwrap();
    }
    format!("settled {run}\n")
}

/// Another process may look, and tidy up after the dead, but the living keep what they reserved.
async fn expect_untouched_while_it_lives(directory: &Path, round: u64) {
    let beside = open(directory).await;
    for _ in 0..5 {
        assert_eq!(beside.settle_interrupted(hour(round)).await.unwrap(), 0, "round {round}");
        expect_within_cap(&beside, round).await;
    }
    beside.close().await.unwrap();
}

async fn expect_within_cap(ledger: &StateDatabase, round: u64) {
    let spending = ledger.spent(&BudgetScope::Total, hour(round)..UnixMillis(i64::MAX)).await.unwrap();
    assert!(spending.spent + spending.held <= cap(round).cap, "round {round}: {spending:?}");
}

/// Opens what the kill left, settles what was cut off, and compares with what was said. Says how many were cut off.
async fn expect_right_books(directory: &Path, round: u64, said: &Said) -> u64 {
    let ledger = open(directory).await;
    expect_within_cap(&ledger, round).await;
    let cut_off = ledger.settle_interrupted(hour(round)).await.unwrap();
    assert!(cut_off <= CALLERS, "{cut_off} calls at once in round {round}");
    let query = UsageQuery { from: Some(hour(round)), ..UsageQuery::default() };
    let records = ledger.records(query, usize::MAX).await.unwrap();
    let count = records.len();
    let by_run: BTreeMap<_, _> =
        records.into_iter().map(|record| (record.run.as_str().to_owned(), record)).collect();
    assert_eq!(by_run.len(), count, "a call was recorded twice in round {round}");
    for run in &said.settled {
        assert_eq!(by_run.get(run), Some(&settled(round, run)), "a settled call of round {round}");
    }
    for run in &said.released {
        assert_eq!(by_run.get(run), None, "a released call of round {round}");
    }
    for run in &said.granted {
        let ended = by_run.contains_key(run) || run.ends_with('3');
        assert!(ended, "the reservation {run} of round {round} is lost");
    }
    let interrupted = by_run.values().filter(|record| record.outcome == "interrupted");
    assert_eq!(interrupted.clone().count() as u64, cut_off);
    assert!(interrupted.clone().all(|record| record.cost == Some(Money::from_nanos(10_000_000))));
    let spending = ledger.spent(&BudgetScope::Total, hour(round)..UnixMillis(i64::MAX)).await.unwrap();
    assert_eq!(spending.held, Money::ZERO, "money stays set aside after round {round}");
    let recorded: Money = by_run.values().map(|record| record.cost.unwrap()).sum();
    assert_eq!(spending.spent, recorded, "the hours and the records of round {round}");
    ledger.close().await.unwrap();
    cut_off
}
