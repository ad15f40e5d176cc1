//! Pictures of agents: an address on the web, or a file in the agent's workspace.
//!
//! Pure. A file is served only from below the workspace, only when it is a picture, and only up to two megabytes.

use std::path::PathBuf;

use openclaw_config::{Config, Environment};

use super::contained_file::ContainedPath;

/// Largest picture.
pub(crate) const MAX_BYTES: u64 = 2 * 1024 * 1024;
const PICTURES: [&str; 7] = ["png", "jpg", "jpeg", "gif", "webp", "svg", "ico"];

/// Where an agent's picture is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Avatar {
    /// It has none that can be served.
    None,
    /// On the web, or inside its own address.
    Address(String),
    /// In the workspace.
    File {
        /// The agent's workspace.
        workspace: PathBuf,
        /// The picture inside it.
        path: ContainedPath,
    },
}

/// Finds the picture of an agent; `None` when that is no name an agent can have.
pub(crate) fn find(config: &Config, environment: &Environment, agent: &str) -> Option<Avatar> {
    let well_formed = agent.len() <= 64
        && agent.starts_with(|first: char| first.is_ascii_alphanumeric())
        && agent.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-');
    if !well_formed {
        return None;
    }
    let section = config.raw.agents.as_ref();
    let entry = section
        .and_then(|agents| agents.list.as_deref())
        .unwrap_or_default()
        .iter()
        .find(|entry| entry.id.trim().eq_ignore_ascii_case(agent));
    let written =
        entry.and_then(|entry| entry.identity.as_ref()).and_then(|identity| identity.avatar.as_deref());
    let Some(written) = written.map(str::trim).filter(|written| !written.is_empty()) else {
        return Some(Avatar::None);
    };
    if is_address(written) {
        return Some(Avatar::Address(written.to_owned()));
    }
    let workspace = entry
        .and_then(|entry| entry.workspace.as_deref())
        .or_else(|| section?.defaults.as_ref()?.workspace.as_deref())
        .map(|workspace| environment.user_path(workspace));
    let path = relative(written);
    Some(match (workspace, path) {
        (Some(workspace), Some(path)) => Avatar::File { workspace, path },
        _ => Avatar::None,
    })
}

/// What the page is told to show: an address as it is, a file by our own address, a letter or emoji as it is.
pub(crate) fn shown(written: &str, base_path: &str, agent: &str) -> String {
    if !is_address(written) && relative(written).is_some() {
        return format!("{base_path}/avatar/{agent}");
    }
    written.to_owned()
}

fn is_address(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["http://", "https://", "data:image/"].iter().any(|start| lower.starts_with(start))
}

/// A picture named relative to the workspace.
fn relative(written: &str) -> Option<ContainedPath> {
    if written.starts_with(['/', '~', '\\']) || written.contains('%') {
        return None;
    }
    let path = ContainedPath::parse(written)?;
    let is_picture = path.extension().is_some_and(|extension| PICTURES.contains(&extension.as_str()));
    is_picture.then_some(path)
}
