//! Usage records as rows, and which rows a query means.
//!
//! Numbers that do not fit are stored as the largest that does: a vendor that reports nonsense must not make a record
//! unwritable, nor a sum overflow.

use std::str::FromStr;

use openclaw_ports::stores::{HoldId, UsageQuery, UsageRecord};
use openclaw_types::{AuthProfileId, Cost, ModelRef, Money, UnixMillis, Usage};
use rusqlite::types::Value;
use rusqlite::{Connection, Row, params, params_from_iter};

use crate::error::Fault;
use crate::sqlite::columns::parsed;

/// More tokens or milliseconds than any call takes; millions of such records can still be added up.
const MOST_COUNTED: i64 = 1 << 40;

const INSERT: &str = "INSERT INTO usage_records
     (id, run, agent, session, provider, model, profile, at, duration_ms, outcome, cost,
      input, output, cache_read, cache_write, total_tokens, reasoning,
      dollars_input, dollars_output, dollars_cache_read, dollars_cache_write, dollars_total)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22)";

/// Writes a record under the id of the reservation it settles.
pub(super) fn insert(connection: &Connection, id: HoldId, record: &UsageRecord) -> Result<(), Fault> {
    write(connection, INSERT, id, record).map(drop)
}

/// Writes a record unless its id is known; gives how many were written.
pub(super) fn import(connection: &Connection, id: HoldId, record: &UsageRecord) -> Result<u64, Fault> {
    write(connection, &format!("{INSERT} ON CONFLICT (id) DO NOTHING"), id, record)
}

fn write(connection: &Connection, sql: &str, id: HoldId, record: &UsageRecord) -> Result<u64, Fault> {
    let usage = &record.usage;
    let dollars = |part: fn(&Cost) -> f64| usage.cost.as_ref().map(part).map(finite);
    let written = connection.prepare_cached(sql)?.execute(params![
        id.0,
        record.run.as_str(),
        record.agent.as_str(),
        record.session,
        record.model.provider().as_str(),
        record.model.model(),
        record.profile.as_ref().map(AuthProfileId::as_str),
        record.at.0,
        stored_count(record.duration_ms),
        record.outcome,
        record.cost.map(stored_money),
        stored_count(usage.input),
        stored_count(usage.output),
        stored_count(usage.cache_read),
        stored_count(usage.cache_write),
        stored_count(usage.total_tokens),
        stored_count(usage.reasoning),
        dollars(|cost| cost.input),
        dollars(|cost| cost.output),
        dollars(|cost| cost.cache_read),
        dollars(|cost| cost.cache_write),
        dollars(|cost| cost.total),
    ])?;
    Ok(written as u64)
}

/// Reads records, oldest first.
pub(super) fn records(
    connection: &Connection,
    query: &UsageQuery,
    limit: usize,
) -> Result<Vec<UsageRecord>, Fault> {
    let (condition, mut values) = condition(query);
    values.push(Value::Integer(i64::try_from(limit).unwrap_or(i64::MAX)));
    let mut statement = connection.prepare_cached(&format!(
        "SELECT run, agent, session, provider, model, profile, at, duration_ms, outcome, cost,
                input, output, cache_read, cache_write, total_tokens, reasoning,
                dollars_input, dollars_output, dollars_cache_read, dollars_cache_write, dollars_total, id
         FROM usage_records {condition} ORDER BY at, id LIMIT ?"
    ))?;
    let mut rows = statement.query(params_from_iter(values))?;
    let mut records = Vec::new();
    while let Some(row) = rows.next()? {
        records.push(record(row)?);
    }
    Ok(records)
}

fn record(row: &Row<'_>) -> Result<UsageRecord, Fault> {
    let id: i64 = row.get(21)?;
    let what = || format!("usage record {id}");
    let profile: Option<String> = row.get(5)?;
    Ok(UsageRecord {
        run: parsed_column(row, 0, what)?,
        agent: parsed_column(row, 1, what)?,
        session: row.get(2)?,
        model: model(row, (3, 4), what)?,
        profile: profile.map(|profile| parsed(&profile, what)).transpose()?,
        at: UnixMillis(row.get(6)?),
        duration_ms: count(row.get(7)?),
        usage: usage(row, 10)?,
        cost: row.get::<_, Option<i64>>(9)?.map(money),
        outcome: row.get(8)?,
    })
}

/// Reads six counts from column `first` on, and the five parts of the cost behind them.
pub(super) fn usage(row: &Row<'_>, first: usize) -> Result<Usage, Fault> {
    let counted = |column: usize| Ok::<_, Fault>(count(row.get(first + column)?));
    let dollars =
        |column: usize| Ok::<_, Fault>(row.get::<_, Option<f64>>(first + column)?.unwrap_or_default());
    let cost = match row.get::<_, Option<f64>>(first + 10)? {
        Some(total) => Some(Cost {
            input: dollars(6)?,
            output: dollars(7)?,
            cache_read: dollars(8)?,
            cache_write: dollars(9)?,
            total,
        }),
        None => None,
    };
    Ok(Usage {
        input: counted(0)?,
        output: counted(1)?,
        cache_read: counted(2)?,
        cache_write: counted(3)?,
        total_tokens: counted(4)?,
        reasoning: counted(5)?,
        cost,
    })
}

/// The `WHERE` of a query with its values, written so that the indexes on time serve it.
pub(super) fn condition(query: &UsageQuery) -> (String, Vec<Value>) {
    let text = |text: &str| Value::Text(text.to_owned());
    let parts = [
        ("at >= ?", query.from.map(|from| Value::Integer(from.0))),
        ("at < ?", query.until.map(|until| Value::Integer(until.0))),
        ("agent = ?", query.agent.as_ref().map(|agent| text(agent.as_str()))),
        ("session = ?", query.session.as_deref().map(text)),
    ];
    let (tests, values): (Vec<_>, Vec<_>) =
        parts.into_iter().filter_map(|(test, value)| Some((test, value?))).unzip();
    match tests.is_empty() {
        true => (String::new(), values),
        false => (format!("WHERE {}", tests.join(" AND ")), values),
    }
}

/// Parses the text of a column.
pub(super) fn parsed_column<T>(row: &Row<'_>, column: usize, what: impl Fn() -> String) -> Result<T, Fault>
where
    T: FromStr,
    T::Err: std::fmt::Display,
{
    parsed(&row.get::<_, String>(column)?, what)
}

/// Joins the columns of a vendor and its model.
pub(super) fn model(
    row: &Row<'_>,
    (provider, model): (usize, usize),
    what: impl Fn() -> String,
) -> Result<ModelRef, Fault> {
    let name: String = row.get(model)?;
    ModelRef::new(parsed_column(row, provider, &what)?, &name)
        .map_err(|error| Fault::Corrupt(format!("{}: {error}", what())))
}

/// An amount as it is stored.
pub(super) fn stored_money(money: Money) -> i64 {
    i64::try_from(money.nanos()).unwrap_or(i64::MAX)
}

/// A stored amount.
pub(super) fn money(nanos: i64) -> Money {
    Money::from_nanos(count(nanos))
}

fn stored_count(count: u64) -> i64 {
    i64::try_from(count).map_or(MOST_COUNTED, |count| count.min(MOST_COUNTED))
}

/// A stored count; what is negative was never written by us and counts as nothing.
pub(super) fn count(stored: i64) -> u64 {
    u64::try_from(stored).unwrap_or_default()
}

/// SQLite keeps no value that is not a number.
fn finite(dollars: f64) -> f64 {
    if dollars.is_finite() { dollars } else { 0.0 }
}
