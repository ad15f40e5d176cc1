//! Hears the gateway: hands on what people do, keeps what is known of rooms up to date, and takes the session up again
//! when the line breaks.
//!
//! An event counts as heard only when the host has kept it: its place in the session is noted after that, so that it
//! comes again otherwise.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelContext, ChannelError, Health, Identity, Landed, Receive, Sink};
use serde_json::Value;
use tokio::sync::mpsc;

use super::events::DiscordEvents;
use super::gateway::{Gate, GatewayMessage, Next, Opened, Resume, before_new, chance};
use super::known::DiscordKnown;

/// How often a line is made again before the host is told.
const TRIES: u32 = 8;
/// The longest pause between them.
const LONGEST: Duration = Duration::from_secs(30);
/// Where the session is noted.
const RESUME: &str = "resume";

/// Hears the gateway.
pub(super) struct DiscordReceive {
    context: ChannelContext,
    identity: Identity,
    gate: Gate,
    opened: Opened,
    hearing: DiscordEvents,
    presence: mpsc::Receiver<Value>,
    /// How often the line broke since something came over it.
    broken: u32,
}

/// A line, and what it leads to.
pub(super) struct Begun {
    /// Opens lines.
    pub(super) gate: Gate,
    /// The line.
    pub(super) opened: Opened,
    /// Who we are.
    pub(super) identity: Identity,
    /// What people are to see us do.
    pub(super) presence: mpsc::Receiver<Value>,
}

impl DiscordReceive {
    pub(super) fn new(context: ChannelContext, known: Arc<DiscordKnown>, begun: Begun) -> Self {
        let Begun { gate, opened, identity, presence } = begun;
        let hearing = DiscordEvents::new(context.clone(), known);
        Self { context, identity, gate, opened, hearing, presence, broken: 0 }
    }

    /// Hears until the line is over.
    async fn listen(&mut self, sink: &dyn Sink) -> Next {
        loop {
            // Nothing is lost by the second branch: the line keeps what has come of a payload.
            let spoken = tokio::select! {
                spoken = self.opened.line.next() => spoken,
                Some(shown) = self.presence.recv() => {
                    match self.opened.line.show(&shown).await {
                        Ok(()) => continue,
                        Err(fault) => GatewayMessage::Over(Next::Resume { reason: fault.reason }),
                    }
                }
            };
            let (name, sequence, payload) = match spoken {
                GatewayMessage::Event { name, sequence, payload } => (name, sequence, payload),
                GatewayMessage::Over(next) => return next,
            };
            if name == "RESUMED" {
                self.context.health.tell(Health::Connected(self.identity.clone()));
            }
            let serial = format!("{}:{sequence}", self.opened.resume.session);
            let hearing = &mut self.hearing;
            let heard = self.opened.line.during(hearing.on(&name, &payload, &serial, sink)).await;
            match heard {
                Ok(told) => self.note(sequence, told).await,
                Err(error) => return Next::Resume { reason: error.to_string() },
            }
        }
    }

    /// The host has kept everything up to here.
    async fn note(&mut self, sequence: u64, told: bool) {
        self.broken = 0;
        self.opened.line.kept(sequence);
        self.opened.resume.sequence = sequence;
        // Events that told nothing may come again after a restart; that costs less than a note for each.
        if told {
            keep(&self.context, &self.opened.resume).await;
        }
    }

    /// Makes the line again.
    async fn again(&mut self, next: Next) -> Result<(), ChannelError> {
        let (reason, fresh) = match next {
            Next::Resume { reason } => (reason, false),
            Next::Fresh { reason } => (reason, true),
            Next::Less => {
                self.gate.ask_for_less()?;
                ("Discord does not let this bot hear everything it asks for".to_owned(), true)
            }
            Next::End(error) => return Err(error),
        };
        tracing::debug!(subsystem = "channels", account = %self.context.account, %reason, "the line is made again");
        self.context.health.tell(Health::Reconnecting { reason: reason.clone() });
        let mut last = ChannelError::Unreachable { reason, landed: Landed::No };
        while self.broken < TRIES {
            let pause = if fresh { before_new(chance()).max(pause(self.broken)) } else { pause(self.broken) };
            self.context.clock.sleep(pause).await;
            self.broken += 1;
            let opened = match fresh {
                true => self.gate.fresh().await,
                false => self.gate.resume(self.opened.resume.clone()).await,
            };
            match opened {
                Ok(opened) => {
                    self.opened = opened;
                    if fresh {
                        keep(&self.context, &self.opened.resume).await;
                        self.context.health.tell(Health::Connected(self.identity.clone()));
                    }
                    return Ok(());
                }
                Err(error) if error.is_passing() => last = error,
                Err(error) => return Err(error),
            }
        }
        Err(last)
    }
}

#[async_trait]
impl Receive for DiscordReceive {
    async fn run(mut self: Box<Self>, sink: Arc<dyn Sink>) -> Result<(), ChannelError> {
        let tasks = self.context.tasks.clone();
        loop {
            // What is being taken when the line is cut was not noted, so it comes again.
            let next = tokio::select! {
                next = self.listen(sink.as_ref()) => next,
                () = tasks.cancelled() => {
                    self.opened.line.leave().await;
                    return Ok(());
                }
            };
            tokio::select! {
                made = self.again(next) => made?,
                () = tasks.cancelled() => return Ok(()),
            }
        }
    }
}

/// Notes a session, to be taken up again.
pub(super) async fn keep(context: &ChannelContext, resume: &Resume) {
    let value = match serde_json::to_value(resume) {
        Ok(value) => value,
        Err(error) => {
            tracing::warn!(subsystem = "channels", %error, "the session cannot be written down");
            return;
        }
    };
    if let Err(error) = context.state.put(&context.namespace, RESUME, value).await {
        tracing::warn!(subsystem = "channels", %error, "the session cannot be kept; after a restart it begins anew");
    }
}

/// The session that was noted.
pub(super) async fn kept(context: &ChannelContext) -> Option<Resume> {
    match context.state.get(&context.namespace, RESUME).await {
        Ok(found) => serde_json::from_value(found?).ok(),
        Err(error) => {
            tracing::warn!(subsystem = "channels", %error, "the last session cannot be read");
            None
        }
    }
}

fn pause(broken: u32) -> Duration {
    let first = Duration::from_millis(250);
    first.saturating_mul(2_u32.saturating_pow(broken.min(16))).min(LONGEST)
}
