//! `sessions.usage.logs`: the latest calls of a session. What was said is not in the ledger: a line names the model
//! that was called, and how the call ended when it did not end well.

use openclaw_ports::stores::UsageRecord;
use openclaw_protocol::methods::usage::{SessionsUsageLogsParams, SessionsUsageLogsResult, UsageLogLine};
use openclaw_protocol::{ErrorShape, Num};
use openclaw_types::AgentId;

use super::account::GOOD_END;
use super::series::key_of;
use super::tally::Tally;
use super::{unreadable, walk};
use crate::methods::models::ModelServices;

const USUAL_LINES: usize = 200;
const MOST_LINES: usize = 1000;

/// Answers the method.
pub(super) async fn logs(
    services: &ModelServices,
    default_agent: &AgentId,
    params: &SessionsUsageLogsParams,
) -> Result<SessionsUsageLogsResult, ErrorShape> {
    let key = key_of(&params.key, default_agent, "logs")?;
    let most = params.limit.map_or(USUAL_LINES, |limit| lines(limit.0));
    let calls = walk::latest_of(services.ledger.as_ref(), &key, most).await.map_err(unreadable)?;
    Ok(SessionsUsageLogsResult { logs: calls.iter().map(line).collect() })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "float casts saturate")]
fn lines(limit: f64) -> usize {
    (limit as usize).clamp(1, MOST_LINES)
}

fn line(record: &UsageRecord) -> UsageLogLine {
    let tally = Tally::of_call(record);
    let content = match record.outcome.as_str() {
        GOOD_END => record.model.to_string(),
        outcome => format!("{} ({outcome})", record.model),
    };
    UsageLogLine {
        timestamp: record.at,
        role: "assistant".to_owned(),
        content,
        tokens: Some(tally.tokens()),
        cost: record.cost.map(|cost| Num(cost.dollars())),
    }
}
