//! Runs the blocking work of a file tool off the async threads, and ends it with the call.

use openclaw_ports::tool::ToolContext;
use tokio_util::sync::CancellationToken;

use crate::stop::Stop;

/// Runs work that blocks. It is told to end when the run is stopped or the call is dropped; long work looks now and
/// then. Cancelling gives back at once, while a write that has begun is still finished.
pub(crate) async fn off_thread<T: Send + 'static>(
    context: &ToolContext,
    work: impl FnOnce(&CancellationToken) -> Result<T, Stop> + Send + 'static,
) -> Result<T, Stop> {
    // Nothing is begun for a run that is stopped, and what finishes together with the stop counts as stopped.
    if context.cancel.is_cancelled() {
        return Err(stopped());
    }
    let stop = context.cancel.child_token();
    let _ends_with_the_call = stop.clone().drop_guard();
    let working = tokio::task::spawn_blocking(move || work(&stop));
    tokio::select! {
        biased;
        () = context.cancel.cancelled() => Err(stopped()),
        done = working => done.unwrap_or_else(|error| {
            tracing::error!(%error, "a file tool broke off");
            Err(Stop::failed("The tool broke off because of a fault of its own. Try another way."))
        }),
    }
}

/// Says that the run was stopped.
pub(crate) fn stopped() -> Stop {
    Stop::failed("Stopped before it was done.")
}
