//! Stage: has the agent make one answer, and keeps the books around it.
//!
//! A run is stored together with its first words and its submissions are taken out of the inbox after it ended, so that a crash at any
//! point leaves either a submission that is answered again from the start, or a run that is resumed.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;
use openclaw_agent::prompt::person_zone;
use openclaw_agent::{ReplyKind, RunInput, RunOrder, RunOutcome, RunReply, RunStream};
use openclaw_config::LaneLimits;
use openclaw_delivery::{SentText, is_cut_silence};
use openclaw_inbound::queue::Lane;
use openclaw_ports::stores::{InboxEnd, InboxId};
use openclaw_session::{Forked, GroupSighting, Opened, OpenedHow, Opening, Replies, Sighting};
use openclaw_types::{
    AbortCause, ChannelId, ChatKind, ChatPlace, Content, GroupId, RunEnding, RunEvent, RunId, SessionEntry,
    SessionKey, SessionScope, UserMessage,
};

use crate::channels::{RunReactions, Talk, kept_of_room, rule_of_room, selection};
use crate::commands::footer;
use crate::directives::{Prompted, overridden, shown};
use crate::enqueue::{self, Results};
use crate::error::FlowError;
use crate::flow::Inner;
use crate::live::{Before, Live};
use crate::order::{exec_choices, order, verbose};
use crate::outbox::{self, Answering, RunWords};
use crate::publish::{FlowEvent, RunStep, Verbose};
use crate::recover::{end_resumed, said_before};
use crate::subagents;
use crate::submission::{Submission, SubmissionSurface, WEBCHAT};

/// One answer to make.
pub(crate) struct RunJob {
    key: SessionKey,
    /// The submission that names the run.
    first: Prompted,
    /// Submissions that are answered together with it.
    others: Vec<Prompted>,
    /// Submissions that are only mentioned.
    summed: Vec<Prompted>,
    /// What the model is asked, where that is not simply the first submission.
    prompt: Option<String>,
}

impl RunJob {
    pub(crate) fn new(
        key: SessionKey,
        first: Prompted,
        others: Vec<Prompted>,
        summed: Vec<Prompted>,
        prompt: Option<String>,
    ) -> Self {
        Self { key, first, others, summed, prompt }
    }

    fn run(&self) -> &RunId {
        &self.first.submission().run
    }

    /// Every submission of the run but the one that names it.
    fn joined(&self) -> impl Iterator<Item = &Prompted> {
        self.others.iter().chain(&self.summed)
    }

    /// Every submission of the run, by name.
    fn runs(&self) -> Vec<RunId> {
        std::iter::once(&self.first)
            .chain(self.joined())
            .map(|submission| submission.submission().run.clone())
            .collect()
    }

    fn ids(&self) -> Vec<InboxId> {
        std::iter::once(&self.first)
            .chain(self.joined())
            .flat_map(|submission| submission.accepted().ids())
            .collect()
    }

    fn input(&self, notes: &str) -> RunInput {
        let submission = self.first.submission();
        let before = submission.told();
        if before.is_empty() {
            return RunInput::Messages(self.messages(notes));
        }
        // Results of the sender's tools may come without a word of its own.
        let silent =
            submission.text.trim().is_empty() && submission.pictures.is_empty() && self.prompt.is_none();
        let messages = if silent && notes.is_empty() { Vec::new() } else { self.messages(notes) };
        RunInput::Told { before, messages }
    }

    fn messages(&self, notes: &str) -> Vec<UserMessage> {
        let mut words = match &self.prompt {
            Some(prompt) => format!("{notes}{prompt}"),
            None => format!("{notes}{}", self.first.words()),
        };
        // A full queue shortens what people wrote; what a sub-agent found is told nowhere else and stays whole.
        for told in self.summed.iter().filter(|submission| is_announcement(submission.submission())) {
            words.push_str("\n\n");
            words.push_str(told.words());
        }
        let mut message = self.first.submission().message(words);
        // Pictures of all submissions belong to the one message that is made of them.
        for other in &self.others {
            message.content.extend(
                other
                    .submission()
                    .message(String::new())
                    .content
                    .into_iter()
                    .filter(|piece| matches!(piece, Content::Image(_))),
            );
        }
        vec![message]
    }
}

fn is_announcement(submission: &Submission) -> bool {
    let tool = submission.provenance.as_ref().and_then(|provenance| provenance.source_tool.as_deref());
    tool == Some(subagents::ANNOUNCING)
}

