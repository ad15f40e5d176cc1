//! Which file an agent's sessions are in: in the folder it was given, or in the usual one below the state directory.
//!
//! Only looks; nothing is made or moved here.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openclaw_types::AgentId;

use super::is_there;
use crate::transcripts::check_agent;

/// Where an agent's folder is below its name, unless it was given another.
const USUAL: &str = "agent";
/// The database inside of the folder.
const FILE: &str = "agent.sqlite";

/// The folders that agents were given elsewhere than in the usual place, as of now.
pub type GivenFolders = Arc<dyn Fn() -> BTreeMap<AgentId, PathBuf> + Send + Sync>;

/// The folders of all agents of one state directory.
pub(super) struct Folders {
    /// The folder of all agents that were given none.
    agents: PathBuf,
    pub(super) given: GivenFolders,
}

/// The folders at one moment.
pub(super) struct FoldersNow {
    agents: PathBuf,
    given: BTreeMap<AgentId, PathBuf>,
}

impl fmt::Debug for Folders {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Folders").field("agents", &self.agents).finish_non_exhaustive()
    }
}

impl Folders {
    /// Those of agents that were given none.
    pub(super) fn within(state_dir: &Path) -> Self {
        Self { agents: state_dir.join("agents"), given: Arc::new(BTreeMap::<AgentId, PathBuf>::new) }
    }

    /// What holds for one question.
    pub(super) fn now(&self) -> FoldersNow {
        FoldersNow { agents: self.agents.clone(), given: (self.given)() }
    }
}

impl FoldersNow {
    /// The file as it should be, whatever there is.
    pub(super) fn wanted(&self, agent: &AgentId) -> PathBuf {
        self.given.get(agent).map_or_else(|| self.usual(agent), |folder| folder.join(FILE))
    }

    /// The file as it is used: one in the usual folder stays in use until there is one in the given folder.
    ///
    /// # Errors
    /// Nobody may look, or the file is another agent's: one that is not listed must not come to the sessions of the
    /// agent that was given its usual folder.
    pub(super) fn file(&self, agent: &AgentId) -> io::Result<PathBuf> {
        let file = self.place(agent)?;
        if self.is_of_another(&file, agent) {
            return Err(io::Error::new(
                io::ErrorKind::PermissionDenied,
                format!("the folder of the agent {agent} was given to another agent with agentDir"),
            ));
        }
        Ok(file)
    }

    /// Whether a file is in a folder that was given, which may be a person's own.
    pub(super) fn is_in_given(&self, file: &Path) -> bool {
        self.given.values().any(|folder| Some(folder.as_path()) == file.parent())
    }

    fn place(&self, agent: &AgentId) -> io::Result<PathBuf> {
        let (wanted, usual) = (self.wanted(agent), self.usual(agent));
        let stays =
            wanted != usual && !self.is_of_another(&usual, agent) && is_there(&usual)? && !is_there(&wanted)?;
        Ok(if stays { usual } else { wanted })
    }

    /// The agents that have a file, by name. One where nobody may look is among them: its own read says what is wrong,
    /// and the others go on.
    pub(super) fn agents(&self) -> io::Result<Vec<AgentId>> {
        let mut agents = BTreeSet::new();
        for agent in self.given.keys().cloned().chain(named_in(&self.agents)?) {
            // A folder with another name is none of ours, and one that another agent was given is that agent's.
            if check_agent(&agent).is_ok() && self.may_have_file(&agent) {
                agents.insert(agent);
            }
        }
        Ok(agents.into_iter().collect())
    }

    fn may_have_file(&self, agent: &AgentId) -> bool {
        match self.place(agent) {
            Ok(file) => !self.is_of_another(&file, agent) && is_there(&file).unwrap_or(true),
            Err(_unseen) => true,
        }
    }

    fn usual(&self, agent: &AgentId) -> PathBuf {
        self.agents.join(agent.as_str()).join(USUAL).join(FILE)
    }

    fn is_of_another(&self, file: &Path, agent: &AgentId) -> bool {
        self.given.iter().any(|(other, folder)| other != agent && Some(folder.as_path()) == file.parent())
    }
}

fn named_in(folder: &Path) -> io::Result<Vec<AgentId>> {
    let listing = match std::fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        listing => listing?,
    };
    let mut agents = Vec::new();
    for found in listing {
        agents.extend(found?.file_name().to_str().and_then(|name| AgentId::new(name).ok()));
    }
    Ok(agents)
}
