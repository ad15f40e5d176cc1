//! How much work a limit is when a month had many calls. Steps of SQLite's machine are counted, not time.

use openclaw_ports::stores::{BudgetScope, UsageGroup, UsageQuery};
use openclaw_testkit::TempHome;
use openclaw_testkit::conformance::usage::{MIDNIGHT, after, dollars, of};
use openclaw_types::Money;
use rusqlite::{Connection, StatementStatus, params};

use super::super::open;
use super::super::state_database::SCHEMA;
use super::{rows, sums};

const MONTH: i64 = 31 * 24 * 3_600_000;
const CALLS: i64 = 100_000;

/// A month of calls by ten agents, a cent each, evenly spread.
fn busy_month(home: &TempHome) -> Connection {
    let connection = open::writing(&home.path("gateway.sqlite"), &SCHEMA, MIDNIGHT).unwrap();
    connection
        .execute(
            "WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n + 1 < ?1)
             INSERT INTO usage_records
             SELECT n, 'run-' || n, 'agent-' || (n % 10), 'agent:main:s' || (n % 100), 'anthropic', 'claude', 'p',
                    ?2 + n * (?3 / ?1), 1000, 'done', 10000000, 1, 2, 3, 4, 10, 0, 0.25, 0.25, 0.25, 0.25, 1.0
             FROM numbers",
            params![CALLS, MIDNIGHT.0, MONTH],
        )
        .unwrap();
    connection
}

/// Runs a statement to its end and counts the steps.
fn steps(connection: &Connection, sql: &str, values: &[&dyn rusqlite::ToSql]) -> i32 {
    let mut statement = connection.prepare(sql).unwrap();
    let mut rows = statement.query(values).unwrap();
    while rows.next().unwrap().is_some() {}
    drop(rows);
    statement.get_status(StatementStatus::VmStep)
}

#[test]
fn a_limit_is_looked_up_in_hours_however_many_calls_a_month_had() {
    let home = TempHome::new();
    let connection = busy_month(&home);
    let whole = sums::spending(&connection, &BudgetScope::Total, &(MIDNIGHT..after(MONTH))).unwrap();
    assert_eq!(whole.spent, dollars(1_000));
    let since_half_past = after(1_800_000);
    let within = since_half_past..after(MONTH - 1);
    let one = sums::spending(&connection, &of("agent-3"), &within).unwrap();
    assert!(one.spent > dollars(99) && one.spent < dollars(100), "{one:?}");
    let [since, first, last, until] = sums::edges(&within);
    let of_all = steps(&connection, sums::OF_ALL, &[&since, &first, &last, &until]);
    let of_agent = steps(&connection, sums::OF_AGENT, &[&since, &first, &last, &until, &"agent-3"]);
    eprintln!("a limit over {CALLS} calls: {of_all} steps for all agents, {of_agent} for one");
    // Adding up the records themselves takes about ten steps for each: a million.
    assert!(of_all < 120_000 && of_agent < 12_000, "{of_all} {of_agent}");
}

#[test]
fn queries_for_a_stretch_of_time_read_no_more_than_that_stretch() {
    let home = TempHome::new();
    let connection = busy_month(&home);
    let hour = |query| UsageQuery { from: Some(after(0)), until: Some(after(3_600_000)), ..query };
    let queries = [
        UsageQuery::default(),
        UsageQuery { agent: Some("agent-3".parse().unwrap()), ..UsageQuery::default() },
        UsageQuery { session: Some("agent:main:s3".to_owned()), ..UsageQuery::default() },
    ];
    for query in queries.map(hour) {
        let (condition, _) = rows::condition(&query);
        let sql = format!("EXPLAIN QUERY PLAN SELECT sum(cost) FROM usage_records {condition}");
        let plan: String = connection
            .query_row(&sql, rusqlite::params_from_iter(rows::condition(&query).1), |row| row.get(3))
            .unwrap();
        assert!(plan.starts_with("SEARCH usage_records USING INDEX"), "{query:?}: {plan}");
        assert!(plan.contains("at>? AND at<?"), "{query:?}: {plan}");
    }
    let day = UsageQuery { until: Some(after(24 * 3_600_000)), ..UsageQuery::default() };
    let found = sums::sums(&connection, &day, &[UsageGroup::Day { offset_minutes: 0 }]).unwrap();
    assert_eq!(found[0].cost, Money::from_nanos(found[0].calls * 10_000_000));
}
