//! Says something to a sub-agent at work: it joins the run under way, or is answered next.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::tool::SessionToolFault;
use openclaw_types::{RunId, SessionKey};

use super::announce::{provenance, wishes_within};
use super::spawn::{fault, room_rule};
use crate::flow::Inner;
use crate::submission::{Author, Submission, SubmissionOptions, SubmissionSurface};

/// The longest message, in submissions.
const MOST_LETTERS: usize = 4_000;

/// How long to wait before saying something to the same sub-agent again.
const PAUSE: Duration = Duration::from_secs(2);

/// What is said to a sub-agent.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Steer {
    /// The sub-agent's run.
    pub(crate) run: RunId,
    /// The session that speaks.
    pub(crate) by: SessionKey,
    /// Who is behind it.
    pub(crate) from: Author,
    /// What.
    pub(crate) message: String,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Steered {
    /// It is on its way, under this name.
    Sent(RunId),
    /// The sub-agent is over.
    Over,
    /// Something was said a moment ago.
    TooSoon,
}

/// Says something to a sub-agent. Durable when it was sent.
///
/// # Errors
/// Says what is wrong with the message.
pub(crate) async fn steer(flow: &Arc<Inner>, order: Steer) -> Result<Steered, SessionToolFault> {
    let letters = order.message.chars().count();
    if order.message.trim().is_empty() || letters > MOST_LETTERS {
        return Err(SessionToolFault::Wrong(format!(
            "The message has {letters} letters; it must have between 1 and {MOST_LETTERS}."
        )));
    }
    // Held until the message is taken, so that the sub-agent cannot be found to be over in between.
    let held = flow.book.hold(&*flow.parts.subagents).await.map_err(fault)?;
    let Some(row) = held.get(&order.run).filter(|row| row.ended_at.is_none()) else {
        return Ok(Steered::Over);
    };
    if row.child == order.by {
        return Err(SessionToolFault::Refused("A sub-agent cannot steer itself.".to_owned()));
    }
    if !flow.book.may_speak(&row.child, flow.now(), PAUSE) {
        return Ok(Steered::TooSoon);
    }
    let run = RunId::new(uuid::Uuid::new_v4().to_string()).map_err(fault)?;
    let submission = Submission {
        channel_origin: None,
        run: run.clone(),
        agent: flow.parts.sessions.agent_of(&row.child),
        key: row.child.clone(),
        raw_key: row.child.to_string(),
        surface: SubmissionSurface::Session,
        text: order.message,
        pictures: Vec::new(),
        at: flow.now(),
        from: order.from,
        provenance: Some(provenance(&order.by, "subagents")),
        options: SubmissionOptions {
            tools: room_rule(flow, &order.by).await.map_err(fault)?,
            ..wishes_within(flow, row).await.map_err(fault)?
        },
    };
    flow.take(submission).await.map_err(fault)?;
    drop(held);
    Ok(Steered::Sent(run))
}
