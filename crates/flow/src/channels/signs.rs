//! The signs people see while an answer is made: that their message was seen, and that we write.
//!
//! Decided in `inbound::conversation`; shown here. A sign that cannot be shown is never a reason to fail.

mod status;

use std::sync::Arc;
use std::time::Duration;

use openclaw_config::{AckSettings, StatusSigns};
use openclaw_delivery::LiveAnswer;
use openclaw_inbound::access::MentionFacts;
use openclaw_inbound::conversation::{
    Ack, AckFacts, Phase, TypingFacts, TypingSign, TypingWatch, ack, typing_mode,
};
use openclaw_ports::TaskScope;
use openclaw_ports::channel::ChannelError;
use openclaw_types::{MessageId, RunEnding, RunEvent, SendTarget};
use tokio::sync::watch;

use self::status::{Sign, keep, over, phase_of};
use super::AccountSlots;
use crate::directives::Prompted;
use crate::flow::Inner;
use crate::outbox::{origin_of, target_of};
use crate::submission::{ChannelOrigin, Submission};

/// The shortest time between two signs that we write.
const SHORTEST: Duration = Duration::from_secs(2);
/// How long the sign is shown for a run that does nothing.
const LONGEST: Duration = Duration::from_secs(120);

/// The sign on a message that it was seen.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    ack: Ack,
    message: MessageId,
    target: SendTarget,
    /// Whether it is there, so that it is never taken back before.
    set: watch::Receiver<bool>,
    /// Who hears how the answer goes, where the sign shows that.
    status: Option<Arc<watch::Sender<Phase>>>,
}

impl PartialEq for Seen {
    fn eq(&self, other: &Self) -> bool {
        self.message == other.message && self.target == other.target && self.set.same_channel(&other.set)
    }
}

impl Seen {
    /// Shows that a submission's message was seen, where that is wanted.
    pub(crate) fn show(flow: &Arc<Inner>, prompted: &Prompted) -> Option<Self> {
        let submission = prompted.submission();
        let channel_origin = submission.channel_origin.as_ref()?;
        let target = origin_of(flow, submission)?;
        let message = channel_origin.inbound.message.clone()?;
        let ack = wanted(flow, submission, channel_origin)?;
        let (tell, set) = watch::channel(false);
        if let Some(signs) = StatusSigns::resolve(&flow.settings().raw) {
            let (phase, phases) = watch::channel(Phase::Waits);
            let sign = Sign { ack: ack.clone(), message: message.clone(), target: target.clone() };
            let kept = keep(Arc::clone(flow), (sign, signs), prompted.resumed().is_some(), phases);
            flow.parts.tasks.start_cancellable("status sign", kept);
            return Some(Self { ack, message, target, set, status: Some(Arc::new(phase)) });
        }
        let seen = Self { ack, message, target, set, status: None };
        let Self { ack, message, target, .. } = seen.clone();
        on_line(flow, target, "ack", async move |surface, target| {
            let done = match &surface.react {
                Some(react) => react.react(&target, &message, &ack.emoji).await,
                None => Ok(()),
            };
            tell.send_replace(true);
            done
        });
        Some(seen)
    }

    /// The run that answers the message does something.
    fn goes(&self, phase: Phase) {
        if let Some(status) = &self.status {
            status.send_replace(phase);
        }
    }

    /// Takes the sign back, where that is wanted.
    fn take_back(self, flow: &Arc<Inner>, how: &RunEnding) {
        let Self { ack, message, target, mut set, status } = self;
        if let Some(status) = status {
            if let Some(how) = over(how) {
                status.send_replace(Phase::Over(how));
            }
            return;
        }
        if !ack.removed {
            return;
        }
        on_line(flow, target, "ack removal", async move |surface, target| {
            // It was never set when nobody is left who could say so.
            let there = set.wait_for(|set| *set).await.is_ok();
            match &surface.react {
                Some(react) if there => react.unreact(&target, &message, Some(&ack.emoji)).await,
                _ => Ok(()),
            }
        });
    }
}

/// The signs of one run.
pub(crate) struct RunReactions {
    typing: Option<TypingWatch>,
    shown: Option<TaskScope>,
    /// The message under way: whether anything of it will be seen.
    answer: LiveAnswer,
    /// When the run did something last.
    last: watch::Sender<Duration>,
    /// The signs on the messages that are answered.
    seen: Vec<Seen>,
    target: Option<SendTarget>,
    phase: Phase,
}

