//! Usage and reservations in memory: the twin of `sqlite::usage`.
//!
//! One lock over everything makes each reservation one step, as the write transaction does in SQLite. Sums walk all
//! records.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Mutex;

use async_trait::async_trait;
use openclaw_ports::stores::{
    BudgetScope, Hold, HoldId, ImportedCall, Limit, Reservation, Spending, StoreError, UsageGroup,
    UsageLedger, UsageQuery, UsageRecord, UsageSum,
};
use openclaw_types::{AgentId, Money, UnixMillis, Usage};

use super::lock;
use crate::spending;

/// Keeps usage as long as the process lives.
#[derive(Debug, Default)]
pub struct MemoryUsageLedger {
    books: Mutex<Books>,
}

#[derive(Debug, Default)]
struct Books {
    last_hold: i64,
    holds: BTreeMap<HoldId, Hold>,
    /// Reservations of a process that is gone, as far as this store is told.
    forsaken: BTreeMap<HoldId, Hold>,
    records: BTreeMap<(UnixMillis, HoldId), UsageRecord>,
    /// The ids of calls that were imported.
    imported: BTreeSet<HoldId>,
}

impl MemoryUsageLedger {
    /// Treats the reservations that are open now as those of a process that died, for tests of what comes after.
    pub fn forsake_holds(&self) {
        let mut books = lock(&self.books);
        let holds = std::mem::take(&mut books.holds);
        books.forsaken.extend(holds);
    }
}

#[async_trait]
impl UsageLedger for MemoryUsageLedger {
    async fn reserve(&self, hold: Hold, limits: Vec<Limit>) -> Result<Reservation, StoreError> {
        let mut books = lock(&self.books);
        if books.in_the_way(&hold, &limits).is_some() {
            // Only what living processes hold may stand in the way.
            books.settle_forsaken(hold.at);
        }
        if let Some((limit, spending)) = books.in_the_way(&hold, &limits) {
            return Ok(Reservation::Refused { limit: limit.clone(), spending });
        }
        books.last_hold += 1;
        let id = HoldId(books.last_hold);
        books.holds.insert(id, hold);
        Ok(Reservation::Granted(id))
    }

    async fn settle(&self, id: HoldId, record: UsageRecord) -> Result<(), StoreError> {
        let mut books = lock(&self.books);
        if books.end(id).is_some() {
            books.records.insert((record.at, id), record);
        }
        Ok(())
    }

    async fn release(&self, id: HoldId) -> Result<(), StoreError> {
        lock(&self.books).end(id);
        Ok(())
    }

    async fn settle_interrupted(&self, now: UnixMillis) -> Result<u64, StoreError> {
        Ok(lock(&self.books).settle_forsaken(now))
    }

    async fn import(&self, calls: Vec<ImportedCall>) -> Result<u64, StoreError> {
        let mut books = lock(&self.books);
        let mut new = 0;
        for ImportedCall { dedup_key, record } in calls {
            let id = spending::imported_id(&dedup_key);
            if books.imported.insert(id) {
                books.records.insert((record.at, id), record);
                new += 1;
            }
        }
        Ok(new)
    }

    async fn spent(&self, scope: &BudgetScope, within: Range<UnixMillis>) -> Result<Spending, StoreError> {
        Ok(lock(&self.books).spending(scope, &within))
    }

    async fn sums(&self, query: UsageQuery, by: Vec<UsageGroup>) -> Result<Vec<UsageSum>, StoreError> {
        let books = lock(&self.books);
        let mut sums = BTreeMap::<Vec<String>, UsageSum>::new();
        for record in books.matching(&query) {
            let group: Vec<_> = by.iter().map(|group| name_in(*group, record)).collect();
            let sum = sums.entry(group.clone()).or_insert_with(|| nothing(group, record.at));
            add(sum, record);
        }
        Ok(sums.into_values().collect())
    }

    async fn records(&self, query: UsageQuery, limit: usize) -> Result<Vec<UsageRecord>, StoreError> {
        Ok(lock(&self.books).matching(&query).take(limit).cloned().collect())
    }
}

impl Books {
    /// The first limit that the hold would pass.
    fn in_the_way<'a>(&self, hold: &Hold, limits: &'a [Limit]) -> Option<(&'a Limit, Spending)> {
        limits
            .iter()
            .map(|limit| (limit, self.spending(&limit.scope, &limit.within())))
            .find(|(limit, spending)| spending::passes_limit(limit, *spending, hold.most))
    }

    fn spending(&self, scope: &BudgetScope, within: &Range<UnixMillis>) -> Spending {
        let counts = |agent: &AgentId| match scope {
            BudgetScope::Total => true,
            BudgetScope::Agent(one) => one == agent,
        };
        let records = self.records.values().filter(|record| within.contains(&record.at));
        let holds = self.holds.values().chain(self.forsaken.values());
        Spending {
            spent: records
                .filter(|record| counts(&record.agent))
                .map(|record| record.cost.unwrap_or_default())
                .sum(),
            held: holds.filter(|hold| counts(&hold.agent)).map(|hold| hold.most).sum(),
        }
    }

    fn end(&mut self, id: HoldId) -> Option<Hold> {
        self.holds.remove(&id).or_else(|| self.forsaken.remove(&id))
    }

    fn settle_forsaken(&mut self, now: UnixMillis) -> u64 {
        let forsaken = std::mem::take(&mut self.forsaken);
        let count = forsaken.len() as u64;
        for (id, hold) in forsaken {
            let record = spending::interrupted(hold, now);
            self.records.insert((record.at, id), record);
        }
        count
    }

    fn matching(&self, query: &UsageQuery) -> impl Iterator<Item = &UsageRecord> {
        self.records.values().filter(|record| {
            query.from.is_none_or(|from| record.at >= from)
                && query.until.is_none_or(|until| record.at < until)
                && query.agent.as_ref().is_none_or(|agent| record.agent == *agent)
                && query.session.as_ref().is_none_or(|session| record.session.as_ref() == Some(session))
        })
    }
}

fn name_in(group: UsageGroup, record: &UsageRecord) -> String {
    match group {
        UsageGroup::Day { offset_minutes } => spending::day_name(spending::day_of(record.at, offset_minutes)),
        UsageGroup::Agent => record.agent.to_string(),
        UsageGroup::Session => record.session.clone().unwrap_or_default(),
        UsageGroup::Model => record.model.to_string(),
        UsageGroup::Provider => record.model.provider().to_string(),
    }
}

fn nothing(group: Vec<String>, at: UnixMillis) -> UsageSum {
    UsageSum {
        group,
        calls: 0,
        unpriced: 0,
        usage: Usage::default(),
        cost: Money::ZERO,
        duration_ms: 0,
        first: at,
        last: at,
    }
}

fn add(sum: &mut UsageSum, record: &UsageRecord) {
    sum.calls += 1;
    sum.unpriced += u64::from(record.cost.is_none());
    sum.usage = sum.usage.plus(&record.usage);
    sum.cost = sum.cost + record.cost.unwrap_or_default();
    sum.duration_ms = sum.duration_ms.saturating_add(record.duration_ms);
    sum.first = sum.first.min(record.at);
    sum.last = sum.last.max(record.at);
}
