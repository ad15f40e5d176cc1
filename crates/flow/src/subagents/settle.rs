//! Decides when a sub-agent is over, and writes down what it left.
//!
//! It is over when no run is under way or waits in its session and none of its own sub-agents has something to say yet.
//! Until then what it says is not its last word.

use std::sync::Arc;
use std::time::Duration;

use openclaw_agent::{FaultKind, RunOutcome};
use openclaw_config::SubagentSettings;
use openclaw_ports::stores::{RunRecord, Subagent, SubagentOutcome};
use openclaw_session::strip_directive_tags;
use openclaw_types::{
    AbortCause, EntryBody, LineRecord, Message, RunEnding, RunId, SessionKey, UnixMillis, Usage,
};

use super::announce::announce;
use crate::error::FlowError;
use crate::flow::Inner;
use crate::runs::RunState;

/// How old a sub-agent is before it may be found never to have begun: it is written down before its task is.
const BEGINS_WITHIN: Duration = Duration::from_secs(120);

/// How a sub-agent without a known end is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// A process has begun: whatever is not under way was cut off.
    Start,
    /// In the middle of things.
    Midway,
}

/// Takes note that a run ended in a session. Does nothing unless a sub-agent works there.
pub(crate) async fn run_ended(flow: &Arc<Inner>, key: &SessionKey, run: &RunId, how: &RunEnding) {
    // A run that the gateway's own stop cut off goes on at the next start.
    if !key.is_subagent() || matches!(how, RunEnding::Aborted(AbortCause::Shutdown)) {
        return;
    }
    if let Err(error) = Box::pin(note_end(flow, key, run, how)).await {
        tracing::warn!(subsystem = "subagents", %key, %error, "the end of a sub-agent's run could not be noted yet");
    }
    Box::pin(settle(flow, key, Moment::Midway)).await;
}

/// Ends the sub-agent of a session, and those it was asked by, as far as they are over. Trouble is told to the log and
/// tried again by the sweep.
pub(super) async fn settle(flow: &Arc<Inner>, child: &SessionKey, moment: Moment) {
    let mut next = Some(child.clone());
    while let Some(child) = next.take() {
        let heard = async {
            match close(flow, &child, moment).await? {
                Some(run) => announce(flow, &run).await,
                None => Ok(None),
            }
        };
        match heard.await {
            // It may have answered already, or was told nothing: then no run's end would close it.
            Ok(heard) => next = heard.filter(SessionKey::is_subagent),
            Err(error) => {
                tracing::warn!(subsystem = "subagents", %child, %error, "a sub-agent's result is handed over later");
            }
        }
    }
}

/// Whether a sub-agent works in a session and is not over.
pub(crate) async fn works_in(flow: &Inner, child: &SessionKey) -> Result<bool, FlowError> {
    Ok(flow.book.hold(&*flow.parts.subagents).await?.open_in(child).is_some())
}

/// What a sub-agent's session holds.
pub(super) struct Findings {
    /// The last words of the model.
    pub(super) words: Option<String>,
    /// What all its answers took together.
    pub(super) usage: Usage,
}

/// Reads a sub-agent's session; nothing when it is gone.
pub(super) async fn findings(flow: &Inner, child: &SessionKey) -> Result<Option<Findings>, FlowError> {
    let Some(entry) = flow.parts.sessions.entry(child).await? else { return Ok(None) };
    let agent = flow.parts.sessions.agent_of(child);
    let mut found = Findings { words: None, usage: Usage::default() };
    for stored in flow.parts.store.transcript(&agent, &entry.session_id).await? {
        let LineRecord::Entry(entry) = &stored.line.record else { continue };
        let EntryBody::Message(message) = &entry.body else { continue };
        let Message::Assistant(answer) = &**message else { continue };
        if let Some(usage) = &answer.usage {
            found.usage = found.usage.plus(usage);
        }
        let words = strip_directive_tags(&message.plain_text()).trim().to_owned();
        if !words.is_empty() {
            found.words = Some(words);
        }
    }
    Ok(Some(found))
}

