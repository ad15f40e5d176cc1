//! What every `UsageLedger` does.
//!
//! Amounts are whole dollars and parts of a dollar that a float holds exactly, so that sums can be compared as values.

use std::sync::Arc;

use openclaw_ports::stores::{
    BudgetScope, BudgetWindow, Hold, HoldId, ImportedCall, Limit, Reservation, Spending, UsageGroup,
    UsageLedger, UsageQuery, UsageRecord, UsageSum,
};
use openclaw_types::{AgentId, AuthProfileId, Cost, Money, RunId, UnixMillis, Usage};
use tokio::task::JoinSet;

/// Tests a `UsageLedger`; see the module for what `make` gives.
#[macro_export]
macro_rules! usage_ledger_conformance {
    ($make:path) => {
        $crate::conformance_tests!(
            usage,
            $make,
            [
                a_new_ledger_has_spent_nothing,
                a_reservation_is_held_until_it_is_settled,
                a_released_reservation_leaves_nothing,
                settling_again_changes_nothing,
                settling_what_was_released_changes_nothing,
                settling_what_never_was_changes_nothing,
                a_settled_record_comes_back_whole,
                a_reservation_up_to_the_limit_is_granted_and_beyond_it_refused,
                a_refused_reservation_holds_nothing,
                a_call_that_costs_nothing_passes_every_limit,
                the_first_limit_in_the_way_is_named,
                a_limit_of_an_agent_counts_that_agent_alone,
                a_limit_counts_from_its_first_moment_on,
                a_limit_counts_nothing_after_its_last_moment,
                a_limit_counts_whatever_is_still_held,
                a_call_may_cost_more_than_was_set_aside,
                calls_without_a_price_count_nothing,
                a_living_process_keeps_its_reservations,
                records_are_ordered_by_time_and_limited,
                queries_select_by_time_agent_and_session,
                sums_without_groups_are_one_sum,
                sums_group_by_everything_that_can_be_asked_for,
                sums_of_nothing_are_none,
                amounts_beyond_all_measure_do_no_harm,
                an_imported_call_counts_once_and_on_its_own_day,
            ]
        );
        #[tokio::test]
        async fn callers_together_never_pass_a_limit() {
            let (store, _kept) = $make().await;
            $crate::conformance::usage::callers_together_never_pass_a_limit(store).await;
        }
    };
}

/// 2026-01-01T00:00:00Z.
pub const MIDNIGHT: UnixMillis = UnixMillis(1_767_225_600_000);

const HOUR: i64 = 3_600_000;

/// So many whole dollars.
#[must_use]
pub fn dollars(count: u64) -> Money {
    Money::from_nanos(count * 1_000_000_000)
}

/// A moment so many milliseconds after `MIDNIGHT`.
#[must_use]
pub fn after(milliseconds: i64) -> UnixMillis {
    UnixMillis(MIDNIGHT.0 + milliseconds)
}

/// A reservation of so many dollars for an agent's call, of which one cent is due in any case.
///
/// # Panics
/// When the agent's name is no id.
#[must_use]
pub fn hold(agent: &str, at: UnixMillis, most: Money) -> Hold {
    Hold {
        run: RunId::new("run").expect("an id"),
        agent: AgentId::new(agent).expect("an id"),
        session: Some("agent:main:main".to_owned()),
        model: "anthropic/claude".parse().expect("a model"),
        at,
        most,
        least: Money::from_nanos(10_000_000),
    }
}

/// A call with every field set that cost so many dollars.
#[must_use]
pub fn record(agent: &str, at: UnixMillis, cost: Money) -> UsageRecord {
    let Hold { run, agent, session, model, at, .. } = hold(agent, at, cost);
    UsageRecord {
        run,
        agent,
        session,
        model,
        profile: Some(AuthProfileId::new("anthropic:default").expect("an id")),
        at,
        duration_ms: 250,
        usage: Usage {
            input: 1,
            output: 2,
            cache_read: 3,
            cache_write: 4,
            total_tokens: 10,
            reasoning: 1,
            cost: Some(Cost { input: 0.5, output: 0.25, cache_read: 0.125, cache_write: 0.0, total: 0.875 }),
        },
        cost: Some(cost),
        outcome: "done".to_owned(),
    }
}

