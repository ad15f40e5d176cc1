//! The signs people see while an answer is made: that their message was seen, and that we write.
//!
//! Decided in `inbound::conversation`; shown here. A sign that cannot be shown is never a reason to fail.

use std::sync::Arc;
use std::time::Duration;

use openclaw_config::AckSettings;
use openclaw_inbound::access::MentionFacts;
use openclaw_inbound::conversation::{Ack, AckFacts, TypingFacts, TypingSign, TypingWatch, ack, typing_mode};
use openclaw_ports::TaskScope;
use openclaw_ports::channel::ChannelError;
use openclaw_types::{MessageId, RunEvent, Target};

use super::Slots;
use crate::flow::Inner;
use crate::letter::{Arrived, Letter};
use crate::outbox::target_of;

/// The shortest time between two signs that we write.
const SHORTEST: Duration = Duration::from_secs(2);
/// How long the sign is shown at most.
const LONGEST: Duration = Duration::from_secs(120);

/// The signs of one run.
pub(crate) struct Signs {
    typing: Option<TypingWatch>,
    shown: Option<TaskScope>,
    ack: Option<(Ack, MessageId)>,
    target: Option<Target>,
}

impl Signs {
    /// The signs for a letter's run. The sign that the message was seen is set now.
    pub(crate) fn begin(flow: &Arc<Inner>, letter: &Letter) -> Self {
        let none = Self { typing: None, shown: None, ack: None, target: None };
        let (Some(arrived), Some(target)) = (&letter.arrived, target_of(flow, letter)) else { return none };
        let facts = TypingFacts {
            kind: arrived.inbound.place.kind,
            was_mentioned: arrived.was_mentioned,
            person_waits: true,
        };
        let mode = typing_mode(&flow.settings().session.typing, facts);
        let ack = wanted(flow, letter, arrived).zip(arrived.inbound.message.clone());
        let mut signs = Self { typing: Some(TypingWatch::new(mode)), shown: None, ack, target: Some(target) };
        signs.acknowledge(flow);
        signs.see(flow, TypingSign::Started);
        signs
    }

    /// Sees a step of the run.
    pub(crate) fn step(&mut self, flow: &Arc<Inner>, event: &RunEvent) {
        let sign = match event {
            RunEvent::Thoughts { .. } => TypingSign::Thinks,
            RunEvent::Words { delta } if openclaw_delivery::is_silent(delta) => TypingSign::WritesSilence,
            RunEvent::Words { .. } => TypingSign::Writes,
            RunEvent::ToolStarted { .. } => TypingSign::UsesTool,
            _ => return,
        };
        self.see(flow, sign);
    }

    /// The run is over: nothing is shown any more.
    pub(crate) fn end(mut self, flow: &Arc<Inner>) {
        if let Some(scope) = self.shown.take() {
            scope.cancel();
        }
        let Some((ack, message)) = self.ack.take().filter(|(ack, _)| ack.removed) else { return };
        self.on_line(flow, "ack removal", async move |surface, target| match &surface.react {
            Some(react) => react.unreact(&target, &message, Some(&ack.emoji)).await,
            None => Ok(()),
        });
    }

    fn acknowledge(&self, flow: &Arc<Inner>) {
        let Some((ack, message)) = self.ack.clone() else { return };
        self.on_line(flow, "ack", async move |surface, target| match &surface.react {
            Some(react) => react.react(&target, &message, &ack.emoji).await,
            None => Ok(()),
        });
    }

    fn see(&mut self, flow: &Arc<Inner>, sign: TypingSign) {
        if !self.typing.as_mut().is_some_and(|typing| typing.see(sign)) {
            return;
        }
        let scope = flow.parts.tasks.child("typing");
        self.shown = Some(scope.clone());
        let every = flow.settings().session.typing.interval.max(SHORTEST);
        let Some(target) = self.target.clone() else { return };
        let flow = Arc::clone(flow);
        scope.start_cancellable("typing", async move { show(&flow, &target, every).await });
    }

    /// Does something on the account's line, if it is up.
    fn on_line<F>(
        &self,
        flow: &Arc<Inner>,
        what: &'static str,
        work: impl FnOnce(Arc<Slots>, Target) -> F + Send + 'static,
    ) where
        F: Future<Output = Result<(), ChannelError>> + Send + 'static,
    {
        let Some(target) = self.target.clone() else { return };
        let Some(surface) = flow.parts.channels.surface(&target.channel, &target.account) else { return };
        flow.parts.tasks.start_cancellable(what, async move {
            if let Err(error) = work(surface, target).await {
                tracing::debug!(subsystem = "channels", what, %error, "a sign could not be shown");
            }
        });
    }
}

impl Drop for Signs {
    fn drop(&mut self) {
        if let Some(scope) = &self.shown {
            scope.cancel();
        }
    }
}

fn wanted(flow: &Inner, letter: &Letter, arrived: &Arrived) -> Option<Ack> {
    let inbound = &arrived.inbound;
    let view = flow.parts.channels.view(&inbound.channel, &inbound.account)?;
    let mention = MentionFacts {
        was_mentioned: arrived.was_mentioned,
        required: arrived.mention_required,
        detectable: arrived.mention_required,
    };
    let settings = AckSettings::resolve(&flow.settings().raw, &letter.agent);
    ack(&AckFacts { kind: inbound.place.kind, mention, manner: &view.manner, settings: &settings })
}

/// Shows again and again that we write.
async fn show(flow: &Inner, target: &Target, every: Duration) {
    let clock = flow.parts.clock.as_ref();
    let began = clock.elapsed();
    while clock.elapsed().saturating_sub(began) < LONGEST {
        let surface = flow.parts.channels.surface(&target.channel, &target.account);
        let Some(typing) = surface.and_then(|surface| surface.typing.clone()) else { return };
        if let Err(error) = typing.typing(target).await {
            tracing::debug!(subsystem = "channels", %error, "the typing sign could not be shown");
            return;
        }
        clock.sleep(every.min(typing.lasts()).max(SHORTEST)).await;
    }
}
