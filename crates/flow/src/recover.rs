//! Goes on with what a crash cut off.
//!
//! The inbox says which submissions are open, the stores how far their runs came: a run that ended is only noted in the
//! inbox; one that did not is resumed; a submission whose run never began is answered from the start, but none of them
//! for ever: a submission whose run was begun four or five times is ended with a notice, since it may be what brings the
//! gateway down. A command is not carried out again. A run whose submission was withdrawn was stopped, and is ended.

use std::collections::BTreeMap;
use std::sync::Arc;

use openclaw_delivery::NoticeText;
use openclaw_ports::stores::{BranchQuery, BranchReach, InboxEnd, InboxRow, RunRecord, RunStart};
use openclaw_session::{Finish, Opening};
use openclaw_types::{
    AbortCause, AgentId, AssistantMessage, Content, EntryBody, LineRecord, Message, ProviderId, RunEnding,
    RunId, StopReason, ToolCall, ToolOutcome, ToolResultMessage, UnixMillis,
};

use crate::directives::{Prompted, SubmissionKind, ask, is_abort, is_command};
use crate::error::FlowError;
use crate::flow::Inner;
use crate::intake::Accepted;
use crate::live::SentSoFar;
use crate::outbox::{self, RunWords};
use crate::pipeline::PipelineStep;
use crate::run_command;
use crate::subagents;
use crate::submission::Submission;

/// How often it is noted that the answer to a submission begins. The first time usually goes without saying.
const MOST_NOTED: u64 = 4;

/// What was found after a crash.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Recovered {
    /// Submissions that are answered from the start.
    pub restarted: usize,
    /// Runs that were resumed.
    pub resumed: usize,
    /// Submissions whose answer was there already.
    pub answered: usize,
    /// Submissions that got a notice instead of an answer.
    pub given_up: usize,
}

/// Goes on with everything that is open.
pub(crate) async fn recover(flow: &Arc<Inner>) -> Result<Recovered, FlowError> {
    let mut recovered = Recovered::default();
    stop_by_words(flow).await?;
    subagents::withdraw_killed(flow).await?;
    end_stopped(flow).await?;
    // Everything is looked at before anything begins: what begins changes what there is to see.
    for found in look(flow, &mut recovered).await? {
        let Found { accepted, fate, attempts } = found;
        let spent = attempts >= MOST_NOTED;
        match fate {
            Fate::Answered => {
                note_answered(flow, &accepted).await;
                recovered.answered += 1;
            }
            Fate::Joined => {
                // It is part of a run that goes on; that run's end is its end.
                note_answered(flow, &accepted).await;
                recovered.resumed += 1;
            }
            Fate::Resume(record) if spent => {
                told(&accepted, give_up(flow, &accepted, &record, Vec::new()).await);
                recovered.given_up += 1;
            }
            Fate::Resume(record) => {
                resume(flow, accepted, &record).await;
                recovered.resumed += 1;
            }
            Fate::Restart if spent => {
                let given_up = give_up_unbegun(flow, accepted.clone()).await;
                told(&accepted, given_up);
                recovered.given_up += 1;
            }
            Fate::Restart => match restart(flow, accepted).await {
                Restarted::Queued => recovered.restarted += 1,
                Restarted::CommandTold => recovered.given_up += 1,
            },
        }
    }
    subagents::take_up(flow).await?;
    subagents::keep_sweeping(flow);
    Ok(recovered)
}

/// What cannot be noted of one submission does not keep others from an answer.
fn told(accepted: &Accepted, given_up: Result<(), FlowError>) {
    if let Err(error) = given_up {
        tracing::error!(subsystem = "flow", run = %accepted.run(), %error, "a message that was begun too often could not be given up; it waits for the next start");
    }
}

async fn note_answered(flow: &Arc<Inner>, accepted: &Accepted) {
    if let Err(error) = say_again(flow, accepted).await {
        tracing::error!(subsystem = "flow", run = %accepted.run(), %error, "an answer could not be kept for sending; the next start does it");
        return;
    }
    flow.finish(vec![accepted.id()], InboxEnd::Answered).await;
    // Somebody may have asked again for it meanwhile, and waits.
    flow.runs.ended(accepted.run(), RunEnding::Answered, None, flow.now());
}

