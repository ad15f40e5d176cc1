//! Reading the ledger a day at a time, so that a long history never lies in memory as a whole.

use openclaw_ports::stores::{StoreError, UsageGroup, UsageLedger, UsageQuery, UsageRecord, UsageSum};
use openclaw_types::{SessionId, SessionKey, UnixMillis};

use super::whose::{self, Whose};

/// The most calls that are read for one day.
const MOST_A_DAY: usize = 1 << 20;

/// The days on which there were calls, oldest first, each with a question for exactly its calls.
pub(super) async fn busy_days(
    ledger: &dyn UsageLedger,
    query: &UsageQuery,
) -> Result<Vec<UsageQuery>, StoreError> {
    let days = ledger.sums(query.clone(), vec![UsageGroup::Day { offset_minutes: 0 }]).await?;
    Ok(days.iter().map(|day| on_day(query, day)).collect())
}

fn on_day(query: &UsageQuery, day: &UsageSum) -> UsageQuery {
    UsageQuery {
        from: Some(day.first),
        until: Some(UnixMillis(day.last.0.saturating_add(1))),
        ..query.clone()
    }
}

/// The calls that a question of `busy_days` asks for, oldest first.
pub(super) async fn calls(ledger: &dyn UsageLedger, day: UsageQuery) -> Result<Vec<UsageRecord>, StoreError> {
    ledger.records(day, MOST_A_DAY).await
}

/// The latest calls of a session, oldest first.
pub(super) async fn latest_of(
    ledger: &dyn UsageLedger,
    key: &SessionKey,
    transcript: Option<&SessionId>,
    most: usize,
) -> Result<Vec<UsageRecord>, StoreError> {
    let is_unknown = *key == SessionKey::unknown();
    let mut latest = Vec::new();
    for question in whose::ledger_queries(key, transcript) {
        let mut found = 0;
        for day in busy_days(ledger, &question).await?.into_iter().rev() {
            let mut calls = calls(ledger, day).await?;
            if is_unknown {
                calls.retain(|record| Whose::noted(&record.agent, record.session.as_deref()).key == *key);
            }
            found += calls.len();
            latest.extend(calls);
            if found >= most {
                break;
            }
        }
    }
    latest.sort_by_key(|record| record.at);
    latest.drain(..latest.len().saturating_sub(most));
    Ok(latest)
}
