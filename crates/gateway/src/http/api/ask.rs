//! Puts the question of another program to the agent, and follows the run that answers it.
//!
//! A caller that goes away before the end has its run stopped: nobody would read the answer.

use std::sync::Arc;

use openclaw_agent::{ReplyKind, RunOutcome};
use openclaw_flow::{
    Author, EndedRun, FlowError, Picture, Rank, Submission, SubmissionOptions, SubmissionSurface, Submitted,
    ToldLine,
};
use openclaw_types::{AbortCause, RunEnding, RunId, SessionKey, StopReason, ToolCall, Usage};

use super::caller::{Addressee, Caller, Refused};
use crate::context::GatewayContext;
use crate::methods::AgentServices;
use crate::runs::{RunTextReader, TextChunk};

/// What is said when there is nothing to say.
const NOTHING: &str = "No response from OpenClaw.";

/// A question.
pub(super) struct ApiQuestion {
    pub(super) to: Addressee,
    pub(super) said: Conversation,
    pub(super) options: SubmissionOptions,
}

/// A run under way. Dropping it stops the run.
pub(super) struct ApiRun {
    services: Arc<AgentServices>,
    key: SessionKey,
    run: RunId,
    listener: Option<RunTextReader>,
    state: State,
}

#[derive(PartialEq, Eq)]
enum State {
    UnderWay,
    Over,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Made {
    pub(super) text: String,
    pub(super) calls: Vec<ToolCall>,
    pub(super) usage: Usage,
    /// Our own words in it, which are not streamed.
    pub(super) notices: Vec<String>,
    /// Whether the model was cut off because it may not write more.
    pub(super) cut: bool,
}

/// What the agent is told of a conversation.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Conversation {
    /// What was said before, and what the caller's tools gave.
    pub(super) told: Vec<ToldLine>,
    /// What is said now.
    pub(super) text: String,
    pub(super) pictures: Vec<Picture>,
}

/// Whether a session knows what was said before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Memory {
    /// It does: only what is new is told.
    Kept,
    /// It does not: everything is told.
    Blank,
}

/// Parts a conversation into what was said before and what is said now. What is now are the words of people after the
/// last answer; results of the caller's tools stand before them, where their calls are. Answers at the very end are left
/// out: the caller asks for another one. Nothing when nothing is new.
pub(super) fn conversation(lines: Vec<ToldLine>, memory: Memory) -> Option<Conversation> {
    let mut lines: Vec<ToldLine> = lines.into_iter().filter(|line| !is_empty(line)).collect();
    while let Some(ToldLine::Agent { .. }) = lines.last() {
        lines.pop();
    }
    let answer = lines.iter().rposition(|line| matches!(line, ToldLine::Agent { .. }));
    let new = lines.split_off(answer.map_or(0, |at| at + 1));
    if new.is_empty() {
        return None;
    }
    let mut said = Conversation {
        told: match memory {
            Memory::Kept => Vec::new(),
            Memory::Blank => lines,
        },
        ..Conversation::default()
    };
    let mut texts = Vec::new();
    for line in new {
        match line {
            ToldLine::Person { text, pictures } => {
                texts.extend((!text.trim().is_empty()).then_some(text));
                said.pictures.extend(pictures);
            }
            other => said.told.push(other),
        }
    }
    said.text = texts.join("\n\n");
    Some(said)
}

fn is_empty(line: &ToldLine) -> bool {
    match line {
        ToldLine::Person { text, pictures } => text.trim().is_empty() && pictures.is_empty(),
        ToldLine::Agent { text, calls } => text.trim().is_empty() && calls.is_empty(),
        ToldLine::Tool { .. } => false,
    }
}

/// Whether a session the caller comes back to knows what was said before.
pub(super) async fn memory(caller: &Caller, to: &Addressee) -> Result<Memory, Refused> {
    if !to.lasting {
        return Ok(Memory::Blank);
    }
    let entry = caller.services.sessions().entry(&to.key).await;
    let entry = entry.map_err(|error| Refused::unreadable(&error))?;
    Ok(if entry.is_some() { Memory::Kept } else { Memory::Blank })
}

