//! Keeps the line of one account up: connects, listens, and begins again with growing pauses.
//!
//! Whatever an adapter does, a panic included, ends as a status of its own account. Credentials that the platform does
//! not accept are not tried again until a person has changed something.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt as _;
use openclaw_ports::channel::{Account, ChannelContext, ChannelError, Health, HealthSink, Landed};
use openclaw_ports::{Deadline, TaskScope};
use tokio::sync::Notify;

use super::AccountSlots;
use super::accounts::{Inside, Key};
use crate::outbox::chance;

/// How long a platform has to answer when a line is made.
const CONNECTING: Duration = Duration::from_secs(90);
/// How long what hangs on a line has to end.
const ENDING: Duration = Duration::from_secs(5);
/// The first pause, and the longest.
const FIRST: Duration = Duration::from_secs(5);
const LONGEST: Duration = Duration::from_secs(300);
/// A line that was up for so long counts as one that works.
const WORKED: Duration = Duration::from_secs(60);
/// The part of a pause that chance adds or takes.
const JITTER: f64 = 0.1;

/// What one supervisor keeps up.
#[derive(Clone)]
pub(super) struct Watched {
    pub(super) key: Key,
    pub(super) generation: u64,
    pub(super) account: Arc<dyn Account>,
    pub(super) scope: TaskScope,
    pub(super) again: Arc<Notify>,
}

/// Keeps a line up until its scope is cancelled.
pub(super) async fn supervise(channel_accounts: Arc<Inside>, watched: Watched) {
    let clock = Arc::clone(&channel_accounts.parts.clock);
    let mut failures: u32 = 0;
    loop {
        let began = clock.elapsed();
        let line = watched.scope.child("line");
        let ended = AssertUnwindSafe(live(&channel_accounts, &watched, &line)).catch_unwind().await;
        let ended = ended.unwrap_or_else(|_panic| Err(broken("the channel's own code failed")));
        line.cancel();
        if let Err(left) = line.join(clock.as_ref(), Deadline::after(clock.as_ref(), ENDING)).await {
            tracing::warn!(subsystem = "channels", channel = %watched.key.0, %left, "a line does not end");
        }
        if watched.scope.is_cancelled() {
            return;
        }
        let error = ended.err().unwrap_or_else(|| broken("the platform ended the line"));
        let worked = clock.elapsed().saturating_sub(began) >= WORKED;
        failures = if worked { 1 } else { failures.saturating_add(1) };
        let pause = match &error {
            ChannelError::Unauthorized { .. } => None,
            ChannelError::RateLimited { after } => Some((*after).max(pause(failures))),
            _ => Some(pause(failures)),
        };
        note(&channel_accounts, &watched, &error, failures, pause);
        let Some(pause) = pause else {
            watched.scope.cancelled().await;
            return;
        };
        // Nothing is lost by any branch: all of them only end the wait.
        tokio::select! {
            () = clock.sleep(pause) => {}
            () = watched.again.notified() => {}
            () = watched.scope.cancelled() => return,
        }
    }
}

