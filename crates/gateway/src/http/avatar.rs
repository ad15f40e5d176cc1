//! Pictures of agents: an address on the web, or a file in the agent's workspace.
//!
//! A file is served only from below the workspace, only when it is a picture, and only up to two megabytes.

use std::path::{Path, PathBuf};

use openclaw_agent::HostFacts;
use openclaw_agent::workspace::{expanded, read_identity, workspace_dir};
use openclaw_config::{Config, ConfigFile};
use openclaw_types::AgentId;

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

/// Finds the picture of an agent: what the configuration says, else what the card in its workspace says. `None` when that
/// is no name an agent can have.
pub(crate) async fn find(config: &Config, file: &ConfigFile, agent: &str) -> Option<Avatar> {
    let well_formed = agent.len() <= 64
        && agent.starts_with(|first: char| first.is_ascii_alphanumeric())
        && agent.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-');
    if !well_formed {
        return None;
    }
    let entries = config.raw.agents.as_ref().and_then(|agents| agents.list.as_deref()).unwrap_or_default();
    let entry = entries.iter().find(|entry| entry.id.trim().eq_ignore_ascii_case(agent));
    let identity = entry.and_then(|entry| entry.identity.as_ref());
    let written = identity.and_then(|identity| identity.avatar.as_deref()).map(str::trim);
    let id = AgentId::sanitized(agent);
    let known = config.agents.get(&id).is_some();
    let workspace = workspace_dir(config, &surroundings(file), &id);
    let written = match written.filter(|written| !written.is_empty()) {
        Some(written) => Some(written.to_owned()),
        None if known => on_card(&workspace).await,
        None => None,
    };
    let Some(written) = written else { return Some(Avatar::None) };
    if is_address(&written) {
        return Some(Avatar::Address(written));
    }
    Some(match below(&written, &workspace, file.environment().home()) {
        Some(path) => Avatar::File { workspace, path },
        None => Avatar::None,
    })
}

/// What the page is told to show: an address as it is, a file by our own address, a letter or emoji as it is.
pub(crate) fn shown(written: &str, base_path: &str, agent: &str) -> String {
    if !is_address(written) && is_picture(written) {
        return format!("{base_path}/avatar/{agent}");
    }
    written.to_owned()
}

/// Whether a text names a picture: an address, or a file.
pub(crate) fn names_picture(written: &str) -> bool {
    is_address(written) || is_picture(written)
}

async fn on_card(workspace: &Path) -> Option<String> {
    match read_identity(workspace).await {
        Ok(card) => card.avatar.filter(|written| names_picture(written)),
        Err(error) => {
            tracing::warn!(%error, "the card of an agent cannot be read");
            None
        }
    }
}

/// What workspaces depend on. The rest is nothing to them.
fn surroundings(file: &ConfigFile) -> HostFacts {
    let locations = file.locations();
    HostFacts {
        state_dir: locations.state_dir.clone(),
        home: file.environment().home().to_owned(),
        profile: locations.profile.clone(),
        host: String::new(),
        system: String::new(),
        shell: String::new(),
        version: String::new(),
    }
}

fn is_address(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    ["http://", "https://", "data:image/"].iter().any(|start| lower.starts_with(start))
}

fn is_picture(written: &str) -> bool {
    let path = Path::new(written);
    let extension = path.extension().and_then(|extension| extension.to_str()).map(str::to_ascii_lowercase);
    !written.contains("://") && extension.is_some_and(|extension| PICTURES.contains(&extension.as_str()))
}

/// A picture below the workspace: named relative to it, or by a whole path that leads into it.
fn below(written: &str, workspace: &Path, home: &Path) -> Option<ContainedPath> {
    if written.contains(['%', '\\']) || !is_picture(written) {
        return None;
    }
    match written.starts_with(['/', '~']) {
        true => {
            let whole = expanded(written, home);
            ContainedPath::parse(whole.strip_prefix(workspace).ok()?.to_str()?)
        }
        false => ContainedPath::parse(written),
    }
}
