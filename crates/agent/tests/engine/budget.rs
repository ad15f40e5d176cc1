//! Budgets: calls that could pass a limit are not sent, whoever calls at the same time and whatever died before.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use openclaw_agent::CountedBy;
use openclaw_ports::Clock;
use openclaw_ports::model::{FaultReason, SpendingLimits};
use openclaw_ports::stores::{BudgetScope, Spending, UsageLedger, UsageQuery};
use openclaw_providers::{Gate, Script, Scripts};
use openclaw_stores::memory::MemoryUsageLedger;
use openclaw_stores::sqlite::{StateDatabase, StateLocation};
use openclaw_testkit::{SimClock, TempHome};
use openclaw_types::{Money, UnixMillis};
use serde_json::{Value, json};

use crate::world::{Setup, World, ask, ask_run, hear};

/// A call of the world sends 4 tokens and may write 1,000, at a tenth of a cent each.
const MOST: f64 = 1.004;
/// A scripted answer reports 12 tokens read and 8 written.
const ANSWER: f64 = 0.02;

fn budgets(section: Value) -> Value {
    json!({ "agents": { "defaults": { "model": "alpha/one" } }, "models": { "budgets": section } })
}

fn answers() -> Scripts {
    Scripts::new().otherwise(Script::new().say("hi"))
}

async fn spent(world: &World) -> (f64, f64) {
    let Spending { spent, held } =
        world.ledger.spent(&BudgetScope::Total, UnixMillis(0)..UnixMillis(i64::MAX)).await.unwrap();
    (spent.dollars(), held.dollars())
}

async fn outcomes(world: &World) -> Vec<String> {
    let records = world.ledger.records(UsageQuery::default(), usize::MAX).await.unwrap();
    records.into_iter().map(|record| record.outcome).collect()
}

#[tokio::test]
async fn an_answer_is_paid_for_and_its_cost_stands_in_it() {
    let world = Setup::new().scripts(answers()).build().await;
    let heard = world.call(ask()).await;
    let done = heard.done();
    assert_eq!(done.counted, CountedBy::Server);
    assert_eq!(done.completion.usage, Some(done.usage));
    assert!((done.usage.cost.unwrap().total - ANSWER).abs() < 1e-9);
    assert_eq!(spent(&world).await, (ANSWER, 0.0));
}

#[tokio::test]
async fn an_answer_that_nobody_counted_is_estimated() {
    let world = Setup::new().scripts(Script::new().say("eight by").without_usage()).build().await;
    let heard = world.call(ask()).await;
    assert_eq!(heard.done().counted, CountedBy::Estimate);
    assert_eq!(heard.done().completion.usage, None);
    assert_eq!((heard.done().usage.input, heard.done().usage.output), (4, 2));
    assert_eq!(spent(&world).await, (0.006, 0.0));
}

#[tokio::test]
async fn a_call_that_could_pass_a_limit_is_not_sent_and_says_why() {
    let config = budgets(json!({ "daily": 5.0, "agents": { "main": { "daily": 1.01 } } }));
    let world = Setup::new().config(config).scripts(answers()).build().await;
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "done"]);
    let stopped = world.call(ask()).await;
    assert_eq!(stopped.story(), ["alpha/one alpha:1", "stopped by models.budgets.agents.main.daily"]);
    assert_eq!(
        stopped.failed().message,
        "The daily model budget of agent main, $1.01, leaves no room for this call: $0.02 spent, and this call could \
         cost up to $1.00. The budget starts over at 2026-01-02 00:00 UTC. To allow more now, raise \
         models.budgets.agents.main.daily."
    );
    world.clock.advance(Duration::from_secs(24 * 3600)).await;
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "done"]);
}