/// One life of a line.
async fn live(
    channel_accounts: &Arc<Inside>,
    watched: &Watched,
    scope: &TaskScope,
) -> Result<(), ChannelError> {
    let clock = channel_accounts.parts.clock.as_ref();
    channel_accounts.change_watched(watched, |line| line.diary.limited = None);
    let connecting = watched.account.connect(context(channel_accounts, watched, scope));
    let connected = tokio::select! {
        connected = Deadline::after(clock, CONNECTING).bound(clock, connecting) => connected,
        // The adapter promises that dropping `connect` cancels it.
        () = watched.scope.cancelled() => return Ok(()),
    };
    let surface = connected.map_err(|_late| broken("the platform does not answer"))??;
    let identity = surface.identity.clone();
    let named_rooms = surface.named_rooms.clone();
    let (receive, slots) = AccountSlots::of(surface);
    let actions = slots.actions.as_ref().map(|actions| actions.names().to_vec()).unwrap_or_default();
    channel_accounts.change_watched(watched, |line| {
        line.pin(named_rooms);
        line.webhook_path = slots.webhook.as_ref().map(|webhook| webhook.path().to_owned());
        line.live = Some(Arc::new(slots));
        line.diary.actions = actions;
    });
    channel_accounts.health(watched, Health::Connected(identity));
    tracing::info!(subsystem = "channels", channel = %watched.key.0, account = %watched.key.1, "connected");
    let heard = async {
        match (receive, channel_accounts.sink()) {
            (Some(receive), Some(sink)) => receive.run(sink).await,
            // What comes over HTTP needs nobody who listens here.
            _ => {
                scope.cancelled().await;
                Ok(())
            }
        }
    };
    tokio::pin!(heard);
    // What is being taken when the line is cut was not acknowledged, so the platform brings it again.
    let ended = tokio::select! {
        ended = &mut heard => ended,
        () = watched.again.notified() => Err(broken("the line was down for too long")),
        // The adapter sees the end of its scope too, and takes its leave.
        () = watched.scope.cancelled() => Deadline::after(clock, ENDING).bound(clock, heard).await.unwrap_or(Ok(())),
    };
    channel_accounts.change_watched(watched, |line| line.live = None);
    channel_accounts.announce();
    ended
}

fn context(channel_accounts: &Arc<Inside>, watched: &Watched, scope: &TaskScope) -> ChannelContext {
    let (channel, account) = &watched.key;
    ChannelContext {
        account: account.clone(),
        clock: Arc::clone(&channel_accounts.parts.clock),
        tasks: scope.clone(),
        state: Arc::clone(&channel_accounts.parts.state),
        namespace: format!("channel/{channel}/{account}"),
        health: Arc::new(LineHealth {
            channel_accounts: Arc::clone(channel_accounts),
            watched: watched.clone(),
        }),
        media: channel_accounts.parts.media.join(channel.as_str()).join(account.as_str()),
        public_url: channel_accounts.parts.public_url.clone(),
    }
}

/// Notes why a line went down, in words that say what to do.
fn note(
    channel_accounts: &Inside,
    watched: &Watched,
    error: &ChannelError,
    attempts: u32,
    pause: Option<Duration>,
) {
    let (channel, account) = &watched.key;
    let text = error.to_string();
    let trouble = match (error, pause) {
        (ChannelError::Unauthorized { .. }, _) => format!(
            "{text}. Give the account new credentials (`openclaw channels add` or the configuration); it is not tried \
             again before that"
        ),
        (ChannelError::Conflict { .. }, Some(pause)) => {
            format!("{text}. End the other program; the next attempt is in {} s", pause.as_secs())
        }
        (_, Some(pause)) => format!("{text}. Attempt {} follows in {} s", attempts + 1, pause.as_secs()),
        (_, None) => text.clone(),
    };
    tracing::warn!(subsystem = "channels", %channel, %account, attempts, "the line is down: {trouble}");
    let now = channel_accounts.parts.clock.now();
    channel_accounts.change_watched(watched, |line| {
        line.live = None;
        line.diary.last_error = Some(text);
        line.diary.trouble = Some(trouble);
        line.diary.attempts = attempts;
        line.diary.turned_away = matches!(error, ChannelError::Unauthorized { .. });
        line.diary.down_since = None;
        if pause.is_none() {
            line.diary.last_stop_at = Some(now);
        }
    });
    channel_accounts.announce();
}

fn pause(failures: u32) -> Duration {
    let grown = FIRST.saturating_mul(2_u32.saturating_pow(failures.saturating_sub(1).min(10))).min(LONGEST);
    grown.mul_f64(1.0 + JITTER * (2.0 * chance() - 1.0))
}

fn broken(reason: &str) -> ChannelError {
    ChannelError::Unreachable { reason: reason.to_owned(), landed: Landed::No }
}

/// Hears from the adapter how the line is.
struct LineHealth {
    channel_accounts: Arc<Inside>,
    watched: Watched,
}

impl HealthSink for LineHealth {
    fn tell(&self, health: Health) {
        self.channel_accounts.health(&self.watched, health);
    }
}