/// Keeps for sending what a run said that ended before that was done. What was kept then is left as it is.
async fn say_again(flow: &Arc<Inner>, accepted: &Accepted) -> Result<(), FlowError> {
    let submission = accepted.submission();
    let Some(target) = outbox::target_of(flow, submission) else { return Ok(()) };
    let Some(record) = flow.parts.store.run(&submission.agent, accepted.run()).await? else { return Ok(()) };
    let Some((_, how)) = &record.end else { return Ok(()) };
    if matches!(how, RunEnding::Aborted(cause) if *cause != AbortCause::Timeout) {
        return Ok(());
    }
    let mut texts = said_before(flow, &submission.agent, accepted.run()).await?;
    // A run that failed says why, last of all. The transcript may hold that already.
    if let RunEnding::Failed { message } = how
        && texts.last().map(String::as_str) != Some(message.trim())
    {
        texts.push(message.clone());
    }
    let kept = outbox::kept_of(flow, accepted.run(), &target).await?;
    let (spoken, mut orphans) = RunWords::all(texts).without(SentSoFar::of(accepted.run(), &kept));
    // All of an answer is kept at once, so a part of it says that the rest is there too, whatever names it has.
    if kept.iter().any(|row| outbox::is_final(accepted.run(), &row.piece.key)) {
        orphans.retain(|name| {
            let replaced = format!("{}/{name}/", accepted.run());
            kept.iter().all(|row| !row.piece.key.starts_with(&replaced))
        });
    } else {
        outbox::answer(flow, submission, spoken, &outbox::said_in(&kept)).await?;
    }
    Ok(outbox::forget_drafts(flow, submission, orphans).await?)
}

/// What a run said in messages that are in its transcript, in order.
///
/// # Errors
/// The stores cannot be read.
pub(crate) async fn said_before(
    flow: &Inner,
    agent: &AgentId,
    run: &RunId,
) -> Result<Vec<String>, FlowError> {
    let Some(record) = flow.parts.store.run(agent, run).await? else { return Ok(Vec::new()) };
    let RunStart { agent, session, .. } = record.start;
    let query = BranchQuery { agent, session, leaf: None, reach: BranchReach::SinceCompaction };
    let branch = flow.parts.store.branch(query).await?;
    let mut texts = Vec::new();
    let mut aloud = true;
    for stored in branch.iter().filter(|stored| stored.run.as_ref() == Some(run)) {
        let LineRecord::Entry(entry) = &stored.line.record else { continue };
        let EntryBody::Message(message) = &entry.body else { continue };
        match &**message {
            Message::User(asked) => aloud = !asked.is_inner(),
            Message::Assistant(_) if aloud => texts.push(message.plain_text()),
            _ => {}
        }
    }
    Ok(texts.into_iter().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty()).collect())
}

/// Carries out words that asked to stop and were cut off: what came before them in their session does not go on.
async fn stop_by_words(flow: &Arc<Inner>) -> Result<(), FlowError> {
    let open = flow.parts.inbox.open_messages().await?;
    for row in &open {
        let Ok(word) = Accepted::found(row) else { continue };
        if !is_abort(flow, word.submission()) {
            continue;
        }
        let earlier = |other: &&InboxRow| other.message.session == row.message.session && other.id < row.id;
        flow.withdraw(open.iter().filter(earlier).map(|other| other.id).collect()).await;
        outbox::speak(flow, word.submission(), "stopped", &NoticeText::Aborted { subagents: 0 }.text())
            .await?;
        flow.finish(vec![row.id], InboxEnd::Answered).await;
    }
    Ok(())
}

/// Ends the runs that were stopped and did not come to write it down: their submissions are withdrawn.
async fn end_stopped(flow: &Inner) -> Result<(), FlowError> {
    let open = flow.parts.inbox.open_messages().await?;
    let store = &flow.parts.store;
    for agent in store.agents().await? {
        let unfinished = match store.unfinished(&agent).await {
            Ok(unfinished) => unfinished,
            Err(error) => {
                tracing::error!(subsystem = "flow", %agent, %error, "the runs of an agent cannot be read; the others go on");
                continue;
            }
        };
        for record in unfinished {
            let run = record.start.run.as_str();
            if open.iter().any(|row| row.message.key.event == run) {
                continue;
            }
            // A transcript that cannot be read does not keep others from an answer.
            if let Err(error) = end_run(flow, &record).await {
                tracing::warn!(subsystem = "flow", run, %error, "a run that was stopped could not be ended");
            }
        }
    }
    Ok(())
}

/// Ends the run of a submission that was to be resumed, and was stopped before it came to that. What it asked stands in
/// its transcript, so that it is dealt with and not only taken back.
pub(crate) async fn end_resumed(flow: &Inner, submission: &Submission) {
    let ended = async {
        let record = flow.parts.store.run(&submission.agent, &submission.run).await?;
        match record.filter(|record| record.end.is_none()) {
            Some(record) => end_run(flow, &record).await,
            None => Ok(()),
        }
    };
    if let Err(error) = ended.await {
        tracing::warn!(subsystem = "flow", run = %submission.run, %error, "a run that was stopped could not be ended; the next start does it");
    }
}

