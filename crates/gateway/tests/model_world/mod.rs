//! A gateway with somebody who knows about models and money, and a ledger that tests fill call by call.
//!
//! Included by test files next to `support`, with `mod model_world;`.
#![allow(unreachable_pub, clippy::unwrap_used, reason = "a broken set-up should fail at its line")]

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_gateway::ModelServices;
use openclaw_ports::Clock as _;
use openclaw_ports::model::{
    ApiName, Compatibility, ModelCatalog, ModelFacts, ModelListing, OpenLimit, ProviderFacts, ProviderOrigin,
    ProviderQuota, Quotas, ServerReach, SignIn, SpendingLimits,
};
use openclaw_ports::stores::{Hold, HoldId, Reservation, UsageLedger as _, UsageRecord};
use openclaw_protocol::events::ModelsSwitchPayload;
use openclaw_stores::memory::MemoryUsageLedger;
use openclaw_testkit::SimClock;
use openclaw_types::{AgentId, Cost, ModelRef, Money, ProviderId, RunId, ThinkingLevel, UnixMillis, Usage};
use serde_json::{Value, json};
use tokio::sync::broadcast;

use crate::support::{Setup, TestGateway};

/// Knows what a test tells it.
#[derive(Default)]
pub struct Known {
    pub catalog: Arc<ModelCatalog>,
    pub allowed: Vec<ModelRef>,
    pub quotas: Vec<ProviderQuota>,
    pub limits: Vec<OpenLimit>,
}

impl ModelListing for Known {
    fn catalog(&self) -> Arc<ModelCatalog> {
        self.catalog.clone()
    }
    fn allowed(&self) -> Vec<ModelRef> {
        self.allowed.clone()
    }
}

#[async_trait]
impl Quotas for Known {
    async fn report(&self) -> Vec<ProviderQuota> {
        self.quotas.clone()
    }
}

impl SpendingLimits for Known {
    fn limits(&self, _: UnixMillis) -> Vec<OpenLimit> {
        self.limits.clone()
    }
}

pub struct World {
    pub gateway: TestGateway,
    pub ledger: Arc<MemoryUsageLedger>,
    pub clock: Arc<SimClock>,
    pub switches: broadcast::Sender<ModelsSwitchPayload>,
}

pub async fn world(known: Known) -> World {
    world_with(known, Setup::default()).await
}

/// The same with more to it, for example somebody who answers.
pub async fn world_with(known: Known, setup: Setup) -> World {
    let known = Arc::new(known);
    let ledger = Arc::new(MemoryUsageLedger::default());
    // Noon, so that a minute ago is today.
    let clock = Arc::new(SimClock::starting_at(UnixMillis(1_772_107_200_000)));
    let switches = broadcast::Sender::new(8);
    let services = ModelServices {
        listing: known.clone(),
        ledger: ledger.clone(),
        quotas: known.clone(),
        limits: known,
        switches: switches.clone(),
    };
    let setup = Setup { clock: clock.clone(), models: Some(services), ..setup };
    World { gateway: setup.start().await, ledger, clock, switches }
}

pub fn model(text: &str) -> ModelRef {
    text.parse().unwrap()
}

/// A call of a model, good and free of charge unless said otherwise.
#[derive(Clone)]
pub struct Spent {
    pub agent: &'static str,
    pub session: Option<&'static str>,
    pub model: &'static str,
    pub before: Duration,
    pub tokens: [u64; 4],
    pub cents: Option<u64>,
    pub took_ms: u64,
    pub outcome: &'static str,
}

impl Default for Spent {
    fn default() -> Self {
        Self {
            agent: "main",
            session: Some("agent:main:main"),
            model: "acme/small",
            before: Duration::ZERO,
            tokens: [100, 10, 0, 0],
            cents: Some(0),
            took_ms: 100,
            outcome: "done",
        }
    }
}