/// A limit of so many dollars since `MIDNIGHT`.
#[must_use]
pub fn limit(scope: BudgetScope, cap: Money) -> Limit {
    Limit { scope, window: BudgetWindow::Day, since: MIDNIGHT, until: UnixMillis(i64::MAX), cap }
}

/// The scope of one agent.
///
/// # Panics
/// When the name is no id.
#[must_use]
pub fn of(agent: &str) -> BudgetScope {
    BudgetScope::Agent(AgentId::new(agent).expect("an id"))
}

async fn reserve(ledger: &dyn UsageLedger, hold: Hold, limits: &[Limit]) -> Reservation {
    ledger.reserve(hold, limits.to_vec()).await.expect("a ledger in order decides")
}

async fn granted(ledger: &dyn UsageLedger, hold: Hold) -> HoldId {
    match reserve(ledger, hold, &[]).await {
        Reservation::Granted(id) => id,
        refused @ Reservation::Refused { .. } => panic!("refused without a limit: {refused:?}"),
    }
}

async fn settle(ledger: &dyn UsageLedger, id: HoldId, record: UsageRecord) {
    ledger.settle(id, record).await.expect("a ledger in order settles");
}

/// Reserves and settles in one go.
async fn call(ledger: &dyn UsageLedger, record: UsageRecord) {
    let id = granted(ledger, hold(record.agent.as_str(), record.at, record.cost.unwrap_or_default())).await;
    settle(ledger, id, record).await;
}

async fn spent(ledger: &dyn UsageLedger, scope: &BudgetScope) -> Spending {
    ledger.spent(scope, MIDNIGHT..UnixMillis(i64::MAX)).await.expect("a ledger in order can be read")
}

async fn records(ledger: &dyn UsageLedger, query: UsageQuery) -> Vec<UsageRecord> {
    ledger.records(query, usize::MAX).await.expect("a ledger in order can be read")
}

async fn sums(ledger: &dyn UsageLedger, by: &[UsageGroup]) -> Vec<UsageSum> {
    ledger.sums(UsageQuery::default(), by.to_vec()).await.expect("a ledger in order can be read")
}

fn spending(spent: u64, held: u64) -> Spending {
    Spending { spent: dollars(spent), held: dollars(held) }
}

/// Nothing is counted at first.
pub async fn a_new_ledger_has_spent_nothing(ledger: &dyn UsageLedger) {
    assert_eq!(spent(ledger, &BudgetScope::Total).await, Spending::default());
    assert_eq!(spent(ledger, &of("main")).await, Spending::default());
    assert_eq!(records(ledger, UsageQuery::default()).await, []);
}

/// What was set aside makes way for what it really was.
pub async fn a_reservation_is_held_until_it_is_settled(ledger: &dyn UsageLedger) {
    let id = granted(ledger, hold("main", MIDNIGHT, dollars(5))).await;
    assert_eq!(spent(ledger, &BudgetScope::Total).await, spending(0, 5));
    settle(ledger, id, record("main", MIDNIGHT, dollars(2))).await;
    assert_eq!(spent(ledger, &BudgetScope::Total).await, spending(2, 0));
    assert_eq!(spent(ledger, &of("main")).await, spending(2, 0));
}

/// Nothing spent, nothing held, no record; releasing twice is not an error.
pub async fn a_released_reservation_leaves_nothing(ledger: &dyn UsageLedger) {
    let id = granted(ledger, hold("main", MIDNIGHT, dollars(5))).await;
    for _ in 0..2 {
        ledger.release(id).await.expect("a ledger in order releases");
    }
    assert_eq!(spent(ledger, &BudgetScope::Total).await, Spending::default());
    assert_eq!(records(ledger, UsageQuery::default()).await, []);
}

