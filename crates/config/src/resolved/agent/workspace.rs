//! Where an agent works, and how much of its files goes into the prompt.
//!
//! Only what is written is decided here; turning it into a directory of this machine is the agent's business, because
//! the state directory and the home directory are known there.

use openclaw_types::AgentId;

use crate::resolved::Config;
use crate::resolved::agents::normal_id;

const FILE_CHARS: usize = 20_000;
const ALL_FILES_CHARS: usize = 150_000;

/// Where an agent works, and how much of its files goes into the prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkspaceSettings {
    /// The directory.
    pub place: WorkspacePlace,
    /// Whether an empty workspace gets its first files.
    pub first_files: FirstFiles,
    /// The most characters of one file that go into the prompt.
    pub file_chars: usize,
    /// The most characters of all files together.
    pub total_chars: usize,
}

/// Which directory an agent works in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WorkspacePlace {
    /// The one a person wrote; `~` is not expanded yet.
    Written(String),
    /// The usual one of the default agent.
    Usual,
    /// The usual one of any other agent.
    Own(AgentId),
}

/// Whether an empty workspace gets its first files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FirstFiles {
    /// It does.
    Made,
    /// People manage the files themselves.
    Skipped,
}

impl WorkspaceSettings {
    /// Reads the settings of one agent. An agent that is not listed gets the directory of its id.
    #[must_use]
    pub fn of(config: &Config, agent: &AgentId) -> Self {
        let agents = config.raw.agents.as_ref();
        let defaults = agents.and_then(|agents| agents.defaults.as_ref());
        let entries = agents.and_then(|agents| agents.list.as_deref()).unwrap_or_default();
        let own = entries
            .iter()
            .find(|entry| normal_id(&entry.id) == *agent)
            .and_then(|entry| written(entry.workspace.as_deref()));
        let shared = || written(defaults.and_then(|defaults| defaults.workspace.as_deref()));
        let place = match own {
            Some(own) => WorkspacePlace::Written(own),
            None if config.agents.is_default(agent) => {
                shared().map_or(WorkspacePlace::Usual, WorkspacePlace::Written)
            }
            None => WorkspacePlace::Own(agent.clone()),
        };
        let skipped = defaults.and_then(|defaults| defaults.skip_bootstrap) == Some(true);
        let file_chars = defaults.and_then(|defaults| defaults.bootstrap_max_chars).map(|count| count.get());
        let total_chars =
            defaults.and_then(|defaults| defaults.bootstrap_total_max_chars).map(|count| count.get());
        Self {
            place,
            first_files: if skipped { FirstFiles::Skipped } else { FirstFiles::Made },
            file_chars: count_or(file_chars, FILE_CHARS),
            total_chars: count_or(total_chars, ALL_FILES_CHARS),
        }
    }
}

fn count_or(count: Option<u64>, usual: usize) -> usize {
    count.map_or(usual, |count| usize::try_from(count).unwrap_or(usize::MAX))
}

/// A path as a person wrote it, without zero bytes, which no path can hold.
fn written(path: Option<&str>) -> Option<String> {
    let path: String = path?.chars().filter(|letter| *letter != '\0').collect();
    let path = path.trim();
    (!path.is_empty()).then(|| path.to_owned())
}
