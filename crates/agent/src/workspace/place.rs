//! Which directory an agent works in.
//!
//! Pure: what is written is in `config`, the places of the machine come with `Surroundings`.

use std::path::{Component, Path, PathBuf};

use openclaw_config::{Config, WorkspacePlace, WorkspaceSettings};
use openclaw_types::AgentId;

use crate::HostFacts;

/// The directory that holds the usual workspace, in the home directory; the state directory's name, wherever the
/// state really is, as in the original.
const HOME_FOLDER: &str = ".openclaw";

/// Which directory an agent works in.
///
/// An agent's own `workspace` wins. The default agent otherwise gets `agents.defaults.workspace` or
/// `~/.openclaw/workspace`, with a profile `~/.openclaw/workspace-<profile>`; any other agent gets
/// `workspace-<id>` in the state directory. A relative path starts at the home directory.
#[must_use]
pub fn workspace_dir(config: &Config, surroundings: &HostFacts, agent: &AgentId) -> PathBuf {
    match WorkspaceSettings::of(config, agent).place {
        WorkspacePlace::Written(path) => expanded(&path, &surroundings.home),
        WorkspacePlace::Usual => {
            let name = match surroundings.profile.as_deref() {
                Some(profile) if !profile.eq_ignore_ascii_case("default") => format!("workspace-{profile}"),
                _ => "workspace".to_owned(),
            };
            surroundings.home.join(HOME_FOLDER).join(name)
        }
        WorkspacePlace::Own(id) => surroundings.state_dir.join(format!("workspace-{id}")),
    }
}

/// A path as a person wrote it, made absolute: `~` is the home directory, `.` and `..` are resolved by name.
#[must_use]
pub fn expanded(path: &str, home: &Path) -> PathBuf {
    let path = path.trim();
    let joined = match path.strip_prefix('~') {
        Some("") => home.to_path_buf(),
        Some(rest) if rest.starts_with(['/', '\\']) => home.join(rest.trim_start_matches(['/', '\\'])),
        _ => home.join(path),
    };
    let mut out = PathBuf::new();
    for component in joined.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
