//! `usage.cost`: tokens and money by day, and how much of the limits on spending is used.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use openclaw_ports::model::OpenLimit;
use openclaw_ports::stores::{BudgetScope, BudgetWindow, StoreError, UsageGroup, UsageLedger, UsageQuery};
use openclaw_protocol::methods::usage::{
    BudgetOwner, BudgetPeriod, BudgetStatus, DayCount, UsageCostParams, UsageCostResult,
};
use openclaw_protocol::{ErrorShape, Num};
use openclaw_types::UnixMillis;

use super::range::{DayRange, DayZone, RequestedDates};
use super::tally::Tally;
use super::unreadable;
use crate::methods::models::ModelServices;
use crate::methods::registry::Call;

/// How long an answer holds.
const FRESH: Duration = Duration::from_secs(30);
/// How many different questions are remembered.
const CAPACITY: usize = 32;

/// Answers of the last half minute. When full, the oldest makes room.
#[derive(Default)]
pub(super) struct CostCache(Mutex<HashMap<CostKey, Kept>>);

type CostKey = (UnixMillis, UnixMillis, DayZone);

struct Kept {
    since: Duration,
    result: UsageCostResult,
}

impl CostCache {
    fn find(&self, key: &CostKey, now: Duration) -> Option<UsageCostResult> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, kept| now.saturating_sub(kept.since) < FRESH);
        kept.get(key).map(|kept| kept.result.clone())
    }

    fn keep(&self, key: CostKey, now: Duration, result: UsageCostResult) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= CAPACITY && !kept.contains_key(&key) {
            let oldest = kept.iter().min_by_key(|(_, kept)| kept.since).map(|(key, _)| *key);
            oldest.map(|oldest| kept.remove(&oldest));
        }
        kept.insert(key, Kept { since: now, result });
    }
}

/// Answers the method. Limits are always as of now; the rest may be half a minute old.
pub(super) async fn cost(
    call: &Call,
    services: &ModelServices,
    cache: &CostCache,
    params: &UsageCostParams,
) -> Result<UsageCostResult, ErrorShape> {
    let clock = call.context.clock.as_ref();
    let zone = DayZone::asked(params.mode, params.utc_offset.as_deref());
    let asked = RequestedDates {
        start: params.start_date.as_deref(),
        end: params.end_date.as_deref(),
        days: params.days.as_ref().and_then(DayCount::number),
    };
    let range = DayRange::of(asked, &zone.rules(), clock.now());
    let key = (range.from, range.until, zone);
    let mut result = match cache.find(&key, clock.elapsed()) {
        Some(result) => result,
        None => {
            let ledger = services.ledger.as_ref();
            let result = summarize(ledger, &range, zone, clock.now()).await.map_err(unreadable)?;
            cache.keep(key, clock.elapsed(), result.clone());
            result
        }
    };
    let limits = services.limits.limits(clock.now());
    if !limits.is_empty() {
        result.budgets = Some(budgets(services.ledger.as_ref(), &limits).await.map_err(unreadable)?);
    }
    Ok(result)
}

async fn summarize(
    ledger: &dyn UsageLedger,
    range: &DayRange,
    zone: DayZone,
    now: UnixMillis,
) -> Result<UsageCostResult, StoreError> {
    let mut daily = BTreeMap::<String, Tally>::new();
    for stretch in range.stretches(&zone.rules()) {
        let query =
            UsageQuery { from: Some(stretch.from), until: Some(stretch.until), ..UsageQuery::default() };
        let by_day = vec![UsageGroup::Day { offset_minutes: stretch.minutes_east }];
        for sum in ledger.sums(query, by_day).await? {
            let date = sum.group.first().cloned().unwrap_or_default();
            daily.entry(date).or_default().add(&Tally::of_sum(&sum));
        }
    }
    let total = daily.values().fold(Tally::default(), |total, day| total.plus(day));
    Ok(UsageCostResult {
        updated_at: now,
        days: range.counted(),
        daily: daily.iter().map(|(date, day)| day.on(date)).collect(),
        totals: total.totals(),
        budgets: None,
    })
}

async fn budgets(ledger: &dyn UsageLedger, limits: &[OpenLimit]) -> Result<Vec<BudgetStatus>, StoreError> {
    let mut budgets = Vec::with_capacity(limits.len());
    for OpenLimit { limit, resets_at } in limits {
        let spending = ledger.spent(&limit.scope, limit.within()).await?;
        let (scope, agent_id) = match &limit.scope {
            BudgetScope::Total => (BudgetOwner::Total, None),
            BudgetScope::Agent(agent) => (BudgetOwner::Agent, Some(agent.to_string())),
        };
        budgets.push(BudgetStatus {
            scope,
            agent_id,
            window: match limit.window {
                BudgetWindow::Day => BudgetPeriod::Day,
                BudgetWindow::Month => BudgetPeriod::Month,
            },
            cap: Num(limit.cap.dollars()),
            spent: Num(spending.spent.dollars()),
            held: Num(spending.held.dollars()),
            resets_at: *resets_at,
        });
    }
    Ok(budgets)
}
