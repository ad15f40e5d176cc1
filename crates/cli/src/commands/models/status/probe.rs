//! Tries sign-ins with one short call each, at most a few at once.

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt as _;
use openclaw_agent::{ModelNames, Pin, PinStrength};
use openclaw_ports::model::{CredentialOrigin, FaultReason, ModelRequest, ProfileFacts, normal_provider};
use openclaw_types::{AuthProfileId, ModelRef, ProviderId, ThinkingLevel};
use serde::Serialize;

use super::super::asking::{TrialOutcome, TrialRequest, ask};
use super::super::desk::ModelCommand;
use super::overview::Overview;

/// What is asked. The answer does not matter.
const QUESTION: &str = "Reply with OK. Do not use tools.";

/// What is tried, and how.
#[derive(Debug, Clone)]
pub(super) struct ProbeOptions {
    pub(super) provider: Option<String>,
    pub(super) profile_ids: Vec<String>,
    pub(super) timeout: Duration,
    pub(super) concurrency: usize,
    pub(super) max_tokens: u64,
}

/// What came of it, in the form that programs read.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProbeSummary {
    started_at: i64,
    finished_at: i64,
    pub(super) duration_ms: i64,
    pub(super) total_targets: usize,
    options: ShownOptions,
    pub(super) results: Vec<ProbeResult>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct ShownOptions {
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<String>,
    profile_ids: Vec<String>,
    timeout_ms: u64,
    concurrency: usize,
    max_tokens: u64,
}

/// One sign-in that was tried.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProbeResult {
    pub(super) provider: ProviderId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) model: Option<ModelRef>,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile_id: Option<AuthProfileId>,
    pub(super) label: String,
    source: &'static str,
    mode: &'static str,
    pub(super) status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) error: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) latency_ms: Option<u64>,
}

/// Tries them.
pub(super) async fn run(
    session: &ModelCommand<'_>,
    overview: &Overview,
    options: &ProbeOptions,
) -> anyhow::Result<ProbeSummary> {
    let started = session.context.clock.now();
    let targets = targets(session, overview, options);
    let total_targets = targets.iter().filter(|target| target.model.is_some()).count();
    let tries = targets.into_iter().map(|target| try_one(session, target, options));
    let mut results: Vec<ProbeResult> =
        futures_util::stream::iter(tries).buffer_unordered(options.concurrency.max(1)).collect().await;
    results.sort_by(|one, other| (&one.provider, &one.label).cmp(&(&other.provider, &other.label)));
    let finished = session.context.clock.now();
    Ok(ProbeSummary {
        started_at: started.0,
        finished_at: finished.0,
        duration_ms: finished.0.saturating_sub(started.0),
        total_targets,
        options: ShownOptions {
            provider: options.provider.clone(),
            profile_ids: options.profile_ids.clone(),
            timeout_ms: u64::try_from(options.timeout.as_millis()).unwrap_or(u64::MAX),
            concurrency: options.concurrency,
            max_tokens: options.max_tokens,
        },
        results,
    })
}

/// The stored sign-ins of each vendor, or what else signs in there when nothing is stored.
fn targets(session: &ModelCommand<'_>, overview: &Overview, options: &ProbeOptions) -> Vec<ProbeResult> {
    let wanted = options.provider.as_deref().map(normal_provider);
    let mut targets = Vec::new();
    for auth in &overview.auth.providers {
        if wanted.as_ref().is_some_and(|wanted| **wanted != *auth.provider.as_str()) {
            continue;
        }
        let model = model_of(session, overview, &auth.provider);
        let stored = auth.known.iter().any(|facts| facts.origin == CredentialOrigin::Stored);
        for facts in &auth.known {
            let asked = options.profile_ids.iter().any(|id| id == facts.id.as_str());
            let usual = !stored || facts.origin == CredentialOrigin::Stored;
            if if options.profile_ids.is_empty() { usual } else { asked } {
                targets.push(target(facts, model.clone()));
            }
        }
    }
    targets
}

fn target(facts: &ProfileFacts, model: Option<ModelRef>) -> ProbeResult {
    ProbeResult {
        provider: facts.provider.clone(),
        status: "no_model",
        error: model.is_none().then(|| "no model of this vendor is known".to_owned()),
        model,
        profile_id: Some(facts.id.clone()),
        label: match &facts.email {
            Some(email) => format!("{} ({email})", facts.id),
            None => facts.id.to_string(),
        },
        source: match facts.origin {
            CredentialOrigin::Stored => "profile",
            CredentialOrigin::Environment(_) => "env",
            CredentialOrigin::Configuration => "models.json",
            CredentialOrigin::Vendor(_) => "vendor",
            CredentialOrigin::NotNeeded => "none",
        },
        mode: facts.kind.as_str(),
        latency_ms: None,
    }
}

/// A model of the vendor: one that is configured, else the first in the list.
fn model_of(session: &ModelCommand<'_>, overview: &Overview, provider: &ProviderId) -> Option<ModelRef> {
    let catalog = session.desk.catalog();
    let names = ModelNames::new(&session.snapshot.config, &catalog);
    let written = [&overview.default_model]
        .into_iter()
        .chain(&overview.fallbacks)
        .chain(&overview.image_model)
        .chain(&overview.image_fallbacks)
        .chain(&overview.allowed);
    let configured = written.filter_map(|text| names.read(text).ok()).map(|found| found.model);
    let listed = catalog.provider(provider).and_then(|vendor| vendor.models.first());
    let listed = listed.and_then(|facts| ModelRef::new(provider.clone(), &facts.id).ok());
    configured.into_iter().find(|model| model.provider() == provider).or(listed)
}

async fn try_one(session: &ModelCommand<'_>, target: ProbeResult, options: &ProbeOptions) -> ProbeResult {
    let Some(model) = target.model.clone() else { return target };
    let mut request = ModelRequest::asking(QUESTION);
    request.max_output_tokens = Some(options.max_tokens);
    let asked = TrialRequest {
        model: model.to_string(),
        pin: target.profile_id.clone().map(|profile| Pin { profile, strength: PinStrength::Locked }),
        thinking: Some(ThinkingLevel::Off),
        request: Arc::new(request),
        limit: options.timeout,
    };
    let answer = ask(session, asked, |_| Ok(())).await;
    let latency = answer.total.as_millis();
    let (status, error) = match answer.outcome {
        TrialOutcome::Done(_) => ("ok", None),
        TrialOutcome::Failed { reason, message } => (word(reason), Some(message)),
    };
    ProbeResult { status, error, latency_ms: u64::try_from(latency).ok(), ..target }
}

fn word(reason: Option<FaultReason>) -> &'static str {
    match reason {
        Some(FaultReason::Auth) => "auth",
        Some(FaultReason::RateLimit) => "rate_limit",
        Some(FaultReason::Billing) => "billing",
        Some(FaultReason::Timeout) => "timeout",
        Some(FaultReason::Format) => "format",
        Some(FaultReason::ModelNotFound) => "no_model",
        _ => "unknown",
    }
}