/// Makes the answer, from waiting for a place to the last entry in the books.
pub(crate) async fn execute(flow: &Arc<Inner>, job: RunJob) {
    let key = job.key.clone();
    let run = job.run().clone();
    let mut signs = RunReactions::begin(flow, job.first.submission());
    for submission in std::iter::once(&job.first).chain(job.joined()) {
        signs.answers(submission.seen());
    }
    // Whatever we fail at, the session is free again afterwards and people hear of it.
    let performed = AssertUnwindSafe(perform(flow, &job, &mut signs)).catch_unwind().await;
    let performed = performed.unwrap_or_else(|_panic| Err(openclaw_delivery::NoticeText::Internal.text()));
    let Done { how, spoken, said, end } = match performed {
        Ok(done) => done,
        Err(message) => {
            flow.audience.tell(&FlowEvent::Failed {
                run: run.clone(),
                raw_key: job.first.submission().raw_key.clone(),
                key: key.clone(),
                message: message.clone(),
            });
            let spoken = RunWords::one(&message);
            let how = RunEnding::Failed { message };
            flow.runs.ended(&run, how.clone(), None, flow.now());
            Done { how, spoken, said: Vec::new(), end: InboxEnd::Answered }
        }
    };
    if !matches!(how, RunEnding::Aborted(AbortCause::Shutdown)) {
        // First what is to be sent, then the inbox: a crash in between says it once all the same.
        match outbox::answer(flow, job.first.submission(), spoken, &said).await {
            Ok(()) => flow.finish(job.ids(), end).await,
            Err(error) => {
                tracing::error!(subsystem = "flow", %run, %error, "an answer could not be kept for sending; the next start does it");
            }
        }
    }
    signs.end(flow, &how);
    for submission in job.joined() {
        join_end(flow, submission.submission(), &how).await;
    }
    subagents::run_ended(flow, &key, &run, &how).await;
    enqueue::ended(flow, &key, &how);
}

/// Tells the sender of a submission that became part of a run how that run ended.
async fn join_end(flow: &Inner, submission: &Submission, how: &RunEnding) {
    outbox::unanswered(flow, submission).await;
    flow.runs.ended(&submission.run, how.clone(), None, flow.now());
    flow.audience.tell(&FlowEvent::Joined {
        run: submission.run.clone(),
        raw_key: submission.raw_key.clone(),
        key: submission.key.clone(),
    });
}

/// How a run ended, and what is to be said to people on platforms.
struct Done {
    how: RunEnding,
    spoken: RunWords,
    said: Vec<SentText>,
    /// What became of the submissions.
    end: InboxEnd,
}

/// Makes the answer. An error is one that no run tells about.
async fn perform(flow: &Arc<Inner>, job: &RunJob, signs: &mut RunReactions) -> Result<Done, String> {
    let submission = job.first.submission();
    let limits = LaneLimits::resolve(&flow.settings().raw);
    let stopping = flow.runs.stopping(job.run());
    // Biased: a place that is free is taken; the run then sees by itself that it was stopped.
    let place = tokio::select! {
        biased;
        place = flow.run_slots.place(lane(submission), limits) => Some(place),
        () = stopping.cancelled() => None,
    };
    let Some(_place) = place else {
        let how = never_began(flow, job);
        if job.first.resumed().is_some() {
            Box::pin(end_resumed(flow, submission)).await;
            return Ok(Done { how, spoken: RunWords::default(), said: Vec::new(), end: InboxEnd::Answered });
        }
        if flow.queues.results(&job.key) == Results::Again {
            Box::pin(subagents::announce_again(flow, &job.runs())).await;
        }
        return Ok(Done { how, spoken: RunWords::default(), said: Vec::new(), end: InboxEnd::Withdrawn });
    };
    let order = prepare(flow, job).await.map_err(|error| {
        tracing::error!(subsystem = "flow", run = %submission.run, %error, "a message cannot be answered");
        openclaw_delivery::NoticeText::Internal.text()
    })?;
    let by = Answering::of(flow, &order.order);
    let shown = shown(job.first.overrides()).or(order.verbose).unwrap_or_else(|| flow.usual_verbose());
    for other in job.joined() {
        note_author(flow, job, other.submission());
    }
    let (control, stream) = flow.parts.agent.start(order.order);
    if let Some(cause) = flow.runs.began(job.run(), control.clone(), flow.now()) {
        control.abort(cause);
    }
    let (outcome, spoken) = follow(flow, (job, signs), (shown, &by), stream).await;
    let how = outcome.end.how.clone();
    // Who stopped a run knows that there is no answer.
    let spoken = match how {
        RunEnding::Aborted(cause) if cause != AbortCause::Timeout => RunWords::default(),
        _ => spoken,
    };
    let mut said = outbox::said(flow, &outcome);
    if job.first.resumed().is_some() {
        said.extend(said_earlier(flow, submission).await);
    }
    Ok(Done { how, spoken, said, end: InboxEnd::Answered })
}

