//! Sums up the older part of a session and appends the summary to its transcript.
//!
//! Nothing is rewritten: the entry says what stays, and what a model sees is a projection. The summary is written whole
//! or not at all, so that a run that is stopped or a crash on the way leaves the session as it was. A summary that would
//! not make the context smaller is not written, so that compaction cannot go round in circles.

use openclaw_config::CompactionSettings;
use openclaw_ports::stores::{BranchQuery, BranchReach, Flush, SessionStore, StoredEntry};
use openclaw_session::{Journal, Projected, SessionError, Writing, project};
use openclaw_types::{
    AfterCompaction, AgentId, Compaction, EntryBody, LineRecord, Message, RunEvent, RunId, SessionId,
    SessionKey, SummaryAuthor,
};

use super::checkpoint::checkpoint;
use super::cut::{Cut, Keep, choose_cut, tokens};
use super::due::CompactionRoom;
use super::files::{FileLists, without_files};
use super::serialise::{shortened, words};
use super::summarize::{SummaryBy, SummaryPart, summarize, summary_tokens};
use crate::context::estimate_text_tokens;
use crate::{Models, Pin, Selection};

/// Less than this many tokens is not worth a call: the headings of a summary alone take as much.
const LEAST_OLDER: u64 = 128;

/// How much of a question that lies before the cut is kept word for word.
const QUESTION_CHARS: usize = 4_000;

/// What a compaction is done with.
#[derive(Clone, Copy)]
pub struct CompactionHandles<'a> {
    /// Asks models.
    pub models: &'a Models,
    /// Writes transcripts.
    pub journal: &'a Journal,
    /// Keeps sessions.
    pub sessions: &'a dyn SessionStore,
}

/// One compaction to do.
pub struct CompactionWork<'a> {
    /// Whose transcript.
    pub agent: AgentId,
    /// Who keeps the session: another one where it belongs to no agent.
    pub keeper: AgentId,
    /// Which session.
    pub key: SessionKey,
    /// Which transcript.
    pub session: SessionId,
    /// The run it is done for.
    pub run: RunId,
    /// The model, where somebody chose one.
    pub selection: Selection,
    /// The sign-in, where somebody chose one.
    pub pin: Option<Pin>,
    /// How much the model reads and writes together.
    pub window: u64,
    /// What is configured.
    pub settings: &'a CompactionSettings,
    /// What the summary should look at.
    pub instructions: Option<String>,
    /// Why it is done.
    pub cause: CompactionCause,
    /// How full the context is, where a call counted it.
    pub counted: Option<u64>,
    /// What the run does afterwards.
    pub then: AfterCompaction,
    /// Hears that it begins and ends.
    pub tell: &'a (dyn Fn(RunEvent) + Send + Sync),
}

/// Why a conversation is summed up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CompactionCause {
    /// There is little room left.
    Room,
    /// The vendor says that the conversation does not fit; less stays than usual.
    Overflow,
    /// A person asked for it; all but the last turn is summed up when the conversation is short.
    Asked,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CompactionResult {
    /// It was summed up.
    Done(CompactionDone),
    /// There was nothing to sum up.
    Nothing,
    /// The summary would have been as long as what it stands for; nothing was written.
    NotSmaller {
        /// How large the context is.
        tokens_before: u64,
        /// How large it would have been.
        tokens_after: u64,
    },
}

/// A compaction that was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompactionDone {
    /// How large the context was.
    pub tokens_before: u64,
    /// How large it is now.
    pub tokens_after: u64,
    /// Who wrote the summary.
    pub by: SummaryBy,
    /// How many compactions the session has had.
    pub count: u64,
}

/// Sums up the older part of a session.
///
/// A model that fails does not fail the compaction: the summary is then made by rule. Dropping the future before it
/// returns leaves the session as it was.
///
/// # Errors
/// The session cannot be read or written.
pub async fn compact(
    handles: CompactionHandles<'_>,
    work: CompactionWork<'_>,
) -> Result<CompactionResult, SessionError> {
    let query = BranchQuery {
        agent: work.agent.clone(),
        session: work.session.clone(),
        leaf: None,
        reach: BranchReach::SinceCompaction,
    };
    let branch = handles.sessions.branch(query).await?;
    let seen = project(&branch);
    let room = CompactionRoom::of(work.settings, work.window);
    let Some(plan) = plan(&seen, &room, work.cause) else { return Ok(CompactionResult::Nothing) };
    (work.tell)(RunEvent::CompactionStarted);
    let result = carry_out(handles, &work, &room, Chosen { branch: &branch, seen: &seen, plan }).await;
    (work.tell)(RunEvent::CompactionEnded { then: work.then });
    result
}

/// Where the conversation is cut, in messages that can be named.
fn plan(seen: &[Projected], room: &CompactionRoom, cause: CompactionCause) -> Option<Cut> {
    let messages: Vec<&Message> = seen.iter().map(|one| &*one.message).collect();
    let total = tokens(&messages);
    let keep = match cause {
        CompactionCause::Room | CompactionCause::Asked => {
            Keep { recent: room.keep_recent, most: room.keep_most }
        }
        CompactionCause::Overflow => {
            let half = total / 2;
            Keep { recent: room.keep_recent.min(half), most: room.keep_most.min(half) }
        }
    };
    let cut = choose_cut(&messages, keep);
    let cut = match cause {
        // Somebody asked, or it must become shorter: what is less than usually stays is summed up all the same.
        CompactionCause::Asked | CompactionCause::Overflow => {
            cut.or_else(|| choose_cut(&messages, Keep { recent: 0, most: keep.most }))
        }
        CompactionCause::Room => cut,
    };
    let is_worth_it = |cut: &Cut| {
        let older = messages.get(cut.from..cut.first_kept).unwrap_or_default();
        cause != CompactionCause::Asked || tokens(older) >= LEAST_OLDER
    };
    cut.filter(is_worth_it).filter(|cut| seen.get(cut.first_kept).is_some_and(|one| one.entry.is_some()))
}

