//! `sessions.usage.logs`: the latest messages of a session, as its transcripts have them. Of a session without a
//! transcript only its calls are known: a line names the model, and how the call ended when it did not end well.

use openclaw_ports::stores::{StoredEntry, UsageRecord};
use openclaw_protocol::methods::usage::{SessionsUsageLogsParams, SessionsUsageLogsResult, UsageLogLine};
use openclaw_protocol::{ErrorShape, Num};
use openclaw_session::strip_inbound_envelope;
use openclaw_types::{AgentId, Content, Message, UnixMillis, Usage};

use super::activity::message_of;
use super::breakdown::GOOD_END;
use super::series::key_of;
use super::sources::{RequestedSession, UsageSources, transcripts};
use super::tally::{Tally, tokens};
use super::{unreadable, walk};

const USUAL_LINES: usize = 200;
const MOST_LINES: usize = 1000;
/// Maximum number of characters in a line; more are cut off.
const MOST_CHARS: usize = 2000;

/// Answers the method.
pub(super) async fn logs(
    sources: &UsageSources,
    default_agent: &AgentId,
    params: &SessionsUsageLogsParams,
) -> Result<SessionsUsageLogsResult, ErrorShape> {
    let session = sources.named(key_of(sources, &params.key, default_agent, "logs")?).await?;
    let most = params.limit.map_or(USUAL_LINES, |limit| lines(limit.0));
    let logs = match messages(sources, &session, most).await? {
        spoken if spoken.is_empty() => {
            let (ledger, transcript) = (sources.ledger.as_ref(), session.transcript());
            let calls = walk::latest_of(ledger, &session.key, transcript, most).await.map_err(unreadable)?;
            calls.iter().map(call_line).collect()
        }
        spoken => spoken,
    };
    Ok(SessionsUsageLogsResult { logs })
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "float casts saturate")]
fn lines(limit: f64) -> usize {
    (limit as usize).clamp(1, MOST_LINES)
}

/// The latest messages of a session, oldest first. Transcripts are read from the newest back, as far as they are needed.
async fn messages(
    sources: &UsageSources,
    session: &RequestedSession,
    most: usize,
) -> Result<Vec<UsageLogLine>, ErrorShape> {
    let archives = sources.archives(std::iter::once(&session.key)).await?;
    let archived = archives.get(&session.key).map(Vec::as_slice).unwrap_or_default();
    let mut latest = Vec::new();
    for transcript in transcripts(session.transcript(), archived, UnixMillis(i64::MIN)) {
        if latest.len() >= most {
            break;
        }
        let stored = sources.lines(&session.key, &transcript).await.map_err(unreadable)?;
        latest.extend(stored.iter().filter_map(message_line));
        latest.sort_by_key(|line: &UsageLogLine| line.timestamp);
        latest.drain(..latest.len().saturating_sub(most));
    }
    Ok(latest)
}

/// A message as a line; nothing for messages without words and tools.
fn message_line(stored: &StoredEntry) -> Option<UsageLogLine> {
    let (timestamp, message) = message_of(stored)?;
    let (role, content, usage) = match message {
        Message::User(_) => ("user", strip_inbound_envelope(&message.plain_text()).into_owned(), None),
        Message::Assistant(answer) => {
            let parts = message.content().iter().filter_map(|piece| match piece {
                Content::Text(text) => Some(text.text.clone()),
                Content::ToolCall(call) => Some(format!("[Tool: {}]", call.name)),
                _ => None,
            });
            ("assistant", parts.collect::<Vec<_>>().join("\n"), answer.usage)
        }
        Message::ToolResult(result) => {
            let head = format!("[Tool: {}]\n[Tool Result]\n", result.tool);
            ("toolResult", head + &message.plain_text(), None)
        }
        _ => return None,
    };
    let content = content.trim();
    if content.is_empty() {
        return None;
    }
    Some(UsageLogLine {
        timestamp,
        role: role.to_owned(),
        content: shortened(content),
        tokens: usage.as_ref().map(tokens),
        cost: usage.and_then(|usage: Usage| usage.cost).map(|cost| Num(cost.total)),
    })
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MOST_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

fn call_line(record: &UsageRecord) -> UsageLogLine {
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

#[cfg(test)]
mod tests;