#[tokio::test]
async fn a_model_that_costs_nothing_is_counted_and_never_stopped() {
    let config = json!({
        "agents": { "defaults": { "model": "local/tiny" } },
        "models": { "budgets": { "daily": 0.0 } },
    });
    let setup = Setup::new().config(config).keys(&["local:1", "alpha:1"]).scripts(answers());
    let world = setup.build().await;
    let mut probe = ask_run("local/tiny");
    probe.purpose = openclaw_agent::Purpose::Probe;
    assert_eq!(world.call(probe).await.story(), ["local/tiny local:1", "done"]);
    assert_eq!(outcomes(&world).await, ["done"]);
    assert_eq!(
        world.call(ask_run("alpha/one")).await.story(),
        ["alpha/one alpha:1", "stopped by models.budgets.daily"]
    );
}

#[tokio::test]
async fn a_model_whose_price_nobody_knows_is_not_called_while_a_limit_holds() {
    let model = json!({ "primary": "dark/one", "fallbacks": ["alpha/one"] });
    let config = |budgets: Value| {
        json!({
            "agents": { "defaults": { "model": model } },
            "models": { "budgets": budgets },
        })
    };
    let keys = ["dark:1", "alpha:1"];
    let limited = [json!({ "monthly": 50.0 }), json!({ "agents": { "main": { "daily": 50.0 } } })];
    for budgets in limited {
        let setup = Setup::new().config(config(budgets)).keys(&keys).scripts(answers());
        let world = setup.build().await;
        assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "done"]);
        let mut probe = ask_run("dark/one");
        probe.purpose = openclaw_agent::Purpose::Probe;
        assert_eq!(
            world.call(probe).await.failed().message,
            "dark/one: nobody knows what dark/one costs, and a budget is set: write its `cost` under \
             models.providers, or choose a model with a price (billing)"
        );
    }
    for budgets in [json!({}), json!({ "agents": { "other": { "daily": 0.0 } } })] {
        let world = Setup::new().config(config(budgets)).keys(&keys).scripts(answers()).build().await;
        assert_eq!(world.call(ask()).await.story(), ["dark/one dark:1", "done"]);
    }
}

#[tokio::test]
async fn what_a_clock_that_was_ahead_wrote_down_does_not_use_up_the_days_before() {
    let world = Setup::new().config(budgets(json!({ "daily": MOST }))).scripts(answers()).build().await;
    let now = world.clock.now();
    world.clock.set_wall(now.plus(Duration::from_secs(400 * 24 * 3600)));
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "done"]);
    world.clock.set_wall(now);
    assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", "done"]);
    let stopped = ["alpha/one alpha:1", "stopped by models.budgets.daily"];
    assert_eq!(world.call(ask()).await.story(), stopped);
}

#[tokio::test]
async fn a_request_that_is_too_large_to_be_sent_costs_nothing() {
    let world = Setup::new().scripts(Script::new().fault(FaultReason::TooLarge)).build().await;
    world.call(ask()).await;
    assert_eq!(spent(&world).await, (0.0, 0.0));
    assert_eq!(outcomes(&world).await, [""; 0]);
}

#[tokio::test]
async fn many_callers_at_once_never_pass_a_limit() {
    let gate = Gate::new();
    let world = Setup::new()
        .config(budgets(json!({ "daily": 3.0 * MOST })))
        .scripts(Scripts::new().otherwise(Script::new().hold(&gate).say("hi")))
        .build()
        .await;
    let calls: Vec<_> = (0..20).map(|_| world.models.call(ask())).collect();
    gate.until_arrived(3).await;
    world.clock.advance(Duration::from_secs(1)).await;
    assert_eq!(spent(&world).await, (0.0, 3.0 * MOST));
    gate.open();
    let heard = futures_util::future::join_all(calls.into_iter().map(hear)).await;
    let answered = heard.iter().filter(|heard| heard.story().ends_with(&["done".to_owned()])).count();
    assert_eq!(answered, 3);
    assert_eq!(spent(&world).await, (3.0 * ANSWER, 0.0));
}

#[tokio::test]
async fn a_call_that_is_turned_away_costs_nothing() {
    let world = Setup::new().scripts(Script::new().fault(FaultReason::RateLimit)).build().await;
    world.call(ask()).await;
    assert_eq!(spent(&world).await, (0.0, 0.0));
    assert_eq!(outcomes(&world).await, [""; 0]);
}

