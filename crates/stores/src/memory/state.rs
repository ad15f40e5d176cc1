//! Named values in memory: the twin of `sqlite::state`.

use std::collections::BTreeMap;
use std::sync::Mutex;

use async_trait::async_trait;
use openclaw_ports::stores::{StateStore, StoreError};
use serde_json::Value;

use super::lock;

/// Keeps named values as long as the process lives.
#[derive(Debug, Default)]
pub struct MemoryStateStore {
    spaces: Mutex<BTreeMap<String, BTreeMap<String, Value>>>,
}

#[async_trait]
impl StateStore for MemoryStateStore {
    async fn get(&self, namespace: &str, key: &str) -> Result<Option<Value>, StoreError> {
        Ok(lock(&self.spaces).get(namespace).and_then(|space| space.get(key)).cloned())
    }

    async fn put(&self, namespace: &str, key: &str, value: Value) -> Result<(), StoreError> {
        lock(&self.spaces).entry(namespace.to_owned()).or_default().insert(key.to_owned(), value);
        Ok(())
    }

    async fn remove(&self, namespace: &str, key: &str) -> Result<bool, StoreError> {
        Ok(lock(&self.spaces).get_mut(namespace).and_then(|space| space.remove(key)).is_some())
    }

    async fn list(&self, namespace: &str) -> Result<Vec<(String, Value)>, StoreError> {
        let spaces = lock(&self.spaces);
        let entries = spaces.get(namespace).into_iter().flatten();
        Ok(entries.map(|(key, value)| (key.clone(), value.clone())).collect())
    }
}
