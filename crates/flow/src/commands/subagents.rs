//! `/subagents`, `/kill` and `/steer`: lists and controls what agents started for themselves in this session.
//!
//! What is done is in `crate::subagents`; here it is put into words. Stopping is silent when it worked.

use std::time::Duration;

use openclaw_inbound::commands::{KillTarget, Subagents};
use openclaw_ports::stores::{Cleanup, SpawnMode, Subagent, SubagentOutcome};
use openclaw_ports::tool::SessionToolFault;

use super::wording::{ago, capped, tokens};
use super::{CommandCall, CommandTrouble, Effect};
use crate::subagents::{self, Numbered, Roster, Spawn, Steer, Steered, handed_on};

/// How far back those that ended are listed.
const RECENT: Duration = Duration::from_secs(30 * 60);
/// How much `log` shows.
const LOG_ITEMS: usize = 20;
const LOG_LETTERS: usize = 600;

/// Does what `/subagents` asks for.
pub(super) async fn subagents(call: &CommandCall<'_>, order: Subagents) -> Result<Effect, CommandTrouble> {
    let said = match order {
        Subagents::List => roster(call).await?.text(RECENT),
        Subagents::Kill(target) => return kill(call, target).await,
        Subagents::Log { target, limit, tools } => {
            log(call, &target, limit.unwrap_or(LOG_ITEMS), tools).await?
        }
        Subagents::Info { target } => info(call, &target).await?,
        Subagents::Send { target, message } | Subagents::Steer { target, message } => {
            return steer(call, &target, message).await;
        }
        Subagents::Spawn { agent, task, model, thinking } => {
            let order = Spawn {
                requester: call.key().clone(),
                from: handed_on(&call.submission.sender()),
                task,
                label: None,
                agent,
                model,
                thinking,
                timeout_seconds: None,
                cleanup: Cleanup::Keep,
                mode: SpawnMode::Run,
                thread: None,
            };
            match subagents::spawn(call.flow, order).await {
                Ok(spawned) => format!(
                    "🤖 A sub-agent is at work: {} (run {}). Its result comes here.",
                    subagents::label(&spawned.row),
                    spawned.row.run
                ),
                Err(fault) => refused(&fault),
            }
        }
    };
    Ok(Effect::Say(said))
}

/// Stops one sub-agent, or all of the session.
pub(super) async fn kill(call: &CommandCall<'_>, target: KillTarget) -> Result<Effect, CommandTrouble> {
    match target {
        KillTarget::All => {
            let stopped = subagents::kill_all(call.flow, call.key()).await?;
            Ok(match stopped.is_empty() {
                true => Effect::Say("🤖 No sub-agents are at work here.".to_owned()),
                false => Effect::Silent,
            })
        }
        KillTarget::One(target) => {
            let roster = roster(call).await?;
            let run = match roster.find(&target) {
                Ok(row) => row.run.clone(),
                Err(why) => return Ok(Effect::Say(format!("⚠️ {why}"))),
            };
            let killed = subagents::kill(call.flow, &run).await?;
            Ok(match killed.itself.is_none() && killed.below.is_empty() {
                true => Effect::Say("🤖 That sub-agent is over already.".to_owned()),
                false => Effect::Silent,
            })
        }
    }
}

/// Says something to a sub-agent at work.
pub(super) async fn steer(
    call: &CommandCall<'_>,
    target: &str,
    message: String,
) -> Result<Effect, CommandTrouble> {
    let roster = roster(call).await?;
    let row = match roster.find(target) {
        Ok(row) => row,
        Err(why) => return Ok(Effect::Say(format!("⚠️ {why}"))),
    };
    let order = Steer {
        run: row.run.clone(),
        by: call.key().clone(),
        from: handed_on(&call.submission.sender()),
        message,
    };
    Ok(Effect::Say(match subagents::steer(call.flow, order).await {
        Ok(Steered::Sent(_)) => format!("🤖 Told {}.", subagents::label(row)),
        Ok(Steered::Over) => {
            format!("⚠️ {} is over. Start another with /subagents spawn.", subagents::label(row))
        }
        Ok(Steered::TooSoon) => "⚠️ It was told something a moment ago. Try again in two seconds.".to_owned(),
        Err(fault) => refused(&fault),
    }))
}

async fn roster(call: &CommandCall<'_>) -> Result<Roster, CommandTrouble> {
    Ok(subagents::roster(call.flow, call.key(), RECENT).await?)
}

async fn log(
    call: &CommandCall<'_>,
    target: &str,
    limit: usize,
    tools: bool,
) -> Result<String, CommandTrouble> {
    let roster = roster(call).await?;
    let row = match roster.find(target) {
        Ok(row) => row,
        Err(why) => return Ok(format!("⚠️ {why}")),
    };
    let preview = call.sessions().preview(&row.child, limit, LOG_LETTERS).await?;
    let shown = preview.items.iter().filter(|item| tools || item.role != "tool");
    let lines: Vec<String> = shown.map(|item| format!("{}: {}", item.role, item.text)).collect();
    Ok(match lines.is_empty() {
        true => format!("🤖 {} has said nothing yet.", subagents::label(row)),
        false => format!("🤖 {}\n{}", subagents::label(row), lines.join("\n")),
    })
}

async fn info(call: &CommandCall<'_>, target: &str) -> Result<String, CommandTrouble> {
    let roster = roster(call).await?;
    let row = match roster.find(target) {
        Ok(row) => row,
        Err(why) => return Ok(format!("⚠️ {why}")),
    };
    let now = call.flow.now();
    let mut lines = vec![
        format!("🤖 {}", subagents::label(row)),
        format!("State: {}", state(row)),
        format!("Task: {}", capped(&row.task, LOG_LETTERS)),
        format!("Run: {}", row.run),
        format!("Session: {}", row.child),
        format!("Ordered: {}", ago(now.since(row.created_at))),
    ];
    if let Some(ended) = row.ended_at {
        lines.push(format!("Ended: {}", ago(now.since(ended))));
    }
    let mut numbered = roster.active.iter().chain(&roster.recent);
    if let Some(facts) = numbered.find(|one| one.row.run == row.run) {
        lines.push(format!("Model: {}", facts.model));
        lines.extend(Numbered::tokens(facts).map(|used| format!("Context: {} tokens", tokens(used))));
    }
    let after = match row.cleanup {
        Cleanup::Delete => "its session is removed afterwards",
        Cleanup::Keep => "its session is kept for a while",
    };
    lines.push(format!("Afterwards: {after}"));
    Ok(lines.join("\n"))
}

fn state(row: &Subagent) -> String {
    match (&row.ended_at, &row.outcome) {
        (None, _) => "at work".to_owned(),
        (_, Some(SubagentOutcome::Done)) => "done".to_owned(),
        (_, Some(SubagentOutcome::Failed { message })) => format!("failed: {message}"),
        (_, Some(SubagentOutcome::TimedOut)) => "took too long".to_owned(),
        (_, Some(SubagentOutcome::Killed)) => "stopped".to_owned(),
        (_, Some(SubagentOutcome::Interrupted) | None) => "cut off by a stop of the gateway".to_owned(),
    }
}

fn refused(fault: &SessionToolFault) -> String {
    match fault {
        SessionToolFault::Refused(why) | SessionToolFault::Wrong(why) => format!("⚠️ {why}"),
        SessionToolFault::Fault(why) => {
            tracing::error!(subsystem = "flow", error = %why, "a sub-agent could not be reached");
            "⚠️ That did not work on our side; the gateway's log says more.".to_owned()
        }
    }
}