impl RunReactions {
    /// The signs for a submission's run.
    pub(crate) fn begin(flow: &Arc<Inner>, submission: &Submission) -> Self {
        let mut signs = Self {
            typing: None,
            shown: None,
            answer: LiveAnswer::new(),
            last: watch::Sender::new(flow.parts.clock.elapsed()),
            seen: Vec::new(),
            target: None,
            phase: Phase::Waits,
        };
        let (Some(channel_origin), Some(target)) = (&submission.channel_origin, target_of(flow, submission))
        else {
            return signs;
        };
        let facts = TypingFacts {
            kind: channel_origin.inbound.place.kind,
            was_mentioned: channel_origin.was_mentioned,
            person_waits: true,
        };
        signs.typing = Some(TypingWatch::new(typing_mode(&flow.settings().session.typing, facts)));
        signs.target = Some(target);
        signs.see(flow, TypingSign::Started);
        signs
    }

    /// The run answers a message with this sign as well.
    pub(crate) fn answers(&mut self, seen: Option<&Seen>) {
        if let Some(seen) = seen {
            seen.goes(self.phase);
            self.seen.push(seen.clone());
        }
    }

    /// Sees a step of the run.
    pub(crate) fn step(&mut self, flow: &Arc<Inner>, event: &RunEvent) {
        self.last.send_replace(flow.parts.clock.elapsed());
        self.phase = phase_of(event).unwrap_or(self.phase);
        for seen in &self.seen {
            seen.goes(self.phase);
        }
        let sign = match event {
            RunEvent::MessageStarted | RunEvent::MessageVoided => {
                self.answer = LiveAnswer::new();
                return;
            }
            RunEvent::Thoughts { .. } => TypingSign::Thinks,
            RunEvent::Words { delta } if self.answer.push(delta).is_empty() => TypingSign::WritesSilence,
            RunEvent::Words { .. } => TypingSign::Writes,
            RunEvent::ToolStarted { .. } => TypingSign::UsesTool,
            _ => return,
        };
        self.see(flow, sign);
    }

    /// The run is over and its answer is kept: nothing is shown any more.
    pub(crate) fn end(mut self, flow: &Arc<Inner>, how: &RunEnding) {
        for seen in std::mem::take(&mut self.seen) {
            seen.take_back(flow, how);
        }
    }

    fn see(&mut self, flow: &Arc<Inner>, sign: TypingSign) {
        if !self.typing.as_mut().is_some_and(|typing| typing.see(sign)) {
            return;
        }
        let scope = flow.parts.tasks.child("typing");
        self.shown = Some(scope.clone());
        let every = flow.settings().session.typing.interval.max(SHORTEST);
        let Some(target) = self.target.clone() else { return };
        let (flow, last) = (Arc::clone(flow), self.last.subscribe());
        scope.start_cancellable("typing", async move { show(&flow, &target, every, &last).await });
    }
}

/// Does something on the account's line, if it is up.
fn on_line<F>(
    flow: &Inner,
    target: SendTarget,
    what: &'static str,
    work: impl FnOnce(Arc<AccountSlots>, SendTarget) -> F + Send + 'static,
) where
    F: Future<Output = Result<(), ChannelError>> + Send + 'static,
{
    let Some(surface) = flow.parts.channels.surface(&target.channel, &target.account) else { return };
    flow.parts.tasks.start_cancellable(what, async move {
        if let Err(error) = work(surface, target).await {
            tracing::debug!(subsystem = "channels", what, %error, "a sign could not be shown");
        }
    });
}

impl Drop for RunReactions {
    fn drop(&mut self) {
        if let Some(scope) = &self.shown {
            scope.cancel();
        }
    }
}

fn wanted(flow: &Inner, submission: &Submission, channel_origin: &ChannelOrigin) -> Option<Ack> {
    let inbound = &channel_origin.inbound;
    let view = flow.parts.channels.view(&inbound.channel, &inbound.account)?;
    let mention = MentionFacts {
        was_mentioned: channel_origin.was_mentioned,
        required: channel_origin.mention_required,
        detectable: channel_origin.mention_required,
    };
    let settings = AckSettings::resolve(&flow.settings().raw, &submission.agent);
    ack(&AckFacts { kind: inbound.place.kind, mention, manner: &view.manner, settings: &settings })
}

/// Shows again and again that we write, as long as the run does something.
async fn show(flow: &Inner, target: &SendTarget, every: Duration, last: &watch::Receiver<Duration>) {
    let clock = flow.parts.clock.as_ref();
    loop {
        let surface = flow.parts.channels.surface(&target.channel, &target.account);
        let Some(typing) = surface.and_then(|surface| surface.typing.clone()) else { return };
        let quiet = clock.elapsed().saturating_sub(*last.borrow());
        if quiet < LONGEST
            && let Err(error) = typing.typing(target).await
        {
            tracing::debug!(subsystem = "channels", %error, "the typing sign could not be shown");
            return;
        }
        clock.sleep(every.min(typing.lasts()).max(SHORTEST)).await;
    }
}
