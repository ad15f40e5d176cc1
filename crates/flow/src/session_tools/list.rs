//! `sessions_list`: the sessions that the caller sees, with the last words of each where they are wanted.

use openclaw_ports::tool::{ListRequest, SessionToolFault, ToolContext};
use openclaw_session::{ListQuery, Listed, ListedKind};
use openclaw_types::{SessionKey, SessionScope};
use serde_json::{Map, Value, json};

use super::fault;
use super::history::{messages, without_tools};
use super::reference::key_context;
use super::visibility::{Act, view};
use crate::flow::Inner;

/// How many messages of each session are shown at most.
const MOST_MESSAGES: u64 = 20;

pub(super) async fn list(
    flow: &Inner,
    context: &ToolContext,
    request: ListRequest,
) -> Result<Value, SessionToolFault> {
    let view = view(flow, context).await?;
    let global =
        key_context(&flow.settings(), &context.agent).main_session(&context.agent) == SessionKey::global();
    let query =
        ListQuery { active_minutes: request.active_minutes, include_global: global, ..ListQuery::default() };
    let listed = flow.parts.sessions.list(&query).await.map_err(fault)?;
    let wanted: Vec<String> = request.kinds.iter().map(|kind| kind.trim().to_lowercase()).collect();
    let wanted: Vec<String> = wanted.into_iter().filter(|kind| KINDS.contains(&kind.as_str())).collect();
    let limit = request.limit.map_or(usize::MAX, |limit| usize::try_from(limit.max(1)).unwrap_or(usize::MAX));
    let seen = listed.into_iter().filter(|one| {
        let fits = wanted.is_empty() || wanted.iter().any(|kind| kind == kind_of(one));
        fits && view.check(&one.key, Act::List).is_ok()
    });
    let mut rows = Vec::new();
    for one in seen.take(limit) {
        let mut row = row(&one);
        if request.message_limit > 0 {
            let count = usize::try_from(request.message_limit.min(MOST_MESSAGES)).unwrap_or(1);
            row.insert("messages".to_owned(), last_messages(flow, &one.key, count).await?);
        }
        rows.push(Value::Object(row));
    }
    Ok(json!({ "count": rows.len(), "sessions": rows }))
}

/// The kinds that can be asked for.
const KINDS: [&str; 6] = ["main", "group", "cron", "hook", "node", "other"];

fn kind_of(one: &Listed) -> &'static str {
    match (one.key.scope(), one.kind) {
        (SessionScope::Main | SessionScope::Global, _) => "main",
        (SessionScope::Cron(_) | SessionScope::CronRun(..), _) => "cron",
        (SessionScope::Hook(_), _) => "hook",
        (SessionScope::Node(_), _) => "node",
        (_, ListedKind::Group) => "group",
        _ => "other",
    }
}

fn row(one: &Listed) -> Map<String, Value> {
    let facts = &one.entry.facts;
    let kind = kind_of(one);
    let channel = match kind {
        "cron" | "hook" | "node" => "internal",
        _ => facts
            .channel
            .as_deref()
            .or(facts.last_channel.as_deref())
            .or(one.key.channel().map(|channel| channel.as_str()))
            .unwrap_or("unknown"),
    };
    let all = json!({
        "key": one.key,
        "kind": kind,
        "channel": channel,
        "label": facts.label,
        "displayName": one.display_name,
        "deliveryContext": facts.delivery_context,
        "updatedAt": one.entry.updated_at,
        "sessionId": one.entry.session_id,
        "model": facts.model,
        "contextTokens": facts.context_tokens,
        "totalTokens": facts.total_tokens,
        "thinkingLevel": facts.thinking_level,
        "verboseLevel": facts.verbose_level,
        "systemSent": facts.system_sent,
        "abortedLastRun": facts.aborted_last_run,
        "sendPolicy": facts.send_policy,
        "spawnedBy": facts.spawned_by,
        "lastChannel": facts.last_channel,
        "lastTo": facts.last_to,
        "lastAccountId": facts.last_account_id,
    });
    match all {
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    }
}

async fn last_messages(flow: &Inner, key: &SessionKey, count: usize) -> Result<Value, SessionToolFault> {
    // Results of tools stand between the words; a few more are read so that enough is left.
    let read = messages(flow, key, Some(count.saturating_mul(4))).await?;
    let mut words = without_tools(read);
    let first = words.len().saturating_sub(count);
    Ok(Value::Array(words.split_off(first)))
}
