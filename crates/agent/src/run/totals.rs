//! What a run has come to so far: what was said, what it took, what was done.
//!
//! Pure bookkeeping; `engine` fills it and turns it into a `RunOutcome` at the end.

use std::sync::Arc;

use openclaw_ports::tool::ToolMessage;
use openclaw_session::RunCounts;
use openclaw_types::{
    AssistantMessage, AssistantSource, AuthProfileId, Content, Message, ModelRef, RunEnd, SessionEntry,
    StopReason, ToolCall, UnixMillis, Usage, UserMessage,
};
use serde_json::Value;

use super::order::{Reasoning, ReplyKind, RunFault, RunOutcome, RunReply};
use crate::CallDone;
use crate::turn::decide::SpokeAlready;

/// The answer that says there is nothing to say.
const SILENT: &str = "NO_REPLY";

/// What a run has come to so far.
#[derive(Debug, Default)]
pub(super) struct RunTotals {
    replies: Vec<RunReply>,
    /// An answer whose claim is being asked about: it counts only when nothing better comes.
    held_back: Option<RunReply>,
    usage: Usage,
    pub(super) last_call: Option<Usage>,
    stop: Option<StopReason>,
    pub(super) model: Option<ModelRef>,
    profile: Option<AuthProfileId>,
    pub(super) window: Option<u64>,
    pub(super) compactions: u64,
    pub(super) client_calls: Vec<ToolCall>,
    pub(super) said: Vec<ToolMessage>,
    /// How many tools changed something.
    pub(super) deeds: u64,
    /// The tool of the last call, where that failed.
    pub(super) failed: Option<String>,
}

impl RunTotals {
    /// Counts a call of a model.
    pub(super) fn count(&mut self, done: &CallDone, window: Option<u64>) {
        self.usage = self.usage.plus(&done.usage);
        self.last_call = Some(done.usage);
        self.model = Some(done.model.clone());
        self.profile = Some(done.profile.clone());
        self.window = window;
    }

    /// Adds what a turn took that nobody heard of. Only what its tools said counts as said.
    pub(super) fn absorb(&mut self, other: Self) {
        self.usage = self.usage.plus(&other.usage);
        self.window = other.window.or(self.window);
        self.compactions = self.compactions.saturating_add(other.compactions);
        self.said.extend(other.said);
    }

    /// Takes up what a message says to people.
    pub(super) fn hear(&mut self, message: &AssistantMessage, reasoning: Reasoning) {
        self.stop.clone_from(&message.stop);
        let thoughts = thoughts(message);
        if reasoning == Reasoning::Shown && !thoughts.is_empty() {
            self.replies.push(reply(thoughts, ReplyKind::Reasoning));
        }
        if let Some(text) = spoken_text(message) {
            self.held_back = None;
            self.replies.push(reply(text, ReplyKind::Answer));
        }
    }

    /// Takes up what messages of an earlier process said.
    pub(super) fn hear_again<'a>(
        &mut self,
        messages: impl Iterator<Item = &'a Message>,
        reasoning: Reasoning,
    ) {
        for message in messages {
            if let Message::Assistant(message) = message
                && message.source() == AssistantSource::Model
            {
                self.hear(message, reasoning);
                self.last_call = message.usage.or(self.last_call);
            }
        }
    }

    /// Holds the last answer back until the model has been asked about it.
    pub(super) fn hold_back(&mut self) {
        if self.replies.last().is_some_and(|reply| reply.kind == ReplyKind::Answer) {
            self.held_back = self.replies.pop();
        }
    }

    /// Adds words of our own.
    pub(super) fn notice(&mut self, text: String) {
        self.replies.push(reply(text, ReplyKind::Notice));
    }

    /// Whether people have heard anything.
    pub(super) fn spoken(&self) -> SpokeAlready {
        let heard = self.held_back.is_some() || !self.said.is_empty();
        let answered = self.replies.iter().any(|reply| reply.kind != ReplyKind::Reasoning);
        if heard || answered { SpokeAlready::Yes } else { SpokeAlready::No }
    }

    /// What the session of the run counts, but for how and when the run ended.
    pub(super) fn counts(&self) -> RunCounts {
        RunCounts {
            whole: self.usage,
            last_call: self.last_call,
            model: self.model.clone(),
            context_window: self.window,
            profile: self.profile.clone(),
            aborted: false,
            at: UnixMillis(0),
        }
    }

    /// What came of the run.
    pub(super) fn outcome(self, end: RunEnd, last: Last) -> RunOutcome {
        let Self { mut replies, held_back, mut usage, last_call, stop, model, profile, window, .. } = self;
        replies.extend(held_back);
        if let Some(last) = &last_call {
            usage.total_tokens = last.sum().saturating_sub(last.output).saturating_add(usage.output);
        }
        RunOutcome {
            end,
            replies,
            model,
            profile,
            context_window: window,
            usage,
            last_call,
            stop,
            compactions: self.compactions,
            client_calls: self.client_calls,
            said: self.said,
            prompt_report: last.prompt_report,
            fault: last.fault,
            left_over: last.left_over,
            session: last.session,
        }
    }
}

/// What the end of a run adds to its outcome.
#[derive(Debug, Default)]
pub(super) struct Last {
    pub(super) prompt_report: Option<Value>,
    pub(super) fault: Option<RunFault>,
    pub(super) left_over: Vec<UserMessage>,
    pub(super) session: Option<Arc<SessionEntry>>,
}

/// What a message says to people; nothing when it is silent.
fn spoken_text(message: &AssistantMessage) -> Option<String> {
    let text = plain(message);
    (!text.is_empty() && text != SILENT).then_some(text)
}

/// The words of a message, without white space around them.
pub(super) fn plain(message: &AssistantMessage) -> String {
    message.content.iter().filter_map(Content::as_text).collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn thoughts(message: &AssistantMessage) -> String {
    let thought = |piece: &Content| match piece {
        Content::Thinking(thinking) => Some(thinking.text.trim().to_owned()),
        _ => None,
    };
    message
        .content
        .iter()
        .filter_map(thought)
        .filter(|text| !text.is_empty())
        .collect::<Vec<_>>()
        .join("\n\n")
}

fn reply(text: String, kind: ReplyKind) -> RunReply {
    RunReply { text, media: Vec::new(), kind }
}
