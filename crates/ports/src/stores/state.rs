//! Small named values that must survive a restart: switches, cursors, the last good configuration.
//!
//! Anything with a shape of its own gets a trait of its own instead.

use async_trait::async_trait;
use serde_json::Value;

use super::StoreError;

/// Keeps JSON values under a namespace and a key.
#[async_trait]
pub trait StateStore: Send + Sync {
    /// Reads one value.
    async fn get(&self, namespace: &str, key: &str) -> Result<Option<Value>, StoreError>;

    /// Writes one value, durable on return.
    async fn put(&self, namespace: &str, key: &str, value: Value) -> Result<(), StoreError>;

    /// Forgets one value; says whether it was there.
    async fn remove(&self, namespace: &str, key: &str) -> Result<bool, StoreError>;

    /// Reads a whole namespace, ordered by key.
    async fn list(&self, namespace: &str) -> Result<Vec<(String, Value)>, StoreError>;
}
