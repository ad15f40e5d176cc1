//! Which agent a command is about, and where that agent's things are.
//!
//! Pure but for the surroundings that are handed in: the configuration says what is meant, the context where this
//! installation keeps it. Used by every command family that is about agents.

use std::path::PathBuf;
use std::sync::Arc;

use openclaw_agent::HostFacts;
use openclaw_agent::workspace::workspace_dir;
use openclaw_config::sections::{AgentEntry, SessionScope};
use openclaw_config::{Config, FileSnapshot, SessionSettings};
use openclaw_stores::sqlite::AgentDatabases;
use openclaw_types::{AgentId, KeyContext, SessionBreadth};

use crate::context::{Context, VERSION};
use crate::exit::misuse;

/// The agent a person named, which must exist, or the one that answers by default.
pub(crate) fn known_agent(snapshot: &FileSnapshot, written: Option<&str>) -> anyhow::Result<AgentId> {
    let agents = &snapshot.config.agents;
    let Some(written) = written.map(str::trim).filter(|text| !text.is_empty()) else {
        return Ok(agents.default_agent.clone());
    };
    let wanted = AgentId::sanitized(written);
    let found = agents.list.iter().find(|agent| agent.id == wanted);
    found.map(|agent| agent.id.clone()).ok_or_else(|| {
        let known: Vec<&str> = agents.list.iter().map(|agent| agent.id.as_str()).collect();
        misuse(format!("there is no agent {written}; agents.list has {}", known.join(", ")))
    })
}

/// The configuration, which must be good: commands that change it do not build on a broken file.
pub(crate) fn valid_config(context: &Context) -> anyhow::Result<FileSnapshot> {
    let snapshot = context.read_config();
    if !snapshot.valid {
        anyhow::bail!(
            "{} is not valid; `openclaw config validate` says what is wrong, `openclaw doctor --fix` repairs what it can",
            context.short(&snapshot.path)
        );
    }
    Ok(snapshot)
}

/// What the file says about an agent, where it lists it.
pub(crate) fn written_entry<'a>(config: &'a Config, agent: &AgentId) -> Option<&'a AgentEntry> {
    let list = config.raw.agents.as_ref()?.list.as_deref()?;
    list.iter().find(|entry| AgentId::sanitized(&entry.id) == *agent)
}

/// The directory an agent works in.
pub(crate) fn workspace_of(context: &Context, config: &Config, agent: &AgentId) -> PathBuf {
    let surroundings = HostFacts {
        state_dir: context.locations.state_dir.clone(),
        home: context.environment.home().to_owned(),
        profile: context.locations.profile.clone(),
        host: String::new(),
        system: String::new(),
        shell: String::new(),
        version: VERSION.to_owned(),
    };
    workspace_dir(config, &surroundings, agent)
}

/// The directory of an agent's state.
pub(crate) fn agent_dir_of(context: &Context, config: &Config, agent: &AgentId) -> PathBuf {
    config.places.agent_dir(&context.locations.state_dir, agent)
}

/// The databases of all agents; nothing is opened yet.
pub(crate) fn databases(context: &Context, config: &Config) -> AgentDatabases {
    let given = config.places.given().clone();
    AgentDatabases::within(&context.locations.state_dir, Arc::clone(&context.clock))
        .with_folders(Arc::new(move || given.clone()))
}

/// The file that an agent's sessions are kept in.
pub(crate) fn sessions_file_of(context: &Context, config: &Config, agent: &AgentId) -> PathBuf {
    databases(context, config).file(agent)
}

/// What short names of sessions depend on.
pub(crate) fn key_context(config: &Config) -> KeyContext {
    let breadth = match config.session.scope {
        SessionScope::Global => SessionBreadth::Global,
        SessionScope::PerSender => SessionBreadth::PerSender,
    };
    KeyContext::new(&config.agents.default_agent, SessionSettings::MAIN_KEY, breadth)
}
