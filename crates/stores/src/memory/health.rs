//! How credentials fared, in memory: the twin of `sqlite::health`.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use openclaw_ports::stores::{HealthKey, HealthRecord, HealthStore, StoreError};
use openclaw_types::{AgentId, AuthProfileId};

use super::lock;

/// Keeps what failover learned as long as the process lives.
#[derive(Debug, Default)]
pub struct MemoryHealthStore {
    records: Mutex<BTreeMap<HealthKey, HealthRecord>>,
}

#[async_trait]
impl HealthStore for MemoryHealthStore {
    async fn load(&self) -> Result<Vec<HealthRecord>, StoreError> {
        Ok(lock(&self.records).values().cloned().collect())
    }

    async fn load_agent(&self, agent: &AgentId) -> Result<Vec<HealthRecord>, StoreError> {
        Ok(lock(&self.records).values().filter(|record| record.key.agent == *agent).cloned().collect())
    }

    async fn put(&self, records: Vec<HealthRecord>) -> Result<(), StoreError> {
        lock(&self.records).extend(records.into_iter().map(|record| (record.key.clone(), record)));
        Ok(())
    }

    async fn forget(&self, agent: &AgentId, profile: Option<&AuthProfileId>) -> Result<(), StoreError> {
        lock(&self.records)
            .retain(|key, _| key.agent != *agent || profile.is_some_and(|profile| key.profile != *profile));
        Ok(())
    }
}
