//! Orders a sub-agent: checks the limits, writes it down, prepares its session, and gives it its task.
//!
//! It is written down first. When the process ends before the task is in the inbox, the sub-agent is announced as
//! interrupted; when it ends later, the task is resumed.

use openclaw_config::{Config, SubagentCharacter, SubagentSettings, Targets};
use openclaw_ports::stores::{Cleanup, SpawnMode, Subagent};
use openclaw_ports::tool::SessionToolFault;
use openclaw_session::{Leaving, Opening};
use openclaw_types::{
    AgentId, ModelRef, RunId, SendTarget, Sender, SenderRank, SessionFacts, SessionKey, SessionScope, TaskId,
    ThinkingLevel, ToolRule, UnixMillis,
};

use std::sync::Arc;

use super::book::Held;
use super::roster::label;
use super::thread;
use super::words::{about_itself, works_here};
use crate::error::FlowError;
use crate::flow::Inner;
use crate::order::depth;
use crate::outbox;
use crate::submission::{Author, Rank, Submission, SubmissionOptions, SubmissionSurface};

/// What is ordered.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spawn {
    /// The session that asks.
    pub(crate) requester: SessionKey,
    /// Who is behind it.
    pub(crate) from: Author,
    /// The task.
    pub(crate) task: String,
    /// A short name.
    pub(crate) label: Option<String>,
    /// The agent that does it; the asking one when absent.
    pub(crate) agent: Option<String>,
    /// The model that does it.
    pub(crate) model: Option<String>,
    /// How hard it thinks.
    pub(crate) thinking: Option<String>,
    /// How long it may take, in seconds; zero for any time.
    pub(crate) timeout_seconds: Option<u64>,
    /// What happens to its session afterwards.
    pub(crate) cleanup: Cleanup,
    /// Whether its session stays for more work.
    pub(crate) mode: SpawnMode,
    /// Who wants a thread of its own for it, and where.
    pub(crate) thread: Option<Sender>,
}

/// A sub-agent on its way.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Spawned {
    /// What was written down.
    pub(crate) row: Subagent,
    /// The model that was chosen for it, where one was.
    pub(crate) model: Option<ModelRef>,
    /// Its thread, where it has one of its own.
    pub(crate) thread: Option<SendTarget>,
}

/// What was decided about an order before anything is written.
struct Plan {
    agent: AgentId,
    settings: SubagentSettings,
    model: Option<ModelRef>,
    thinking: Option<ThinkingLevel>,
    row: Subagent,
}

/// Orders a sub-agent. It is on its way, and survives a crash, when this returns.
///
/// # Errors
/// Names the limit that forbids it, or what is wrong with the order.
pub(crate) async fn spawn(flow: &Arc<Inner>, order: Spawn) -> Result<Spawned, SessionToolFault> {
    let plan = plan(flow, &order).await?;
    let thread = match &order.thread {
        Some(asked_by) => {
            // Also checked before, so that no thread is made for nothing.
            let held = flow.book.hold(&*flow.parts.subagents).await.map_err(fault)?;
            check_children(held.all(), &order.requester, plan.settings.max_children)?;
            drop(held);
            let name = label(&plan.row);
            let made = thread::make(flow, asked_by, &name).await?;
            thread::bind(flow, &made, &plan.row.child, &name).await?;
            Some(made)
        }
        None => None,
    };
    // Held until the task is taken: whoever stops the sub-agent finds a task to take back.
    let mut held = flow.book.hold(&*flow.parts.subagents).await.map_err(fault)?;
    check_children(held.all(), &order.requester, plan.settings.max_children)?;
    held.save(plan.row.clone()).await.map_err(fault)?;
    let begun = async {
        prepare(flow, &plan).await?;
        let mut submission = task_letter(&order, &plan, flow.now());
        submission.options.tools = room_rule(flow, &plan.row.requester).await?;
        submission.options.answer_at.clone_from(&thread);
        if thread.is_some() {
            outbox::speak(flow, &submission, "begins", &works_here(&plan.row)).await?;
        }
        flow.take(submission).await
    };
    if let Err(error) = begun.await {
        take_back(flow, &mut held, &plan.row).await;
        return Err(fault(error));
    }
    Ok(Spawned { row: plan.row, model: plan.model, thread })
}