/// A retry after a lost answer does not count twice.
pub async fn settling_again_changes_nothing(ledger: &dyn UsageLedger) {
    let id = granted(ledger, hold("main", MIDNIGHT, dollars(5))).await;
    let first = record("main", MIDNIGHT, dollars(2));
    settle(ledger, id, first.clone()).await;
    settle(ledger, id, first.clone()).await;
    settle(ledger, id, record("main", MIDNIGHT, dollars(4))).await;
    ledger.release(id).await.expect("a ledger in order releases");
    assert_eq!(records(ledger, UsageQuery::default()).await, [first]);
    assert_eq!(spent(ledger, &BudgetScope::Total).await, spending(2, 0));
}

/// The first end of a reservation counts.
pub async fn settling_what_was_released_changes_nothing(ledger: &dyn UsageLedger) {
    let id = granted(ledger, hold("main", MIDNIGHT, dollars(5))).await;
    ledger.release(id).await.expect("a ledger in order releases");
    settle(ledger, id, record("main", MIDNIGHT, dollars(2))).await;
    assert_eq!(records(ledger, UsageQuery::default()).await, []);
    // A later reservation does not get the name of an earlier one.
    assert_ne!(granted(ledger, hold("main", MIDNIGHT, dollars(5))).await, id);
}

/// A name that was never given out is nobody's.
pub async fn settling_what_never_was_changes_nothing(ledger: &dyn UsageLedger) {
    settle(ledger, HoldId(77), record("main", MIDNIGHT, dollars(2))).await;
    assert_eq!(spent(ledger, &BudgetScope::Total).await, Spending::default());
}

/// Every field survives, set or not.
pub async fn a_settled_record_comes_back_whole(ledger: &dyn UsageLedger) {
    let full = record("main", MIDNIGHT, dollars(2));
    let bare = UsageRecord {
        session: None,
        profile: None,
        usage: Usage::default(),
        cost: None,
        outcome: "rate_limit".to_owned(),
        model: "openrouter/vendor/model:free".parse().expect("a model"),
        ..record("main", after(1), dollars(0))
    };
    call(ledger, full.clone()).await;
    call(ledger, bare.clone()).await;
    assert_eq!(records(ledger, UsageQuery::default()).await, [full, bare]);
}

/// The cap itself may be reached.
pub async fn a_reservation_up_to_the_limit_is_granted_and_beyond_it_refused(ledger: &dyn UsageLedger) {
    call(ledger, record("main", MIDNIGHT, dollars(3))).await;
    granted(ledger, hold("main", MIDNIGHT, dollars(4))).await;
    let cap = limit(BudgetScope::Total, dollars(10));
    let one_too_many = Money::from_nanos(dollars(3).nanos() + 1);
    let refused = reserve(ledger, hold("main", MIDNIGHT, one_too_many), std::slice::from_ref(&cap)).await;
    assert_eq!(refused, Reservation::Refused { limit: cap.clone(), spending: spending(3, 4) });
    let reached = reserve(ledger, hold("main", MIDNIGHT, dollars(3)), &[cap]).await;
    assert!(matches!(reached, Reservation::Granted(_)), "{reached:?}");
    assert_eq!(spent(ledger, &BudgetScope::Total).await, spending(3, 7));
}

/// A call that is not made takes nothing from those that are.
pub async fn a_refused_reservation_holds_nothing(ledger: &dyn UsageLedger) {
    let cap = limit(BudgetScope::Total, dollars(1));
    for _ in 0..3 {
        let refused = reserve(ledger, hold("main", MIDNIGHT, dollars(2)), std::slice::from_ref(&cap)).await;
        assert_eq!(refused, Reservation::Refused { limit: cap.clone(), spending: Spending::default() });
    }
    assert_eq!(spent(ledger, &BudgetScope::Total).await, Spending::default());
}

/// Also a cap of nothing, and one that is long passed.
pub async fn a_call_that_costs_nothing_passes_every_limit(ledger: &dyn UsageLedger) {
    call(ledger, record("main", MIDNIGHT, dollars(5))).await;
    let caps = [limit(BudgetScope::Total, dollars(0)), limit(of("main"), dollars(1))];
    let free = reserve(ledger, hold("main", MIDNIGHT, dollars(0)), &caps).await;
    assert!(matches!(free, Reservation::Granted(_)), "{free:?}");
    let priced = reserve(ledger, hold("other", MIDNIGHT, Money::from_nanos(1)), &caps[..1]).await;
    assert!(matches!(priced, Reservation::Refused { .. }), "{priced:?}");
}

