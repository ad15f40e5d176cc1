//! Random reservations, settlements and crashes on SQLite, on its twin in memory, and on a list that is added up
//! anew each time.
//!
//! The seed is printed; `OPENCLAW_TEST_SEED` replays it. A crash drops the database without closing it.
#![expect(clippy::unwrap_used, reason = "a test fails where something is wrong")]

use std::ops::Range;
use std::sync::Arc;

use openclaw_ports::SystemClock;
use openclaw_ports::stores::{
    BudgetScope, BudgetWindow, Hold, HoldId, Limit, Reservation, Spending, UsageGroup, UsageLedger,
    UsageQuery, UsageRecord,
};
use openclaw_stores::memory::MemoryUsageLedger;
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_testkit::conformance::usage::{after, hold, of, record};
use openclaw_testkit::{Random, TempHome};
use openclaw_types::{AgentId, Money, UnixMillis};

const STEPS: usize = 1_000;
const AGENTS: [&str; 3] = ["a", "b", "c"];
const HOUR: u64 = 3_600_000;

/// The ledger as a list: what is open, what is done.
#[derive(Default)]
struct List {
    open: Vec<(HoldId, Hold)>,
    done: Vec<(AgentId, UnixMillis, Money)>,
}

impl List {
    fn spending(&self, scope: &BudgetScope, stretch: &Range<UnixMillis>) -> Spending {
        let within =
            |agent: &AgentId| *scope == BudgetScope::Total || *scope == BudgetScope::Agent(agent.clone());
        let spent = self.done.iter().filter(|(agent, at, _)| within(agent) && stretch.contains(at));
        let held = self.open.iter().filter(|(_, hold)| within(&hold.agent));
        Spending { spent: spent.map(|(.., cost)| *cost).sum(), held: held.map(|(_, hold)| hold.most).sum() }
    }

    /// The first limit that is passed, counted in whole numbers that cannot overflow.
    fn refuses(&self, hold: &Hold, limits: &[Limit]) -> Option<(Limit, Spending)> {
        let nanos = |money: Money| u128::from(money.nanos());
        limits.iter().find_map(|limit| {
            let spending = self.spending(&limit.scope, &limit.within());
            let wanted = nanos(spending.spent) + nanos(spending.held) + nanos(hold.most);
            let passed = hold.most != Money::ZERO && wanted > nanos(limit.cap);
            passed.then(|| (limit.clone(), spending))
        })
    }

    fn end(&mut self, index: usize, cost: Option<Money>) {
        let (_, hold) = self.open.remove(index);
        self.done.push((hold.agent, hold.at, cost.unwrap_or_default()));
    }
}

struct World {
    home: TempHome,
    random: Random,
    database: StateDatabase,
    twin: MemoryUsageLedger,
    list: List,
}

async fn open(home: &TempHome) -> StateDatabase {
    StateDatabase::open(StateLocation::within(home.state_dir()), Arc::new(SystemClock::new())).await.unwrap()
}

#[tokio::test]
async fn random_calls_leave_the_ledger_like_its_models() {
    let home = TempHome::new();
    let database = open(&home).await;
    let twin = MemoryUsageLedger::default();
    let mut world = World { home, random: Random::new(), database, twin, list: List::default() };
    for step in 0..STEPS {
        match world.random.below(40) {
            0..=17 => world.reserve().await,
            18..=32 => world.settle().await,
            33..=36 => world.release().await,
            37 => world = world.crash().await,
            _ => world.compare(step).await,
        }
    }
    world.compare(STEPS).await;
}

