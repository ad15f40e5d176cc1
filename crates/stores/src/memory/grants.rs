//! Permissions for commands in memory: the twin of `sqlite::grants`.

use std::sync::Mutex;

use async_trait::async_trait;
use openclaw_ports::stores::{Grant, GrantStore, StoreError};
use openclaw_types::UnixMillis;

use super::lock;

/// Keeps grants as long as the process lives, in the order they were first added.
#[derive(Debug, Default)]
pub struct MemoryGrantStore {
    grants: Mutex<Vec<Grant>>,
}

#[async_trait]
impl GrantStore for MemoryGrantStore {
    async fn add(&self, grant: &Grant) -> Result<(), StoreError> {
        let mut grants = lock(&self.grants);
        match grants.iter_mut().find(|known| known.id == grant.id) {
            Some(known) => *known = grant.clone(),
            None => grants.push(grant.clone()),
        }
        Ok(())
    }

    async fn all(&self) -> Result<Vec<Grant>, StoreError> {
        let mut grants = lock(&self.grants).clone();
        grants.sort_by_key(|grant| grant.created_at);
        Ok(grants)
    }

    async fn used(&self, id: &str, at: UnixMillis) -> Result<(), StoreError> {
        if let Some(grant) = lock(&self.grants).iter_mut().find(|grant| grant.id == id) {
            grant.last_used_at = Some(at);
        }
        Ok(())
    }

    async fn revoke(&self, id: &str) -> Result<bool, StoreError> {
        let mut grants = lock(&self.grants);
        let count = grants.len();
        grants.retain(|grant| grant.id != id);
        Ok(grants.len() < count)
    }
}
