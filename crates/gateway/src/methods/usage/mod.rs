//! `usage.*` and `sessions.usage*`: what was used and what it cost.
//!
//! `range` says which days are meant, `walk` reads the ledger, `tally` adds up; `cost`, `sessions`, `series` and `logs`
//! are the methods, `account` and `books` what they add up in. Everything comes from the ledger of calls: a call counts as one message of the assistant. What the
//! ledger does not know — people's messages, tools, texts, session files — is absent or zero.

mod account;
mod books;
mod cost;
mod latency;
mod logs;
mod range;
mod series;
mod sessions;
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

use super::models::ModelServices;
use super::registry::{Call, Registry};
use cost::CostCache;

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry, services: &Arc<ModelServices>) {
    let costs = Arc::new(CostCache::default());
    let known = services.clone();
    registry.bind::<UsageCost, _, _>(move |call, params| {
        let (known, costs) = (known.clone(), costs.clone());
        async move { cost::cost(&call, &known, &costs, &params).await }
    });
    let known = services.clone();
    registry.bind::<UsageStatus, _, _>(move |call, _| status(call, known.clone()));
    let known = services.clone();
    registry.bind::<SessionsUsage, _, _>(move |call, params| {
        let known = known.clone();
        async move { sessions::sessions(&call, &known, &params).await }
    });
    let known = services.clone();
    registry.bind::<SessionsUsageTimeseries, _, _>(move |call, params| {
        let known = known.clone();
        async move { series::series(&known, &default_agent(&call), &params).await }
    });
    let known = services.clone();
    registry.bind::<SessionsUsageLogs, _, _>(move |call, params| {
        let known = known.clone();
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
    tracing::error!(%error, "usage could not be read");
    ErrorShape::unavailable(format!("usage could not be read: {error}"))
}
