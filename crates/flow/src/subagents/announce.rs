//! Hands the result of a sub-agent to the session that asked for it.
//!
//! The submission's name is made from the sub-agent's run, so that the inbox takes it once however often it is tried. It is
//! tried until it is stored. A session that is gone hands it up to the one that had asked for that.

use std::sync::Arc;

use openclaw_config::SubagentSettings;
use openclaw_delivery::{ANNOUNCE_SKIP, is_only, is_silent};
use openclaw_ports::stores::{InboxEnd, SpawnMode, Subagent};
use openclaw_ports::{Deadline, TimedOut};
use openclaw_session::Leaving;
use openclaw_types::{
    AccountId, ChannelId, Provenance, ProvenanceKind, RunId, SessionKey, SessionScope, ThreadId, Usage,
};
use serde_json::Value;

use super::words::{Announcement, about_itself};
use crate::error::FlowError;
use crate::flow::Inner;
use crate::intake::letter_key;
use crate::submission::{Author, Rank, Submission, SubmissionOptions, SubmissionSurface};

/// What marks the submissions that hand over a result.
pub(crate) const ANNOUNCING: &str = "subagent_announce";

/// How far up a result is handed at most.
const MOST_STEPS: usize = 16;

/// How often a submission that was taken back gets another name.
const MOST_NAMES: u32 = 1_000;

/// Hands over what a sub-agent left, unless that was done before. Gives the session that was told, or would have been
/// if the sub-agent had not wanted silence: what works there may be over now too.
pub(super) async fn announce(flow: &Arc<Inner>, run: &RunId) -> Result<Option<SessionKey>, FlowError> {
    let (row, rows) = {
        let held = flow.book.hold(&*flow.parts.subagents).await?;
        let Some(row) = held.get(run).filter(|row| row.ended_at.is_some() && row.announced_at.is_none())
        else {
            return Ok(None);
        };
        (row.clone(), held.all().to_vec())
    };
    // One that goes on in its thread says there what it found.
    let silent = row.mode == SpawnMode::Session
        || row.result.as_deref().is_some_and(|result| is_silent(result) || is_only(result, ANNOUNCE_SKIP));
    let mut heard = row.requester.clone();
    if !silent {
        let submission = submission(flow, &row, &rows).await?;
        heard = submission.key.clone();
        if let Err(error) = hand_over(flow, &row, submission).await {
            count_attempt(flow, run).await?;
            return Err(error);
        }
    }
    note(flow, run).await?;
    if row.mode == SpawnMode::Run {
        flow.release_thread(&row.child).await;
    }
    if row.cleanup == openclaw_ports::stores::Cleanup::Delete {
        put_away(flow, &row.child).await;
    }
    Ok(Some(heard))
}

/// Delivers a submission, and stops waiting for that after a while (`announceTimeoutMs`). What is under way goes on: the
/// inbox takes a submission once, so that the next attempt does no harm.
async fn hand_over(flow: &Arc<Inner>, row: &Subagent, submission: Submission) -> Result<(), FlowError> {
    let agent = flow.parts.sessions.agent_of(&row.requester);
    let within = SubagentSettings::of(&flow.settings().raw, &agent).announce_within;
    let clock = flow.parts.clock.as_ref();
    match Deadline::after(clock, within).bound(clock, flow.take_apart(submission)).await {
        Ok(taken) => taken.map(|_submitted| ()),
        Err(TimedOut) => Err(FlowError::Busy("handing it over took too long".to_owned())),
    }
}

/// Takes note that announcements among these submissions were taken out of the queue: they are made again later. A result
/// must not be lost because too much is said at once, or because the session was told to do something else.
pub(crate) async fn announce_again(flow: &Inner, submissions: &[RunId]) {
    if submissions.is_empty() {
        return;
    }
    let noted = async {
        let mut held = flow.book.hold(&*flow.parts.subagents).await?;
        for row in held.all().to_vec() {
            let first = name(&row, 0)?;
            if !submissions.iter().any(|submission| submission.as_str().starts_with(first.as_str())) {
                continue;
            }
            match row.announced_at {
                Some(_) => held.save(Subagent { announced_at: None, ..row }).await?,
                None => flow.book.unheard(&row.run),
            }
        }
        Ok::<(), FlowError>(())
    };
    if let Err(error) = noted.await {
        tracing::error!(subsystem = "subagents", %error, "an announcement that found no place could not be kept");
    }
}

/// Says that a message comes from another session.
pub(crate) fn provenance(source: &SessionKey, tool: &str) -> Provenance {
    Provenance {
        kind: ProvenanceKind::InterSession,
        source_session: Some(source.clone()),
        source_channel: None,
        source_tool: Some(tool.to_owned()),
    }
}

/// What a submission for a sub-agent's session asks for, so that it is answered as its task is.
pub(super) async fn wishes_within(flow: &Inner, row: &Subagent) -> Result<SubmissionOptions, FlowError> {
    let agent = flow.parts.sessions.agent_of(&row.requester);
    let settings = SubagentSettings::of(&flow.settings().raw, &agent);
    Ok(SubmissionOptions {
        timeout_seconds: row.timeout_seconds,
        extra_system: Some(about_itself(row, settings.max_depth)),
        lane: Some("subagent".to_owned()),
        answer_at: flow.thread_of(&row.child).await?,
        ..SubmissionOptions::default()
    })
}