/// In the order they were given.
pub async fn the_first_limit_in_the_way_is_named(ledger: &dyn UsageLedger) {
    let (wide, narrow) = (limit(BudgetScope::Total, dollars(9)), limit(of("main"), dollars(1)));
    let limits = [wide, narrow.clone(), limit(BudgetScope::Total, dollars(0))];
    let refused = reserve(ledger, hold("main", MIDNIGHT, dollars(2)), &limits).await;
    assert_eq!(refused, Reservation::Refused { limit: narrow, spending: Spending::default() });
}

/// What others spend and hold is theirs.
pub async fn a_limit_of_an_agent_counts_that_agent_alone(ledger: &dyn UsageLedger) {
    call(ledger, record("other", MIDNIGHT, dollars(5))).await;
    granted(ledger, hold("other", MIDNIGHT, dollars(5))).await;
    call(ledger, record("main", MIDNIGHT, dollars(1))).await;
    assert_eq!(spent(ledger, &of("main")).await, spending(1, 0));
    assert_eq!(spent(ledger, &of("other")).await, spending(5, 5));
    assert_eq!(spent(ledger, &BudgetScope::Total).await, spending(6, 5));
    let fits = reserve(ledger, hold("main", MIDNIGHT, dollars(1)), &[limit(of("main"), dollars(2))]).await;
    assert!(matches!(fits, Reservation::Granted(_)), "{fits:?}");
}

/// To the millisecond, wherever in an hour that moment falls.
pub async fn a_limit_counts_from_its_first_moment_on(ledger: &dyn UsageLedger) {
    for at in [-HOUR, -1, 0, 1, HOUR / 2 - 1, HOUR / 2, HOUR - 1, HOUR, 30 * HOUR] {
        call(ledger, record("main", after(at), dollars(1))).await;
    }
    let expected = [
        (-HOUR - 1, 9),
        (-1, 8),
        (0, 7),
        (1, 6),
        (2, 5),
        (HOUR / 2, 4),
        (HOUR / 2 + 1, 3),
        (HOUR, 2),
        (HOUR + 1, 1),
        (31 * HOUR, 0),
    ];
    for (since, count) in expected {
        for scope in [BudgetScope::Total, of("main")] {
            let found = ledger.spent(&scope, after(since)..UnixMillis(i64::MAX)).await;
            let found = found.expect("a ledger in order can be read");
            assert_eq!(found, spending(count, 0), "since {since} ms after midnight, {scope:?}");
        }
    }
    for (since, count) in [(i64::MIN, 9), (i64::MAX, 0)] {
        let found = ledger.spent(&BudgetScope::Total, UnixMillis(since)..UnixMillis(i64::MAX)).await;
        assert_eq!(found.expect("a ledger in order can be read"), spending(count, 0));
    }
}

/// A clock that was ahead for a while must not use up the days until then.
pub async fn a_limit_counts_nothing_after_its_last_moment(ledger: &dyn UsageLedger) {
    for at in [0, HOUR - 1, HOUR, HOUR + 1, 2 * HOUR, 24 * HOUR, 9_000 * HOUR] {
        call(ledger, record("main", after(at), dollars(1))).await;
    }
    let expected =
        [(0, 0), (1, 1), (HOUR - 1, 1), (HOUR, 2), (HOUR + 1, 3), (2 * HOUR + 1, 5), (24 * HOUR, 5)];
    for (until, count) in expected {
        for scope in [BudgetScope::Total, of("main")] {
            let found = ledger.spent(&scope, MIDNIGHT..after(until)).await;
            let found = found.expect("a ledger in order can be read");
            assert_eq!(found, spending(count, 0), "until {until} ms after midnight, {scope:?}");
        }
    }
    let backwards = ledger.spent(&BudgetScope::Total, after(HOUR)..MIDNIGHT).await;
    assert_eq!(backwards.expect("a ledger in order can be read"), spending(0, 0));
    let day = Limit { until: after(24 * HOUR), ..limit(BudgetScope::Total, dollars(6)) };
    let fits = reserve(ledger, hold("main", MIDNIGHT, dollars(1)), &[day]).await;
    assert!(matches!(fits, Reservation::Granted(_)), "{fits:?}");
}