impl World {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }

    fn scope(&mut self) -> BudgetScope {
        match self.below(4) {
            0 => BudgetScope::Total,
            one => of(AGENTS[one as usize - 1]),
        }
    }

    /// A moment in four days, often at the edge of an hour.
    fn moment(&mut self) -> UnixMillis {
        let within = [0, 1, HOUR - 1, HOUR / 2][self.below(4) as usize];
        let hour = self.below(96);
        after((hour * HOUR + within) as i64)
    }

    fn limits(&mut self) -> Vec<Limit> {
        (0..self.below(4))
            .map(|_| Limit {
                scope: self.scope(),
                window: BudgetWindow::Month,
                since: self.moment(),
                until: self.moment(),
                cap: Money::from_nanos(self.below(2_000)),
            })
            .collect()
    }

    async fn reserve(&mut self) {
        let agent = AGENTS[self.below(3) as usize];
        let (at, most) = (self.moment(), Money::from_nanos(self.below(100)));
        let hold = Hold { least: Money::from_nanos(most.nanos() / 2), ..hold(agent, at, most) };
        let limits = self.limits();
        let found = self.database.reserve(hold.clone(), limits.clone()).await.unwrap();
        assert_eq!(found, self.twin.reserve(hold.clone(), limits.clone()).await.unwrap());
        match found {
            Reservation::Granted(id) => {
                assert_eq!(self.list.refuses(&hold, &limits), None);
                self.list.open.push((id, hold));
            }
            Reservation::Refused { limit, spending } => {
                assert_eq!(self.list.refuses(&hold, &limits), Some((limit, spending)));
            }
        }
    }

    async fn settle(&mut self) {
        if self.list.open.is_empty() {
            return;
        }
        let index = self.below(self.list.open.len() as u64) as usize;
        let (id, hold) = self.list.open[index].clone();
        let cost = (self.below(5) > 0).then(|| Money::from_nanos(self.below(120)));
        let session = (self.below(3) > 0).then(|| format!("session {}", self.below(3)));
        let ended = record(hold.agent.as_str(), hold.at, Money::ZERO);
        let ended = UsageRecord { cost, session, duration_ms: self.below(1_000), ..ended };
        for _ in 0..=self.below(2) {
            self.database.settle(id, ended.clone()).await.unwrap();
            self.twin.settle(id, ended.clone()).await.unwrap();
        }
        self.list.end(index, cost);
    }

    async fn release(&mut self) {
        if self.list.open.is_empty() {
            return;
        }
        let index = self.below(self.list.open.len() as u64) as usize;
        let (id, _) = self.list.open.remove(index);
        self.database.release(id).await.unwrap();
        self.twin.release(id).await.unwrap();
    }

    /// The process ends; the next one settles what is left.
    async fn crash(self) -> Self {
        let Self { home, random, database, twin, mut list } = self;
        drop(database);
        twin.forsake_holds();
        let database = open(&home).await;
        let now = after(i64::MAX / 4);
        let settled = database.settle_interrupted(now).await.unwrap();
        assert_eq!(settled, list.open.len() as u64);
        assert_eq!(settled, twin.settle_interrupted(now).await.unwrap());
        while let Some((_, hold)) = list.open.first() {
            let least = hold.least;
            list.end(0, Some(least));
        }
        Self { home, random, database, twin, list }
    }

    async fn compare(&mut self, step: usize) {
        for _ in 0..4 {
            let (scope, within) = (self.scope(), self.moment()..self.moment());
            let found = self.database.spent(&scope, within.clone()).await.unwrap();
            assert_eq!(found, self.list.spending(&scope, &within), "step {step}");
            assert_eq!(found, self.twin.spent(&scope, within).await.unwrap(), "step {step}");
        }
        let query = UsageQuery {
            from: (self.below(2) == 0).then(|| self.moment()),
            until: (self.below(2) == 0).then(|| self.moment()),
            agent: (self.below(3) == 0).then(|| AgentId::new(AGENTS[0]).unwrap()),
            session: (self.below(3) == 0).then(|| "session 1".to_owned()),
        };
        let limit = self.below(50) as usize;
        let found = self.database.records(query.clone(), limit).await.unwrap();
        assert_eq!(found, self.twin.records(query.clone(), limit).await.unwrap(), "step {step}");
        let by = self.groups();
        let found = self.database.sums(query.clone(), by.clone()).await.unwrap();
        assert_eq!(found, self.twin.sums(query, by.clone()).await.unwrap(), "step {step}, {by:?}");
    }

    fn groups(&mut self) -> Vec<UsageGroup> {
        let offset_minutes = self.below(1_681) as i32 - 720;
        let all = [
            UsageGroup::Day { offset_minutes },
            UsageGroup::Agent,
            UsageGroup::Session,
            UsageGroup::Model,
            UsageGroup::Provider,
        ];
        (0..self.below(4)).map(|_| all[self.below(5) as usize]).collect()
    }
}