#[tokio::test]
async fn what_a_broken_answer_took_is_counted() {
    let script = Script::new().say("eight by").fault(FaultReason::Overloaded);
    let world = Setup::new().scripts(script).build().await;
    world.call(ask()).await;
    assert_eq!(spent(&world).await, (0.006, 0.0));
    assert_eq!(outcomes(&world).await, ["overloaded"]);
}

#[tokio::test]
async fn leaving_in_the_middle_counts_what_was_sent_and_blames_nobody() {
    let gate = Gate::new();
    let world = Setup::new().scripts(Script::new().say("eight by").hold(&gate).say("more")).build().await;
    let mut stream = world.models.call(ask());
    gate.until_arrived(1).await;
    assert!(stream.next().await.is_some());
    drop(stream);
    world.settle().await;
    assert_eq!(spent(&world).await, (0.006, 0.0));
    assert_eq!(outcomes(&world).await, ["cancelled"]);
    assert!(world.models.status().health.iter().all(|record| record.last_failure.is_none()));
}

#[tokio::test]
async fn stopping_the_gateway_ends_every_call_and_counts_it() {
    let gate = Gate::new();
    let world = Setup::new().scripts(Script::new().say("eight by").hold(&gate)).build().await;
    let stream = world.models.call(ask());
    gate.until_arrived(1).await;
    world.tasks.cancel();
    assert_eq!(hear(stream).await.story(), ["alpha/one alpha:1", "failed cancelled"]);
    world.settle().await;
    assert_eq!(outcomes(&world).await, ["cancelled"]);
}

#[tokio::test]
async fn what_a_process_that_died_had_sent_is_counted_at_the_next_start() {
    let ledger = Arc::new(MemoryUsageLedger::default());
    let gate = Gate::new();
    let first = Setup { ledger: ledger.clone(), ..Setup::new() };
    let first = first.scripts(Script::new().hold(&gate)).build().await;
    let _stream = first.models.call(ask());
    gate.until_arrived(1).await;
    ledger.forsake_holds();
    let second = Setup { ledger, ..Setup::new().scripts(answers()) }.build().await;
    assert_eq!(spent(&second).await, (0.004, 0.0));
    assert_eq!(outcomes(&second).await, ["interrupted"]);
}

#[tokio::test]
async fn a_budget_in_a_file_survives_a_restart() {
    let home = TempHome::new();
    let clock = Arc::new(SimClock::new());
    let config = budgets(json!({ "monthly": MOST + ANSWER }));
    for expected in ["done", "done", "stopped by models.budgets.monthly"] {
        let database =
            StateDatabase::open(StateLocation::within(home.state_dir()), clock.clone()).await.unwrap();
        let database = Arc::new(database);
        let ledger: Arc<dyn UsageLedger> = database.clone();
        let setup = Setup { ledger, health: database.clone(), clock: clock.clone(), ..Setup::new() };
        let world = setup.config(config.clone()).scripts(answers()).build().await;
        assert_eq!(world.call(ask()).await.story(), ["alpha/one alpha:1", expected]);
        world.settle().await;
        drop(world);
        database.close().await.unwrap();
    }
}

#[tokio::test]
async fn surfaces_see_the_limits_and_when_they_start_over() {
    let config = budgets(json!({ "daily": 5.0, "agents": { "main": { "monthly": 20.0 } } }));
    let world = Setup::new().config(config).build().await;
    let limits = world.models.limits(world.clock.now());
    let seen: Vec<_> =
        limits.iter().map(|open| (open.limit.scope.clone(), open.limit.cap, open.resets_at)).collect();
    let february = UnixMillis(1_769_904_000_000);
    let tomorrow = UnixMillis(1_767_312_000_000);
    let main = BudgetScope::Agent(openclaw_types::AgentId::main());
    let expected = [
        (BudgetScope::Total, Money::from_dollars(5.0), tomorrow),
        (main, Money::from_dollars(20.0), february),
    ];
    assert_eq!(seen, expected);
}