async fn end_run(flow: &Inner, record: &RunRecord) -> Result<(), FlowError> {
    let finish = Finish {
        agent: record.start.agent.clone(),
        session: record.start.session.clone(),
        run: record.start.run.clone(),
        how: RunEnding::Aborted(AbortCause::Request),
        begins: None,
        bodies: open_calls(flow, record).await?,
    };
    flow.parts.sessions.journal().finish(finish, None).await?;
    Ok(())
}

/// An open submission and what becomes of it.
struct Found {
    accepted: Accepted,
    fate: Fate,
    /// How often it was noted that its answer begins.
    attempts: u64,
}

/// Says what becomes of each open submission: first those whose run is under way, as nothing may be written between its
/// words and its answer, then the others, oldest first.
async fn look(flow: &Inner, recovered: &mut Recovered) -> Result<Vec<Found>, FlowError> {
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
        let fate = match fate(flow, &row, &accepted, &mut known).await {
            Ok(fate) => fate,
            Err(error) => {
                tracing::error!(subsystem = "flow", run = %accepted.run(), %error, "it cannot be read how far an answer came; the message waits for the next start");
                continue;
            }
        };
        // It was to be answered together with another submission, whose run may now begin without it. That is no attempt.
        if matches!(fate, Fate::Restart) && row.run.as_ref().is_some_and(|run| run != accepted.run()) {
            flow.parts.inbox.release(vec![row.id]).await?;
        }
        found.push(Found { accepted, fate, attempts: row.attempts });
    }
    found.sort_by_key(|found| !matches!(found.fate, Fate::Resume(_)));
    Ok(found)
}

/// What becomes of an open submission.
enum Fate {
    Answered,
    /// It is part of another submission's run.
    Joined,
    Resume(Box<RunRecord>),
    Restart,
}

/// How far the run came that deals with a submission.
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
    // That a run deals with it may not have been noted when its words were already written: the two are in two files.
    let run = row.run.as_ref().unwrap_or(accepted.run());
    let stand = match known.get(run) {
        Some(stand) => stand.clone(),
        None => {
            let stand = stand(flow, accepted, run).await?;
            known.insert(run.clone(), stand.clone());
            stand
        }
    };
    Ok(match stand {
        // It waited for its turn, or it was steered into a run: then that run's end is its end.
        Stand::NotBegun if row.run.is_none() && is_told(flow, accepted).await? => Fate::Joined,
        Stand::NotBegun => Fate::Restart,
        Stand::Ended => Fate::Answered,
        // The submission that names the run goes on with it, whichever of them is older.
        Stand::UnderWay(record) if run == accepted.run() => Fate::Resume(record),
        Stand::UnderWay(_) => Fate::Joined,
    })
}

/// A run that was noted but whose message was not written has nothing to go on from.
async fn stand(flow: &Inner, accepted: &Accepted, run: &RunId) -> Result<Stand, FlowError> {
    let store = &flow.parts.store;
    let agent = &accepted.submission().agent;
    let Some(record) = store.run(agent, run).await? else { return Ok(Stand::NotBegun) };
    if record.end.is_some() {
        return Ok(Stand::Ended);
    }
    Ok(match store.holds_message(agent, &record.start.session, run.as_str()).await? {
        true => Stand::UnderWay(Box::new(record)),
        false => Stand::NotBegun,
    })
}

/// Whether a submission's message is in the transcript of its session.
async fn is_told(flow: &Inner, accepted: &Accepted) -> Result<bool, FlowError> {
    let submission = accepted.submission();
    match flow.parts.sessions.entry(&submission.key).await? {
        Some(entry) => Ok(flow
            .parts
            .store
            .holds_message(&submission.agent, &entry.session_id, submission.run.as_str())
            .await?),
        None => Ok(false),
    }
}

async fn resume(flow: &Arc<Inner>, accepted: Accepted, record: &RunRecord) {
    note_found(flow, &accepted);
    match ask(flow, accepted) {
        SubmissionKind::Answer(prompted, _) => {
            flow.queue(prompted.resuming(record.start.session.clone())).await
        }
        // What a command left to the model is a prompt of its own: its words are in the transcript.
        SubmissionKind::Carry(accepted, _) => {
            let text = accepted.submission().text.clone();
            let prompted = Prompted::with_text(*accepted, text, &flow.settings());
            flow.queue(prompted.resuming(record.start.session.clone())).await;
        }
    }
}

/// What became of a submission that is answered from the start.
enum Restarted {
    Queued,
    /// It is a command: its sender is told instead.
    CommandTold,
}

/// Answers a submission from the start, after what came before it in its session. Its files are fetched on the way.
async fn restart(flow: &Arc<Inner>, accepted: Accepted) -> Restarted {
    note_found(flow, &accepted);
    if is_command(flow, accepted.submission()) {
        run_command::answer(flow, &accepted, Some(NoticeText::CommandInterrupted.text())).await;
        return Restarted::CommandTold;
    }
    flow.lead(Box::new(accepted), PipelineStep::Found);
    Restarted::Queued
}

