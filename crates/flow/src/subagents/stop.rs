//! Stops sub-agents, and with each of them those it had asked itself.
//!
//! That a sub-agent was stopped is written down first: a crash in between must not bring it back. Whoever stops one
//! knows of it, so nothing is announced.

use std::collections::HashSet;
use std::sync::Arc;

use openclaw_config::SubagentSettings;
use openclaw_ports::stores::{Subagent, SubagentOutcome};
use openclaw_types::{AbortCause, RunId, SessionKey};

use super::roster::label;
use super::settle::{Moment, settle};
use crate::enqueue::Results;
use crate::error::FlowError;
use crate::flow::{Flow, Inner};

/// What was stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Killed {
    /// What the sub-agent is called, when it was at work itself.
    pub(crate) itself: Option<String>,
    /// What those below it are called.
    pub(crate) below: Vec<String>,
}

/// Stops one sub-agent and everything below it.
pub(crate) async fn kill(flow: &Arc<Inner>, run: &RunId) -> Result<Killed, FlowError> {
    let row = flow.book.hold(&*flow.parts.subagents).await?.get(run).cloned();
    let Some(row) = row else { return Ok(Killed::default()) };
    let itself = end(flow, &row.run).await?.then(|| label(&row));
    let below = all_below(flow, &row.child).await?;
    // Whoever asked for it may have waited for nothing else.
    if row.requester.is_subagent() {
        settle(flow, &row.requester, Moment::Midway).await;
    }
    Ok(Killed { itself, below })
}

/// Stops everything that a session asked for. Gives what they are called.
pub(crate) async fn kill_all(flow: &Arc<Inner>, requester: &SessionKey) -> Result<Vec<String>, FlowError> {
    all_below(flow, requester).await
}

async fn all_below(flow: &Arc<Inner>, requester: &SessionKey) -> Result<Vec<String>, FlowError> {
    let mut names = Vec::new();
    let mut seen = HashSet::new();
    let mut above = vec![requester.clone()];
    while let Some(key) = above.pop() {
        if !seen.insert(key.clone()) {
            continue;
        }
        let rows: Vec<Subagent> = {
            let held = flow.book.hold(&*flow.parts.subagents).await?;
            held.all().iter().filter(|row| row.requester == key).cloned().collect()
        };
        for row in rows {
            if end(flow, &row.run).await? {
                names.push(label(&row));
            }
            above.push(row.child);
        }
    }
    Ok(names)
}

/// Stops one; false when it was over.
async fn end(flow: &Arc<Inner>, run: &RunId) -> Result<bool, FlowError> {
    let now = flow.now();
    let child = {
        let mut held = flow.book.hold(&*flow.parts.subagents).await?;
        let Some(row) = held.get(run).filter(|row| row.ended_at.is_none()).cloned() else { return Ok(false) };
        let settings =
            SubagentSettings::of(&flow.settings().raw, &flow.parts.sessions.agent_of(&row.requester));
        let child = row.child.clone();
        let stopped = Subagent {
            ended_at: Some(now),
            outcome: Some(SubagentOutcome::Killed),
            announced_at: Some(now),
            archive_at: Some(now.plus(settings.archive_after)),
            ..row
        };
        held.save(stopped).await?;
        child
    };
    flow.release_thread(&child).await;
    // Submissions that are on their way to its session never get there.
    Flow::of(flow).halt(&child, AbortCause::Request, Results::Gone).await;
    Ok(true)
}