/// A call under way at midnight may yet end after it.
pub async fn a_limit_counts_whatever_is_still_held(ledger: &dyn UsageLedger) {
    granted(ledger, hold("main", after(-1), dollars(5))).await;
    assert_eq!(spent(ledger, &BudgetScope::Total).await, spending(0, 5));
}

/// A vendor's bill is a fact; it stops the next call.
pub async fn a_call_may_cost_more_than_was_set_aside(ledger: &dyn UsageLedger) {
    let cap = limit(BudgetScope::Total, dollars(4));
    let id = granted(ledger, hold("main", MIDNIGHT, dollars(2))).await;
    settle(ledger, id, record("main", MIDNIGHT, dollars(5))).await;
    let refused = reserve(ledger, hold("main", MIDNIGHT, dollars(1)), std::slice::from_ref(&cap)).await;
    assert_eq!(refused, Reservation::Refused { limit: cap, spending: spending(5, 0) });
}

/// No price is not a price of nothing, but no limit can count it.
pub async fn calls_without_a_price_count_nothing(ledger: &dyn UsageLedger) {
    call(ledger, UsageRecord { cost: None, ..record("main", MIDNIGHT, dollars(0)) }).await;
    call(ledger, record("main", MIDNIGHT, dollars(0))).await;
    assert_eq!(spent(ledger, &BudgetScope::Total).await, Spending::default());
    let sums = sums(ledger, &[]).await;
    assert_eq!((sums[0].calls, sums[0].unpriced, sums[0].cost), (2, 1, dollars(0)));
}

/// Only the reservations of processes that died are settled.
pub async fn a_living_process_keeps_its_reservations(ledger: &dyn UsageLedger) {
    let id = granted(ledger, hold("main", MIDNIGHT, dollars(5))).await;
    assert_eq!(ledger.settle_interrupted(after(9)).await.expect("a ledger in order settles"), 0);
    assert_eq!(spent(ledger, &BudgetScope::Total).await, spending(0, 5));
    settle(ledger, id, record("main", MIDNIGHT, dollars(2))).await;
    assert_eq!(spent(ledger, &BudgetScope::Total).await, spending(2, 0));
}

/// Oldest first; at the same moment, in the order of their reservations.
pub async fn records_are_ordered_by_time_and_limited(ledger: &dyn UsageLedger) {
    let at = |at, cost| record("main", after(at), dollars(cost));
    for (moment, cost) in [(2, 1), (0, 2), (1, 3), (0, 4)] {
        call(ledger, at(moment, cost)).await;
    }
    let all = [at(0, 2), at(0, 4), at(1, 3), at(2, 1)];
    assert_eq!(records(ledger, UsageQuery::default()).await, all);
    let first = ledger.records(UsageQuery::default(), 3).await.expect("a ledger in order can be read");
    assert_eq!(first, all[..3]);
    assert_eq!(ledger.records(UsageQuery::default(), 0).await.expect("a ledger in order can be read"), []);
}

