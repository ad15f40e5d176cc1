//! Books that cannot be kept for a while, and calls that end before they are sent.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use openclaw_agent::{CallStream, Models};
use openclaw_ports::model::FaultReason;
use openclaw_ports::stores::{
    BudgetScope, Hold, HoldId, ImportedCall, Limit, Reservation, Spending, StoreError, UsageGroup,
    UsageLedger, UsageQuery, UsageRecord, UsageSum,
};
use openclaw_providers::{Script, Scripts};
use openclaw_stores::memory::MemoryUsageLedger;
use openclaw_types::UnixMillis;
use serde_json::json;
use tokio::sync::Notify;

use crate::world::{Setup, World, ask, hear, key};

/// A ledger with troubles that a test switches on.
#[derive(Default)]
struct Troubled {
    inner: MemoryUsageLedger,
    /// Nothing can be closed.
    full: AtomicBool,
    /// Reservations never come back.
    stuck: AtomicBool,
    asked: Notify,
    /// A caller that leaves while its money is being set aside.
    leaving: Mutex<Option<CallStream>>,
}

impl Troubled {
    fn room(&self) -> Result<(), StoreError> {
        if self.full.load(Ordering::SeqCst) { Err(StoreError::Busy) } else { Ok(()) }
    }
}

#[async_trait]
impl UsageLedger for Troubled {
    async fn reserve(&self, hold: Hold, limits: Vec<Limit>) -> Result<Reservation, StoreError> {
        self.asked.notify_one();
        if self.stuck.load(Ordering::SeqCst) {
            std::future::pending::<()>().await;
        }
        drop(self.leaving.lock().unwrap().take());
        self.inner.reserve(hold, limits).await
    }

    async fn settle(&self, id: HoldId, record: UsageRecord) -> Result<(), StoreError> {
        self.room()?;
        self.inner.settle(id, record).await
    }

    async fn release(&self, id: HoldId) -> Result<(), StoreError> {
        self.room()?;
        self.inner.release(id).await
    }

    async fn settle_interrupted(&self, now: UnixMillis) -> Result<u64, StoreError> {
        self.inner.settle_interrupted(now).await
    }

    async fn import(&self, calls: Vec<ImportedCall>) -> Result<u64, StoreError> {
        self.inner.import(calls).await
    }

    async fn spent(&self, scope: &BudgetScope, within: Range<UnixMillis>) -> Result<Spending, StoreError> {
        self.inner.spent(scope, within).await
    }

    async fn sums(&self, query: UsageQuery, by: Vec<UsageGroup>) -> Result<Vec<UsageSum>, StoreError> {
        self.inner.sums(query, by).await
    }

    async fn records(&self, query: UsageQuery, limit: usize) -> Result<Vec<UsageRecord>, StoreError> {
        self.inner.records(query, limit).await
    }
}

async fn world(ledger: &Arc<Troubled>, scripts: impl Into<Scripts>) -> World {
    let config = json!({
        "agents": { "defaults": { "model": "alpha/one" } },
        "models": { "budgets": { "daily": 1.5 } },
    });
    let scripts = scripts.into().otherwise(Script::new().say("hi"));
    let ledger: Arc<dyn UsageLedger> = ledger.clone();
    Setup { ledger, ..Setup::new() }.config(config).scripts(scripts).build().await
}

/// What is spent, what is held, and how the calls that are counted ended.
async fn books(world: &World) -> (f64, f64, Vec<String>) {
    let always = UnixMillis(0)..UnixMillis(i64::MAX);
    let Spending { spent, held } = world.ledger.spent(&BudgetScope::Total, always).await.unwrap();
    let records = world.ledger.records(UsageQuery::default(), usize::MAX).await.unwrap();
    (spent.dollars(), held.dollars(), records.into_iter().map(|record| record.outcome).collect())
}

fn nothing() -> (f64, f64, Vec<String>) {
    (0.0, 0.0, Vec::new())
}

#[tokio::test]
async fn what_could_not_be_entered_is_entered_before_the_next_call_is_paid_for() {
    let ledger = Arc::new(Troubled::default());
    let world = world(&ledger, [Script::new().say("hi"), Script::new().fault(FaultReason::Overloaded)]).await;
    ledger.full.store(true, Ordering::SeqCst);
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "done"]);
    // What is still set aside leaves no room for a second call.
    let stopped = ["alpha/one alpha:1", "stopped by models.budgets.daily"];
    assert_eq!(world.call(ask()).await.story(), stopped);
    ledger.full.store(false, Ordering::SeqCst);
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "failed overloaded"]);
    world.settle().await;
    assert_eq!(books(&world).await, (0.02, 0.0, vec!["done".to_owned()]));
}

#[tokio::test]
async fn what_could_not_be_entered_is_entered_when_the_gateway_stops() {
    let ledger = Arc::new(Troubled::default());
    let world = world(&ledger, Script::new().fault(FaultReason::Overloaded)).await;
    ledger.full.store(true, Ordering::SeqCst);
    world.call(ask()).await;
    world.settle().await;
    assert!(books(&world).await.1 > 1.0);
    ledger.full.store(false, Ordering::SeqCst);
    Models::close_books(&world.models).await;
    assert_eq!(books(&world).await, nothing());
}

#[tokio::test]
async fn a_caller_who_leaves_while_a_key_is_fetched_leaves_nothing_behind() {
    let setup = Setup { keys: vec![key("alpha:stuck")], ..Setup::new() };
    let world = setup.build().await;
    let stream = world.models.call(ask());
    world.keys.until_stuck().await;
    drop(stream);
    world.settle().await;
    assert_eq!(books(&world).await, nothing());
}

#[tokio::test]
async fn a_stop_ends_calls_that_wait_for_a_key_or_for_money() {
    let setup = Setup { keys: vec![key("alpha:stuck")], ..Setup::new() };
    let waits_for_key = setup.build().await;
    let stream = waits_for_key.models.call(ask());
    waits_for_key.keys.until_stuck().await;
    waits_for_key.tasks.cancel();
    assert_eq!(hear(stream).await.story(), ["alpha/one alpha:stuck", "failed cancelled"]);

    let ledger = Arc::new(Troubled::default());
    ledger.stuck.store(true, Ordering::SeqCst);
    let waits_for_money = world(&ledger, Scripts::new()).await;
    let stream = waits_for_money.models.call(ask());
    ledger.asked.notified().await;
    waits_for_money.tasks.cancel();
    assert_eq!(hear(stream).await.story(), ["alpha/one alpha:1", "failed cancelled"]);
    waits_for_money.settle().await;
    assert_eq!(books(&waits_for_money).await, nothing());
}

#[tokio::test]
async fn a_call_that_was_paid_for_and_never_sent_gets_its_money_back() {
    let ledger = Arc::new(Troubled::default());
    let world = world(&ledger, Scripts::new()).await;
    // Nothing of the call runs before the test waits for it.
    *ledger.leaving.lock().unwrap() = Some(world.models.call(ask()));
    world.settle().await;
    assert_eq!(books(&world).await, nothing());
    assert_eq!(world.scripts.left(), 0);
    assert!(ledger.leaving.lock().unwrap().is_none());
}
