//! Goes on with what a crash cut off.
//!
//! The inbox says which letters are open, the stores how far their runs came:
//! a run that ended is only noted in the inbox; one that did not is gone on with, but not for ever: a run that was cut
//! off three times is ended with a notice, since it may be what brings the gateway down; a letter whose run never began
//! is answered from the start; a command is not carried out again.

use std::collections::BTreeMap;
use std::sync::Arc;

use openclaw_delivery::Notice;
use openclaw_ports::stores::{BranchQuery, InboxEnd, InboxRow, Reach, RunRecord, RunStart};
use openclaw_session::Finish;
use openclaw_types::{
    AssistantMessage, Content, EntryBody, LineRecord, Message, ProviderId, RunEnding, RunId, StopReason,
    ToolCall, ToolOutcome, ToolResultMessage, UnixMillis,
};

use crate::carry;
use crate::directives::{Asked, ask};
use crate::error::FlowError;
use crate::flow::Inner;
use crate::intake::Accepted;
use crate::subagents;

/// Where it is noted how often runs were gone on with.
const RESUMED: &str = "flow-runs-resumed";

/// How often a run is gone on with.
const MOST_ATTEMPTS: u64 = 3;

/// What was found after a crash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Letters that are answered from the start.
    pub restarted: usize,
    /// Runs that were gone on with.
    pub resumed: usize,
    /// Letters whose answer was there already.
    pub answered: usize,
    /// Letters that got a notice instead of an answer.
    pub given_up: usize,
}

/// Goes on with everything that is open, oldest first.
pub(crate) async fn recover(flow: &Arc<Inner>) -> Result<Recovered, FlowError> {
    let mut recovered = Recovered::default();
    subagents::withdraw_killed(flow).await?;
    // Everything is looked at before anything begins: what begins changes what there is to see.
    for (accepted, fate) in look(flow, &mut recovered).await? {
        match fate {
            Fate::Answered => {
                flow.finish(vec![accepted.id()], InboxEnd::Answered).await;
                // Somebody may have asked again for it meanwhile, and waits.
                flow.runs.ended(accepted.run(), RunEnding::Answered, None, flow.now());
                recovered.answered += 1;
            }
            Fate::Joined => {
                // It is part of a run that goes on; that run's end is its end.
                flow.finish(vec![accepted.id()], InboxEnd::Answered).await;
                flow.runs.ended(accepted.run(), RunEnding::Answered, None, flow.now());
                recovered.resumed += 1;
            }
            Fate::Resume(record) => match attempts(flow, &record).await? {
                Attempts::Left => {
                    resume(flow, accepted, &record).await;
                    recovered.resumed += 1;
                }
                Attempts::Spent => {
                    give_up(flow, &accepted, &record).await?;
                    recovered.given_up += 1;
                }
            },
            Fate::Restart => {
                if restart(flow, accepted).await {
                    recovered.restarted += 1;
                } else {
                    recovered.given_up += 1;
                }
            }
        }
    }
    subagents::take_up(flow).await?;
    subagents::keep_sweeping(flow);
    Ok(recovered)
}

/// Says what becomes of each open letter, oldest first.
async fn look(flow: &Inner, recovered: &mut Recovered) -> Result<Vec<(Accepted, Fate)>, FlowError> {
    let mut known: BTreeMap<RunId, Stand> = BTreeMap::new();
    let mut found = Vec::new();
    for row in flow.parts.inbox.open_messages().await? {
        let Ok(accepted) = Accepted::found(&row) else {
            tracing::error!(
                subsystem = "flow",
                id = row.id.0,
                "a stored message cannot be read; it is put aside"
            );
            flow.finish(vec![row.id], InboxEnd::Withdrawn).await;
            recovered.given_up += 1;
            continue;
        };
        let fate = fate(flow, &row, &accepted, &mut known).await?;
        // It was to be answered together with another letter, whose run may now begin without it.
        if matches!(fate, Fate::Restart) && row.run.as_ref().is_some_and(|run| run != accepted.run()) {
            flow.parts.inbox.assign(vec![row.id], accepted.run().clone()).await?;
        }
        found.push((accepted, fate));
    }
    Ok(found)
}

/// What becomes of an open letter.
enum Fate {
    Answered,
    /// It is part of another letter's run.
    Joined,
    Resume(Box<RunRecord>),
    Restart,
}

/// How far the run came that deals with a letter.
#[derive(Clone)]
enum Stand {
    /// Its message is not in the transcript.
    NotBegun,
    UnderWay(Box<RunRecord>),
    Ended,
}

async fn fate(
    flow: &Inner,
    row: &InboxRow,
    accepted: &Accepted,
    known: &mut BTreeMap<RunId, Stand>,
) -> Result<Fate, FlowError> {
    let Some(run) = &row.run else {
        // It waited for its turn, or it was steered into a run: then that run's end is its end.
        return Ok(if is_told(flow, accepted).await? { Fate::Joined } else { Fate::Restart });
    };
    let stand = match known.get(run) {
        Some(stand) => stand.clone(),
        None => {
            let stand = stand(flow, accepted, run).await?;
            known.insert(run.clone(), stand.clone());
            stand
        }
    };
    Ok(match stand {
        Stand::NotBegun => Fate::Restart,
        Stand::Ended => Fate::Answered,
        // The letter that names the run goes on with it, whichever of them is older.
        Stand::UnderWay(record) if run == accepted.run() => Fate::Resume(record),
        Stand::UnderWay(_) => Fate::Joined,
    })
}

