//! `sessions_history`: what was said in a session, bounded so that it fits into a conversation.

use openclaw_ports::tool::{HistoryRequest, SessionToolFault, ToolContext};
use serde_json::{Value, json};

use openclaw_types::SessionKey;

use super::fault;
use super::reference::session;
use super::visibility::{Act, view};
use crate::flow::Inner;

/// The most that is shown, in bytes of JSON.
const MOST_BYTES: usize = 80 * 1024;
/// The longest text, in submissions.
const MOST_LETTERS: usize = 4_000;
/// What only programs need.
const FOR_PROGRAMS: [&str; 3] = ["details", "usage", "cost"];

pub(super) async fn history(
    flow: &Inner,
    context: &ToolContext,
    request: HistoryRequest,
) -> Result<Value, SessionToolFault> {
    let key = session(flow, &context.agent, &request.session).await?;
    view(flow, context).await?.check(&key, Act::Read)?;
    let limit = request.limit.map(|limit| usize::try_from(limit.max(1)).unwrap_or(usize::MAX));
    let read = messages(flow, &key, limit).await?;
    let chosen = if request.include_tools { read } else { without_tools(read) };
    Ok(bounded(&key, chosen))
}

/// The newest messages of a session, as people are shown them.
pub(super) async fn messages(
    flow: &Inner,
    key: &SessionKey,
    limit: Option<usize>,
) -> Result<Vec<Value>, SessionToolFault> {
    Ok(flow.parts.sessions.history(key, limit).await.map_err(fault)?.messages)
}

/// The messages without the results of tools.
pub(super) fn without_tools(messages: Vec<Value>) -> Vec<Value> {
    let is_tool = |message: &Value| {
        matches!(message.get("role").and_then(Value::as_str), Some("toolResult" | "tool" | "toolCall"))
    };
    messages.into_iter().filter(|message| !is_tool(message)).collect()
}

/// The newest messages that fit.
fn bounded(key: &SessionKey, messages: Vec<Value>) -> Value {
    let all = messages.len();
    let mut cut = false;
    let mut kept: Vec<Value> = Vec::new();
    let mut bytes = 2;
    for message in messages.into_iter().rev() {
        let (message, shortened) = shortened(message);
        let more = message.to_string().len() + 1;
        if bytes + more > MOST_BYTES {
            break;
        }
        cut |= shortened;
        bytes += more;
        kept.push(message);
    }
    kept.reverse();
    let dropped = kept.len() < all;
    json!({
        "sessionKey": key,
        "messages": kept,
        "truncated": dropped || cut,
        "droppedMessages": dropped,
        "contentTruncated": cut,
        "bytes": bytes,
    })
}

/// The message without what only programs need, and whether a text was cut.
fn shortened(mut message: Value) -> (Value, bool) {
    let mut cut = false;
    if let Some(fields) = message.as_object_mut() {
        for name in FOR_PROGRAMS {
            fields.remove(name);
        }
        match fields.get_mut("content") {
            Some(Value::String(text)) => cut |= shorten(text),
            Some(Value::Array(pieces)) => {
                for piece in pieces.iter_mut().filter_map(Value::as_object_mut) {
                    for name in ["text", "thinking"] {
                        if let Some(Value::String(text)) = piece.get_mut(name) {
                            cut |= shorten(text);
                        }
                    }
                }
            }
            _ => {}
        }
    }
    (message, cut)
}

fn shorten(text: &mut String) -> bool {
    let Some((end, _)) = text.char_indices().nth(MOST_LETTERS) else { return false };
    text.truncate(end);
    text.push_str("\n…(truncated)…");
    true
}