/// Nobody's words are acted on with the rights of somebody else.
fn note_author(flow: &Inner, job: &RunJob, other: &Submission) {
    if other.from.peer != job.first.submission().from.peer {
        flow.runs.share(job.run());
    }
}

/// What tools said before a crash: their results may be lost, what they sent is not.
async fn said_earlier(flow: &Inner, submission: &Submission) -> Vec<SentText> {
    let Some(target) = outbox::target_of(flow, submission) else { return Vec::new() };
    match outbox::kept_of(flow, &submission.run, &target).await {
        Ok(kept) => outbox::said_in(&kept),
        Err(error) => {
            tracing::warn!(subsystem = "flow", run = %submission.run, %error, "what a run sent before cannot be looked up");
            Vec::new()
        }
    }
}

/// Ends a run that was stopped while it waited for its turn.
fn never_began(flow: &Inner, job: &RunJob) -> RunEnding {
    let cause = flow.runs.stopped(job.run()).unwrap_or(AbortCause::Request);
    let how = RunEnding::Aborted(cause);
    flow.runs.ended(job.run(), how.clone(), None, flow.now());
    flow.audience.tell(&FlowEvent::Stopped {
        run: job.run().clone(),
        raw_key: job.first.submission().raw_key.clone(),
        key: job.key.clone(),
        cause,
    });
    how
}

/// What a run needs, and what its session shows of its tools.
struct Prepared {
    order: RunOrder,
    verbose: Option<Verbose>,
}

/// Opens the session and notes which run deals with the submissions.
async fn prepare(flow: &Inner, job: &RunJob) -> Result<Prepared, FlowError> {
    let submission = job.first.submission();
    let sessions = &flow.parts.sessions;
    let config = flow.settings();
    note_beginning(flow, job).await?;
    let (entry, input) = match job.first.resumed() {
        Some(session) => {
            let stored = sessions.entry(&submission.key).await?;
            let mut entry =
                stored.map_or_else(|| SessionEntry::new(session.clone(), flow.now()), Arc::unwrap_or_clone);
            entry.session_id = session.clone();
            (Arc::new(entry), RunInput::Resume)
        }
        None => {
            let entry = open(flow, submission).await?;
            if let Some(Err(refusal)) = job.first.exec(&config, &exec_choices(&entry.facts)) {
                flow.notes.add(&job.key, &refusal, flow.now());
            }
            (entry, job.input(&flow.notes.take(&job.key, &person_zone(&config))))
        }
    };
    let verbose = verbose(&entry.facts);
    let room = rule_of_room(submission, entry.facts.room_tools.as_ref());
    let usual =
        selection(flow, &Talk { key: &submission.key, facts: &entry.facts, submission: Some(submission) });
    let order = order(submission, &entry, usual, input);
    let order = RunOrder { room, turns: turns(flow, submission), entry: Some(entry), ..order };
    Ok(Prepared { order: overridden(order, &job.first, &config), verbose })
}

/// Notes which run deals with the submissions. That a submission is answered by the run it names, for the first time, goes without
/// saying.
async fn note_beginning(flow: &Inner, job: &RunJob) -> Result<(), FlowError> {
    let alone = job.others.is_empty() && job.summed.is_empty();
    if alone && job.first.accepted().is_fresh() {
        return Ok(());
    }
    Ok(flow.parts.inbox.assign(job.ids(), job.run().clone()).await?)
}