/// Removes a sub-agent's session. One that is busy goes with the sweep.
pub(super) async fn put_away(flow: &Inner, child: &SessionKey) -> bool {
    if !flow.runs.of_session(child).is_empty() {
        return false;
    }
    match flow.parts.sessions.delete(child, Leaving::Archive).await {
        Ok(_) => true,
        Err(error) => {
            tracing::warn!(subsystem = "subagents", %child, %error, "the session of a sub-agent could not be put away");
            false
        }
    }
}

async fn submission(flow: &Inner, row: &Subagent, rows: &[Subagent]) -> Result<Submission, FlowError> {
    let (target, within) = target(flow, row, rows).await?;
    let usage = usage(flow, row).await?;
    let options = match &within {
        Some(within) => wishes_within(flow, within).await?,
        None => SubmissionOptions::default(),
    };
    let others =
        rows.iter().filter(|other| other.requester == row.requester && other.ended_at.is_none()).count();
    let text = Announcement { row, usage, others, nested: within.is_some() }.text();
    Ok(Submission {
        channel_origin: None,
        run: free_name(flow, row).await?,
        agent: flow.parts.sessions.agent_of(&target),
        raw_key: target.to_string(),
        surface: SubmissionSurface::Session,
        text,
        pictures: Vec::new(),
        at: flow.now(),
        from: author(flow, &target).await?,
        provenance: Some(provenance(&row.child, ANNOUNCING)),
        options,
        key: target,
    })
}

/// The name of the submission: always the same, unless an earlier one was taken back.
async fn free_name(flow: &Inner, row: &Subagent) -> Result<RunId, FlowError> {
    for attempt in 0..MOST_NAMES {
        let run = name(row, attempt)?;
        let key = letter_key(SubmissionSurface::Session, &run);
        let known = flow.parts.inbox.find(&key).await?;
        if known.is_none_or(|known| known.end != Some(InboxEnd::Withdrawn)) {
            return Ok(run);
        }
    }
    name(row, MOST_NAMES)
}

fn name(row: &Subagent, attempt: u32) -> Result<RunId, FlowError> {
    let again = if attempt == 0 { String::new() } else { format!(":{attempt}") };
    let name = format!("announce:v1:{}:{}{again}", row.child, row.run);
    RunId::new(name).map_err(|error| FlowError::Wrong(error.to_string()))
}

/// The session that hears of it, and the sub-agent that works there, if one does. Sub-agents that are over hear nothing
/// more: what comes late goes to whoever asked for them.
async fn target(
    flow: &Inner,
    row: &Subagent,
    rows: &[Subagent],
) -> Result<(SessionKey, Option<Subagent>), FlowError> {
    let mut target = row.requester.clone();
    for _ in 0..MOST_STEPS {
        if !target.is_subagent() {
            return Ok((target, None));
        }
        match rows.iter().rev().find(|above| above.child == target) {
            Some(above) if above.ended_at.is_none() => return Ok((target, Some(above.clone()))),
            Some(above) => target = above.requester.clone(),
            None if flow.parts.sessions.entry(&target).await?.is_some() => return Ok((target, None)),
            None => break,
        }
    }
    let main = SessionKey::new(&flow.parts.sessions.agent_of(&row.requester), SessionScope::Main);
    Ok((main, None))
}

/// Where answers of a session go.
pub(crate) async fn author(flow: &Inner, key: &SessionKey) -> Result<Author, FlowError> {
    let facts = flow.parts.sessions.entry(key).await?.map(|entry| entry.facts.clone()).unwrap_or_default();
    Ok(Author {
        standing: Rank::System,
        channel: facts.last_channel.and_then(|channel| ChannelId::new(channel).ok()),
        account: facts.last_account_id.and_then(|account| AccountId::new(account).ok()),
        to: facts.last_to,
        thread: facts.last_thread_id.as_ref().and_then(thread),
        group: key.is_group(),
        ..Author::default()
    })
}

/// A thread as a session keeps it: the original writes those of some platforms as numbers.
fn thread(kept: &Value) -> Option<ThreadId> {
    match kept {
        Value::String(id) => ThreadId::new(id).ok(),
        Value::Number(id) => ThreadId::new(id.to_string()).ok(),
        _ => None,
    }
}

/// What all the answers of a sub-agent took together.
async fn usage(flow: &Inner, row: &Subagent) -> Result<Usage, FlowError> {
    Ok(super::settle::findings(flow, &row.child).await?.map(|found| found.usage).unwrap_or_default())
}

async fn note(flow: &Inner, run: &RunId) -> Result<(), FlowError> {
    let mut held = flow.book.hold(&*flow.parts.subagents).await?;
    if let Some(row) = held.get(run).cloned() {
        let attempts = row.announce_attempts.saturating_add(1);
        let announced_at = flow.book.was_heard(run).then(|| flow.now());
        held.save(Subagent { announced_at, announce_attempts: attempts, ..row }).await?;
    }
    Ok(())
}

async fn count_attempt(flow: &Inner, run: &RunId) -> Result<(), FlowError> {
    let mut held = flow.book.hold(&*flow.parts.subagents).await?;
    if let Some(row) = held.get(run).cloned() {
        let attempts = row.announce_attempts.saturating_add(1);
        held.save(Subagent { announce_attempts: attempts, ..row }).await?;
    }
    Ok(())
}
