//! What becomes of reservations whose process or caller went away, and how limits hold between processes.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use openclaw_ports::stores::{BudgetScope, Reservation, Spending, UsageLedger, UsageQuery, UsageRecord};
use openclaw_testkit::conformance::usage::{MIDNIGHT, after, dollars, hold, limit, record};
use openclaw_types::{Money, Usage};
use tokio::task::JoinSet;

use super::World;
use crate::sqlite::StateDatabase;

async fn spending(database: &StateDatabase) -> Spending {
    database.spent(&BudgetScope::Total, MIDNIGHT..openclaw_types::UnixMillis(i64::MAX)).await.unwrap()
}

async fn records(database: &StateDatabase) -> Vec<UsageRecord> {
    database.records(UsageQuery::default(), usize::MAX).await.unwrap()
}

fn cut_off() -> UsageRecord {
    UsageRecord {
        profile: None,
        duration_ms: 0,
        usage: Usage::default(),
        outcome: "interrupted".to_owned(),
        ..record("main", after(5), Money::from_nanos(10_000_000))
    }
}

/// Holds of a process that ended without closing, which is what a kill leaves of one as far as the kernel is concerned.
async fn left_behind(world: &World, count: u64) {
    let database = world.open().await.unwrap();
    for _ in 0..count {
        database.reserve(hold("main", after(5), dollars(1)), Vec::new()).await.unwrap();
    }
}

#[tokio::test]
async fn reservations_of_a_process_that_ended_become_records_once() {
    let world = World::new();
    left_behind(&world, 2).await;
    let database = world.open().await.unwrap();
    assert_eq!(spending(&database).await.held, dollars(2));
    assert_eq!(database.settle_interrupted(after(9)).await.unwrap(), 2);
    assert_eq!(records(&database).await, [cut_off(), cut_off()]);
    assert_eq!(
        spending(&database).await,
        Spending { spent: Money::from_nanos(20_000_000), held: Money::ZERO }
    );
    assert_eq!(database.settle_interrupted(after(9)).await.unwrap(), 0);
}

#[tokio::test]
async fn a_clock_that_was_set_back_leaves_no_record_in_the_future() {
    let world = World::new();
    left_behind(&world, 1).await;
    let database = world.open().await.unwrap();
    database.settle_interrupted(after(1)).await.unwrap();
    assert_eq!(records(&database).await, [UsageRecord { at: after(1), ..cut_off() }]);
}

#[tokio::test]
async fn a_process_beside_us_keeps_its_reservations_until_it_closes() {
    let world = World::new();
    let (gateway, command) = (world.open().await.unwrap(), world.open().await.unwrap());
    let granted = command.reserve(hold("main", after(5), dollars(1)), Vec::new()).await.unwrap();
    assert_eq!(gateway.settle_interrupted(after(9)).await.unwrap(), 0);
    let Reservation::Granted(id) = granted else { panic!("{granted:?}") };
    command.settle(id, record("main", after(5), dollars(1))).await.unwrap();
    command.reserve(hold("main", after(5), dollars(1)), Vec::new()).await.unwrap();
    command.close().await.unwrap();
    assert_eq!(gateway.settle_interrupted(after(9)).await.unwrap(), 1);
    assert_eq!(records(&gateway).await, [record("main", after(5), dollars(1)), cut_off()]);
}

#[tokio::test]
async fn what_the_dead_hold_stands_in_nobodys_way() {
    let world = World::new();
    left_behind(&world, 9).await;
    let database = world.open().await.unwrap();
    let cap = limit(BudgetScope::Total, dollars(3));
    let granted = database.reserve(hold("main", after(9), dollars(2)), vec![cap]).await.unwrap();
    assert!(matches!(granted, Reservation::Granted(_)), "{granted:?}");
    let expected = Spending { spent: Money::from_nanos(90_000_000), held: dollars(2) };
    assert_eq!(spending(&database).await, expected);
}

#[tokio::test]
async fn lock_files_of_ended_processes_do_not_pile_up() {
    let world = World::new();
    for _ in 0..3 {
        left_behind(&world, 1).await;
    }
    let folder = world.file().with_file_name("holders");
    // As a kill leaves it: the file is there, the lock is not.
    std::fs::write(folder.join("00000000000000ff"), b"").unwrap();
    let database = world.open().await.unwrap();
    assert_eq!(database.settle_interrupted(after(9)).await.unwrap(), 3);
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 0);
}

#[tokio::test]
async fn a_database_that_reserves_nothing_makes_no_lock_file() {
    let world = World::new();
    let database = world.open().await.unwrap();
    database.settle_interrupted(after(9)).await.unwrap();
    spending(&database).await;
    assert_eq!(world.names(), ["gateway.sqlite", "seal.key"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn callers_in_several_processes_never_pass_a_limit() {
    let world = World::new();
    let databases = [Arc::new(world.open().await.unwrap()), Arc::new(world.open().await.unwrap())];
    let cap = limit(BudgetScope::Total, dollars(10));
    let mut callers = JoinSet::new();
    for number in 0..50 {
        let (database, cap) = (Arc::clone(&databases[number % 2]), cap.clone());
        callers.spawn(async move {
            database.reserve(hold("main", MIDNIGHT, dollars(1)), vec![cap]).await.unwrap()
        });
    }
    let reservations = callers.join_all().await;
    let granted = reservations.iter().filter(|one| matches!(one, Reservation::Granted(_))).count();
    assert_eq!(granted, 10);
    assert_eq!(spending(&databases[0]).await, Spending { spent: Money::ZERO, held: dollars(10) });
}

#[tokio::test]
async fn a_caller_that_is_cancelled_leaves_nothing_set_aside() {
    let world = World::new();
    let database = world.open().await.unwrap();
    let cap = || vec![limit(BudgetScope::Total, dollars(1))];
    for _ in 0..20 {
        // Polled once, so that the reservation is on its way to the writer, then dropped.
        let mut reserving = pin!(database.reserve(hold("main", MIDNIGHT, dollars(1)), cap()));
        let mut context = Context::from_waker(Waker::noop());
        if let Poll::Ready(done) = reserving.as_mut().poll(&mut context) {
            panic!("answered without the writer: {done:?}");
        }
    }
    let granted = database.reserve(hold("main", MIDNIGHT, dollars(1)), cap()).await.unwrap();
    assert!(matches!(granted, Reservation::Granted(_)), "{granted:?}");
    assert_eq!(spending(&database).await, Spending { spent: Money::ZERO, held: dollars(1) });
}

#[tokio::test]
async fn the_cost_of_hours_is_that_of_their_records() {
    let world = World::new();
    let database = world.open().await.unwrap();
    for number in 0..200 {
        let at = after(number * 1_234_567 - 100_000_000);
        let granted = database.reserve(hold("main", at, dollars(1)), Vec::new()).await.unwrap();
        let Reservation::Granted(id) = granted else { panic!("{granted:?}") };
        database.settle(id, record("main", at, Money::from_nanos(1 << (number % 62)))).await.unwrap();
    }
    let differing: i64 = world
        .raw()
        .query_row(
            "SELECT count(*) FROM usage_hours FULL JOIN
             (SELECT at / 3600000 * 3600000 AS hour, agent, sum(cost) AS cost FROM usage_records GROUP BY 1, 2) AS records
             USING (hour, agent) WHERE usage_hours.cost IS NOT records.cost",
            [],
            |row| row.get(0),
        )
        .unwrap();
    assert_eq!(differing, 0);
}
