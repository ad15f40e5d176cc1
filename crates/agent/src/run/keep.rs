//! Keeps the whole output of a tool on disk when it is too long for a model.
//!
//! One file for each call, readable by the owner alone, in the folder that `ToolContext::keep` names. A file that
//! cannot be written costs the model the middle of the text, never the run.

use std::path::{Path, PathBuf};

use openclaw_types::{AgentId, SessionId, ToolCallId};
use tokio::io::AsyncWriteExt;

/// The folder of a session's long outputs.
pub(super) fn folder(state_dir: &Path, agent: &AgentId, session: &SessionId) -> PathBuf {
    let agent_dir = state_dir.join("agents").join(file_name(agent.as_str())).join("agent");
    agent_dir.join("tool-output").join(file_name(session.as_str()))
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

#[cfg(test)]
mod tests {
    use openclaw_types::ToolCallId;

    use super::{file_name, write};

    #[test]
    fn names_of_calls_never_leave_their_folder() {
        let rows = [
            ("call_1", "call_1"),
            ("../../etc/passwd", "______etc_passwd"),
            ("a b|c", "a_b_c"),
            ("..", "__"),
        ];
        for (given, wanted) in rows {
            assert_eq!(file_name(given), wanted);
        }
    }

    #[tokio::test]
    async fn the_whole_text_is_kept_for_the_owner_alone() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("tool-output/session");
        let path = write(&folder, &ToolCallId::new("call/1").unwrap(), "all of it").await.unwrap();
        assert_eq!(path, folder.join("call_1.txt"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "all of it");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }

    #[tokio::test]
    async fn a_place_that_cannot_be_written_keeps_nothing() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("file");
        std::fs::write(&file, "x").unwrap();
        assert_eq!(write(&file, &ToolCallId::new("call").unwrap(), "text").await, None);
    }
}