/// From a moment on, before a moment, of one agent, of one session, and all of them together.
pub async fn queries_select_by_time_agent_and_session(ledger: &dyn UsageLedger) {
    let call_of = |agent: &str, at, session: Option<&str>| UsageRecord {
        session: session.map(str::to_owned),
        ..record(agent, after(at), dollars(1))
    };
    let all = [
        call_of("a", 0, Some("s")),
        call_of("b", 1, Some("s")),
        call_of("a", 2, Some("t")),
        call_of("a", 3, None),
        call_of("a", 4, Some("s")),
    ];
    for one in all.clone() {
        call(ledger, one).await;
    }
    let any = UsageQuery::default;
    let agent = || Some(AgentId::new("a").expect("an id"));
    let check = [
        (UsageQuery { from: Some(after(3)), ..any() }, vec![3, 4]),
        (UsageQuery { until: Some(after(2)), ..any() }, vec![0, 1]),
        (UsageQuery { from: Some(after(1)), until: Some(after(3)), ..any() }, vec![1, 2]),
        (UsageQuery { agent: agent(), ..any() }, vec![0, 2, 3, 4]),
        (UsageQuery { session: Some("s".to_owned()), ..any() }, vec![0, 1, 4]),
        (UsageQuery { session: Some(String::new()), ..any() }, vec![]),
        (
            UsageQuery {
                from: Some(after(1)),
                until: Some(after(9)),
                agent: agent(),
                session: Some("s".to_owned()),
            },
            vec![4],
        ),
    ];
    for (query, expected) in check {
        let expected: Vec<_> = expected.into_iter().map(|index: usize| all[index].clone()).collect();
        let calls: u64 = ledger
            .sums(query.clone(), Vec::new())
            .await
            .expect("a ledger in order can be read")
            .iter()
            .map(|sum| sum.calls)
            .sum();
        assert_eq!(calls, expected.len() as u64, "{query:?}");
        assert_eq!(records(ledger, query.clone()).await, expected, "{query:?}");
    }
}

/// Everything is added up.
pub async fn sums_without_groups_are_one_sum(ledger: &dyn UsageLedger) {
    call(ledger, record("main", after(5), dollars(1))).await;
    call(ledger, record("other", after(2), dollars(2))).await;
    let bare = UsageRecord {
        cost: None,
        usage: Usage { input: 7, ..Usage::default() },
        ..record("main", after(9), dollars(0))
    };
    call(ledger, bare).await;
    let expected = UsageSum {
        group: Vec::new(),
        calls: 3,
        unpriced: 1,
        usage: Usage {
            input: 9,
            output: 4,
            cache_read: 6,
            cache_write: 8,
            total_tokens: 20,
            reasoning: 2,
            cost: Some(Cost { input: 1.0, output: 0.5, cache_read: 0.25, cache_write: 0.0, total: 1.75 }),
        },
        cost: dollars(3),
        duration_ms: 750,
        first: after(2),
        last: after(9),
    };
    assert_eq!(sums(ledger, &[]).await, [expected]);
}

/// One text for each group, in the order asked for; sums ordered by those texts.
pub async fn sums_group_by_everything_that_can_be_asked_for(ledger: &dyn UsageLedger) {
    use UsageGroup::{Agent, Model, Provider, Session};
    let calls = [
        ("b", -1, Some("s"), "anthropic/x", 1),
        ("a", 0, None, "openai/vendor/y", 2),
        ("a", 23 * HOUR, Some("s"), "anthropic/x", 3),
        ("a", 24 * HOUR, Some("t"), "anthropic/z", 4),
    ];
    for (agent, at, session, model, cost) in calls {
        let one = record(agent, after(at), dollars(cost));
        let (session, model) = (session.map(str::to_owned), model.parse().expect("a model"));
        call(ledger, UsageRecord { session, model, ..one }).await;
    }
    let day = |offset_minutes| UsageGroup::Day { offset_minutes };
    check(ledger, &[day(0)], &["2025-12-31 1", "2026-01-01 5", "2026-01-02 4"]).await;
    check(ledger, &[day(60)], &["2026-01-01 3", "2026-01-02 7"]).await;
    check(ledger, &[day(-30)], &["2025-12-31 3", "2026-01-01 7"]).await;
    check(ledger, &[Agent], &["a 9", "b 1"]).await;
    check(ledger, &[Session], &[" 2", "s 4", "t 4"]).await;
    check(ledger, &[Model], &["anthropic/x 4", "anthropic/z 4", "openai/vendor/y 2"]).await;
    check(ledger, &[Provider], &["anthropic 8", "openai 2"]).await;
    check(ledger, &[Provider, Agent], &["anthropic a 7", "anthropic b 1", "openai a 2"]).await;
    let everything = [Agent, day(0), Session, Provider, Model];
    let expected = [
        "a 2026-01-01  openai openai/vendor/y 2",
        "a 2026-01-01 s anthropic anthropic/x 3",
        "a 2026-01-02 t anthropic anthropic/z 4",
        "b 2025-12-31 s anthropic anthropic/x 1",
    ];
    check(ledger, &everything, &expected).await;
}

