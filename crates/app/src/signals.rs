//! What people and supervisors wish of the process: to stop, or to begin again.
//!
//! SIGTERM and SIGINT stop, SIGUSR1 restarts. A second SIGTERM or SIGINT while stopping ends the process at once.

use openclaw_ports::TaskScope;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::mpsc;

/// How this life should end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitRequest {
    /// End the process.
    Stop,
    /// End it and start it again in place.
    Restart,
}

/// The code of a process that was told twice to stop.
const CUT_OFF: i32 = 130;
/// ExitRequests that wait to be read. The first one decides; more than a few say nothing new and are left out.
const CAPACITY: usize = 4;

/// The end of the line on which wishes are read.
pub(crate) struct ExitRequests {
    line: mpsc::Receiver<ExitRequest>,
    /// Kept so that the line stays open.
    sender: mpsc::Sender<ExitRequest>,
}

impl ExitRequests {
    /// A line for wishes.
    pub(crate) fn new() -> Self {
        let (sender, line) = mpsc::channel(CAPACITY);
        Self { line, sender }
    }

    /// Where wishes are said.
    pub(crate) fn sender(&self) -> mpsc::Sender<ExitRequest> {
        self.sender.clone()
    }

    /// Waits for the next wish.
    pub(crate) async fn next(&mut self) -> ExitRequest {
        self.line.recv().await.unwrap_or(ExitRequest::Stop)
    }

    /// Whether somebody wished to stop since the last one was read.
    pub(crate) fn stop_is_waiting(&mut self) -> bool {
        std::iter::from_fn(|| self.line.try_recv().ok()).any(|wish| wish == ExitRequest::Stop)
    }
}

/// Listens to signals until the scope ends.
///
/// # Errors
/// When the system does not let us listen.
pub(crate) fn listen(tasks: &TaskScope, wishes: mpsc::Sender<ExitRequest>) -> std::io::Result<()> {
    let mut stops = [signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?];
    let mut again = signal(SignalKind::user_defined1())?;
    tasks.start_cancellable("signals", async move {
        let mut told = false;
        loop {
            let wish = next(&mut stops, &mut again).await;
            if wish == ExitRequest::Stop && told {
                tracing::warn!(subsystem = "gateway", "told twice to stop; ending at once");
                std::process::exit(CUT_OFF);
            }
            told |= wish == ExitRequest::Stop;
            if wishes.try_send(wish).is_err() {
                tracing::debug!("a wish to stop is being followed already");
            }
        }
    });
    Ok(())
}

async fn next(stops: &mut [Signal; 2], again: &mut Signal) -> ExitRequest {
    let [terminate, interrupt] = stops;
    // No branch loses work: a signal that is not read stays pending.
    tokio::select! {
        _ = terminate.recv() => ExitRequest::Stop,
        _ = interrupt.recv() => ExitRequest::Stop,
        _ = again.recv() => ExitRequest::Restart,
    }
}
