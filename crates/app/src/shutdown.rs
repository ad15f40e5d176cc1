//! How the gateway stops: in order, each step with a deadline, so that what was accepted is stored before the end.

use std::time::Duration;

use openclaw_gateway::ShutdownKind;
use openclaw_ports::Deadline;

use crate::signals::ExitRequest;
use crate::stages::channels;
use crate::startup::Running;

/// For clients to take their last messages.
const CLIENTS: Duration = Duration::from_secs(5);
/// For platforms to take what is being sent.
const SENDING: Duration = Duration::from_secs(5);
/// For tasks to notice that they are cancelled.
const TASKS: Duration = Duration::from_secs(5);
/// For the store to write what is queued.
const STORE: Duration = Duration::from_secs(10);

/// How it ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShutdownReport {
    /// What comes now. A wish to stop that came in while a restart was under way wins.
    pub wish: ExitRequest,
    /// One line for each step that did not end in time or in order.
    pub troubles: Vec<String>,
}

impl ShutdownReport {
    /// Whether everything ended in order.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.troubles.is_empty()
    }
}

/// Stops everything that `start` started.
pub async fn shutdown(mut running: Running, wish: ExitRequest) -> ShutdownReport {
    let clock = running.clock.as_ref();
    let mut troubles = Vec::new();
    let kind = match wish {
        ExitRequest::Stop => ShutdownKind::Stopping,
        ExitRequest::Restart => ShutdownKind::Restarting,
    };
    tracing::info!(
        subsystem = "gateway",
        "{}",
        if wish == ExitRequest::Stop { "stopping" } else { "restarting" }
    );
    // 1. no new clients; the others are told
    if let Err(left) = running.gateway.shutdown(kind, Deadline::after(clock, CLIENTS)).await {
        troubles.push(left.to_string());
    }
    // 2. what was said is sent, as far as the platforms take it now; the rest is kept
    if let Err(left) = channels::flush(&running.agents.flow, Deadline::after(clock, SENDING)).await {
        troubles.push(left.to_owned());
    }
    running.tasks.cancel(); // 3. everything else ends
    if let Err(left) = running.tasks.join(clock, Deadline::after(clock, TASKS)).await {
        troubles.push(left.to_string());
    }
    let sessions = running.agents.databases.clone();
    match Deadline::after(clock, STORE).bound(clock, sessions.close()).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => troubles.push(error.to_string()),
        Err(late) => troubles.push(format!("closing the sessions: {late}")),
    }
    let books = running.models().models.close_books();
    if let Err(late) = Deadline::after(clock, STORE).bound(clock, books).await {
        troubles.push(format!("closing the books of model calls: {late}"));
    }
    match Deadline::after(clock, STORE).bound(clock, running.store.close()).await {
        // 4. what was accepted is on disk
        Ok(Ok(())) => {}
        Ok(Err(error)) => troubles.push(error.to_string()),
        Err(late) => troubles.push(format!("closing the store: {late}")),
    }
    for trouble in &troubles {
        tracing::warn!(subsystem = "gateway", "while stopping: {trouble}");
    }
    tracing::info!(subsystem = "gateway", "stopped");
    running.logs.flush(); // 5. the last words are written
    drop((running.folders, running.lock)); // 6. the next gateway may have the directory
    running.signals.cancel(); // 7. last, so that a second signal is heard to the end
    let wish = if running.wishes.stop_is_waiting() { ExitRequest::Stop } else { wish };
    ShutdownReport { wish, troubles }
}
