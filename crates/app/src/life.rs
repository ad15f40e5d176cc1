//! One life of the gateway process: start, run until somebody wishes otherwise, stop, and perhaps begin again.

use std::time::Duration;

use anyhow::Context;

use crate::malloc_arenas;
use crate::options::RunOptions;
use crate::restart::Reexec;
use crate::shutdown::shutdown;
use crate::signals::ExitRequest;
use crate::startup::start;

/// Threads that serve clients. The gateway waits more than it computes, and what takes long is done by other threads: a
/// second one would mostly be woken for what the first has in its caches, which costs a quarter of every turn.
const WORKERS: usize = 1;
/// Regions of memory. All threads share one: they take turns, and what one of them frees another can use.
const REGIONS: usize = 1;
/// Threads for files and the store. Idle ones end by themselves.
const BLOCKING: usize = 8;
/// How long blocking work may hold up the end of the process.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// Why the process ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitReason {
    /// Somebody asked it to stop, and everything was stored and closed in order.
    Stopped,
    /// Somebody asked it to stop, and something had to be cut off.
    Hurried,
}

/// Runs the gateway until it is asked to stop. A restart replaces the process and so does not return.
///
/// # Errors
/// Whatever kept it from starting, in words for people.
pub fn run_gateway(options: RunOptions) -> anyhow::Result<ExitReason> {
    malloc_arenas::limit(REGIONS);
    let again = Reexec::of_this_process().context("the system does not say which binary is running")?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(WORKERS)
        .max_blocking_threads(BLOCKING)
        .thread_keep_alive(Duration::from_secs(5))
        .thread_name("openclaw")
        .enable_all()
        .build()
        .context("the system gave no threads")?;
    let report = runtime.block_on(async {
        let mut running = start(options).await?;
        let wish = running.wait().await;
        anyhow::Ok(shutdown(running, wish).await)
    })?;
    runtime.shutdown_timeout(LAST_WAIT);
    match report.wish {
        ExitRequest::Restart => Err(again.exec()).context("the gateway could not start itself again"),
        ExitRequest::Stop if report.is_clean() => Ok(ExitReason::Stopped),
        ExitRequest::Stop => Ok(ExitReason::Hurried),
    }
}
