//! Sign-ins in memory: the twin of `sqlite::profiles`. Nothing is sealed, since nothing is at rest.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use openclaw_ports::stores::{ProfileStore, StoreError, StoredProfile};
use openclaw_types::{AgentId, AuthProfileId, ProviderId};

use super::lock;

/// Keeps sign-ins as long as the process lives.
#[derive(Debug, Default)]
pub struct MemoryProfileStore {
    agents: Mutex<BTreeMap<AgentId, Shelf>>,
}

/// What one agent has.
#[derive(Debug, Default)]
struct Shelf {
    profiles: BTreeMap<AuthProfileId, StoredProfile>,
    order: BTreeMap<ProviderId, Vec<AuthProfileId>>,
}

#[async_trait]
impl ProfileStore for MemoryProfileStore {
    async fn list(&self, agent: &AgentId) -> Result<Vec<StoredProfile>, StoreError> {
        let agents = lock(&self.agents);
        Ok(agents.get(agent).map(|shelf| shelf.profiles.values().cloned().collect()).unwrap_or_default())
    }

    async fn put(&self, agent: &AgentId, profile: StoredProfile) -> Result<(), StoreError> {
        let mut agents = lock(&self.agents);
        agents.entry(agent.clone()).or_default().profiles.insert(profile.id.clone(), profile);
        Ok(())
    }

    async fn remove(&self, agent: &AgentId, profile: &AuthProfileId) -> Result<bool, StoreError> {
        Ok(lock(&self.agents).get_mut(agent).and_then(|shelf| shelf.profiles.remove(profile)).is_some())
    }

    async fn order(&self, agent: &AgentId) -> Result<BTreeMap<ProviderId, Vec<AuthProfileId>>, StoreError> {
        Ok(lock(&self.agents).get(agent).map(|shelf| shelf.order.clone()).unwrap_or_default())
    }

    async fn set_order(
        &self,
        agent: &AgentId,
        provider: &ProviderId,
        order: Vec<AuthProfileId>,
    ) -> Result<(), StoreError> {
        let mut agents = lock(&self.agents);
        let shelf = agents.entry(agent.clone()).or_default();
        if order.is_empty() {
            shelf.order.remove(provider);
        } else {
            shelf.order.insert(provider.clone(), order);
        }
        Ok(())
    }

    async fn agents(&self) -> Result<Vec<AgentId>, StoreError> {
        let agents = lock(&self.agents);
        let known = agents.iter().filter(|(_, shelf)| !shelf.profiles.is_empty() || !shelf.order.is_empty());
        Ok(known.map(|(agent, _)| agent.clone()).collect())
    }
}
