//! Keeps the whole output of a tool on disk when it is too long for a model.
//!
//! One file for each call, readable by the owner alone, in the folder that `ToolContext::keep` names. A file that
//! cannot be written costs the model the middle of the text, never the run. `sweep` removes what nobody needs any more.

mod sweep;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use openclaw_types::{SessionId, ToolCallId};
use tokio::io::AsyncWriteExt;

pub use sweep::{OutputSweep, SweptOutputs, sweep_outputs};

/// The folder of a session's long outputs, inside the folder of its agent's own state.
#[must_use]
pub fn session_outputs(agent_dir: &Path, session: &SessionId) -> PathBuf {
    agent_outputs(agent_dir).join(file_name(session.as_str()))
}

/// The folder of the long outputs of all sessions of an agent, inside the folder of its own state.
#[must_use]
pub fn agent_outputs(agent_dir: &Path) -> PathBuf {
    agent_dir.join("tool-output")
}

/// Writes the whole output of a call and says where it is; nothing when it could not be written.
pub(super) async fn write(folder: &Path, call: &ToolCallId, text: &str) -> Option<PathBuf> {
    let path = folder.join(format!("{}.txt", file_name(call.as_str())));
    match put(folder, &path, text).await {
        Ok(()) => Some(path),
        Err(error) => {
            tracing::warn!(subsystem = "agent", path = %path.display(), %error, "a long output was not kept");
            None
        }
    }
}

async fn put(folder: &Path, path: &Path, text: &str) -> std::io::Result<()> {
    let mut making = tokio::fs::DirBuilder::new();
    making.recursive(true);
    let mut opening = tokio::fs::OpenOptions::new();
    opening.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        making.mode(0o700);
        opening.mode(0o600);
    }
    making.create(folder).await?;
    let mut file = opening.open(path).await?;
    file.write_all(text.as_bytes()).await?;
    file.flush().await
}

/// A name that is one plain file name, whatever a model or a vendor called its call.
fn file_name(text: &str) -> String {
    const LONGEST: usize = 96;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_');
    let name: String =
        text.chars().map(|letter| if plain(letter) { letter } else { '_' }).take(LONGEST).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}
