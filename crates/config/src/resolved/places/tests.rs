//! Where agents keep their own things, as tables from a file's content.

use openclaw_types::AgentId;
use serde_json::{Value, json};

use super::*;
use crate::resolved::{Config, Overrides, Severity};
use crate::{Environment, Locations, ProfileChoice};

const STATE: &str = "/home/ana/.openclaw";

fn resolve(file: Value) -> (Config, Vec<ConfigProblem>) {
    let environment = Environment::fake([("A", "b")], "/home/ana").with_working_directory("/srv/here");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    Config::resolve(serde_json::from_value(file).unwrap(), &context)
}

fn id(text: &str) -> AgentId {
    AgentId::new(text).unwrap()
}

#[test]
fn an_agent_has_the_folder_it_was_given_or_the_usual_one() {
    let usual = "/home/ana/.openclaw/agents/ops/agent";
    let rows = [
        (json!({ "id": "ops" }), usual),
        (json!({ "id": "ops", "agentDir": " " }), usual),
        (json!({ "id": "Ops", "agentDir": " ~/state/ops/ " }), "/home/ana/state/ops"),
        (json!({ "id": "ops", "agentDir": "/srv/a/../ops" }), "/srv/ops"),
        // Wherever a process was started.
        (json!({ "id": "ops", "agentDir": "state" }), "/home/ana/state"),
    ];
    for (entry, expected) in rows {
        let file = json!({ "agents": { "list": [{ "id": "main" }, entry] } });
        let (config, problems) = resolve(file.clone());
        let folder = config.places.agent_dir(Path::new(STATE), &id("ops"));
        assert_eq!((folder.as_path(), problems), (Path::new(expected), vec![]), "{file}");
        assert_eq!(config.places.given().contains_key(&id("ops")), expected != usual, "{file}");
    }
}

#[test]
fn the_usual_folder_written_down_is_no_other_one_and_the_first_entry_of_an_id_counts() {
    let list = json!([
        { "id": "main", "agentDir": "~/.openclaw/agents/main/agent" },
        { "id": "ops" },
        { "id": "OPS", "agentDir": "/late" },
    ]);
    let (config, _told_elsewhere) = resolve(json!({ "agents": { "list": list } }));
    assert_eq!(config.places, AgentPlaces::default());
}

#[test]
fn two_agents_never_share_a_folder() {
    let told = |file: Value| {
        let errors = resolve(file).1.into_iter().filter(|problem| problem.severity == Severity::Error);
        errors.map(|problem| (problem.path, problem.message)).collect::<Vec<_>>()
    };
    let text = |other: &str| {
        format!("is the folder of the agent {other} too; both would mix their sign-ins and sessions")
    };
    let second = |other: &str| vec![("agents.list[1].agentDir".to_owned(), text(other))];
    let list = |list: Value| json!({ "agents": { "list": list } });
    let both = json!([{ "id": "a", "agentDir": "~/s" }, { "id": "b", "agentDir": "/home/ana/x/../s/" }]);
    assert_eq!(told(list(both)), second("a"));
    let usual = json!([{ "id": "a" }, { "id": "b", "agentDir": "~/.openclaw/agents/a/agent" }]);
    assert_eq!(told(list(usual)), second("a"));
    let mut bound = list(json!([{ "id": "a" }, { "id": "b", "agentDir": "~/.openclaw/agents/c/agent" }]));
    assert!(told(bound.clone()).is_empty());
    bound["bindings"] = json!([{ "agentId": "C", "match": { "channel": "chat" } }]);
    assert_eq!(told(bound), second("c"));
    let swapped = json!([
        { "id": "a", "agentDir": "~/.openclaw/agents/b/agent" },
        { "id": "b", "agentDir": "~/.openclaw/agents/a/agent" },
    ]);
    assert!(told(list(swapped)).is_empty());
}

#[test]
fn the_list_of_sessions_is_where_the_file_says() {
    let rows = [
        (json!({}), "/home/ana/.openclaw/agents/ops/sessions/sessions.json"),
        (json!({ "store": "  " }), "/home/ana/.openclaw/agents/ops/sessions/sessions.json"),
        (json!({ "store": "~/talks/{agentId}/list-{agentId}.json" }), "/home/ana/talks/ops/list-ops.json"),
        (json!({ "store": "/srv/sessions.json" }), "/srv/sessions.json"),
        (json!({ "store": "talks/all.json" }), "/home/ana/talks/all.json"),
    ];
    for (session, expected) in rows {
        let (config, problems) = resolve(json!({ "session": session }));
        let path = config.places.session_list(Path::new(STATE), &id("ops"));
        assert_eq!((path.as_path(), problems), (Path::new(expected), vec![]), "{session}");
    }
}

#[test]
fn a_list_that_agents_share_is_named_once_and_the_default_agent_comes_first() {
    let agents = json!({ "list": [{ "id": "a" }, { "id": "b", "default": true }] });
    let lists = |session: Value| {
        let (config, _) = resolve(json!({ "agents": agents, "session": session }));
        config.places.session_lists(Path::new(STATE), &config.agents)
    };
    let list = |path: &str, agents: &[&str]| SessionList {
        path: PathBuf::from(path),
        agents: agents.iter().map(|agent| id(agent)).collect(),
    };
    assert_eq!(lists(json!({ "store": "/srv/all.json" })), [list("/srv/all.json", &["b", "a"])]);
    assert_eq!(
        lists(json!({ "store": "/srv/{agentId}.json" })),
        [list("/srv/a.json", &["a"]), list("/srv/b.json", &["b"])]
    );
}