/// Opens the session of a submission: what is known of it with the submission.
async fn open(flow: &Inner, submission: &Submission) -> Result<Arc<SessionEntry>, FlowError> {
    let sessions = &flow.parts.sessions;
    let channel = submission.from.channel.clone();
    let opening = Opening { seen: sighting(submission), ..Opening::new(submission.key.clone(), channel) };
    let Opened { mut entry, how } = sessions.open(opening).await?;
    let parent = submission.channel_origin.as_ref().and_then(|channel_origin| channel_origin.parent.as_ref());
    if let Some(parent) = parent.filter(|_| how != OpenedHow::Continued)
        && let Forked::Copied(transcript) = Box::pin(sessions.fork(parent, &submission.key)).await?
    {
        Arc::make_mut(&mut entry).session_id = transcript;
    }
    let kept = kept_of_room(submission, entry.facts.room_tools.as_ref());
    if kept != entry.facts.room_tools {
        let changed = sessions.change(&submission.key, move |entry| entry.facts.room_tools = kept).await?;
        entry = Arc::new(changed);
    }
    Ok(entry)
}

/// How far the agent looks back where a person has a session of their own with an account.
fn turns(flow: &Inner, submission: &Submission) -> Option<usize> {
    let own = matches!(submission.key.scope(), SessionScope::ChannelPeer(..) | SessionScope::AccountPeer(..));
    let inbound = &submission.channel_origin.as_ref().filter(|_| own)?.inbound;
    let view = flow.parts.channels.view(&inbound.channel, &inbound.account)?;
    view.manner.history.turns_with(inbound.from.id.as_str())
}

/// Where the session's messages come from. Those of a sub-agent come from no place of its own.
fn sighting(submission: &Submission) -> Option<Sighting> {
    if submission.key.is_subagent() {
        return None;
    }
    let sender = submission.sender();
    let place = submission.channel_origin.as_ref().map(|channel_origin| &channel_origin.inbound.place);
    let room = place.filter(|place| place.kind != ChatKind::Direct);
    let here = || match submission.surface {
        SubmissionSurface::Webchat => ChannelId::new(WEBCHAT).ok(),
        _ => None,
    };
    Some(Sighting {
        channel: sender.channel.or_else(here)?,
        surface: None,
        replies: match place {
            Some(place) if place.private => Replies::Aside,
            _ if submission.from.channel.is_some() => Replies::Anytime,
            _ => Replies::WhileOpen,
        },
        chat: sender.chat,
        account: sender.account,
        // The web chat's writers are programs; the conversation is not theirs.
        from: submission.from.channel.as_ref().and(sender.peer).map(|peer| peer.as_str().to_owned()),
        to: place.and_then(|place| place.later_to.clone()).or(sender.to),
        thread: sender.thread.filter(|_| place.is_none_or(|place| !place.private)),
        label: match room {
            Some(room) => room.thread_name.clone().or_else(|| room.name.clone()),
            // What the gateway writes into a room by itself says nothing of what the room is called.
            None if submission.from.group => None,
            None => sender.name,
        },
        group: room.and_then(group),
    })
}

/// The room a message came from.
fn group(place: &ChatPlace) -> Option<GroupSighting> {
    let (subject, room) = match place.kind {
        ChatKind::Channel => {
            (None, place.name.as_deref().map(|name| format!("#{}", name.trim_start_matches('#'))))
        }
        ChatKind::Group | ChatKind::Direct => (place.name.clone(), None),
    };
    let space = place.guild.as_ref().or(place.team.as_ref()).map(|space| space.as_str().to_owned());
    Some(GroupSighting {
        id: GroupId::new(place.id.as_str()).ok()?,
        subject,
        room,
        space: place.space_name.clone().or(space),
    })
}

