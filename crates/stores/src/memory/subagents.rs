//! Sub-agents in memory: the twin of `sqlite::subagents`.

use std::sync::Mutex;

use async_trait::async_trait;
use openclaw_ports::stores::{StoreError, Subagent, SubagentStore};
use openclaw_types::RunId;

use super::lock;

/// Keeps sub-agents as long as the process lives, in the order they were first saved.
#[derive(Debug, Default)]
pub struct MemorySubagentStore {
    subagents: Mutex<Vec<Subagent>>,
}

#[async_trait]
impl SubagentStore for MemorySubagentStore {
    async fn save(&self, subagent: &Subagent) -> Result<(), StoreError> {
        let mut subagents = lock(&self.subagents);
        match subagents.iter_mut().find(|known| known.run == subagent.run) {
            Some(known) => *known = subagent.clone(),
            None => subagents.push(subagent.clone()),
        }
        Ok(())
    }

    async fn all(&self) -> Result<Vec<Subagent>, StoreError> {
        let mut subagents = lock(&self.subagents).clone();
        subagents.sort_by_key(|subagent| subagent.created_at);
        Ok(subagents)
    }

    async fn remove(&self, run: &RunId) -> Result<(), StoreError> {
        lock(&self.subagents).retain(|known| known.run != *run);
        Ok(())
    }
}
