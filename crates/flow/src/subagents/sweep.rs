//! Looks after sub-agents: at the start those that a crash left, later those whose time is over.
//!
//! Whatever could not be handed over or written down is tried again here, for as long as the process lives.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::stores::{InboxEnd, SpawnMode, Subagent, SubagentOutcome};
use openclaw_types::UnixMillis;

use super::announce::{announce, put_away};
use super::settle::{Moment, settle};
use crate::error::FlowError;
use crate::flow::Inner;

/// How often sub-agents are looked after.
const PAUSE: Duration = Duration::from_secs(30);

/// Takes back the submissions of sub-agents that were stopped, so that a start does not bring them back. Before anything is
/// resumed; their runs are ended with all others that were stopped.
pub(crate) async fn withdraw_killed(flow: &Inner) -> Result<(), FlowError> {
    let rows = rows(flow).await?;
    let killed: Vec<&Subagent> = rows
        .iter()
        .filter(|row| row.outcome == Some(SubagentOutcome::Killed) && row.ended_at.is_some())
        .collect();
    if killed.is_empty() {
        return Ok(());
    }
    let open = flow.parts.inbox.open_messages().await?;
    for row in killed {
        let ids: Vec<_> = open
            .iter()
            .filter(|submission| submission.message.session == row.child)
            .map(|submission| submission.id)
            .collect();
        if ids.is_empty() {
            continue;
        }
        flow.parts.inbox.finish(ids, InboxEnd::Withdrawn).await?;
    }
    Ok(())
}

/// Ends and announces what a crash cut off. After everything that can go on is resumed.
pub(crate) async fn take_up(flow: &Arc<Inner>) -> Result<(), FlowError> {
    look(flow, Moment::Start).await
}

/// Looks after sub-agents until the process stops.
pub(crate) fn keep_sweeping(flow: &Arc<Inner>) {
    let swept = Arc::clone(flow);
    flow.parts.tasks.start_cancellable("sub-agents", async move {
        loop {
            swept.parts.clock.sleep(PAUSE).await;
            if let Err(error) = sweep(&swept).await {
                tracing::warn!(subsystem = "subagents", %error, "sub-agents could not be looked after");
            }
        }
    });
}

/// One look at all of them.
async fn sweep(flow: &Arc<Inner>) -> Result<(), FlowError> {
    look(flow, Moment::Midway).await?;
    let now = flow.now();
    for row in rows(flow).await? {
        if row.announced_at.is_none() {
            continue;
        }
        match is_gone(flow, &row, now).await {
            Ok(true) => flow.book.hold(&*flow.parts.subagents).await?.remove(&row.run).await?,
            Ok(false) => {}
            // One agent that cannot be read holds up nobody else.
            Err(error) => {
                tracing::warn!(subsystem = "subagents", run = %row.run, %error, "it cannot be seen whether a sub-agent is still there");
            }
        }
    }
    Ok(())
}

/// Whether nothing is left of a sub-agent that is over. One that did its task is put away when its time has come. One
/// that stays for more goes when its session was put away, like any that is old; its thread is its own again then.
async fn is_gone(flow: &Inner, row: &Subagent, now: UnixMillis) -> Result<bool, FlowError> {
    match row.mode {
        SpawnMode::Run => {
            let due = row.archive_at.is_some_and(|at| at <= now);
            Ok(due && put_away(flow, &row.child).await)
        }
        SpawnMode::Session => {
            let gone = flow.parts.sessions.entry(&row.child).await?.is_none();
            if gone {
                flow.release_thread(&row.child).await;
            }
            Ok(gone)
        }
    }
}

async fn look(flow: &Arc<Inner>, moment: Moment) -> Result<(), FlowError> {
    for row in rows(flow).await? {
        if row.announced_at.is_some() {
            continue;
        }
        if row.ended_at.is_none() {
            settle(flow, &row.child, moment).await;
            continue;
        }
        match announce(flow, &row.run).await {
            Ok(Some(above)) if above.is_subagent() => settle(flow, &above, moment).await,
            Ok(_) => {}
            Err(error) => {
                tracing::warn!(subsystem = "subagents", run = %row.run, %error, "a sub-agent's result waits to be handed over");
            }
        }
    }
    Ok(())
}

async fn rows(flow: &Inner) -> Result<Vec<Subagent>, FlowError> {
    Ok(flow.book.hold(&*flow.parts.subagents).await?.all().to_vec())
}