/// Compares sums written as `<group> <group> <dollars>`.
async fn check(ledger: &dyn UsageLedger, by: &[UsageGroup], expected: &[&str]) {
    let found: Vec<_> = sums(ledger, by)
        .await
        .into_iter()
        .map(|sum| format!("{} {}", sum.group.join(" "), sum.cost.nanos() / 1_000_000_000))
        .collect();
    assert_eq!(found, expected, "{by:?}");
}

/// Not one sum of zero.
pub async fn sums_of_nothing_are_none(ledger: &dyn UsageLedger) {
    assert_eq!(sums(ledger, &[]).await, []);
    assert_eq!(sums(ledger, &[UsageGroup::Agent]).await, []);
}

/// Nonsense from a vendor is written, counted, and stops what comes after it.
pub async fn amounts_beyond_all_measure_do_no_harm(ledger: &dyn UsageLedger) {
    let huge = Money::from_nanos(u64::MAX);
    let usage = Usage { input: u64::MAX, total_tokens: u64::MAX, ..Usage::default() };
    for _ in 0..3 {
        call(ledger, UsageRecord { usage, duration_ms: u64::MAX, ..record("main", MIDNIGHT, huge) }).await;
        granted(ledger, hold("main", MIDNIGHT, huge)).await;
    }
    let sums = sums(ledger, &[UsageGroup::Agent]).await;
    assert_eq!(sums[0].calls, 3);
    assert!(sums[0].usage.input >= 1 << 40, "{sums:?}");
    let cap = limit(BudgetScope::Total, dollars(1_000_000_000));
    let refused = reserve(ledger, hold("main", MIDNIGHT, Money::from_nanos(1)), &[cap]).await;
    assert!(matches!(refused, Reservation::Refused { .. }), "{refused:?}");
}

/// However often it is imported, and beside calls that were reserved here.
pub async fn an_imported_call_counts_once_and_on_its_own_day(ledger: &dyn UsageLedger) {
    let import = async |names: &[&str], at, cost| {
        let call =
            |name: &&str| ImportedCall { dedup_key: (*name).to_owned(), record: record("main", at, cost) };
        ledger.import(names.iter().map(call).collect()).await.expect("a ledger in order imports")
    };
    assert_eq!(import(&["one", "two"], after(-1), dollars(1)).await, 2);
    assert_eq!(import(&["two", "three"], after(-1), dollars(1)).await, 1);
    assert_eq!(import(&["one"], after(5), dollars(64)).await, 0);
    assert_eq!(
        spent(ledger, &BudgetScope::Total).await,
        spending(0, 0),
        "days before today stay what they are"
    );
    assert_eq!(import(&["today"], after(1), dollars(2)).await, 1);
    call(ledger, record("main", after(2), dollars(4))).await;
    assert_eq!(spent(ledger, &BudgetScope::Total).await, spending(6, 0));
    assert_eq!(spent(ledger, &of("main")).await, spending(6, 0));
    let whole = sums(ledger, &[]).await;
    assert_eq!(whole.iter().map(|sum| (sum.calls, sum.cost)).collect::<Vec<_>>(), [(5, dollars(9))]);
}

/// Fifty at once under a limit for ten: ten get through, and after they are settled nobody more does.
pub async fn callers_together_never_pass_a_limit<L: UsageLedger + 'static>(ledger: Arc<L>) {
    let cap = limit(BudgetScope::Total, dollars(10));
    for _ in 0..2 {
        let mut callers = JoinSet::new();
        for _ in 0..50 {
            let (ledger, cap) = (Arc::clone(&ledger), cap.clone());
            callers.spawn(async move { reserve(&*ledger, hold("main", MIDNIGHT, dollars(1)), &[cap]).await });
        }
        for reservation in callers.join_all().await {
            if let Reservation::Granted(id) = reservation {
                settle(&*ledger, id, record("main", MIDNIGHT, dollars(1))).await;
            }
        }
        assert_eq!(spent(&*ledger, &BudgetScope::Total).await, spending(10, 0));
    }
}
