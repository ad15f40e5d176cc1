//! Writes lines at the pace servers bear: a few at once, then one in each step.
//!
//! Answers to the server's own questions go first and cost nothing. What nobody waits for any more is never written: it
//! will be said again in full by whoever tries it again.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Clock;
use openclaw_ports::channel::ChannelError;
use tokio::sync::mpsc;

use super::connection::{Writer, write_lines};
use super::outlet::Shared;

/// So many lines at once, and then one in each step: what RFC 1459 wants of clients.
const BURST: u32 = 5;
/// The time one line costs.
pub(super) const STEP: Duration = Duration::from_secs(2);

/// Lines that are said one after the other.
pub(super) struct PacedLines {
    /// Under which token somebody waits for the server's word; nothing for lines that nobody waits for.
    pub(super) token: Option<String>,
    /// The lines.
    pub(super) lines: Vec<String>,
}

/// What lines have cost so far, as the moment until which the time is spent.
#[derive(Default)]
pub(super) struct Pace {
    spent: Duration,
}

impl Pace {
    /// How long the next line has to wait.
    pub(super) fn wait(&self, now: Duration) -> Duration {
        self.spent.saturating_sub(now).saturating_sub(STEP * (BURST - 1))
    }

    /// Notes that a line is written.
    pub(super) fn take(&mut self, now: Duration) {
        self.spent = self.spent.max(now) + STEP;
    }
}

/// The writing end of a line.
pub(super) struct Mouth {
    /// Where it goes.
    pub(super) writer: Writer,
    /// What waits for its turn.
    pub(super) queue: mpsc::Receiver<PacedLines>,
    /// What does not.
    pub(super) urgent: mpsc::Receiver<String>,
    /// Who waits for what.
    pub(super) shared: Arc<Shared>,
    /// Counts the time.
    pub(super) clock: Arc<dyn Clock>,
}

impl Mouth {
    /// Writes until the line breaks or nobody can say anything any more.
    pub(super) async fn run(mut self) {
        let mut pace = Pace::default();
        loop {
            // Both branches only take from a queue: a branch that is not chosen loses nothing.
            let spoken = tokio::select! {
                biased;
                Some(line) = self.urgent.recv() => write_lines(&mut self.writer, &[line]).await,
                Some(saying) = self.queue.recv() => self.say(saying, &mut pace).await,
                else => return,
            };
            if let Err(error) = spoken {
                tracing::debug!(subsystem = "channels", %error, "the line is down");
                return;
            }
        }
    }

    async fn say(&mut self, saying: PacedLines, pace: &mut Pace) -> Result<(), ChannelError> {
        for line in saying.lines {
            let wanted = saying.token.as_deref().is_none_or(|token| self.shared.is_wanted(token));
            if wanted {
                self.turn(pace).await?;
            }
            self.shared.spoken();
            // Whoever waited may have given up during the pause.
            if saying.token.as_deref().is_some_and(|token| !self.shared.begin(token)) {
                continue;
            }
            pace.take(self.clock.elapsed());
            write_lines(&mut self.writer, &[line]).await?;
        }
        Ok(())
    }

    /// Waits until a line may be written, and writes what is urgent meanwhile.
    async fn turn(&mut self, pace: &Pace) -> Result<(), ChannelError> {
        let clock = Arc::clone(&self.clock);
        loop {
            let wait = pace.wait(clock.elapsed());
            if wait.is_zero() {
                return Ok(());
            }
            // A wait that is cut short is computed anew; nothing is lost.
            tokio::select! {
                biased;
                Some(line) = self.urgent.recv() => write_lines(&mut self.writer, &[line]).await?,
                () = clock.sleep(wait) => {}
            }
        }
    }
}

impl Drop for Mouth {
    /// Nothing will be said or confirmed any more. Closed first: what comes later is refused, what came is forsaken.
    fn drop(&mut self) {
        self.queue.close();
        self.shared.forsake();
    }
}
