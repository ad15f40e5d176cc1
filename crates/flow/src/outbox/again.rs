//! Does something on a platform at once, and again where the platform says when, by the rules of the outbox.
//!
//! Somebody waits for it, so that it is tried a few times within a bounded time, and not for a day as a message is.

use std::time::Duration;

use openclaw_delivery::{PieceForm, RetryRules, RetryVerdict, SendAttempts, after_failure};
use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_types::{AccountId, ChannelId};

use super::attempt::failure;
use super::chance;
use super::rules::retry_rules;
use crate::flow::Inner;

/// How long all attempts together may take, pauses included.
const PATIENCE: Duration = Duration::from_secs(60);

/// What doing something a second time does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Twice {
    /// The same as doing it once: a reaction, other words, a message that is gone.
    Harmless,
    /// More: it is only done again where it was surely not done.
    Adds,
}

/// Does something until the platform takes it, refuses it, or time is up.
pub(crate) async fn again<T, D: Future<Output = Result<T, ChannelError>>>(
    flow: &Inner,
    login: (&ChannelId, &AccountId),
    twice: Twice,
    deed: impl Fn() -> D,
) -> Result<T, ChannelError> {
    // What waits longer than a few quick attempts has missed its moment.
    let rules = RetryRules { rounds: 0, oldest: PATIENCE, ..retry_rules(flow, login.0, login.1) };
    let begun = flow.now();
    let mut attempts = 0;
    loop {
        attempts += 1;
        let error = match deed().await {
            Ok(done) => return Ok(done),
            Err(error) => error,
        };
        let done_perhaps = matches!(error, ChannelError::Unreachable { landed: Landed::Maybe, .. });
        if attempts >= rules.attempts || (done_perhaps && twice == Twice::Adds) {
            return Err(error);
        }
        let age = flow.now().since(begun);
        let tried = SendAttempts { attempts, age, form: PieceForm::Plain, moves: 0, answers: false };
        match after_failure(&failure(&error), tried, &rules, chance()) {
            RetryVerdict::Again { after } if age + after <= PATIENCE => {
                tracing::debug!(subsystem = "channels", channel = %login.0, account = %login.1, %error, "tried again in {after:?}");
                // Nothing is lost by either branch: both only end the wait.
                tokio::select! {
                    () = flow.parts.clock.sleep(after) => {}
                    () = flow.parts.tasks.cancelled() => return Err(error),
                }
            }
            _ => return Err(error),
        }
    }
}
