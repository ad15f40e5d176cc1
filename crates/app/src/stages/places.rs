//! Stage: says so when the sessions of an agent are elsewhere than the configuration says, or stay behind.
//!
//! Nothing is moved: a database may be open in another process, and a folder may be on another disk. `words` decides what
//! is told and is pure.

use std::path::{Path, PathBuf};

use openclaw_config::AgentSettings;
use openclaw_ports::stores::{StateStore, StoreError};
use openclaw_stores::sqlite::AgentDatabases;
use openclaw_types::AgentId;
use serde_json::{Value, json};

/// Where it is remembered which file each agent used last.
const NAMESPACE: &str = "agent-databases";

/// What is known about the file of an agent.
struct Whereabouts {
    /// The one that is used.
    used: PathBuf,
    /// The one that the configuration means.
    wanted: PathBuf,
    /// The one that an earlier start used and that is still there, where that is another one.
    left: Option<PathBuf>,
}

/// Compares where sessions are with where they were, and with where they should be.
pub(crate) async fn compare(databases: &AgentDatabases, store: &dyn StateStore, agents: &AgentSettings) {
    for agent in agents.list.iter().map(|agent| &agent.id) {
        match look(databases, store, agent).await {
            Ok(found) => words(agent, &found)
                .into_iter()
                .for_each(|words| tracing::warn!(subsystem = "sessions", %agent, "{words}")),
            Err(error) => {
                tracing::warn!(subsystem = "sessions", %agent, %error, "it is not known where its sessions were");
            }
        }
    }
}

async fn look(
    databases: &AgentDatabases,
    store: &dyn StateStore,
    agent: &AgentId,
) -> Result<Whereabouts, StoreError> {
    let (used, wanted) = (databases.file(agent), databases.wanted_file(agent));
    let before = store.get(NAMESPACE, agent.as_str()).await?;
    let before = before.as_ref().and_then(Value::as_str).map(PathBuf::from);
    if before.as_ref() == Some(&used) {
        return Ok(Whereabouts { used, wanted, left: None });
    }
    let left = before.filter(|before| before.exists());
    // As long as nothing is in the new place, the old one is not forgotten.
    if left.is_none() || used.exists() {
        store.put(NAMESPACE, agent.as_str(), json!(used.display().to_string())).await?;
    }
    Ok(Whereabouts { used, wanted, left })
}

/// What a person is told.
fn words(agent: &AgentId, found: &Whereabouts) -> Vec<String> {
    let shown = |path: &Path| path.display().to_string();
    let (used, wanted) = (shown(&found.used), shown(&found.wanted));
    let mut told = Vec::new();
    if found.used != found.wanted {
        told.push(format!(
            "the sessions of {agent} stay in {used}, where they are already, though its agentDir says {wanted}; to take them \
             along, stop the gateway and move the file there, with those beside it that end in -wal and -shm"
        ));
    }
    if let Some(left) = &found.left {
        told.push(format!(
            "earlier sessions of {agent} are in {}, which is not used any more: {used} is now; to go on with them, stop the \
             gateway and put that file in its place, or name its folder in agentDir",
            shown(left)
        ));
    }
    told
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use openclaw_ports::SystemClock;
    use openclaw_stores::memory::MemoryStateStore;
    use openclaw_testkit::TempHome;

    use super::*;

    /// What is told of `main` at a start with this folder; nothing stands for the usual one.
    async fn told(home: &TempHome, store: &MemoryStateStore, folder: Option<&str>) -> Vec<String> {
        let given = folder.map(|folder| (AgentId::main(), home.path(folder)));
        let given: BTreeMap<AgentId, PathBuf> = given.into_iter().collect();
        let databases = AgentDatabases::within(home.state_dir(), Arc::new(SystemClock::new()))
            .with_folders(Arc::new(move || given.clone()));
        let found = look(&databases, store, &AgentId::main()).await.unwrap();
        let root = format!("{}/", home.state_dir().display());
        words(&AgentId::main(), &found).into_iter().map(|words| words.replace(&root, "")).collect()
    }

    fn put(home: &TempHome, file: &str) {
        std::fs::create_dir_all(home.path(file).parent().unwrap()).unwrap();
        std::fs::write(home.path(file), "").unwrap();
    }

    #[tokio::test]
    async fn sessions_that_stay_or_are_left_behind_are_told_with_both_places() {
        let (home, store) = (TempHome::new(), MemoryStateStore::default());
        assert!(told(&home, &store, None).await.is_empty());
        put(&home, "agents/main/agent/agent.sqlite");
        assert!(told(&home, &store, None).await.is_empty());
        let words = told(&home, &store, Some("a")).await;
        let [stays] = &words[..] else { panic!("{words:?}") };
        assert!(stays.contains("stay in agents/main/agent/agent.sqlite"), "{stays}");
        assert!(stays.contains("agentDir says a/agent.sqlite"), "{stays}");
        // It was taken along.
        std::fs::remove_file(home.path("agents/main/agent/agent.sqlite")).unwrap();
        put(&home, "a/agent.sqlite");
        assert!(told(&home, &store, Some("a")).await.is_empty());
        // From there to another place: told until something is there, and once more then.
        for _ in 0..2 {
            let words = told(&home, &store, Some("b")).await;
            let [left] = &words[..] else { panic!("{words:?}") };
            assert!(
                left.contains("are in a/agent.sqlite") && left.contains("b/agent.sqlite is now"),
                "{left}"
            );
        }
        put(&home, "b/agent.sqlite");
        assert_eq!(told(&home, &store, Some("b")).await.len(), 1);
        assert!(told(&home, &store, Some("b")).await.is_empty());
    }
}
