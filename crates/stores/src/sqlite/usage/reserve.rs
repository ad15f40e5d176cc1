//! Reservations: made, settled and released, each in the one write transaction its caller is in.
//!
//! The writer runs jobs one after the other under SQLite's write lock, across processes too, so what is counted here
//! cannot change before the reservation is written: together, callers never pass a limit.

use openclaw_ports::stores::{Hold, HoldId, Limit, Reservation, Spending, UsageRecord};
use openclaw_types::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::owners::{Owner, Owners};
use super::rows::{self, stored_money};
use super::sums;
use super::unclaimed::Mark;
use crate::error::Fault;
use crate::spending;

/// A reservation that is asked for.
#[derive(Clone, Copy)]
pub(super) struct ReserveRequest<'a> {
    pub(super) hold: &'a Hold,
    pub(super) limits: &'a [Limit],
    pub(super) mark: Mark,
}

/// Sets money aside, unless a limit is in the way.
pub(super) fn reserve(
    connection: &Connection,
    owners: &Owners,
    asked: ReserveRequest<'_>,
) -> Result<Reservation, Fault> {
    let ReserveRequest { hold, limits, mark } = asked;
    let mut obstacle = in_the_way(connection, hold, limits)?;
    // Only what living processes hold may stand in the way.
    if obstacle.is_some() && settle_dead(connection, owners, hold.at)? > 0 {
        obstacle = in_the_way(connection, hold, limits)?;
    }
    if let Some((limit, spending)) = obstacle {
        return Ok(Reservation::Refused { limit: limit.clone(), spending });
    }
    insert(connection, (&own_name(owners)?, mark), hold).map(Reservation::Granted)
}

fn own_name(owners: &Owners) -> Result<String, Fault> {
    owners.own_name().map_err(|error| Fault::Refused(error.into()))
}

fn in_the_way<'a>(
    connection: &Connection,
    hold: &Hold,
    limits: &'a [Limit],
) -> Result<Option<(&'a Limit, Spending)>, Fault> {
    for limit in limits {
        let spending = sums::spending(connection, &limit.scope, &limit.within())?;
        if spending::passes_limit(limit, spending, hold.most) {
            return Ok(Some((limit, spending)));
        }
    }
    Ok(None)
}

fn insert(connection: &Connection, (owner, mark): (&str, Mark), hold: &Hold) -> Result<HoldId, Fault> {
    connection
        .prepare_cached(
            "INSERT INTO usage_holds (owner, mark, run, agent, session, provider, model, at, most, least)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            owner,
            mark.0,
            hold.run.as_str(),
            hold.agent.as_str(),
            hold.session,
            hold.model.provider().as_str(),
            hold.model.model(),
            hold.at.0,
            stored_money(hold.most),
            stored_money(hold.least),
        ])?;
    Ok(HoldId(connection.last_insert_rowid()))
}

/// Turns a reservation into a record. Without the reservation nothing is written: it was settled or released before.
pub(super) fn settle(connection: &Connection, id: HoldId, record: &UsageRecord) -> Result<(), Fault> {
    match remove(connection, id)? {
        Removed::Was => rows::insert(connection, id, record),
        Removed::WasNot => Ok(()),
    }
}

/// Ends a reservation without a record.
pub(super) fn release(connection: &Connection, id: HoldId) -> Result<(), Fault> {
    remove(connection, id).map(drop)
}

/// Ends the reservations of our own callers that never heard of them.
pub(super) fn take_back(connection: &Connection, owners: &Owners, marks: &[Mark]) -> Result<(), Fault> {
    for mark in marks {
        connection
            .prepare_cached("DELETE FROM usage_holds WHERE owner = ?1 AND mark = ?2")?
            .execute(params![own_name(owners)?, mark.0])?;
    }
    Ok(())
}

/// Whether a reservation was there to be removed.
enum Removed {
    Was,
    WasNot,
}

fn remove(connection: &Connection, id: HoldId) -> Result<Removed, Fault> {
    let removed = connection.prepare_cached("DELETE FROM usage_holds WHERE id = ?1")?.execute([id.0])?;
    Ok(if removed > 0 { Removed::Was } else { Removed::WasNot })
}

/// Settles the reservations of processes that are gone; says how many there were.
pub(super) fn settle_dead(connection: &Connection, owners: &Owners, now: UnixMillis) -> Result<u64, Fault> {
    let mut settled = 0;
    for owner in names(connection)? {
        if owners.look(&owner).map_err(|error| Fault::Refused(error.into()))? == Owner::IsGone {
            settled += settle_all_of(connection, &owner, now)?;
        }
    }
    if let Err(error) = owners.sweep() {
        tracing::warn!(%error, "lock files of ended processes could not be removed");
    }
    Ok(settled)
}

fn names(connection: &Connection) -> Result<Vec<String>, Fault> {
    let mut statement = connection.prepare_cached("SELECT DISTINCT owner FROM usage_holds ORDER BY owner")?;
    let names = statement.query_map([], |row| row.get(0))?;
    Ok(names.collect::<rusqlite::Result<_>>()?)
}

fn settle_all_of(connection: &Connection, owner: &str, now: UnixMillis) -> Result<u64, Fault> {
    let mut settled = 0;
    while let Some((id, hold)) = first_of(connection, owner)? {
        settle(connection, id, &spending::interrupted(hold, now))?;
        settled += 1;
    }
    Ok(settled)
}

fn first_of(connection: &Connection, owner: &str) -> Result<Option<(HoldId, Hold)>, Fault> {
    connection
        .prepare_cached(
            "SELECT id, run, agent, session, provider, model, at, most, least FROM usage_holds
             WHERE owner = ?1 ORDER BY id LIMIT 1",
        )?
        .query_row([owner], |row| Ok(held(row)))
        .optional()?
        .transpose()
}

fn held(row: &Row<'_>) -> Result<(HoldId, Hold), Fault> {
    let id = row.get(0)?;
    let what = || format!("reservation {id}");
    let hold = Hold {
        run: rows::parsed_column(row, 1, what)?,
        agent: rows::parsed_column(row, 2, what)?,
        session: row.get(3)?,
        model: rows::model(row, (4, 5), what)?,
        at: UnixMillis(row.get(6)?),
        most: rows::money(row.get(7)?),
        least: rows::money(row.get(8)?),
    };
    Ok((HoldId(id), hold))
}
