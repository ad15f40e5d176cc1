//! `subagents`: lists, stops and steers the sub-agents of the caller's session.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::tool::{SessionToolFault, SubagentOrder, ToolContext};
use serde_json::{Value, json};

use super::fault;
use crate::flow::Inner;
use crate::subagents::{
    Numbered, Roster, Steer, Steered, handed_on, kill, kill_all, label, roster, span, status, steer,
};

/// How far back those that ended are listed, unless told otherwise, and at most. In minutes.
const RECENT: u64 = 30;
const MOST_RECENT: u64 = 24 * 60;

pub(super) async fn subagents(
    flow: &Arc<Inner>,
    context: &ToolContext,
    order: SubagentOrder,
) -> Result<Value, SessionToolFault> {
    match order {
        SubagentOrder::List { recent_minutes } => {
            let recent = minutes(recent_minutes.unwrap_or(RECENT).clamp(1, MOST_RECENT));
            Ok(list(context, &roster(flow, &context.session, recent).await.map_err(fault)?, recent))
        }
        SubagentOrder::Kill { target } if matches!(target.trim(), "all" | "*") => {
            let names = kill_all(flow, &context.session).await.map_err(fault)?;
            let text = match names.len() {
                0 => "No sub-agent is at work.".to_owned(),
                count => format!("Stopped {count}: {}.", names.join(", ")),
            };
            Ok(json!({
                "status": "ok", "action": "kill", "target": "all", "killed": names.len(), "labels": names, "text": text,
            }))
        }
        SubagentOrder::Kill { target } => stop(flow, context, &target).await,
        SubagentOrder::Steer { target, message } => say(flow, context, &target, message).await,
    }
}

fn list(context: &ToolContext, roster: &Roster, recent: Duration) -> Value {
    let rows = |rows: &[Numbered]| rows.iter().map(row).collect::<Vec<_>>();
    json!({
        "status": "ok",
        "action": "list",
        "requesterSessionKey": context.session,
        "callerSessionKey": context.session,
        "callerIsSubagent": context.session.is_subagent(),
        "total": roster.all.len(),
        "active": rows(&roster.active),
        "recent": rows(&roster.recent),
        "text": roster.text(recent),
    })
}

fn row(one: &Numbered) -> Value {
    let row = &one.row;
    let all = json!({
        "index": one.index,
        "runId": row.run,
        "sessionKey": row.child,
        "label": label(row),
        "task": row.task,
        "status": status(row),
        "runtime": span(one.took),
        "runtimeMs": u64::try_from(one.took.as_millis()).unwrap_or(u64::MAX),
        "model": one.model,
        "totalTokens": one.tokens(),
        "startedAt": row.started_at.unwrap_or(row.created_at),
        "endedAt": row.ended_at,
    });
    match all {
        Value::Object(fields) => fields.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        other => other,
    }
}

async fn stop(flow: &Arc<Inner>, context: &ToolContext, target: &str) -> Result<Value, SessionToolFault> {
    let roster = roster(flow, &context.session, minutes(RECENT)).await.map_err(fault)?;
    let row = roster.find(target).map_err(SessionToolFault::Wrong)?;
    let killed = kill(flow, &row.run).await.map_err(fault)?;
    let name = label(row);
    let (status, text) = match (&killed.itself, killed.below.len()) {
        (None, 0) => ("done", format!("{name} is over already.")),
        (Some(_), 0) => ("ok", format!("Stopped {name}.")),
        (Some(_), below) => ("ok", format!("Stopped {name} and {below} below it.")),
        (None, below) => ("ok", format!("{name} is over already; stopped {below} below it.")),
    };
    Ok(json!({
        "status": status,
        "action": "kill",
        "target": target,
        "runId": row.run,
        "sessionKey": row.child,
        "label": name,
        "cascadeKilled": killed.below.len(),
        "cascadeLabels": killed.below,
        "text": text,
    }))
}

async fn say(
    flow: &Arc<Inner>,
    context: &ToolContext,
    target: &str,
    message: String,
) -> Result<Value, SessionToolFault> {
    let roster = roster(flow, &context.session, minutes(RECENT)).await.map_err(fault)?;
    let row = roster.find(target).map_err(SessionToolFault::Wrong)?;
    let by = context.session.clone();
    let order = Steer { run: row.run.clone(), by, from: handed_on(&context.sender), message };
    let name = label(row);
    let (status, run, text) = match steer(flow, order).await? {
        Steered::Sent(run) => ("accepted", run, format!("Told {name}.")),
        Steered::Over => ("done", row.run.clone(), format!("{name} is over already.")),
        Steered::TooSoon => (
            "rate_limited",
            row.run.clone(),
            format!("{name} was told something a moment ago; wait two seconds."),
        ),
    };
    Ok(json!({
        "status": status,
        "action": "steer",
        "target": target,
        "runId": run,
        "sessionKey": row.child,
        "mode": "steer",
        "label": name,
        "text": text,
    }))
}

fn minutes(count: u64) -> Duration {
    Duration::from_secs(count.saturating_mul(60))
}
