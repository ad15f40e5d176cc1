//! Shows on a message how its answer goes, where that is wanted. What is shown when is decided in
//! `inbound::conversation::StatusWatch`.

use std::sync::Arc;
use std::time::Duration;

use openclaw_config::StatusSigns;
use openclaw_inbound::conversation::{Ack, Over, Phase, StatusWatch, ToolFamily};
use openclaw_ports::channel::React;
use openclaw_types::{AbortCause, MessageId, RunEnding, RunEvent, SendTarget};
use tokio::sync::watch;

use crate::flow::Inner;

/// One message whose sign changes.
pub(super) struct Sign {
    pub(super) ack: Ack,
    pub(super) message: MessageId,
    pub(super) target: SendTarget,
}

/// What a step of a run says about how it goes; nothing where it says nothing new.
pub(super) fn phase_of(event: &RunEvent) -> Option<Phase> {
    match event {
        RunEvent::Started { .. }
        | RunEvent::ModelAsked
        | RunEvent::Thoughts { .. }
        | RunEvent::Words { .. } => Some(Phase::Thinks),
        RunEvent::ToolStarted { name, .. } => Some(Phase::UsesTool(ToolFamily::of(name))),
        _ => None,
    }
}

/// How a run ended, for those who wait; nothing where it goes on after the next start.
pub(super) fn over(how: &RunEnding) -> Option<Over> {
    match how {
        RunEnding::Answered => Some(Over::Done),
        RunEnding::Failed { .. } | RunEnding::Aborted(AbortCause::Timeout) => Some(Over::Failed),
        RunEnding::Aborted(AbortCause::Shutdown) => None,
        RunEnding::Aborted(_) => Some(Over::Stopped),
    }
}

/// Keeps the sign of a message in step with its run. Ends with the run, or when nobody is left who could tell of it.
///
/// A run that goes on after a crash finds the sign of the moment it was cut off: nobody knows which, so all are taken off.
pub(super) async fn keep(
    flow: Arc<Inner>,
    (sign, signs): (Sign, StatusSigns),
    resumed: bool,
    mut phases: watch::Receiver<Phase>,
) {
    let clock = Arc::clone(&flow.parts.clock);
    let Some(board) = Board::of(&flow, sign) else { return };
    if resumed && board.react.carries_several() {
        for old in signs.all().into_iter().filter(|old| *old != board.sign.ack.emoji) {
            board.take(old).await;
        }
    }
    board.set(&board.sign.ack.emoji, None).await;
    let mut watch = StatusWatch::new(signs, &board.sign.ack.emoji);
    let how = loop {
        let phase = *phases.borrow_and_update();
        if let Phase::Over(how) = phase {
            break how;
        }
        watch.see(phase, clock.elapsed());
        // What comes due before the next step of the run is shown, step by step.
        loop {
            let before = watch.shown().to_owned();
            if let Some(new) = watch.due(clock.elapsed()) {
                board.set(&new, Some(&before)).await;
            }
            let wake = watch.wake().map(|at| at.saturating_sub(clock.elapsed()));
            // Neither branch loses anything: the phase stays in its channel, the watch knows the time.
            tokio::select! {
                changed = phases.changed() => match changed {
                    Ok(()) => break,
                    Err(_gone) => return,
                },
                () = pause(&flow, wake) => {}
            }
        }
    };
    let before = watch.shown().to_owned();
    let (last, hold) = watch.end(how, &board.sign.ack.emoji);
    if let Some(last) = &last {
        board.set(last, Some(&before)).await;
    }
    if board.sign.ack.removed {
        clock.sleep(hold).await;
        board.take(watch.shown()).await;
    }
}

async fn pause(flow: &Inner, wake: Option<Duration>) {
    match wake {
        Some(wake) => flow.parts.clock.sleep(wake).await,
        None => std::future::pending().await,
    }
}

/// The message, and the hand that puts signs on it.
struct Board {
    sign: Sign,
    react: Arc<dyn React>,
}

impl Board {
    fn of(flow: &Inner, sign: Sign) -> Option<Self> {
        let surface = flow.parts.channels.surface(&sign.target.channel, &sign.target.account)?;
        let react = Arc::clone(surface.react.as_ref()?);
        Some(Self { sign, react })
    }

    /// Puts a sign in the place of another: first the new one, so that there always is one.
    async fn set(&self, new: &str, old: Option<&str>) {
        let Sign { target, message, .. } = &self.sign;
        if let Err(error) = self.react.react(target, message, new).await {
            tracing::debug!(subsystem = "channels", %error, "a sign could not be shown");
            return;
        }
        if let Some(old) = old.filter(|old| *old != new && self.react.carries_several()) {
            self.take(old).await;
        }
    }

    async fn take(&self, old: &str) {
        let Sign { target, message, .. } = &self.sign;
        if let Err(error) = self.react.unreact(target, message, Some(old)).await {
            tracing::debug!(subsystem = "channels", %error, "a sign could not be taken back");
        }
    }
}
