//! `config.*`: reading, changing and describing the configuration file.
//!
//! The file, its checks and its redaction belong to the `config` crate; this family translates, asks the host for a
//! restart where the method promises one, and records who changed what. Secrets never leave: every answer is built
//! from the redacted form.

mod change;
mod read;
mod sentinel;

use openclaw_protocol::ErrorShape;
use openclaw_protocol::methods::config::{ConfigApply, ConfigGet, ConfigPatch, ConfigSchema, ConfigSet};

pub use change::changed_paths;
pub(super) use change::refused;
pub use sentinel::{RestartNote, leave_restart_note};

use super::registry::Registry;

/// Adds the methods of this family.
pub(super) fn bind(registry: &mut Registry) {
    registry.bind::<ConfigGet, _, _>(read::get);
    registry.bind_text::<ConfigSchema, _, _>(read::schema);
    registry.bind::<ConfigSet, _, _>(change::set);
    registry.bind::<ConfigApply, _, _>(change::apply);
    registry.bind::<ConfigPatch, _, _>(change::patch);
}

/// Runs a short piece of file work off the async threads.
pub(super) async fn off_thread<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, ErrorShape> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        tracing::error!(%error, "file work did not end");
        ErrorShape::unavailable("the configuration file could not be worked on; see the gateway log")
    })
}
