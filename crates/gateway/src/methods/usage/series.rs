//! `sessions.usage.timeseries`: what a session cost, call by call, in at most two hundred points.

use openclaw_ports::stores::UsageRecord;
use openclaw_protocol::methods::usage::{
    SessionsUsageTimeseriesParams, SessionsUsageTimeseriesResult, UsagePoint,
};
use openclaw_protocol::{ErrorShape, Num};
use openclaw_types::{AgentId, SessionKey};

use super::sources::UsageSources;
use super::tally::Tally;
use super::whose::Whose;
use super::{unreadable, walk};

/// How many points there are at most.
const MOST_POINTS: usize = 200;
/// How many calls are looked at, the latest first.
const MOST_CALLS: usize = 1 << 17;

/// Answers the method.
pub(super) async fn series(
    sources: &UsageSources,
    default_agent: &AgentId,
    params: &SessionsUsageTimeseriesParams,
) -> Result<SessionsUsageTimeseriesResult, ErrorShape> {
    let session = sources.named(key_of(sources, &params.key, default_agent, "timeseries")?).await?;
    let (ledger, transcript) = (sources.ledger.as_ref(), session.transcript());
    let calls = walk::latest_of(ledger, &session.key, transcript, MOST_CALLS).await.map_err(unreadable)?;
    if calls.is_empty() && !sources.has_transcript(&session).await? {
        let words = format!("No transcript found for session: {}", params.key.trim());
        return Err(ErrorShape::invalid_request(words));
    }
    let noted = || Whose::noted(&calls.first()?.agent, calls.first()?.session.as_deref()).session_id;
    Ok(SessionsUsageTimeseriesResult {
        session_id: transcript.map(ToString::to_string).or_else(noted),
        points: points(&calls, MOST_POINTS),
    })
}

/// The session that the params of a method name.
///
/// # Errors
/// For clients, in the words of the original where they are about a missing key.
pub(super) fn key_of(
    sources: &UsageSources,
    written: &str,
    default_agent: &AgentId,
    method: &str,
) -> Result<SessionKey, ErrorShape> {
    let written = written.trim();
    if written.is_empty() {
        return Err(ErrorShape::invalid_request(format!("key is required for {method}")));
    }
    sources
        .key(written, default_agent)
        .map_err(|error| ErrorShape::invalid_request(format!("Invalid session key: {written} ({error})")))
}

/// One point for each call, or for as many calls in a row as it takes to stay within `most`.
fn points(calls: &[UsageRecord], most: usize) -> Vec<UsagePoint> {
    let step = calls.len().div_ceil(most).max(1);
    let mut so_far = Tally::default();
    let point = |calls: &[UsageRecord]| {
        let last = calls.last()?;
        let here = calls.iter().map(Tally::of_call).fold(Tally::default(), |sum, call| sum.plus(&call));
        so_far.add(&here);
        Some(UsagePoint {
            timestamp: last.at,
            input: here.usage().input,
            output: here.usage().output,
            cache_read: here.usage().cache_read,
            cache_write: here.usage().cache_write,
            total_tokens: here.tokens(),
            cost: Num(here.cost.dollars()),
            cumulative_tokens: so_far.tokens(),
            cumulative_cost: so_far.dollars(),
        })
    };
    calls.chunks(step).filter_map(point).collect()
}
