//! The ends of a run: what is stored last, what people are told, and what counts as a fault.
//!
//! Which end it is was decided in `turn::decide`. An end is stored once, together with the last message, by `engine`.

use openclaw_config::{RunSettings, ToolErrors};
use openclaw_session::SessionError;
use openclaw_types::{AbortCause, AbortMark, AssistantMessage, Content, Message, RunEnding, StopReason};

use super::engine::{Run, Turn};
use super::order::{FaultKind, RunFault};
use super::words;
use crate::turn::decide::{RunExplanation, SpokeAlready};

/// How a run ends, before it is stored.
pub(super) struct RunConclusion {
    pub(super) how: RunEnding,
    /// The last messages of the transcript.
    pub(super) last: Vec<Message>,
    pub(super) fault: Option<RunFault>,
    /// What is told of them once they are stored.
    pub(super) told: LastTold,
}

/// What is told once the end of a run is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LastTold {
    /// Nothing.
    Nothing,
    /// That the message that was being told is whole.
    Whole,
    /// A message of our own, from its beginning to its end.
    Ours(String),
}

impl RunConclusion {
    /// The end of a run that has its answer.
    pub(super) fn answered(last: Vec<Message>, told: LastTold) -> Self {
        Self { how: RunEnding::Answered, last, fault: None, told }
    }

    /// The end of a run whose answer is in the transcript already.
    pub(super) fn already() -> Self {
        Self::answered(Vec::new(), LastTold::Nothing)
    }
}

impl Run {
    /// The end of a run that was stopped; what was said until then is kept.
    pub(super) fn aborted(&mut self, content: Vec<Content>) -> RunConclusion {
        let cause = self.inbox.cause().unwrap_or(AbortCause::Request);
        let mark = AbortMark { origin: words::abort_origin(cause).to_owned(), run: self.order.run.clone() };
        let message = AssistantMessage {
            content,
            provider: Some(self.active.provider().clone()),
            model: Some(self.active.model().to_owned()),
            stop: Some(StopReason::Aborted),
            at: Some(self.parts.clock.now()),
            abort: Some(mark.clone()),
            idempotency_key: Some(words::answer_key(&self.order.run)),
            ..AssistantMessage::default()
        };
        self.totals.hear(&message, self.order.reasoning);
        let fault = (cause == AbortCause::Timeout)
            .then(|| RunFault { kind: FaultKind::Timeout, message: words::timeout() });
        // Of the turn that only keeps memories nobody hears: the answer that follows it explains.
        let unsaid = self.turn == Turn::Answer && self.totals.spoken() == SpokeAlready::No;
        let how = RunEnding::Aborted(cause);
        if let Some(fault) = fault.as_ref().filter(|_| unsaid) {
            let text = fault.message.clone();
            let explained = words::own_message(&text, &text, self.parts.clock.now());
            self.totals.notice(text.clone());
            let cut_off = Some(message).filter(|message| !message.content.is_empty());
            let explained = AssistantMessage { abort: Some(mark), ..explained };
            let last = cut_off.into_iter().chain([explained]).map(Message::Assistant).collect();
            return RunConclusion { how, last, fault: Some(fault.clone()), told: LastTold::Ours(text) };
        }
        // Behind the results of tools nothing needs to stand; behind a person's words something does.
        let calling = !matches!(self.record.messages().next_back(), Some((_, Message::ToolResult(_))));
        let last = match message.content.is_empty() && !calling {
            true => Vec::new(),
            false => vec![Message::Assistant(message)],
        };
        RunConclusion { how, last, fault, told: LastTold::Nothing }
    }

    /// The end of a run that explains why there is no better answer.
    pub(super) fn noticed(&mut self, notice: RunExplanation, detail: &str) -> RunConclusion {
        let (kind, text) = words::notice(notice, detail);
        let told = RunSettings::of(&self.config.raw, &self.order.agent).tool_errors;
        let text = match (notice, &self.totals.failed, told) {
            (RunExplanation::Empty, Some(tool), ToolErrors::Told) => words::empty_after(tool),
            _ => text,
        };
        let detail = if detail.is_empty() { &text } else { detail };
        let message = words::own_message(&text, detail, self.parts.clock.now());
        self.totals.notice(text.clone());
        RunConclusion {
            how: RunEnding::Answered,
            last: vec![Message::Assistant(message)],
            fault: Some(RunFault { kind, message: text.clone() }),
            told: LastTold::Ours(text),
        }
    }

    /// The end of a run without an answer.
    pub(super) fn failed(&mut self, kind: FaultKind, text: String) -> RunConclusion {
        let message = words::own_message(&text, &text, self.parts.clock.now());
        RunConclusion {
            how: RunEnding::Failed { message: text.clone() },
            last: vec![Message::Assistant(message)],
            fault: Some(RunFault { kind, message: text }),
            told: LastTold::Nothing,
        }
    }

    /// The end of a run whose transcript cannot be kept.
    pub(super) fn broken(&self, fault: &SessionError) -> RunConclusion {
        tracing::error!(subsystem = "agent", run = %self.order.run, %fault, "a run could not be kept");
        let message = words::internal();
        RunConclusion {
            how: RunEnding::Failed { message: message.clone() },
            last: Vec::new(),
            fault: Some(RunFault { kind: FaultKind::Internal, message }),
            told: LastTold::Nothing,
        }
    }
}
