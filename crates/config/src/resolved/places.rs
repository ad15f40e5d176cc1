//! Where agents keep their own things, and where the lists of sessions of the original lie.
//!
//! The one decision about both: `agents.list[].agentDir` and `session.store` where they are written, else folders of
//! the state directory. Pure. Whoever asks brings the state directory, so that a `Config` says the same wherever it is.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openclaw_types::AgentId;

use super::Context;
use super::agents::{AgentSettings, normal_id};
use super::problem::ConfigProblem;
use crate::sections::RawConfig;

/// What stands for the agent in `session.store`.
const AGENT_MARK: &str = "{agentId}";

/// Where agents keep their own things.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentPlaces {
    /// The folders of agents that have another than the usual one.
    given: BTreeMap<AgentId, PathBuf>,
    /// The written list of sessions; the agent is not filled in yet.
    store: Option<PathBuf>,
}

/// A list of sessions of the original, and whose sessions are in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionList {
    /// The file. Transcripts lie beside it.
    pub path: PathBuf,
    /// The agents that share it, the one first that sessions without an agent in their name belong to. Never empty.
    pub agents: Vec<AgentId>,
}

impl AgentPlaces {
    /// The folder of an agent's own state: its database, its sign-ins and models in the original's files, long outputs
    /// of its tools.
    #[must_use]
    pub fn agent_dir(&self, state_dir: &Path, agent: &AgentId) -> PathBuf {
        self.given.get(agent).cloned().unwrap_or_else(|| Self::usual_agent_dir(state_dir, agent))
    }

    /// The same for an agent that was given none.
    #[must_use]
    pub fn usual_agent_dir(state_dir: &Path, agent: &AgentId) -> PathBuf {
        root(state_dir, agent).join("agent")
    }

    /// The usual folder of an agent that was given another one: things from before may lie there. Nothing where it is
    /// another agent's now.
    #[must_use]
    pub fn former_agent_dir(&self, state_dir: &Path, agent: &AgentId) -> Option<PathBuf> {
        let usual = Self::usual_agent_dir(state_dir, agent);
        (self.given.contains_key(agent) && !self.given.values().any(|given| *given == usual)).then_some(usual)
    }

    /// The folders of agents that have another than the usual one.
    #[must_use]
    pub fn given(&self) -> &BTreeMap<AgentId, PathBuf> {
        &self.given
    }

    /// The original's list of an agent's sessions.
    #[must_use]
    pub fn session_list(&self, state_dir: &Path, agent: &AgentId) -> PathBuf {
        match &self.store {
            Some(store) => filled(store, agent),
            None => Self::usual_sessions_dir(state_dir, agent).join("sessions.json"),
        }
    }

    /// The folder of an agent's sessions where `session.store` is not written.
    #[must_use]
    pub fn usual_sessions_dir(state_dir: &Path, agent: &AgentId) -> PathBuf {
        root(state_dir, agent).join("sessions")
    }

    /// The original's lists of the sessions of all agents, each file once.
    #[must_use]
    pub fn session_lists(&self, state_dir: &Path, agents: &AgentSettings) -> Vec<SessionList> {
        let mut lists: Vec<SessionList> = Vec::new();
        for agent in agents.list.iter().map(|agent| &agent.id) {
            let path = self.session_list(state_dir, agent);
            match lists.iter_mut().find(|list| list.path == path) {
                Some(list) if agents.is_default(agent) => list.agents.insert(0, agent.clone()),
                Some(list) => list.agents.push(agent.clone()),
                None => lists.push(SessionList { path, agents: vec![agent.clone()] }),
            }
        }
        lists
    }
}

/// Reads the places, and says where two agents would share one.
pub(super) fn resolve(
    raw: &RawConfig,
    agents: &AgentSettings,
    context: &Context<'_>,
    problems: &mut Vec<ConfigProblem>,
) -> AgentPlaces {
    let state_dir = &context.locations.state_dir;
    let store = raw.session.as_ref().and_then(|session| written(session.store.as_deref()));
    let store = store.map(|path| context.environment.home_path(path));
    let mut places = AgentPlaces { given: BTreeMap::new(), store };
    let entries = raw.agents.as_ref().and_then(|agents| agents.list.as_deref()).unwrap_or_default();
    let mut own: Vec<(usize, AgentId)> = Vec::new();
    let mut seen = BTreeSet::new();
    for (index, entry) in entries.iter().enumerate() {
        let agent = normal_id(&entry.id);
        // Of two entries with one id the first counts, as everywhere.
        if !seen.insert(agent.clone()) {
            continue;
        }
        let Some(path) = written(entry.agent_dir.as_deref()) else { continue };
        let folder = context.environment.home_path(path);
        if folder != AgentPlaces::usual_agent_dir(state_dir, &agent) {
            places.given.insert(agent.clone(), folder);
            own.push((index, agent));
        }
    }
    check_shared(&places, (raw, agents), state_dir, &own, problems);
    places
}

/// Two agents in one folder would mix their sessions, and use up each other's sign-ins.
fn check_shared(
    places: &AgentPlaces,
    (raw, agents): (&RawConfig, &AgentSettings),
    state_dir: &Path,
    own: &[(usize, AgentId)],
    problems: &mut Vec<ConfigProblem>,
) {
    let bound = raw.bindings.iter().flatten().filter_map(|binding| written(Some(binding.agent_id.as_str())));
    let bound = bound.map(normal_id);
    let known: BTreeSet<AgentId> = agents.list.iter().map(|agent| agent.id.clone()).chain(bound).collect();
    for (place, (index, agent)) in own.iter().enumerate() {
        let folder = places.agent_dir(state_dir, agent);
        // Where both were given the folder, the later entry is told.
        let later: BTreeSet<&AgentId> = own.iter().skip(place).map(|(_, agent)| agent).collect();
        let shares = |other: &AgentId| places.agent_dir(state_dir, other) == folder;
        if let Some(other) = known.iter().find(|other| !later.contains(other) && shares(other)) {
            problems.push(
                ConfigProblem::error(
                    format!("agents.list[{index}].agentDir"),
                    format!(
                        "is the folder of the agent {other} too; both would mix their sign-ins and sessions"
                    ),
                )
                .hint("give each agent a folder of its own; to share sign-ins, copy auth-profiles.json"),
            );
        }
    }
}

fn root(state_dir: &Path, agent: &AgentId) -> PathBuf {
    // A name that a client made up must not lead out of the folder.
    state_dir.join("agents").join(AgentId::sanitized(agent.as_str()).as_str())
}

fn written(path: Option<&str>) -> Option<&str> {
    path.map(str::trim).filter(|path| !path.is_empty())
}

fn filled(store: &Path, agent: &AgentId) -> PathBuf {
    let part = |part: &std::ffi::OsStr| match part.to_str() {
        Some(text) => PathBuf::from(text.replace(AGENT_MARK, agent.as_str())),
        None => PathBuf::from(part),
    };
    store.iter().map(part).collect()
}
