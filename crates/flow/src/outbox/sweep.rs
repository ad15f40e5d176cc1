//! Removes files that came with messages, and copies of those that were sent, once they are old.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

use openclaw_ports::stores::StoreError;
use openclaw_types::UnixMillis;

use crate::flow::Inner;

/// How long a file is kept. The outbox forgets its message before that.
const KEPT: Duration = Duration::from_secs(32 * 24 * 60 * 60);

/// Removes old files; says how many. Those of messages that still wait stay.
///
/// # Errors
/// The outbox cannot be read.
pub(crate) async fn sweep(flow: &Inner) -> Result<usize, StoreError> {
    let open = flow.parts.outbox.open_pieces().await?;
    let files = open.iter().flat_map(|row| row.piece.payload.files());
    let waiting: HashSet<PathBuf> = files.map(|file| PathBuf::from(&file.path)).collect();
    let media = flow.parts.agent.parts().surroundings.state_dir.join("media");
    let before = flow.now().minus(KEPT);
    let swept = tokio::task::spawn_blocking(move || {
        ["inbound", "outbound"].iter().map(|folder| remove(&media.join(folder), before, &waiting)).sum()
    });
    Ok(swept.await.unwrap_or_else(|error| {
        tracing::warn!(subsystem = "outbox", %error, "removing old files broke off");
        0
    }))
}

/// Removes the old files of a folder and those below it. Links are not followed.
fn remove(folder: &Path, before: UnixMillis, waiting: &HashSet<PathBuf>) -> usize {
    let mut removed = 0;
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => removed += remove(&path, before, waiting),
            Ok(kind) if kind.is_file() && !waiting.contains(&path) && is_old(&entry, before) => {
                match std::fs::remove_file(&path) {
                    Ok(()) => removed += 1,
                    Err(error) => {
                        tracing::warn!(subsystem = "outbox", %error, "an old file could not be removed");
                    }
                }
            }
            _ => {}
        }
    }
    removed
}

fn is_old(entry: &std::fs::DirEntry, before: UnixMillis) -> bool {
    let changed = entry.metadata().and_then(|facts| facts.modified()).ok();
    let age = changed.and_then(|changed| changed.duration_since(UNIX_EPOCH).ok());
    age.is_some_and(|since| i64::try_from(since.as_millis()).is_ok_and(|millis| millis < before.0))
}
