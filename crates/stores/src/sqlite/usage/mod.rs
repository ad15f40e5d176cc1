//! Usage and reservations in SQLite.
//!
//! `reserve` decides inside the one write transaction, `owners` knows which processes live, `unclaimed` takes back what
//! a cancelled caller never heard of, `rows` maps records, `sums` adds them up. The rules themselves are in
//! `crate::spending`, shared with the twin in memory.

mod owners;
mod reserve;
mod rows;
mod sums;
mod unclaimed;

pub(super) use owners::Owners;
pub(super) use unclaimed::Unclaimed;

use std::ops::Range;
use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::stores::{
    BudgetScope, Flush, Hold, HoldId, ImportedCall, Limit, Reservation, Spending, StoreError, UsageGroup,
    UsageLedger, UsageQuery, UsageRecord, UsageSum,
};
use openclaw_types::UnixMillis;

use self::reserve::ReserveRequest;
use super::state_database::StateDatabase;
use crate::spending;

#[async_trait]
impl UsageLedger for StateDatabase {
    async fn reserve(&self, hold: Hold, limits: Vec<Limit>) -> Result<Reservation, StoreError> {
        let (owners, claim) = (Arc::clone(&self.owners), self.unclaimed.expect());
        let (mark, abandoned) = (claim.mark(), self.unclaimed.marks());
        let taken_back = abandoned.clone();
        // A limit protects a person's money; without one this is only counted.
        let flush = match limits.is_empty() {
            true => Flush::WithNext,
            false => Flush::Now,
        };
        let reservation = self
            .database
            .order("set money aside", flush, move |connection| {
                reserve::take_back(connection, &owners, &abandoned)?;
                reserve::reserve(connection, &owners, ReserveRequest { hold: &hold, limits: &limits, mark })
            })
            .await;
        claim.heard();
        if reservation.is_ok() {
            self.unclaimed.forget(&taken_back);
        }
        reservation
    }

    async fn settle(&self, id: HoldId, record: UsageRecord) -> Result<(), StoreError> {
        self.database
            .note("save what a call took", move |connection| reserve::settle(connection, id, &record))
            .await
    }

    async fn release(&self, id: HoldId) -> Result<(), StoreError> {
        self.database
            .note("release money set aside", move |connection| reserve::release(connection, id))
            .await
    }

    async fn settle_interrupted(&self, now: UnixMillis) -> Result<u64, StoreError> {
        let owners = Arc::clone(&self.owners);
        self.database
            .write("settle calls that were cut off", move |connection| {
                reserve::settle_dead(connection, &owners, now)
            })
            .await
    }

    async fn import(&self, calls: Vec<ImportedCall>) -> Result<u64, StoreError> {
        self.database
            .write("import usage", move |connection| {
                let mut new = 0;
                for ImportedCall { dedup_key, record } in &calls {
                    new += rows::import(connection, spending::imported_id(dedup_key), record)?;
                }
                Ok(new)
            })
            .await
    }

    async fn spent(&self, scope: &BudgetScope, within: Range<UnixMillis>) -> Result<Spending, StoreError> {
        let scope = scope.clone();
        self.database
            .read("read what was spent", move |connection| sums::spending(connection, &scope, &within))
            .await
    }

    async fn sums(&self, query: UsageQuery, by: Vec<UsageGroup>) -> Result<Vec<UsageSum>, StoreError> {
        self.database.read("add up usage", move |connection| sums::sums(connection, &query, &by)).await
    }

    async fn records(&self, query: UsageQuery, limit: usize) -> Result<Vec<UsageRecord>, StoreError> {
        self.database
            .read("read usage records", move |connection| rows::records(connection, &query, limit))
            .await
    }
}

#[cfg(test)]
mod tests;
