//! Time as the system sees it: wall clock, monotonic clock and waiting.
//!
//! Production uses `SystemClock`; tests steer time with the simulated clock of `testkit`. Nothing else in the
//! workspace reads a clock or sleeps.

use std::time::Duration;

use async_trait::async_trait;
use openclaw_types::UnixMillis;

/// A source of time and the only way to wait.
#[async_trait]
pub trait Clock: Send + Sync + 'static {
    /// The wall clock. May jump when a person sets it.
    fn now(&self) -> UnixMillis;

    /// Time since some fixed moment of this process. Never jumps.
    fn elapsed(&self) -> Duration;

    /// Waits. Dropping the future ends the wait.
    async fn sleep(&self, span: Duration);
}

/// A moment on the monotonic clock by which something must be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Duration);

impl Deadline {
    /// The deadline `span` from now.
    pub fn after(clock: &dyn Clock, span: Duration) -> Self {
        Self(clock.elapsed().saturating_add(span))
    }

    /// What is left until it passes.
    pub fn left(self, clock: &dyn Clock) -> Duration {
        self.0.saturating_sub(clock.elapsed())
    }

    /// Runs `work` until the deadline. The work is dropped, and so cancelled, when time runs out.
    ///
    /// # Errors
    /// `TimedOut` when the deadline passed first.
    pub async fn bound<T>(self, clock: &dyn Clock, work: impl Future<Output = T>) -> Result<T, TimedOut> {
        // Biased: work that is ready at the last moment counts. The sleep branch loses nothing.
        tokio::select! {
            biased;
            value = work => Ok(value),
            () = clock.sleep(self.left(clock)) => Err(TimedOut),
        }
    }
}

/// The deadline passed before the work was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the time allowed for this ran out")]
pub struct TimedOut;

/// The machine's clock.
#[derive(Debug, Clone, Copy)]
pub struct SystemClock {
    started: std::time::Instant,
}

impl SystemClock {
    /// Starts the monotonic clock at zero.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    pub fn new() -> Self {
        Self { started: std::time::Instant::now() }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        Self::new()
    }
}

#[async_trait]
impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the machine's clock")]
    fn now(&self) -> UnixMillis {
        let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        UnixMillis(i64::try_from(since.as_millis()).unwrap_or(i64::MAX))
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    #[expect(clippy::disallowed_methods, reason = "this is the one place that waits on the machine's clock")]
    async fn sleep(&self, span: Duration) {
        tokio::time::sleep(span).await;
    }
}