/// Which tools may be used for what a session asks for.
pub(crate) async fn room_rule(flow: &Inner, asking: &SessionKey) -> Result<Option<ToolRule>, FlowError> {
    Ok(flow.parts.sessions.entry(asking).await?.and_then(|entry| entry.facts.room_tools.clone()))
}

/// Who is behind a submission that is handed on: never more than they were, and the owner's own rights stay with the owner.
pub(crate) fn handed_on(sender: &Sender) -> Author {
    Author {
        standing: match sender.standing {
            SenderRank::Guest => Rank::Guest,
            SenderRank::Owner | SenderRank::System => Rank::System,
        },
        channel: sender.channel.clone(),
        account: sender.account.clone(),
        peer: sender.peer.clone(),
        name: sender.name.clone(),
        to: sender.to.clone(),
        thread: sender.thread.clone(),
        group: sender.chat != openclaw_types::ChatKind::Direct,
        may_approve: false,
    }
}

async fn plan(flow: &Inner, order: &Spawn) -> Result<Plan, SessionToolFault> {
    let config = flow.settings();
    let own = flow.parts.sessions.agent_of(&order.requester);
    let settings = SubagentSettings::of(&config.raw, &own);
    let asking = flow.parts.sessions.entry(&order.requester).await.map_err(fault)?;
    let above = match &asking {
        Some(entry) => depth(&order.requester, &entry.facts),
        None => depth(&order.requester, &SessionFacts::default()),
    };
    if above >= settings.max_depth {
        return Err(SessionToolFault::Refused(format!(
            "This session is at depth {above}, and agents.defaults.subagents.maxSpawnDepth is {}: it may not start \
             sub-agents. Do the work here.",
            settings.max_depth
        )));
    }
    let agent = target(&config, &own, &settings, order.agent.as_deref())?;
    let character = SubagentCharacter::of(&config.raw, &agent);
    let model = order.model.clone().or(character.model);
    let model = model.map(|text| known_model(flow, &agent, &text)).transpose()?;
    let thinking = order.thinking.clone().or(character.thinking).map(|word| level(&word)).transpose()?;
    let row = row(flow, order, &agent, above + 1)?;
    let row = Subagent {
        model: model.as_ref().map(ToString::to_string),
        timeout_seconds: row.timeout_seconds.or(settings.timeout.map(|timeout| timeout.as_secs())),
        ..row
    };
    Ok(Plan { agent, settings, model, thinking, row })
}

/// The model that somebody names, when it may be used and is known.
pub(crate) fn known_model(flow: &Inner, agent: &AgentId, text: &str) -> Result<ModelRef, SessionToolFault> {
    let models = &flow.parts.models;
    let found = models
        .resolve(agent, text)
        .map_err(|error| SessionToolFault::Wrong(error.to_string()))?
        .reference
        .model;
    match models.facts(&found) {
        Some(_) => Ok(found),
        None => Err(SessionToolFault::Wrong(format!(
            "There is no model '{found}'. Leave `model` out for the usual one."
        ))),
    }
}

fn row(flow: &Inner, order: &Spawn, agent: &AgentId, depth: u64) -> Result<Subagent, SessionToolFault> {
    if order.task.trim().is_empty() {
        return Err(SessionToolFault::Wrong("Say what the sub-agent is to do in `task`.".to_owned()));
    }
    let task = TaskId::new(uuid::Uuid::new_v4().to_string()).map_err(fault)?;
    Ok(Subagent {
        run: RunId::new(uuid::Uuid::new_v4().to_string()).map_err(fault)?,
        child: SessionKey::new(agent, SessionScope::subagent(task)),
        requester: order.requester.clone(),
        requester_display: order.requester.to_string(),
        depth,
        task: order.task.trim().to_owned(),
        label: order.label.as_deref().map(str::trim).filter(|label| !label.is_empty()).map(str::to_owned),
        model: None,
        cleanup: order.cleanup,
        mode: order.mode,
        timeout_seconds: order.timeout_seconds,
        created_at: flow.now(),
        started_at: None,
        ended_at: None,
        outcome: None,
        result: None,
        announced_at: None,
        announce_attempts: 0,
        archive_at: None,
    })
}