/// Has a submission of an earlier process answered. What short commands inside it say was said before, or is left out.
pub(crate) async fn answer_found(flow: &Arc<Inner>, accepted: Accepted) {
    match ask(flow, accepted) {
        SubmissionKind::Answer(prompted, _) => flow.queue(*prompted).await,
        SubmissionKind::Carry(accepted, _) => {
            run_command::answer(flow, &accepted, Some(NoticeText::CommandInterrupted.text())).await;
        }
    }
}

/// Notes a submission of an earlier process, so that it can be waited for and stopped.
fn note_found(flow: &Inner, accepted: &Accepted) {
    let submission = accepted.submission();
    flow.runs.accepted(&submission.run, &submission.key, &submission.raw_key);
    flow.runs.stored(&submission.run, accepted.id());
}

/// Ends a submission whose run was begun too often without its words coming into the transcript. People find the words
/// there with the notice.
async fn give_up_unbegun(flow: &Arc<Inner>, accepted: Accepted) -> Result<(), FlowError> {
    let submission = accepted.submission().clone();
    let store = &flow.parts.store;
    let record = match store.run(&submission.agent, &submission.run).await? {
        Some(record) => record,
        None => {
            let opening = Opening::new(submission.key.clone(), submission.from.channel.clone());
            let opened = flow.parts.sessions.open(opening).await?;
            let start = RunStart {
                run: submission.run.clone(),
                agent: submission.agent.clone(),
                key: submission.key.clone(),
                session: opened.entry.session_id.clone(),
                at: flow.now(),
            };
            store.begin_run(start).await?
        }
    };
    let prompted = Prompted::with_text(accepted, submission.text.clone(), &flow.settings());
    let words = submission.message(prompted.words().to_owned());
    give_up(flow, prompted.accepted(), &record, vec![Message::User(words).into()]).await
}

/// Ends a run that was begun too often, with a notice in its session.
async fn give_up(
    flow: &Arc<Inner>,
    accepted: &Accepted,
    record: &RunRecord,
    mut bodies: Vec<EntryBody>,
) -> Result<(), FlowError> {
    let message = NoticeText::GivenUp.text();
    let notice = AssistantMessage {
        content: vec![Content::text(message.clone())],
        provider: ProviderId::new("openclaw").ok(),
        model: Some("gateway-injected".to_owned()),
        stop: Some(StopReason::Stop),
        at: Some(flow.now()),
        ..AssistantMessage::default()
    };
    bodies.extend(open_calls(flow, record).await?);
    bodies.push(Message::Assistant(notice).into());
    let how = RunEnding::Failed { message: message.clone() };
    let finish = Finish {
        agent: record.start.agent.clone(),
        session: record.start.session.clone(),
        run: record.start.run.clone(),
        how: how.clone(),
        begins: None,
        bodies,
    };
    flow.parts.sessions.journal().finish(finish, None).await?;
    let submission = accepted.submission();
    if let Some(target) = outbox::target_of(flow, submission) {
        let kept = outbox::kept_of(flow, &submission.run, &target).await?;
        outbox::forget_drafts(flow, submission, SentSoFar::of(&submission.run, &kept).orphans()).await?;
    }
    outbox::speak(flow, submission, "given-up", &message).await?;
    flow.finish(vec![accepted.id()], InboxEnd::Answered).await;
    flow.runs.ended(&submission.run, how, None, flow.now());
    flow.audience.tell(&crate::publish::FlowEvent::Failed {
        run: submission.run.clone(),
        raw_key: submission.raw_key.clone(),
        key: submission.key.clone(),
        message,
    });
    Ok(())
}

/// Results for the calls of a run that nobody will answer any more: models refuse a call without one.
async fn open_calls(flow: &Inner, record: &RunRecord) -> Result<Vec<EntryBody>, FlowError> {
    let RunStart { agent, session, .. } = record.start.clone();
    let query = BranchQuery { agent, session, leaf: None, reach: BranchReach::SinceCompaction };
    let branch = flow.parts.store.branch(query).await?;
    let mut open: Vec<ToolCall> = Vec::new();
    for stored in branch.iter().filter(|stored| stored.run.as_ref() == Some(&record.start.run)) {
        let LineRecord::Entry(entry) = &stored.line.record else { continue };
        let EntryBody::Message(message) = &entry.body else { continue };
        match &**message {
            Message::Assistant(message) => open.extend(message.tool_calls().cloned()),
            Message::ToolResult(result) => open.retain(|call| call.id != result.call),
            _ => {}
        }
    }
    let now = flow.now();
    Ok(open.into_iter().map(|call| Message::ToolResult(cut_off(call, now)).into()).collect())
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
