//! What models took and cost, call by call, and the money set aside for calls under way.
//!
//! A call reserves its worst case before it is sent and settles afterwards. Both are one transaction, so that many
//! callers together can never pass a limit, and a crash between them is seen at the next start.

use std::ops::Range;

use async_trait::async_trait;
use openclaw_types::{AgentId, AuthProfileId, ModelRef, Money, RunId, UnixMillis, Usage};

use super::StoreError;

/// Keeps usage and enforces limits.
#[async_trait]
pub trait UsageLedger: Send + Sync {
    /// Sets money aside for a call, unless that would pass one of the limits. Durable on return.
    async fn reserve(&self, hold: Hold, limits: Vec<Limit>) -> Result<Reservation, StoreError>;

    /// Ends a reservation with what the call really took. Once: settling again changes nothing.
    async fn settle(&self, id: HoldId, record: UsageRecord) -> Result<(), StoreError>;

    /// Ends a reservation of a call that took nothing.
    async fn release(&self, id: HoldId) -> Result<(), StoreError>;

    /// Ends the reservations of processes that died: each becomes a record with the cost of what was sent. Called
    /// once, at start. Says how many there were.
    async fn settle_interrupted(&self, now: UnixMillis) -> Result<u64, StoreError>;

    /// Adds calls that an earlier installation made. Each once: one whose name was added before is left as it is. Durable
    /// on return. Gives how many were new.
    async fn import(&self, calls: Vec<ImportedCall>) -> Result<u64, StoreError>;

    /// What a limit counts: records within a stretch of time, and all that is set aside, whenever that was.
    async fn spent(&self, scope: &BudgetScope, within: Range<UnixMillis>) -> Result<Spending, StoreError>;

    /// Sums, ordered by group.
    async fn sums(&self, query: UsageQuery, by: Vec<UsageGroup>) -> Result<Vec<UsageSum>, StoreError>;

    /// Single records, oldest first.
    async fn records(&self, query: UsageQuery, limit: usize) -> Result<Vec<UsageRecord>, StoreError>;
}

/// Money to set aside for one call.
#[derive(Debug, Clone, PartialEq)]
pub struct Hold {
    /// The run it belongs to.
    pub run: RunId,
    /// Who spends.
    pub agent: AgentId,
    /// In which session.
    pub session: Option<String>,
    /// The model that is called.
    pub model: ModelRef,
    /// When.
    pub at: UnixMillis,
    /// What it can cost at most.
    pub most: Money,
    /// What sending it costs in any case.
    pub least: Money,
}

/// Names a reservation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HoldId(pub i64);

/// Whether the money could be set aside.
#[derive(Debug, Clone, PartialEq)]
pub enum Reservation {
    /// It is.
    Granted(HoldId),
    /// It would pass this limit.
    Refused {
        /// The first limit in the way.
        limit: Limit,
        /// What is spent and set aside within it.
        spending: Spending,
    },
}

/// The most that may be spent within a stretch of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    /// By whom.
    pub scope: BudgetScope,
    /// In which stretch of time.
    pub window: BudgetWindow,
    /// When that stretch began.
    pub since: UnixMillis,
    /// When it ends. What a clock that was ahead dated later counts then, not now.
    pub until: UnixMillis,
    /// How much.
    pub cap: Money,
}

impl Limit {
    /// The stretch of time it counts.
    #[must_use]
    pub fn within(&self) -> Range<UnixMillis> {
        self.since..self.until
    }
}

/// Whose money.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BudgetScope {
    /// Of all agents together.
    Total,
    /// Of one agent.
    Agent(AgentId),
}

/// For how long.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BudgetWindow {
    /// From midnight to midnight.
    Day,
    /// From the first of a month to the next.
    Month,
}

/// Money gone and money set aside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spending {
    /// Settled.
    pub spent: Money,
    /// Reserved by calls under way.
    pub held: Money,
}

/// One call.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageRecord {
    /// The run it belonged to.
    pub run: RunId,
    /// Who called.
    pub agent: AgentId,
    /// In which session.
    pub session: Option<String>,
    /// The model that was called.
    pub model: ModelRef,
    /// The credential that was used.
    pub profile: Option<AuthProfileId>,
    /// When it was sent.
    pub at: UnixMillis,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// Its tokens.
    pub usage: Usage,
    /// What it cost; nothing when no price is known.
    pub cost: Option<Money>,
    /// How it ended: `done`, `interrupted`, or the reason of its fault.
    pub outcome: String,
}

/// A call that an earlier installation made.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportedCall {
    /// Tells it from all other calls, and is the same whenever it is imported.
    pub dedup_key: String,
    /// What it took. It counts on the day it was made, for limits too: it is money that was spent.
    pub record: UsageRecord,
}

/// Which records count.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UsageQuery {
    /// From this moment on.
    pub from: Option<UnixMillis>,
    /// Before this moment.
    pub until: Option<UnixMillis>,
    /// Of this agent.
    pub agent: Option<AgentId>,
    /// Of this session.
    pub session: Option<String>,
}

/// What sums are made by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UsageGroup {
    /// Days of a time zone this far east of Greenwich, written `2026-02-26`.
    Day {
        /// How far east.
        offset_minutes: i32,
    },
    /// Agents.
    Agent,
    /// Sessions; calls without one count under the empty name.
    Session,
    /// Models, as `<provider>/<model>`.
    Model,
    /// Vendors.
    Provider,
}

/// A sum.
#[derive(Debug, Clone, PartialEq)]
pub struct UsageSum {
    /// What it is the sum of, one text for each group asked for.
    pub group: Vec<String>,
    /// How many calls.
    pub calls: u64,
    /// How many of them have no known price.
    pub unpriced: u64,
    /// Their tokens; `cost` holds the parts in dollars where prices are known.
    pub usage: Usage,
    /// What they cost, where prices are known.
    pub cost: Money,
    /// The time they took together, in milliseconds.
    pub duration_ms: u64,
    /// The first of them.
    pub first: UnixMillis,
    /// The last of them.
    pub last: UnixMillis,
}
