//! Stage: reads the note that the last restart left, tells what came of it, and removes it.
//!
//! Agents will hear of it too, once there are any; until then the log does.

use std::path::Path;

use openclaw_protocol::methods::config::SentinelPayload;
use serde::Deserialize;

/// The note's file in the state directory, as the original names it.
const FILE: &str = "restart-sentinel.json";

#[derive(Deserialize)]
struct Note {
    payload: SentinelPayload,
}

/// Tells of the restart that led here, if a method asked for it.
pub(crate) fn tell(state_dir: &Path) {
    let path = state_dir.join(FILE);
    let Ok(text) = std::fs::read_to_string(&path) else { return };
    match serde_json::from_str::<Note>(&text) {
        Ok(note) => {
            let kind = serde_json::to_value(note.payload.kind).unwrap_or_default();
            let words = note.payload.message.flatten().unwrap_or_default();
            tracing::info!(
                subsystem = "gateway",
                note = words,
                "back after {}",
                kind.as_str().unwrap_or("a restart")
            );
        }
        Err(error) => {
            tracing::warn!(subsystem = "gateway", %error, "the note of the last restart cannot be read")
        }
    }
    if let Err(error) = std::fs::remove_file(&path) {
        tracing::warn!(subsystem = "gateway", %error, "the note of the last restart cannot be removed");
    }
}
