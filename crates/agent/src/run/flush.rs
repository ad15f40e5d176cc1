//! The turn before a conversation is summed up: the agent writes down what must outlast it.
//!
//! Nobody hears of it, and it takes no messages. When it is due and what it says is decided in `compaction`; whatever
//! becomes of it, the answer that was asked for is made next.

use std::sync::Arc;

use openclaw_config::CompactionSettings;
use openclaw_session::SessionError;
use openclaw_types::{AbortCause, Content, Message, Provenance, ProvenanceKind, UserMessage};

use super::engine::{LoopStep, Run, Turn};
use super::order::{PromptMode, RunInput};
use super::stream::EventMode;
use crate::Zone;
use crate::compaction::{FlushCase, FlushWords, WorkspaceWrites, flush_words, mark_flushed, should_flush};
use crate::policy::Sandboxing;
use crate::turn::decide::Spent;
use crate::workspace::daily_note;

impl Run {
    /// Has the agent write down what must outlast the next compaction.
    pub(super) async fn keep_memories(&mut self, words: FlushWords) -> Result<(), SessionError> {
        self.close_open_calls().await?;
        let question = UserMessage {
            content: vec![Content::text(words.prompt)],
            at: Some(self.parts.clock.now()),
            provenance: Some(Provenance {
                kind: ProvenanceKind::InternalSystem,
                source_session: None,
                source_channel: None,
                source_tool: None,
            }),
            idempotency_key: None,
        };
        self.record.say(vec![Message::User(question)]).await?;
        let system = self.setup.system.clone();
        self.setup.system = system.and(words.system);
        (self.turn, self.events.voice) = (Turn::Memories, EventMode::Silent);
        let before = std::mem::take(&mut self.totals);
        let ending = loop {
            let seen = self.seen();
            if let LoopStep::End(ending) = self.step(seen).await? {
                break ending;
            }
        };
        let taken = std::mem::replace(&mut self.totals, before);
        self.totals.absorb(taken);
        (self.turn, self.events.voice) = (Turn::Answer, EventMode::Aloud);
        (self.spent, self.calls) = (Spent::NOTHING, 0);
        self.setup.system = system;
        if self.inbox.cause() != Some(AbortCause::Shutdown) {
            self.record.say(ending.last).await?;
        }
        self.close_open_calls().await?;
        self.note_flush().await
    }

    /// What the agent is told to have it write down what must outlast the next compaction; nothing while that is far.
    pub(super) async fn flush_words(&self) -> Result<Option<FlushWords>, SessionError> {
        let asked =
            matches!(self.order.input, RunInput::Messages(_)) && self.order.prompt == PromptMode::Full;
        let settings = CompactionSettings::of(&self.config.raw);
        let (true, Some(flush)) = (asked, &settings.memory_flush) else { return Ok(None) };
        let Some(window) = self.parts.models.window(&self.active) else { return Ok(None) };
        let entry = match &self.order.entry {
            Some(entry) => Some(Arc::clone(entry)),
            None => self.parts.sessions.entry(self.keeper(), &self.order.key).await?,
        };
        let Some(entry) = entry else { return Ok(None) };
        // What the last call counted is enough; only where nothing was counted is the conversation looked through.
        let counted = entry.facts.total_tokens.filter(|_| entry.facts.total_tokens_fresh == Some(true));
        let tokens = counted.unwrap_or_else(|| self.tokens(&self.seen()));
        let case = FlushCase {
            entry: &entry,
            tokens,
            window: window.tokens,
            settings: &settings,
            workspace: match (self.setup.offer.has_deeds(), self.setup.offer.sandbox) {
                (true, Sandboxing::None) => WorkspaceWrites::Possible,
                (false, _) | (true, Sandboxing::Missing(_)) => WorkspaceWrites::Impossible,
            },
        };
        Ok(should_flush(case).then(|| flush_words(flush, &self.day())))
    }

    async fn note_flush(&self) -> Result<(), SessionError> {
        let now = self.parts.clock.now();
        let change = Box::new(move |entry: Option<openclaw_types::SessionEntry>| {
            let mut entry = entry?;
            mark_flushed(&mut entry, now);
            Some(entry)
        });
        self.parts.sessions.change(self.keeper(), &self.order.key, change).await?;
        Ok(())
    }

    /// The day as the person has it, as its notes are named.
    fn day(&self) -> String {
        let note = daily_note(self.parts.clock.now(), &self.zone());
        let name = note.rsplit('/').next().unwrap_or(&note);
        name.trim_end_matches(".md").to_owned()
    }

    /// The time zone of the person, else that of the machine.
    fn zone(&self) -> Zone {
        let agents = self.config.raw.agents.as_ref();
        let written = agents.and_then(|agents| agents.defaults.as_ref()?.user_timezone.as_deref());
        written.and_then(|name| Zone::named(name.trim()).ok()).unwrap_or_else(Zone::system)
    }
}
