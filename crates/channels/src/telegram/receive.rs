//! Asks the platform for updates, again and again. How far we have read is noted once everything up to there is kept.
//!
//! The platform forgets what lies before the number it is asked from. After a week of silence it begins to count anew
//! from anywhere, so a number that old is no longer used.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, Health, Identity, Receive, Sink};
use serde_json::{Map, Value, json};

use super::api::ApiFault;
use super::hear::{TOLD, UpdateReader};
use super::memory::Offset;

/// How long the platform waits for something to tell.
const WAIT: Duration = Duration::from_secs(30);
/// And how much longer its answer may take.
const SLACK: Duration = Duration::from_secs(15);
/// How often asking may fail before the line counts as down.
const FAILURES: u32 = 4;
/// How many updates are asked for at once, which is as many as the platform gives.
const MOST: u32 = 100;
/// For how long a number is used.
const FRESH: Duration = Duration::from_secs(6 * 24 * 60 * 60);
/// The pause after an answer that came at once with nothing in it, and after events that could not be kept.
const BREATH: Duration = Duration::from_secs(1);

/// Asks for updates.
pub(super) struct TelegramReceive {
    ears: Arc<UpdateReader>,
    identity: Identity,
    offset: Option<Offset>,
    failures: u32,
    /// How many updates are asked for at once. Fewer where so many are too long together.
    limit: u32,
}

impl TelegramReceive {
    pub(super) fn new(ears: Arc<UpdateReader>, identity: Identity, offset: Option<Offset>) -> Self {
        let offset = offset.filter(|offset| offset.bot == ears.us.id);
        Self { ears, identity, offset, failures: 0, limit: MOST }
    }

    async fn poll(&mut self, sink: &dyn Sink) -> Result<(), ChannelError> {
        let clock = Arc::clone(&self.ears.context.clock);
        loop {
            let asked = clock.elapsed();
            let updates = match self.ask().await {
                Ok(updates) => updates,
                // The same updates would be too long again.
                Err(ApiFault::TooLarge) if self.limit > 1 => {
                    self.limit /= 2;
                    continue;
                }
                Err(fault) => {
                    self.bear(fault.into()).await?;
                    continue;
                }
            };
            if self.failures > 0 {
                self.failures = 0;
                self.ears.context.health.tell(Health::Connected(self.identity.clone()));
            }
            let last = updates.iter().filter_map(|update| update.get("update_id")?.as_i64()).max();
            let Some(last) = last else {
                if clock.elapsed().saturating_sub(asked) < BREATH {
                    clock.sleep(BREATH).await;
                }
                continue;
            };
            if self.ears.take(updates, sink).await.is_err() {
                clock.sleep(BREATH).await;
                continue;
            }
            let offset = Offset { bot: self.ears.us.id, next: last.saturating_add(1), at: clock.now() };
            self.offset = Some(offset);
            self.ears.memory.note_offset(offset).await;
            self.limit = self.limit.saturating_mul(2).min(MOST);
        }
    }

    async fn ask(&self) -> Result<Vec<Value>, ApiFault> {
        let now = self.ears.context.clock.now();
        let mut fields = Map::from_iter([
            ("timeout".to_owned(), json!(WAIT.as_secs())),
            ("allowed_updates".to_owned(), json!(TOLD)),
        ]);
        if let Some(offset) = self.offset.filter(|offset| now.since(offset.at) < FRESH) {
            fields.insert("offset".to_owned(), json!(offset.next));
        }
        if self.limit < MOST {
            fields.insert("limit".to_owned(), json!(self.limit));
        }
        self.ears.api.call_within("getUpdates", fields, WAIT + SLACK).await
    }

    /// Waits where asking again can help; gives up where it cannot or did not.
    async fn bear(&mut self, error: ChannelError) -> Result<(), ChannelError> {
        let clock = &self.ears.context.clock;
        match error {
            ChannelError::RateLimited { after } => {
                clock.sleep(after).await;
                Ok(())
            }
            ChannelError::Unreachable { reason, .. } if self.failures < FAILURES => {
                self.failures += 1;
                self.ears.context.health.tell(Health::Reconnecting { reason });
                clock.sleep(Duration::from_secs(1 << self.failures.min(5))).await;
                Ok(())
            }
            other => Err(other),
        }
    }
}

#[async_trait]
impl Receive for TelegramReceive {
    async fn run(mut self: Box<Self>, sink: Arc<dyn Sink>) -> Result<(), ChannelError> {
        let tasks = self.ears.context.tasks.clone();
        // What is being kept when the line ends was not acknowledged, so it comes again.
        tokio::select! {
            ended = self.poll(sink.as_ref()) => ended,
            () = tasks.cancelled() => Ok(()),
        }
    }
}