/// What was read and where it is cut.
struct Chosen<'a> {
    branch: &'a [StoredEntry],
    seen: &'a [Projected],
    plan: Cut,
}

async fn carry_out(
    handles: CompactionHandles<'_>,
    work: &CompactionWork<'_>,
    room: &CompactionRoom,
    chosen: Chosen<'_>,
) -> Result<CompactionResult, SessionError> {
    let Chosen { branch, seen, plan } = chosen;
    let messages: Vec<&Message> = seen.iter().map(|one| &*one.message).collect();
    let older = messages.get(plan.from..plan.first_kept).unwrap_or_default();
    let earlier = earlier_compaction(branch);
    let earlier_summary = earlier.map(|compaction| without_files(&compaction.summary));
    let mut files = FileLists::of_details(earlier.and_then(|compaction| compaction.details.as_ref()));
    older.iter().for_each(|message| files.add(message));
    let part = SummaryPart { messages: older, earlier: earlier_summary, mid_turn: plan.splits_turn };
    let (text, mut by) = summarize(handles.models, work, room, &part).await;
    let ending = format!("{}{}", open_question(older, plan), files.section());
    let before = tokens(&messages);
    let stays = tokens(messages.get(plan.first_kept..).unwrap_or_default());
    let after = |summary: &str| stays.saturating_add(estimate_text_tokens(summary));
    let mut summary = format!("{text}{ending}");
    if after(&summary) >= before {
        let little = summary_tokens(room).min(tokens(older) / 2);
        summary = format!("{}{ending}", checkpoint(older, earlier_summary, little));
        by = SummaryBy::Rule;
    }
    let counts = Counts::of(work.counted, before, after(&summary));
    if after(&summary) >= before {
        let Counts { tokens_before, tokens_after } = counts;
        return Ok(CompactionResult::NotSmaller { tokens_before, tokens_after });
    }
    let compaction = Compaction {
        summary,
        first_kept: seen.get(plan.first_kept).and_then(|one| one.entry.clone()),
        tokens_before: Some(counts.tokens_before),
        tokens_after: Some(counts.tokens_after),
        details: Some(files.details()),
        author: SummaryAuthor::Agent,
    };
    let count = write(handles, work, compaction, counts).await?;
    let Counts { tokens_before, tokens_after } = counts;
    Ok(CompactionResult::Done(CompactionDone { tokens_before, tokens_after, by, count }))
}

/// How large the context is before and after. What a call counted holds more than the messages: what it holds beside
/// them stays.
#[derive(Clone, Copy)]
struct Counts {
    tokens_before: u64,
    tokens_after: u64,
}

impl Counts {
    fn of(counted: Option<u64>, before: u64, after: u64) -> Self {
        let tokens_before = counted.unwrap_or(0).max(before);
        Self { tokens_before, tokens_after: after.saturating_add(tokens_before - before) }
    }
}

fn earlier_compaction(branch: &[StoredEntry]) -> Option<&Compaction> {
    branch.iter().rev().find_map(|stored| match &stored.line.record {
        LineRecord::Entry(entry) => match &entry.body {
            EntryBody::Compaction(compaction) => Some(compaction),
            _ => None,
        },
        LineRecord::Header(_) | LineRecord::Foreign(_) => None,
    })
}

/// The question that is being worked on, word for word, when it lies before the cut.
fn open_question(older: &[&Message], plan: Cut) -> String {
    let question = older.iter().rev().find_map(|message| match message {
        Message::User(said) => Some(words(&said.content)),
        _ => None,
    });
    match question.filter(|text| plan.splits_turn && !text.trim().is_empty()) {
        Some(text) => format!("\n\n## Being answered now\n{}", shortened(text.trim(), QUESTION_CHARS)),
        None => String::new(),
    }
}

/// Appends the entry and counts it in the session. Gives how many compactions the session has had.
async fn write(
    handles: CompactionHandles<'_>,
    work: &CompactionWork<'_>,
    compaction: Compaction,
    counts: Counts,
) -> Result<u64, SessionError> {
    let writing = Writing {
        agent: work.agent.clone(),
        session: work.session.clone(),
        run: Some(work.run.clone()),
        begins: None,
        flush: Flush::Now,
        bodies: vec![EntryBody::Compaction(compaction)],
    };
    handles.journal.append(writing).await?;
    let session = work.session.clone();
    let stored = handles
        .sessions
        .change(
            &work.keeper,
            &work.key,
            Box::new(move |entry| {
                let mut entry = entry?;
                if entry.session_id == session {
                    let count = entry.facts.compaction_count.unwrap_or(0);
                    entry.facts.compaction_count = Some(count.saturating_add(1));
                    entry.facts.total_tokens = Some(counts.tokens_after);
                    entry.facts.total_tokens_fresh = Some(true);
                }
                Some(entry)
            }),
        )
        .await?;
    Ok(stored.and_then(|entry| entry.facts.compaction_count).unwrap_or(1))
}
