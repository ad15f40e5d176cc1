//! Sums over usage: what a limit counts so far, and what people ask for by day, agent, session, model or vendor.
//!
//! Money is added up in two halves, because SQLite's own sum refuses to go beyond 63 bits. What a limit counts is read
//! from whole hours and from the records of the hours it begins and ends in.

use std::ops::Range;

use openclaw_ports::stores::{BudgetScope, Spending, UsageGroup, UsageQuery, UsageSum};
use openclaw_types::{Money, UnixMillis};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row, params, params_from_iter};

use super::rows;
use crate::error::Fault;
use crate::spending::{ahead, day_name};

const HOUR: i64 = 60 * 60 * 1000;

/// What is spent within a stretch of time, and all that is set aside, whenever that was.
pub(super) fn spending(
    connection: &Connection,
    scope: &BudgetScope,
    within: &Range<UnixMillis>,
) -> Result<Spending, Fault> {
    let [since, first, last, until] = edges(within);
    let (spent, held) = match scope {
        BudgetScope::Total => (OF_ALL, HELD_BY_ALL),
        BudgetScope::Agent(_) => (OF_AGENT, HELD_BY_AGENT),
    };
    let mut spent = connection.prepare_cached(spent)?;
    let mut held = connection.prepare_cached(held)?;
    let two_halves = |row: &Row<'_>| added(row, (0, 1));
    Ok(match scope {
        BudgetScope::Total => Spending {
            spent: spent.query_row(params![since, first, last, until], two_halves)?,
            held: held.query_row([], two_halves)?,
        },
        BudgetScope::Agent(agent) => Spending {
            spent: spent.query_row(params![since, first, last, until, agent.as_str()], two_halves)?,
            held: held.query_row([agent.as_str()], two_halves)?,
        },
    })
}

/// Where a stretch of time begins, where its whole hours begin and end, and where it ends.
pub(super) fn edges(within: &Range<UnixMillis>) -> [i64; 4] {
    let (since, until) = (within.start.0, within.end.0);
    let first = since.saturating_add(HOUR - 1).div_euclid(HOUR).saturating_mul(HOUR).min(until);
    let last = until.div_euclid(HOUR).saturating_mul(HOUR).max(first);
    [since, first, last, until]
}

/// What all agents spent: whole hours between the second and the third moment, and single records before and after.
pub(super) const OF_ALL: &str = "SELECT sum(cost >> 32), sum(cost & 4294967295) FROM (
    SELECT cost FROM usage_hours WHERE hour >= ?2 AND hour < ?3
    UNION ALL SELECT cost FROM usage_records WHERE at >= ?1 AND at < ?2
    UNION ALL SELECT cost FROM usage_records WHERE at >= ?3 AND at < ?4)";

/// The same for one agent.
pub(super) const OF_AGENT: &str = "SELECT sum(cost >> 32), sum(cost & 4294967295) FROM (
    SELECT cost FROM usage_hours WHERE agent = ?5 AND hour >= ?2 AND hour < ?3
    UNION ALL SELECT cost FROM usage_records WHERE agent = ?5 AND at >= ?1 AND at < ?2
    UNION ALL SELECT cost FROM usage_records WHERE agent = ?5 AND at >= ?3 AND at < ?4)";

const HELD_BY_ALL: &str = "SELECT sum(most >> 32), sum(most & 4294967295) FROM usage_holds";

const HELD_BY_AGENT: &str =
    "SELECT sum(most >> 32), sum(most & 4294967295) FROM usage_holds WHERE agent = ?1";

/// Reads an amount that was added up in two halves; sums of nothing are empty columns.
fn added(row: &Row<'_>, (high, low): (usize, usize)) -> rusqlite::Result<Money> {
    let half = |column| {
        Ok::<_, rusqlite::Error>(rows::count(row.get::<_, Option<i64>>(column)?.unwrap_or_default()))
    };
    let nanos = (u128::from(half(high)?) << 32) + u128::from(half(low)?);
    Ok(Money::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX)))
}

/// Adds up the records of a query by groups.
pub(super) fn sums(
    connection: &Connection,
    query: &UsageQuery,
    by: &[UsageGroup],
) -> Result<Vec<UsageSum>, Fault> {
    let (condition, values) = rows::condition(query);
    let keys: String = by.iter().map(|group| format!(", {}", key(*group))).collect();
    // Keys stand behind the sums, which therefore have fixed places.
    let grouping = if by.is_empty() {
        String::new()
    } else {
        let places: Vec<_> = (1..=by.len()).map(|place| (SUMS + place).to_string()).collect();
        format!("GROUP BY {}", places.join(", "))
    };
    let mut statement = connection.prepare_cached(&format!(
        "SELECT sum(input), sum(output), sum(cache_read), sum(cache_write), sum(total_tokens), sum(reasoning),
                sum(dollars_input), sum(dollars_output), sum(dollars_cache_read), sum(dollars_cache_write),
                sum(dollars_total), count(*), sum(cost IS NULL), sum(cost >> 32), sum(cost & 4294967295),
                sum(duration_ms), min(at), max(at){keys}
         FROM usage_records {condition} {grouping} HAVING count(*) > 0"
    ))?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut sums = Vec::new();
    while let Some(row) = rows.next()? {
        sums.push(sum(row, by.len())?);
    }
    sums.sort_by(|one, other| one.group.cmp(&other.group));
    Ok(sums)
}

/// How many columns stand before the keys.
const SUMS: usize = 18;

/// The expression that tells groups apart. A day is counted from 1970-01-01, rounded down also before that.
fn key(group: UsageGroup) -> String {
    match group {
        UsageGroup::Day { offset_minutes } => {
            let local = format!("(at + {})", ahead(offset_minutes));
            format!("({local} - (({local} % 86400000) + 86400000) % 86400000) / 86400000")
        }
        UsageGroup::Agent => "agent".to_owned(),
        UsageGroup::Session => "coalesce(session, '')".to_owned(),
        UsageGroup::Model => "provider || '/' || model".to_owned(),
        UsageGroup::Provider => "provider".to_owned(),
    }
}

fn sum(row: &Row<'_>, groups: usize) -> Result<UsageSum, Fault> {
    let group = (SUMS..SUMS + groups).map(|column| {
        Ok(match row.get_ref(column)? {
            ValueRef::Integer(day) => day_name(day),
            text => text.as_str().map_err(rusqlite::Error::from)?.to_owned(),
        })
    });
    Ok(UsageSum {
        group: group.collect::<Result<_, Fault>>()?,
        calls: rows::count(row.get(11)?),
        unpriced: rows::count(row.get(12)?),
        usage: rows::usage(row, 0)?,
        cost: added(row, (13, 14))?,
        duration_ms: rows::count(row.get(15)?),
        first: UnixMillis(row.get(16)?),
        last: UnixMillis(row.get(17)?),
    })
}
