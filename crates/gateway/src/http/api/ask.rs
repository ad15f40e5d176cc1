//! Puts the question of another program to the agent, and follows the run that answers it.
//!
//! A caller that goes away before the end has its run stopped: nobody would read the answer.

use std::sync::Arc;

use axum::http::StatusCode;
use openclaw_agent::{ReplyKind, RunOutcome};
use openclaw_flow::{Author, Ended, FlowError, Letter, Picture, Rank, Submitted, Surface, Wishes};
use openclaw_types::{AbortCause, RunEnding, RunId, SessionKey, ToolCall, Usage};

use super::caller::{Addressee, Caller, Refused};
use crate::context::GatewayContext;
use crate::methods::AgentServices;
use crate::runs::{Heard, Listener};

/// What is said when there is nothing to say.
const NOTHING: &str = "No response from OpenClaw.";

/// A question.
pub(super) struct Question {
    pub(super) to: Addressee,
    pub(super) text: String,
    pub(super) pictures: Vec<Picture>,
    pub(super) wishes: Wishes,
}

/// One message of a conversation that a caller sends.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    pub(super) speaker: Speaker,
    pub(super) text: String,
    pub(super) pictures: Vec<Picture>,
}

/// Who said it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    Person,
    Assistant,
    Tool,
}

/// A run under way. Dropping it stops the run.
pub(super) struct Asked {
    services: Arc<AgentServices>,
    key: SessionKey,
    run: RunId,
    listener: Option<Listener>,
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
}

/// What the agent is told of a conversation: the newest messages as they are, with what came before them above.
/// In a session that remembers, only what is new is told.
pub(super) fn conversation(lines: Vec<Line>, remembered: bool) -> Result<(String, Vec<Picture>), Refused> {
    let after = lines.iter().rposition(|line| line.speaker == Speaker::Assistant).map_or(0, |at| at + 1);
    let (before, new) = lines.split_at(after.min(lines.len()));
    let has_words = |line: &&Line| !line.text.trim().is_empty() || !line.pictures.is_empty();
    if !new.iter().any(|line| has_words(&line) && line.speaker != Speaker::Assistant) {
        return Err(Refused::wrong("Missing user message in `messages`."));
    }
    let said = |line: &Line| match line.speaker {
        Speaker::Person => line.text.clone(),
        Speaker::Assistant => format!("Assistant: {}", line.text),
        Speaker::Tool => format!("Result of a tool of the client: {}", line.text),
    };
    let newest: Vec<String> = new.iter().filter(has_words).map(said).collect();
    let pictures = new.iter().flat_map(|line| line.pictures.clone()).collect();
    let newest = newest.join("\n\n");
    if remembered || before.is_empty() {
        return Ok((newest, pictures));
    }
    let earlier: Vec<String> = before
        .iter()
        .filter(has_words)
        .map(|line| match line.speaker {
            Speaker::Person => format!("Person: {}", line.text),
            Speaker::Assistant | Speaker::Tool => said(line),
        })
        .collect();
    Ok((format!("[What was said before]\n{}\n\n[Now]\n{newest}", earlier.join("\n")), pictures))
}

/// Whether a session the caller comes back to knows what was said before.
pub(super) async fn remembers(caller: &Caller, to: &Addressee) -> Result<bool, Refused> {
    if !to.lasting {
        return Ok(false);
    }
    let entry = caller.services.sessions().entry(&to.key).await;
    entry.map(|entry| entry.is_some()).map_err(|error| Refused::broken(error.to_string()))
}

/// Starts a run.
pub(super) async fn ask(caller: &Caller, question: Question) -> Result<Asked, Refused> {
    let run = RunId::new(format!("api-{}", uuid::Uuid::new_v4()))
        .map_err(|error| Refused::broken(error.to_string()))?;
    let Question { to, text, pictures, wishes } = question;
    let letter = Letter {
        run: run.clone(),
        agent: to.agent,
        raw_key: to.raw_key,
        key: to.key.clone(),
        surface: Surface::Api,
        text,
        pictures,
        at: caller.context.clock.now(),
        from: Author { standing: Rank::Owner, ..Author::default() },
        provenance: None,
        wishes: Wishes { stamped: true, alone: true, ..wishes },
    };
    let context: &Arc<GatewayContext> = &caller.context;
    let listener = Listener::new(context, &run);
    let asked =
        Asked { services: Arc::clone(&caller.services), key: to.key, run, listener, state: State::UnderWay };
    match caller.services.flow.submit(letter).await {
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
        FlowError::Busy(_) => Refused {
            status: StatusCode::SERVICE_UNAVAILABLE,
            kind: "server_error",
            message: error.to_string(),
        },
        FlowError::Store(_) | FlowError::Session(_) => {
            tracing::error!(%error, "a question of another program was not taken");
            Refused::broken(error.to_string())
        }
    }
}

impl Asked {
    /// More words, or nothing when all were said.
    pub(super) async fn words(&self) -> Option<String> {
        match self.listener.as_ref()?.next().await {
            Heard::Words(words) => Some(words),
            Heard::Over => None,
        }
    }

    /// The whole answer. Waits for it.
    pub(super) async fn answer(&mut self) -> Result<Made, Refused> {
        let ended = self.services.flow.outcome(&self.run).await;
        self.state = State::Over;
        made(ended)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if self.state == State::Over {
            return;
        }
        if let Err(error) = self.services.flow.stop_run(&self.key, &self.run, AbortCause::Request) {
            tracing::error!(%error, "a run that nobody waits for could not be stopped");
        }
    }
}

fn made(ended: Option<Ended>) -> Result<Made, Refused> {
    let Some(ended) = ended else { return Err(Refused::broken("the run was lost; ask again")) };
    let outcome = match (&ended.how, &ended.outcome) {
        (RunEnding::Failed { message }, _) => return Err(Refused::broken(message.clone())),
        (RunEnding::Aborted(AbortCause::Shutdown), _) => {
            return Err(Refused {
                status: StatusCode::SERVICE_UNAVAILABLE,
                kind: "server_error",
                message: "the gateway is stopping; ask again in a moment".to_owned(),
            });
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
    }
}

impl Made {
    fn empty() -> Self {
        Self { text: String::new(), calls: Vec::new(), usage: Usage::default(), notices: Vec::new() }
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
