//! Makes room in a conversation that the model cannot read whole: older parts are summed up.
//!
//! How that is done is the business of `compaction`. Here it is decided when, its events are told, and a stop cuts it
//! off: a summary is written whole or not at all.

use std::sync::Arc;

use openclaw_config::CompactionSettings;
use openclaw_session::SessionError;
use openclaw_types::{AfterCompaction, Message, RunEvent};
use tokio::sync::mpsc;

use super::engine::Run;
use crate::compaction::{
    CompactionCause, CompactionHandles, CompactionResult, CompactionRoom, CompactionWork, compact,
    context_tokens, is_counted, should_compact,
};
use crate::turn::decide::RoomOutcome;

/// A compaction tells two things, its beginning and its end.
const WAITING_EVENTS: usize = 4;

impl Run {
    /// The conversation as a model sees it, summed up first when there is little room left. What does not help is not
    /// tried again in this run.
    pub(super) async fn seen_with_room(&mut self) -> Result<Vec<Arc<Message>>, SessionError> {
        let seen = self.seen();
        let Some(window) = self.parts.models.window(&self.active) else { return Ok(seen) };
        let settings = CompactionSettings::of(&self.config.raw);
        let room = CompactionRoom::of(&settings, window.tokens);
        if self.cramped == RoomOutcome::NoRoom || !should_compact(self.tokens(&seen), &room) {
            return Ok(seen);
        }
        self.cramped = Box::pin(self.make_room(CompactionCause::Room)).await?;
        Ok(self.seen())
    }

    /// How full the context is. Until a call has counted it as it stands, the system prompt is guessed as well.
    pub(super) fn tokens(&self, seen: &[Arc<Message>]) -> u64 {
        let system = match is_counted(seen) {
            true => 0,
            false => self.setup.system_tokens,
        };
        context_tokens(seen).saturating_add(system)
    }

    /// Sums older parts up, and says whether that made room.
    pub(super) async fn make_room(&mut self, cause: CompactionCause) -> Result<RoomOutcome, SessionError> {
        let Some(window) = self.parts.models.window(&self.active) else { return Ok(RoomOutcome::NoRoom) };
        let (parts, stop) = (Arc::clone(&self.parts), self.inbox.stop().clone());
        let settings = CompactionSettings::of(&self.config.raw);
        let then = match cause {
            CompactionCause::Overflow => AfterCompaction::Retry,
            CompactionCause::Room | CompactionCause::Asked => AfterCompaction::GoOn,
        };
        let (tell, mut told) = mpsc::channel(WAITING_EVENTS);
        let hear = move |event: RunEvent| {
            if tell.try_send(event).is_err() {
                tracing::debug!(subsystem = "agent", "an event of a compaction was not told");
            }
        };
        let inbox = CompactionHandles {
            models: &parts.models,
            journal: &parts.journal,
            sessions: parts.sessions.as_ref(),
        };
        let work = compact(
            inbox,
            CompactionWork {
                agent: self.order.agent.clone(),
                keeper: self.keeper().clone(),
                key: self.order.key.clone(),
                session: self.order.session.clone(),
                run: self.order.run.clone(),
                selection: self.order.model.clone(),
                pin: self.order.pin.clone(),
                window: window.tokens,
                settings: &settings,
                instructions: None,
                cause,
                counted: self.totals.last_call.map(|usage| usage.sum()),
                then,
                tell: &hear,
            },
        );
        tokio::pin!(work);
        let mut begun = false;
        let result = loop {
            // Biased: a stop counts first. Dropping the work leaves the session as it was.
            tokio::select! {
                biased;
                () = stop.cancelled() => break None,
                Some(event) = told.recv() => {
                    begun = matches!(event, RunEvent::CompactionStarted);
                    self.events.tell(event).await;
                }
                result = &mut work => break Some(result),
            }
        };
        while let Ok(event) = told.try_recv() {
            begun = matches!(event, RunEvent::CompactionStarted);
            self.events.tell(event).await;
        }
        if begun {
            self.events.tell(RunEvent::CompactionEnded { then: AfterCompaction::GoOn }).await;
        }
        match result.transpose()? {
            Some(CompactionResult::Done(_)) => {
                self.totals.compactions = self.totals.compactions.saturating_add(1);
                self.record.load().await?;
                Ok(RoomOutcome::Room)
            }
            Some(CompactionResult::Nothing | CompactionResult::NotSmaller { .. }) | None => {
                Ok(RoomOutcome::NoRoom)
            }
        }
    }
}