async fn note_end(flow: &Inner, key: &SessionKey, run: &RunId, how: &RunEnding) -> Result<(), FlowError> {
    let ended = match flow.runs.state(run) {
        RunState::Ended(ended) => Some(ended),
        RunState::Active(_) | RunState::Unknown => None,
    };
    let started = ended.as_ref().and_then(|ended| ended.started_at);
    let outcome = outcome(how, ended.as_ref().and_then(|ended| ended.outcome.as_deref()));
    let mut held = flow.book.hold(&*flow.parts.subagents).await?;
    let Some(row) = held.open_in(key).cloned() else { return Ok(()) };
    held.save(Subagent { started_at: row.started_at.or(started), outcome: Some(outcome), ..row }).await?;
    Ok(())
}

fn outcome(how: &RunEnding, outcome: Option<&RunOutcome>) -> SubagentOutcome {
    let fault = outcome.and_then(|outcome| outcome.fault.as_ref());
    match (how, fault) {
        (RunEnding::Aborted(AbortCause::Timeout), _) => SubagentOutcome::TimedOut,
        (RunEnding::Aborted(_), _) => SubagentOutcome::Killed,
        (RunEnding::Failed { message }, _) => SubagentOutcome::Failed { message: message.clone() },
        (RunEnding::Answered, Some(fault)) if fault.kind == FaultKind::Timeout => SubagentOutcome::TimedOut,
        (RunEnding::Answered, Some(fault)) => SubagentOutcome::Failed { message: fault.message.clone() },
        (RunEnding::Answered, None) => SubagentOutcome::Done,
    }
}

/// Writes down that the sub-agent of a session is over, if it is. Gives its run when there is something to announce.
async fn close(flow: &Inner, child: &SessionKey, moment: Moment) -> Result<Option<RunId>, FlowError> {
    // The book stays in hand from the question to the answer: what is handed to the session meanwhile keeps it open.
    let mut held = flow.book.hold(&*flow.parts.subagents).await?;
    let Some(row) = held.open_in(child).cloned() else { return Ok(None) };
    if !rests(flow, held.all(), child) {
        return Ok(None);
    }
    let agent = flow.parts.sessions.agent_of(child);
    let record = flow.parts.store.run(&agent, &row.run).await?;
    let found = findings(flow, child).await?;
    // A person may have said something to it while its words were read.
    if !rests(flow, held.all(), child) {
        return Ok(None);
    }
    let now = flow.now();
    let Some((outcome, ended_at)) = end(&row, record.as_ref(), moment, now) else { return Ok(None) };
    let settings = SubagentSettings::of(&flow.settings().raw, &flow.parts.sessions.agent_of(&row.requester));
    let over = Subagent {
        started_at: row.started_at.or(record.map(|record| record.start.at)),
        ended_at: Some(ended_at),
        outcome: Some(outcome),
        result: found.and_then(|found| found.words),
        archive_at: Some(now.plus(settings.archive_after)),
        ..row
    };
    let run = over.run.clone();
    held.save(over).await?;
    Ok(Some(run))
}

/// Whether no run is under way or waits in a session, and none of its sub-agents has something to say yet.
fn rests(flow: &Inner, rows: &[Subagent], child: &SessionKey) -> bool {
    let waits = rows.iter().any(|below| below.requester == *child && below.announced_at.is_none());
    !waits && flow.runs.of_session(child).is_empty()
}

/// What came of a sub-agent that nobody works for any more, and when.
fn end(
    row: &Subagent,
    record: Option<&RunRecord>,
    moment: Moment,
    now: UnixMillis,
) -> Option<(SubagentOutcome, UnixMillis)> {
    if let Some(outcome) = &row.outcome {
        return Some((outcome.clone(), now));
    }
    match record.and_then(|record| record.end.as_ref()) {
        Some((at, how)) => Some((outcome(how, None), *at)),
        None if moment == Moment::Start || now.since(row.created_at) > BEGINS_WITHIN => {
            Some((SubagentOutcome::Interrupted, now))
        }
        None => None,
    }
}
