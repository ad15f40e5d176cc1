//! What goes with an agent that is removed: the same plan for the gateway, and for the command line when none runs. Pure.

use std::path::{Path, PathBuf};

use openclaw_config::{AgentPlaces, Config};
use openclaw_types::AgentId;
use serde_json::Value;

/// The file without an agent, and how much went with it.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentRemoval {
    /// The file, as written, without the agent.
    pub file: Value,
    /// How many bindings went with it.
    pub bindings: usize,
    /// How many permissions to talk to it went with it.
    pub allowed: usize,
}

impl AgentRemoval {
    /// What the file becomes; nothing when the agent is not written in it.
    #[must_use]
    pub fn plan(written: &Value, agent: &AgentId) -> Option<Self> {
        let mut file = written.clone();
        let is_it = |value: &Value| value.as_str().is_some_and(|id| AgentId::sanitized(id) == *agent);
        if retain(&mut file, &["agents", "list"], |entry| !is_it(&entry["id"])) == 0 {
            return None;
        }
        let bindings = retain(&mut file, &["bindings"], |binding| !is_it(&binding["agentId"]));
        let allowed = retain(&mut file, &["tools", "agentToAgent", "allow"], |entry| !is_it(entry));
        Some(Self { file, bindings, allowed })
    }

    /// The folders that are put aside with an agent: where it works, and what it keeps. One that holds the state
    /// directory, a place of `kept` (home and the configuration file) or things of others stays; so does one with a list
    /// of sessions that `session.store` names, as with the original.
    #[must_use]
    pub fn folders(
        (config, agent): (&Config, &AgentId),
        (state_dir, kept): (&Path, &[&Path]),
        workspace: impl Fn(&AgentId) -> PathBuf,
    ) -> Vec<PathBuf> {
        let places = &config.places;
        let sessions = AgentPlaces::usual_sessions_dir(state_dir, agent);
        let mut kept: Vec<PathBuf> = kept.iter().map(|path| (*path).to_owned()).collect();
        kept.push(state_dir.to_owned());
        for other in config.agents.list.iter().map(|other| &other.id).filter(|other| *other != agent) {
            kept.extend([workspace(other), places.agent_dir(state_dir, other)]);
            kept.push(places.session_list(state_dir, other));
            // Its database may still be there.
            kept.extend(places.former_agent_dir(state_dir, other));
        }
        let list = places.session_list(state_dir, agent);
        kept.extend(Some(list).filter(|list| !list.starts_with(&sessions)));
        let usual = [AgentPlaces::usual_agent_dir(state_dir, agent), sessions];
        // A usual folder may be a given one as well.
        let usual = usual.into_iter().filter(|folder| !places.given().values().any(|given| given == folder));
        let given = places.given().get(agent).cloned();
        let mut folders: Vec<PathBuf> = std::iter::once(workspace(agent)).chain(given).chain(usual).collect();
        folders.retain(|folder| !kept.iter().any(|path| path.starts_with(folder)));
        folders.dedup();
        folders
    }
}

/// Keeps what is wanted of an array and says how much went. An array that becomes empty goes as well.
fn retain(file: &mut Value, path: &[&str], wanted: impl Fn(&Value) -> bool) -> usize {
    let Some((last, above)) = path.split_last() else { return 0 };
    let place = above.iter().try_fold(file, |place, key| place.get_mut(*key)).and_then(Value::as_object_mut);
    let Some(place) = place else { return 0 };
    let Some(Value::Array(list)) = place.get_mut(*last) else { return 0 };
    let before = list.len();
    list.retain(|entry| wanted(entry));
    let gone = before - list.len();
    if list.is_empty() && gone > 0 {
        place.remove(*last);
    }
    gone
}

#[cfg(test)]
mod tests {
    use openclaw_config::{ConfigFile, Environment, Locations, ProfileChoice};
    use serde_json::json;

    use super::*;

