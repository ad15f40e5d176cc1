//! A state store for the lines of the suite, which may know no implementation. Lives as long as the lines of one case.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use async_trait::async_trait;
use openclaw_ports::stores::{StateStore, StoreError};
use serde_json::Value;

/// Values in memory.
#[derive(Default)]
pub(super) struct Values(Mutex<BTreeMap<(String, String), Value>>);

impl Values {
    fn with<T>(&self, work: impl FnOnce(&mut BTreeMap<(String, String), Value>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl StateStore for Values {
    async fn get(&self, namespace: &str, key: &str) -> Result<Option<Value>, StoreError> {
        Ok(self.with(|all| all.get(&(namespace.to_owned(), key.to_owned())).cloned()))
    }

    async fn put(&self, namespace: &str, key: &str, value: Value) -> Result<(), StoreError> {
        self.with(|all| all.insert((namespace.to_owned(), key.to_owned()), value));
        Ok(())
    }

    async fn remove(&self, namespace: &str, key: &str) -> Result<bool, StoreError> {
        Ok(self.with(|all| all.remove(&(namespace.to_owned(), key.to_owned())).is_some()))
    }

    async fn list(&self, namespace: &str) -> Result<Vec<(String, Value)>, StoreError> {
        let of = |((space, key), value): (&(String, String), &Value)| {
            (space == namespace).then(|| (key.clone(), value.clone()))
        };
        Ok(self.with(|all| all.iter().filter_map(of).collect()))
    }
}
