//! `usage.*` and `sessions.usage*`: what was used, what it cost and what happened.
//!
//! `range` says which days are meant, `sources` and `walk` read, `tally` adds up tokens and money; `cost`, `sessions`,
//! `series` and `logs` are the methods. Tokens and money come from the ledger of calls alone, which also knows of calls
//! that failed and of summaries. Messages, tools, words and waiting times come from transcripts (`activity`), labels and
//! platforms from what is stored about sessions. `listing` says which sessions are shown, `breakdown` joins both for one
//! session and `report` for all of them.

mod activity;
mod breakdown;
mod cost;
mod latency;
mod listing;
mod logs;
mod range;
mod report;
mod series;
mod sessions;
mod sources;
mod tally;
mod walk;
mod whose;

use std::sync::Arc;

use openclaw_ports::model::{ProviderQuota, QuotaWindow};
use openclaw_ports::stores::StoreError;
use openclaw_protocol::methods::usage::{
    ProviderUsage, SessionsUsage, SessionsUsageLogs, SessionsUsageTimeseries, UsageCost, UsageStatus,
    UsageStatusResult, UsageWindow,
};
use openclaw_protocol::{ErrorShape, Num};
use openclaw_types::AgentId;

use super::agents::AgentServices;
use super::chat::store_fault;
use super::models::ModelServices;
use super::registry::{Call, Registry};
use cost::CostCache;
use sources::UsageSources;

/// Adds the methods of this family. Sessions are known where somebody answers people.
pub(super) fn bind(
    registry: &mut Registry,
    services: &Arc<ModelServices>,
    agents: Option<&Arc<AgentServices>>,
) {
    let sources = Arc::new(UsageSources::new(services, agents));
    let costs = Arc::new(CostCache::default());
    let known = services.clone();
    registry.bind::<UsageCost, _, _>(move |call, params| {
        let (known, costs) = (known.clone(), costs.clone());
        async move { cost::cost(&call, &known, &costs, &params).await }
    });
    let known = services.clone();
    registry.bind::<UsageStatus, _, _>(move |call, _| status(call, known.clone()));
    let known = Arc::clone(&sources);
    registry.bind::<SessionsUsage, _, _>(move |call, params| {
        let known = Arc::clone(&known);
        async move { sessions::sessions(&call, &known, &params).await }
    });
    let known = Arc::clone(&sources);
    registry.bind::<SessionsUsageTimeseries, _, _>(move |call, params| {
        let known = Arc::clone(&known);
        async move { series::series(&known, &default_agent(&call), &params).await }
    });
    registry.bind::<SessionsUsageLogs, _, _>(move |call, params| {
        let known = Arc::clone(&sources);
        async move { logs::logs(&known, &default_agent(&call), &params).await }
    });
}

async fn status(call: Call, services: Arc<ModelServices>) -> Result<UsageStatusResult, ErrorShape> {
    let report = services.quotas.report().await;
    Ok(UsageStatusResult {
        updated_at: call.context.clock.now(),
        providers: report.into_iter().map(provider_usage).collect(),
    })
}

fn provider_usage(quota: ProviderQuota) -> ProviderUsage {
    let window = |window: QuotaWindow| UsageWindow {
        label: window.label,
        used_percent: Num(window.used_percent),
        reset_at: window.reset_at,
    };
    ProviderUsage {
        provider: quota.provider.to_string(),
        display_name: quota.display_name,
        windows: quota.windows.into_iter().map(window).collect(),
        plan: quota.plan,
        error: quota.error,
    }
}

/// The agent that short names of sessions belong to.
fn default_agent(call: &Call) -> AgentId {
    call.context.config.current().agents.default_agent.clone()
}

/// What a client hears when the ledger cannot be read.
fn unreadable(error: StoreError) -> ErrorShape {
    if error.is_retryable() {
        return store_fault(&error);
    }
    tracing::error!(%error, "usage could not be read");
    ErrorShape::unavailable(format!("usage could not be read: {error}"))
}