    fn ops() -> AgentId {
        AgentId::new("ops").unwrap()
    }

    #[test]
    fn an_agent_goes_with_its_bindings_and_permissions() {
        let file = json!({
            "agents": { "list": [{ "id": "main" }, { "id": "Ops" }] },
            "tools": { "agentToAgent": { "allow": ["ops"] } },
            "bindings": [
                { "agentId": "ops", "match": { "channel": "one" } },
                { "agentId": "main", "match": { "channel": "two" } },
            ],
        });
        let left = json!({
            "agents": { "list": [{ "id": "main" }] },
            "tools": { "agentToAgent": {} },
            "bindings": [{ "agentId": "main", "match": { "channel": "two" } }],
        });
        let plan = AgentRemoval::plan(&file, &ops());
        assert_eq!(plan, Some(AgentRemoval { file: left, bindings: 1, allowed: 1 }));
        assert_eq!(AgentRemoval::plan(&json!({}), &ops()), None);
    }

    #[test]
    fn a_workspace_that_others_work_in_stays() {
        let environment = Environment::fake([("OPENCLAW_STATE_DIR", "/state")], "/home/ana");
        let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
        let folders = |list: &str, shared: bool| {
            let text = format!("{{ agents: {{ list: [{{ id: 'main' }}, {list}] }} }}");
            let config = ConfigFile::new(locations.clone(), environment.clone()).preview(&text).config;
            let workspace = |agent: &AgentId| match shared {
                true => PathBuf::from("/all"),
                false => Path::new("/works").join(agent.as_str()),
            };
            let state = locations.state_dir.as_path();
            AgentRemoval::folders((&config, &ops()), (state, &[Path::new("/home/ana")][..]), workspace)
        };
        let usual = ["/state/agents/ops/agent", "/state/agents/ops/sessions"].map(PathBuf::from);
        assert_eq!(folders("{ id: 'ops' }", true), usual);
        let own = folders("{ id: 'ops', agentDir: '~/state' }", false);
        assert_eq!(own[..2], ["/works/ops", "/home/ana/state"].map(PathBuf::from));
        assert_eq!(own[2..], usual);
        // What holds more than this agent's things is never moved.
        for held in ["~", "/state", "/works"] {
            let left = folders(&format!("{{ id: 'ops', agentDir: '{held}' }}"), false);
            assert_eq!(left[..1], [PathBuf::from("/works/ops")], "{held}");
            assert_eq!(left[1..], usual, "{held}");
        }
    }

    #[test]
    fn a_workspace_that_holds_more_than_the_agent_works_with_stays() {
        let environment = Environment::fake([("OPENCLAW_STATE_DIR", "/state")], "/home/ana");
        let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
        let text = "{ session: { store: '/talks/{agentId}.json' }, \
                    agents: { list: [{ id: 'main', agentDir: '/own/main' }, { id: 'ops' }] } }";
        let config = ConfigFile::new(locations, environment).preview(text).config;
        let folders = |own: &str| {
            let workspace =
                |agent: &AgentId| PathBuf::from(if *agent == ops() { own } else { "/works/main" });
            let kept = [Path::new("/home/ana"), Path::new("/etc/claw/openclaw.json")];
            AgentRemoval::folders((&config, &ops()), (Path::new("/state"), &kept[..]), workspace)
        };
        let usual = ["/state/agents/ops/agent", "/state/agents/ops/sessions"].map(PathBuf::from);
        let holding =
            ["/", "/home", "/home/ana", "/state", "/works", "/works/main", "/own", "/etc/claw", "/talks"];
        for own in holding {
            assert_eq!(folders(own), usual, "{own}");
        }
        for own in ["/works/ops", "/works/main/inner", "/home/ana/ops", "/state/workspace-ops"] {
            let found = folders(own);
            assert_eq!((&found[0], &found[1..]), (&PathBuf::from(own), &usual[..]), "{own}");
        }
    }
}
