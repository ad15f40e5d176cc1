//! What a model is asked: the prompt, the conversation as it sees it, the tools.
//!
//! The conversation is `session`'s projection of the branch; old results are left out by `pruning` once the vendor's
//! cache has gone cold. Everything else stays the same from call to call.

use std::sync::Arc;

use openclaw_config::PruningSettings;
use openclaw_ports::model::{CacheLifetime, ModelRequest, ToolChoice};
use openclaw_session::project;
use openclaw_types::{Message, ThinkingLevel, UnixMillis};

use super::engine::Run;
use crate::compaction::cut_oversized_results;
use crate::pruning::{CacheState, apply_prune, decide_prune, is_prunable_now, leave_out_answered_pictures};

impl Run {
    /// The conversation as a model sees it.
    pub(super) fn seen(&self) -> Vec<Arc<Message>> {
        let projected = project(self.record.branch());
        let first = self.record.first_entry_of_run();
        let begin = first.and_then(|own| projected.iter().position(|seen| seen.entry.as_ref() == Some(own)));
        let mut all: Vec<_> = projected.into_iter().map(|seen| seen.message).collect();
        let begin = begin.unwrap_or(all.len());
        leave_out_answered_pictures(&mut all[..begin]);
        if let Some(turns) = self.order.turns {
            all.drain(..oldest_shown(&all, turns));
        }
        all
    }

    /// The next request, about the conversation as it was seen.
    pub(super) fn request(&self, mut messages: Vec<Arc<Message>>) -> ModelRequest {
        self.prune(&mut messages);
        ModelRequest {
            system: self.setup.system.clone(),
            messages,
            tools: self.setup.offer.specs(),
            tool_choice: self.choice(),
            // `Models` fits the level to each model it tries.
            thinking: ThinkingLevel::Off,
            max_output_tokens: self.order.max_output_tokens,
            temperature: self.order.temperature,
            cache: CacheLifetime::default(),
            session: Some(self.order.session.to_string()),
        }
    }

    /// A tool that must be called must be called once: held to it for ever, a model could never answer.
    fn choice(&self) -> ToolChoice {
        match &self.order.tool_choice {
            ToolChoice::Required | ToolChoice::Named(_) if self.calls > 0 => ToolChoice::Auto,
            choice => choice.clone(),
        }
    }

    fn prune(&self, messages: &mut [Arc<Message>]) {
        let Some(window) = self.parts.models.window(&self.active) else { return };
        // Results of the time of a model that read more.
        cut_oversized_results(messages, window.tokens);
        let Some(settings) = PruningSettings::of(&self.config.raw, self.setup.sign_in) else { return };
        let mut marks = self.caches.marks(&self.order.session);
        let cache =
            CacheState { model: &self.active, last_call: last_answer(messages), now: self.parts.clock.now() };
        if is_prunable_now(&settings, cache) {
            marks.extend(decide_prune(messages, &settings, window.tokens));
            self.caches.put(&self.order.session, marks.clone());
        }
        apply_prune(messages, &marks, &settings);
    }
}

/// Where the newest turns begin: at a message of a person, so that no result is parted from its call.
fn oldest_shown(messages: &[Arc<Message>], turns: usize) -> usize {
    let is_asked =
        |place: &usize| messages.get(*place).is_some_and(|message| matches!(**message, Message::User(_)));
    let mut asked = (0..messages.len()).rev().filter(is_asked);
    match (asked.nth(turns.saturating_sub(1)), asked.next()) {
        // With something older before it; what stands before the first question of all stays.
        (Some(first), Some(_)) => first,
        _ => 0,
    }
}

/// When a model last answered in this conversation.
fn last_answer(messages: &[Arc<Message>]) -> Option<UnixMillis> {
    messages.iter().rev().find_map(|message| match &**message {
        Message::Assistant(answer) => answer.at,
        _ => None,
    })
}