impl World {
    /// Notes a call in the ledger and says when it was.
    pub async fn spend(&self, call: Spent) -> i64 {
        let at = self.clock.now().minus(call.before);
        let cost = call.cents.map(|cents| Money::from_nanos(cents * 10_000_000));
        let [input, output, cache_read, cache_write] = call.tokens;
        let id = self.hold(call.agent, Money::ZERO).await;
        let record = UsageRecord {
            run: RunId::new("run").unwrap(),
            agent: AgentId::new(call.agent).unwrap(),
            session: call.session.map(str::to_owned),
            model: model(call.model),
            profile: None,
            at,
            duration_ms: call.took_ms,
            usage: Usage {
                input,
                output,
                cache_read,
                cache_write,
                total_tokens: input + output + cache_read + cache_write,
                reasoning: 0,
                // Half for what was read, half for what was written.
                cost: cost.map(|cost| Cost {
                    input: cost.dollars() / 2.0,
                    output: cost.dollars() / 2.0,
                    total: cost.dollars(),
                    ..Cost::default()
                }),
            },
            cost,
            outcome: call.outcome.to_owned(),
        };
        self.ledger.settle(id, record).await.unwrap();
        at.0
    }

    /// Sets money aside.
    pub async fn hold(&self, agent: &str, most: Money) -> HoldId {
        let hold = Hold {
            run: RunId::new("run").unwrap(),
            agent: AgentId::new(agent).unwrap(),
            session: None,
            model: model("acme/small"),
            at: self.clock.now(),
            most,
            least: Money::ZERO,
        };
        match self.ledger.reserve(hold, Vec::new()).await.unwrap() {
            Reservation::Granted(id) => id,
            Reservation::Refused { .. } => panic!("nothing was limited"),
        }
    }
}

pub const DAY: Duration = Duration::from_secs(86_400);

pub fn totals(tokens: [u64; 4], cost: f64, missing: u64) -> Value {
    let dollars = |amount: f64| if amount.fract() == 0.0 { json!(amount as i64) } else { json!(amount) };
    json!({
        "input": tokens[0], "output": tokens[1], "cacheRead": tokens[2], "cacheWrite": tokens[3],
        "totalTokens": tokens.iter().sum::<u64>(), "totalCost": dollars(cost), "inputCost": dollars(cost / 2.0),
        "outputCost": dollars(cost / 2.0), "cacheReadCost": 0, "cacheWriteCost": 0, "missingCostEntries": missing,
    })
}

pub fn with(mut object: Value, more: Value) -> Value {
    object.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    object
}

pub fn vendor(id: &str, models: &[(&str, &str, bool)]) -> (ProviderId, ProviderFacts) {
    let id = ProviderId::new(id).unwrap();
    let facts = |(id, name, clever): &(&str, &str, bool)| ModelFacts {
        id: (*id).to_owned(),
        name: (*name).to_owned(),
        api: ApiName::OpenaiCompletions,
        base_url: "http://127.0.0.1:1".to_owned(),
        context_window: if *clever { 200_000 } else { 0 },
        max_output_tokens: 1000,
        sees_images: *clever,
        thinking: if *clever { vec![ThinkingLevel::Low] } else { Vec::new() },
        prices: None,
        headers: BTreeMap::new(),
        compatibility: Compatibility::default(),
    };
    let provider = ProviderFacts {
        id: id.clone(),
        name: id.to_string(),
        origin: ProviderOrigin::Configured,
        reach: ServerReach::Anywhere,
        sign_in: SignIn::Nothing,
        key_variables: Vec::new(),
        endpoint: None,
        models: models.iter().map(facts).collect(),
    };
    (id, provider)
}

/// How many messages there were, all of them the assistant's.
pub fn counts(total: u64, errors: u64) -> Value {
    json!({"total": total, "user": 0, "assistant": total, "toolCalls": 0, "toolResults": 0, "errors": errors})
}

/// Waiting times.
pub fn latency(count: u64, average: u64, high: u64, low: u64) -> Value {
    json!({"count": count, "avgMs": average, "p95Ms": high, "minMs": low, "maxMs": high})
}

/// The same on a day.
pub fn dated(date: &str, value: Value) -> Value {
    with(json!({"date": date}), value)
}
