//! What an account remembers in its part of the state store: values under keys, and lists that forget their oldest.
//!
//! Conversations go on at once, so a value is read and written again under one lock. Forgetting something costs comfort,
//! never a message: a value that cannot be written is told in the log and nowhere else.

use std::sync::Arc;

use openclaw_ports::channel::ChannelContext;
use openclaw_ports::stores::{StateStore, StoreError};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;

/// How many things a list holds.
const LISTED: usize = 500;
/// The list of what buttons carry.
const BUTTONS: &str = "buttons";
/// What stands before the name of what a button carries.
const BUTTON_MARK: &str = "oc#";

/// What an account remembers.
pub(crate) struct AccountMemory {
    state: Arc<dyn StateStore>,
    namespace: String,
    writing: Mutex<()>,
}

impl AccountMemory {
    /// Of an account.
    pub(crate) fn new(context: &ChannelContext) -> Self {
        Self::of(Arc::clone(&context.state), context.namespace.clone())
    }

    /// In a part of a store.
    pub(super) fn of(state: Arc<dyn StateStore>, namespace: String) -> Self {
        Self { state, namespace, writing: Mutex::new(()) }
    }

    /// A value.
    pub(crate) async fn read<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        self.load(key).await.ok().flatten()
    }

    /// A value, where the store answers.
    async fn load<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, StoreError> {
        let value = self.state.get(&self.namespace, key).await.inspect_err(|error| {
            tracing::warn!(subsystem = "channels", %error, key, "what was remembered cannot be read");
        })?;
        Ok(value.and_then(|value| serde_json::from_value(value).ok()))
    }

    /// Puts a value in the place of another, whatever that was.
    pub(crate) async fn write(&self, key: &str, value: Value) {
        if let Err(error) = self.state.put(&self.namespace, key, value).await {
            tracing::warn!(subsystem = "channels", %error, key, "something cannot be remembered");
        }
    }

    /// Makes a new value of the old one. Nothing is written where it stays the same, or where nobody knows what it was.
    pub(crate) async fn change<T>(&self, key: &str, change: impl FnOnce(&mut T) + Send)
    where
        T: Clone + Default + PartialEq + Serialize + DeserializeOwned + Send,
    {
        let _writing = self.writing.lock().await;
        let Ok(old) = self.load::<T>(key).await else { return };
        let old = old.unwrap_or_default();
        let mut new = old.clone();
        change(&mut new);
        if new != old {
            self.write(key, json!(new)).await;
        }
    }

    /// Everything there is, by key.
    pub(crate) async fn all(&self) -> Vec<(String, Value)> {
        self.state.list(&self.namespace).await.unwrap_or_else(|error| {
            tracing::warn!(subsystem = "channels", %error, "what was remembered cannot be read");
            Vec::new()
        })
    }

    /// Puts something at the end of a list.
    pub(crate) async fn remember(&self, list: &str, name: &str, value: Value) {
        self.change(list, |all: &mut Vec<(String, Value)>| {
            if all.iter().any(|(each, kept)| each == name && *kept == value) {
                return;
            }
            all.retain(|(each, _)| each != name);
            all.push((name.to_owned(), value));
            all.drain(..all.len().saturating_sub(LISTED));
        })
        .await;
    }

    /// Something of a list.
    pub(crate) async fn recall<T: DeserializeOwned>(&self, list: &str, name: &str) -> Option<T> {
        let all: Vec<(String, Value)> = self.read(list).await?;
        let (_, value) = all.into_iter().find(|(each, _)| each == name)?;
        serde_json::from_value(value).ok()
    }

    /// Whether a button can carry this as it is, where the platform takes so many bytes.
    pub(crate) fn is_short(data: &str, most: usize) -> bool {
        (1..=most).contains(&data.len()) && !data.starts_with(BUTTON_MARK)
    }

    /// A name for what a button carries. `salt` tells buttons apart that carry the same.
    pub(crate) async fn shorten(&self, data: &str, salt: usize) -> String {
        let salted = if salt == 0 { data.to_owned() } else { format!("{salt}\0{data}") };
        let digest = Sha256::digest(salted.as_bytes());
        let name = hex::encode(digest.get(..16).unwrap_or_default());
        self.remember(BUTTONS, &name, json!(data)).await;
        format!("{BUTTON_MARK}{name}")
    }

    /// What a button carries.
    pub(crate) async fn lengthen(&self, data: &str) -> String {
        let Some(name) = data.strip_prefix(BUTTON_MARK) else { return data.to_owned() };
        let found: Option<String> = self.recall(BUTTONS, name).await;
        found.unwrap_or_else(|| data.to_owned())
    }
}