/// A run that was noted but whose message was not written has nothing to go on from.
async fn stand(flow: &Inner, accepted: &Accepted, run: &RunId) -> Result<Stand, FlowError> {
    let store = &flow.parts.store;
    let agent = &accepted.letter().agent;
    let Some(record) = store.run(agent, run).await? else { return Ok(Stand::NotBegun) };
    if record.end.is_some() {
        return Ok(Stand::Ended);
    }
    Ok(match store.holds_message(agent, &record.start.session, run.as_str()).await? {
        true => Stand::UnderWay(Box::new(record)),
        false => Stand::NotBegun,
    })
}

/// Whether a letter's message is in the transcript of its session.
async fn is_told(flow: &Inner, accepted: &Accepted) -> Result<bool, FlowError> {
    let letter = accepted.letter();
    match flow.parts.sessions.entry(&letter.key).await? {
        Some(entry) => {
            Ok(flow.parts.store.holds_message(&letter.agent, &entry.session_id, letter.run.as_str()).await?)
        }
        None => Ok(false),
    }
}

enum Attempts {
    Left,
    Spent,
}

/// Counts how often a run was gone on with.
async fn attempts(flow: &Inner, record: &RunRecord) -> Result<Attempts, FlowError> {
    let run = record.start.run.as_str();
    let before = flow.parts.state.get(RESUMED, run).await?.and_then(|count| count.as_u64()).unwrap_or(0);
    if before >= MOST_ATTEMPTS {
        forget_attempts(flow, &record.start.run).await;
        return Ok(Attempts::Spent);
    }
    flow.parts.state.put(RESUMED, run, (before + 1).into()).await?;
    Ok(Attempts::Left)
}

/// Forgets how often a run was gone on with: it ended.
pub(crate) async fn forget_attempts(flow: &Inner, run: &RunId) {
    if let Err(error) = flow.parts.state.remove(RESUMED, run.as_str()).await {
        tracing::warn!(subsystem = "flow", %error, "a note about a run could not be removed");
    }
}

async fn resume(flow: &Arc<Inner>, accepted: Accepted, record: &RunRecord) {
    let letter = accepted.letter();
    flow.runs.accepted(&letter.run, &letter.key, &letter.raw_key);
    match ask(flow, accepted) {
        Asked::Answer(prompted, _) => flow.queue(prompted.resuming(record.start.session.clone())).await,
        // What a command left to the model is a prompt of its own: its words are in the transcript.
        Asked::Carry(accepted, _) => {
            let text = accepted.letter().text.clone();
            let prompted = crate::directives::Prompted::with_text(*accepted, text, &flow.settings());
            flow.queue(prompted.resuming(record.start.session.clone())).await;
        }
    }
}

/// Answers a letter from the start; false when it is a command, whose sender is told instead.
async fn restart(flow: &Arc<Inner>, accepted: Accepted) -> bool {
    let letter = accepted.letter();
    flow.runs.accepted(&letter.run, &letter.key, &letter.raw_key);
    match ask(flow, accepted) {
        Asked::Answer(prompted, _) => {
            flow.queue(*prompted).await;
            true
        }
        Asked::Carry(accepted, _) => {
            carry::answer(flow, &accepted, Some(Notice::CommandInterrupted.text())).await;
            false
        }
    }
}

/// Ends a run that was cut off too often, with a notice in its session.
async fn give_up(flow: &Arc<Inner>, accepted: &Accepted, record: &RunRecord) -> Result<(), FlowError> {
    let message = Notice::GivenUp.text();
    let notice = AssistantMessage {
        content: vec![Content::text(message.clone())],
        provider: ProviderId::new("openclaw").ok(),
        model: Some("gateway-injected".to_owned()),
        stop: Some(StopReason::Stop),
        at: Some(flow.now()),
        ..AssistantMessage::default()
    };
    let mut bodies = open_calls(flow, record).await?;
    bodies.push(EntryBody::Message(Message::Assistant(notice)));
    let finish = Finish {
        agent: record.start.agent.clone(),
        session: record.start.session.clone(),
        run: record.start.run.clone(),
        how: RunEnding::Failed { message },
        bodies,
    };
    flow.parts.sessions.journal().finish(finish).await?;
    flow.finish(vec![accepted.id()], InboxEnd::Answered).await;
    Ok(())
}

/// Results for the calls of a run that nobody will answer any more: models refuse a call without one.
async fn open_calls(flow: &Inner, record: &RunRecord) -> Result<Vec<EntryBody>, FlowError> {
    let RunStart { agent, session, .. } = record.start.clone();
    let query = BranchQuery { agent, session, leaf: None, reach: Reach::SinceCompaction };
    let branch = flow.parts.store.branch(query).await?;
    let mut open: Vec<ToolCall> = Vec::new();
    for stored in branch.iter().filter(|stored| stored.run.as_ref() == Some(&record.start.run)) {
        let LineRecord::Entry(entry) = &stored.line.record else { continue };
        match &entry.body {
            EntryBody::Message(Message::Assistant(message)) => open.extend(message.tool_calls().cloned()),
            EntryBody::Message(Message::ToolResult(result)) => open.retain(|call| call.id != result.call),
            _ => {}
        }
    }
    let now = flow.now();
    Ok(open.into_iter().map(|call| EntryBody::Message(Message::ToolResult(cut_off(call, now)))).collect())
}

fn cut_off(call: ToolCall, at: UnixMillis) -> ToolResultMessage {
    let words = "The gateway stopped while this call was under way, and the run is not gone on with. The call may or \
                 may not have had its effect: look before you make it again.";
    ToolResultMessage {
        call: call.id,
        tool: call.name,
        content: vec![Content::text(words)],
        outcome: ToolOutcome::Failed,
        details: None,
        at: Some(at),
    }
}