/// Starts a run.
pub(super) async fn ask(caller: &Caller, question: ApiQuestion) -> Result<ApiRun, Refused> {
    let run = RunId::new(format!("api-{}", uuid::Uuid::new_v4()))
        .map_err(|error| Refused::broken(error.to_string()))?;
    let ApiQuestion { to, said: Conversation { told, text, pictures }, options } = question;
    let submission = Submission {
        channel_origin: None,
        run: run.clone(),
        agent: to.agent,
        raw_key: to.raw_key,
        key: to.key.clone(),
        surface: SubmissionSurface::Api,
        text,
        pictures,
        at: caller.context.clock.now(),
        from: Author { standing: Rank::Owner, ..Author::default() },
        provenance: None,
        options: SubmissionOptions { stamped: true, alone: true, told, ..options },
    };
    let context: &Arc<GatewayContext> = &caller.context;
    let listener = RunTextReader::new(context, &run);
    let asked =
        ApiRun { services: Arc::clone(&caller.services), key: to.key, run, listener, state: State::UnderWay };
    match caller.services.flow.submit(submission).await {
        Ok(Submitted::Started | Submitted::InFlight | Submitted::Ended(_)) => Ok(asked),
        Ok(Submitted::Stopped(_)) => {
            Err(Refused::wrong("the message only asks to stop, and nothing was running"))
        }
        Err(error) => Err(not_taken(&error)),
    }
}

fn not_taken(error: &FlowError) -> Refused {
    match error {
        FlowError::Empty | FlowError::Blocked | FlowError::Wrong(_) => Refused::wrong(error.to_string()),
        FlowError::Busy(_) => Refused::busy(error.to_string()),
        FlowError::Store(_) | FlowError::Session(_) => {
            tracing::error!(%error, "a question of another program was not taken");
            Refused::broken(error.to_string())
        }
    }
}

impl ApiRun {
    /// More words, or nothing when all were said.
    pub(super) async fn words(&self) -> Option<String> {
        match self.listener.as_ref()?.next().await {
            TextChunk::Words(words) => Some(words),
            TextChunk::Over => None,
        }
    }

    /// The whole answer. Waits for it.
    pub(super) async fn answer(&mut self) -> Result<Made, Refused> {
        let ended = self.services.flow.outcome(&self.run).await;
        self.state = State::Over;
        made(ended)
    }
}

impl Drop for ApiRun {
    fn drop(&mut self) {
        if self.state == State::Over {
            return;
        }
        if let Err(error) = self.services.flow.abandon(&self.key, &self.run) {
            tracing::error!(%error, "a run that nobody waits for could not be stopped");
        }
    }
}

fn made(ended: Option<EndedRun>) -> Result<Made, Refused> {
    let Some(ended) = ended else { return Err(Refused::broken("the run was lost; ask again")) };
    let outcome = match (&ended.how, &ended.outcome) {
        (RunEnding::Failed { message }, _) => return Err(Refused::broken(message.clone())),
        (RunEnding::Aborted(AbortCause::Shutdown), _) => {
            return Err(Refused::busy("the gateway is stopping; ask again in a moment"));
        }
        (_, Some(outcome)) => outcome,
        (_, None) => return Ok(Made { text: NOTHING.to_owned(), ..Made::empty() }),
    };
    Ok(of_outcome(outcome))
}

fn of_outcome(outcome: &RunOutcome) -> Made {
    let replies = outcome.replies.iter().filter(|reply| reply.kind != ReplyKind::Reasoning);
    let texts: Vec<String> = replies
        .map(|reply| {
            let media = reply.media.iter().map(String::as_str);
            std::iter::once(reply.text.as_str())
                .chain(media)
                .filter(|line| !line.is_empty())
                .collect::<Vec<_>>()
                .join("\n")
        })
        .filter(|text| !text.is_empty())
        .collect();
    let text = match texts.is_empty() && outcome.client_calls.is_empty() {
        true => NOTHING.to_owned(),
        false => texts.join("\n\n"),
    };
    let notices = outcome.replies.iter().filter(|reply| reply.kind == ReplyKind::Notice);
    Made {
        text,
        calls: outcome.client_calls.clone(),
        usage: outcome.usage,
        notices: notices.map(|reply| reply.text.clone()).collect(),
        cut: outcome.stop == Some(StopReason::Length),
    }
}

impl Made {
    fn empty() -> Self {
        Self {
            text: String::new(),
            calls: Vec::new(),
            usage: Usage::default(),
            notices: Vec::new(),
            cut: false,
        }
    }

    /// What a listener who heard so much has not heard.
    pub(super) fn unheard(&self, heard: &str) -> Option<String> {
        if heard.trim().is_empty() {
            return (!self.text.is_empty()).then(|| self.text.clone());
        }
        let missing: Vec<&str> =
            self.notices.iter().map(String::as_str).filter(|notice| !heard.contains(notice)).collect();
        (!missing.is_empty()).then(|| format!("\n\n{}", missing.join("\n\n")))
    }

    /// Tokens that the model read.
    pub(super) fn read(&self) -> u64 {
        self.usage.input + self.usage.cache_read + self.usage.cache_write
    }
}

#[cfg(test)]
mod tests;