/// The agent that is asked.
fn target(
    config: &Config,
    own: &AgentId,
    settings: &SubagentSettings,
    asked: Option<&str>,
) -> Result<AgentId, SessionToolFault> {
    let Some(asked) = asked.map(str::trim).filter(|asked| !asked.is_empty()) else { return Ok(own.clone()) };
    let agent = AgentId::sanitized(asked);
    if agent == *own {
        return Ok(agent);
    }
    if !settings.targets.hold(&agent) {
        let allowed = match &settings.targets {
            Targets::Listed(listed) if !listed.is_empty() => {
                listed.iter().map(AgentId::as_str).collect::<Vec<_>>().join(", ")
            }
            _ => "none".to_owned(),
        };
        return Err(SessionToolFault::Refused(format!(
            "subagents.allowAgents of agent {own} does not name {agent} (it names: {allowed}). Leave `agentId` out, or \
             choose one of agents_list."
        )));
    }
    match config.agents.get(&agent) {
        Some(_) => Ok(agent),
        None => {
            Err(SessionToolFault::Wrong(format!("There is no agent {agent}. Choose one of agents_list.")))
        }
    }
}

fn check_children(rows: &[Subagent], requester: &SessionKey, most: usize) -> Result<(), SessionToolFault> {
    let active = rows.iter().filter(|row| row.requester == *requester && row.ended_at.is_none()).count();
    if active < most {
        return Ok(());
    }
    Err(SessionToolFault::Refused(format!(
        "This session has {active} sub-agents at work, and agents.defaults.subagents.maxChildrenPerAgent is {most}. Wait \
         for one of them, or stop one with `subagents`."
    )))
}

fn level(word: &str) -> Result<ThinkingLevel, SessionToolFault> {
    ThinkingLevel::from_typed(word).ok_or_else(|| {
        let levels = ThinkingLevel::ALL.map(ThinkingLevel::as_str).join(", ");
        SessionToolFault::Wrong(format!("'{word}' is no level of thinking. Use one of {levels}."))
    })
}

/// Makes the sub-agent's session. What comes while it works joins its run.
async fn prepare(flow: &Inner, plan: &Plan) -> Result<(), FlowError> {
    let sessions = &flow.parts.sessions;
    let (row, child) = (plan.row.clone(), plan.row.child.clone());
    sessions.open(Opening::new(child.clone(), None)).await?;
    let (model, thinking) = (plan.model.clone(), plan.thinking);
    let changed = sessions.change(&child, move |entry| {
        let facts = &mut entry.facts;
        facts.spawned_by = Some(row.requester.to_string());
        facts.spawn_depth = Some(row.depth);
        facts.label = row.label;
        facts.queue_mode = Some("steer".to_owned());
        facts.thinking_level = thinking.map(|level| level.as_str().to_owned());
        if let Some(model) = model {
            facts.provider_override = Some(model.provider().as_str().to_owned());
            facts.model_override = Some(model.model().to_owned());
        }
    });
    changed.await?;
    Ok(())
}

fn task_letter(order: &Spawn, plan: &Plan, now: UnixMillis) -> Submission {
    let row = &plan.row;
    Submission {
        channel_origin: None,
        run: row.run.clone(),
        agent: plan.agent.clone(),
        key: row.child.clone(),
        raw_key: row.child.to_string(),
        surface: SubmissionSurface::Subagent,
        text: row.task.clone(),
        pictures: Vec::new(),
        at: now,
        from: order.from.clone(),
        provenance: Some(super::announce::provenance(&row.requester, "sessions_spawn")),
        options: SubmissionOptions {
            timeout_seconds: row.timeout_seconds,
            extra_system: Some(about_itself(row, plan.settings.max_depth)),
            lane: Some("subagent".to_owned()),
            stamped: true,
            ..SubmissionOptions::default()
        },
    }
}

/// Leaves no trace of a sub-agent that could not begin. What cannot be taken back is announced as interrupted later.
async fn take_back(flow: &Inner, held: &mut Held<'_>, row: &Subagent) {
    flow.release_thread(&row.child).await;
    let removed = async {
        flow.parts.sessions.delete(&row.child, Leaving::Keep).await?;
        held.remove(&row.run).await?;
        Ok::<(), FlowError>(())
    };
    if let Err(error) = removed.await {
        tracing::warn!(subsystem = "subagents", run = %row.run, %error, "a sub-agent that did not begin stays written down");
    }
}

pub(super) fn fault(error: impl std::fmt::Display) -> SessionToolFault {
    SessionToolFault::Fault(error.to_string())
}