/// Tells every step of a run, in order, and closes its books before its end is told: who hears of the end may ask for
/// what the run left.
async fn follow(
    flow: &Arc<Inner>,
    (job, signs): (&RunJob, &mut RunReactions),
    (verbose, by): (Verbose, &Answering),
    mut stream: RunStream,
) -> (Arc<RunOutcome>, RunWords) {
    let mut taken: Vec<Prompted> = Vec::new();
    let mut end = None;
    let mut live = begin_live(flow, job, by).await;
    while let Some(event) = live.next(flow, &mut stream).await {
        match &event {
            RunEvent::Started { .. } => enqueue::steerable(flow, &job.key),
            RunEvent::Took { key } => {
                if let Some(submission) = enqueue::took(flow, &job.key, key) {
                    note_author(flow, job, submission.submission());
                    signs.answers(submission.seen());
                    taken.push(submission);
                }
            }
            RunEvent::Ended(_) => {
                end = Some(event);
                continue;
            }
            _ => {}
        }
        signs.step(flow, &event);
        tell(flow, job, verbose, event);
    }
    let mut outcome = stream.outcome().await;
    if outcome.end.how != RunEnding::Answered {
        outcome.replies.retain(|reply| reply.kind != ReplyKind::Answer || !is_cut_silence(&reply.text));
    }
    let left = live.end(flow).await;
    let mut spoken = outbox::spoken(&outcome, by);
    let mut outcome = cleaned(outcome);
    for submission in taken {
        flow.finish(submission.accepted().ids(), InboxEnd::Answered).await;
        join_end(flow, submission.submission(), &outcome.end.how).await;
    }
    if let Some(line) = outcome.session.take().and_then(|entry| below(job, &entry, &mut outcome)) {
        spoken.below(&line);
        tell(flow, job, verbose, RunEvent::Words { delta: line });
    }
    let outcome = Arc::new(outcome);
    let how = &outcome.end.how;
    flow.runs.ended(job.run(), how.clone(), Some(Arc::clone(&outcome)), flow.now());
    tell(flow, job, verbose, end.unwrap_or_else(|| RunEvent::Ended(outcome.end.clone())));
    let (spoken, orphans) = spoken.without(left);
    // A run that goes on after the next start goes on with its draft as well.
    if outcome.end.how != RunEnding::Aborted(AbortCause::Shutdown) {
        forget_drafts(flow, job, orphans).await;
    }
    (outcome, spoken)
}

async fn forget_drafts(flow: &Inner, job: &RunJob, orphans: Vec<String>) {
    if let Err(error) = outbox::forget_drafts(flow, job.first.submission(), orphans).await {
        tracing::error!(subsystem = "outbox", run = %job.run(), %error, "what was shown of an answer that is not given stays");
    }
}

/// What people on a platform see of the run while it goes on.
async fn begin_live(flow: &Inner, job: &RunJob, by: &Answering) -> Live {
    let submission = job.first.submission();
    if job.first.resumed().is_none() {
        return Live::begin(flow, submission, by, Before::Nothing).await;
    }
    Box::pin(go_on_live(flow, submission, by)).await
}

async fn go_on_live(flow: &Inner, submission: &Submission, by: &Answering) -> Live {
    match said_before(flow, &submission.agent, &submission.run).await {
        Ok(texts) => Live::begin(flow, submission, by, Before::Said(&texts)).await,
        Err(error) => {
            tracing::warn!(subsystem = "flow", run = %submission.run, %error, "what a run said before cannot be read");
            Live::begin(flow, submission, by, Before::Said(&[])).await
        }
    }
}

/// Writes below the answer what it took, where people want to see that. Gives what was added.
fn below(job: &RunJob, entry: &SessionEntry, outcome: &mut RunOutcome) -> Option<String> {
    if !job.first.submission().surface.takes_commands() || outcome.end.how != RunEnding::Answered {
        return None;
    }
    let line = footer(&entry.facts, &job.key, outcome)?;
    let answer = outcome.replies.iter_mut().rev().find(|reply| reply.kind == ReplyKind::Answer)?;
    let added = format!("\n{line}");
    answer.text.push_str(&added);
    Some(added)
}

/// The outcome without what is meant for the gateway: marks are taken out, files are named apart, silence stays silent.
fn cleaned(mut outcome: RunOutcome) -> RunOutcome {
    let replies = std::mem::take(&mut outcome.replies);
    let clean = replies.into_iter().filter_map(|reply| {
        if reply.kind != ReplyKind::Answer {
            return Some(reply);
        }
        let mut answer = openclaw_delivery::clean(&reply.text);
        answer.text = openclaw_delivery::without_heartbeat(answer.text);
        let mut media = reply.media;
        media.extend(answer.marks.media);
        let says_something = !answer.text.is_empty() || !media.is_empty();
        says_something.then_some(RunReply { text: answer.text, media, kind: reply.kind })
    });
    outcome.replies = clean.collect();
    outcome
}

fn tell(flow: &Inner, job: &RunJob, verbose: Verbose, event: RunEvent) {
    let raw_key = job.first.submission().raw_key.clone();
    let step = RunStep { run: job.run().clone(), key: job.key.clone(), raw_key, verbose, event };
    flow.audience.tell(&FlowEvent::Step(step));
}

fn lane(submission: &Submission) -> Lane {
    match submission.options.lane.as_deref() {
        Some("subagent") => Lane::Subagent,
        Some("cron") => Lane::Cron,
        _ => Lane::Main,
    }
}
