//! Answers to commands that are still to be given: the tokens of interactions, for as long as the platform takes answers.
//!
//! Kept durably, so that an answer finds its command after a restart too. The first piece of an answer takes the place
//! of the sign that we think; the others follow it.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Clock;
use openclaw_ports::stores::{StateStore, StoreError};
use openclaw_types::UnixMillis;
use serde::{Deserialize, Serialize};

/// How long the platform takes answers, with some room for the way.
const OPEN_FOR: Duration = Duration::from_secs(14 * 60);
const PREFIX: &str = "interaction/";

/// Keeps what is to be answered.
#[derive(Clone)]
pub(in super::super) struct Answers {
    state: Arc<dyn StateStore>,
    namespace: String,
    clock: Arc<dyn Clock>,
}

/// An interaction that can be answered.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in super::super) struct Pending {
    /// Lets us answer.
    pub(in super::super) token: String,
    /// Whether only who asked sees the answer.
    pub(in super::super) ephemeral: bool,
    at: i64,
    /// The piece that took the first place.
    #[serde(default)]
    first: Option<String>,
    /// The pieces that followed, and the messages they became.
    #[serde(default)]
    later: Vec<(String, String)>,
}

impl Pending {
    /// Whether a piece has the first place.
    pub(super) fn is_first(&self, key: &str) -> bool {
        self.first.as_deref() == Some(key)
    }

    /// The message a piece became that followed.
    pub(super) fn became(&self, key: &str) -> Option<&str> {
        self.later.iter().find(|(each, _)| each == key).map(|(_, message)| message.as_str())
    }
}

/// Which place a piece has in an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Turn {
    /// It takes the place of the sign that we think.
    First,
    /// It follows.
    Later,
}

impl Answers {
    pub(in super::super) fn new(
        state: Arc<dyn StateStore>,
        namespace: String,
        clock: Arc<dyn Clock>,
    ) -> Self {
        Self { state, namespace, clock }
    }

    /// An interaction can be answered from now on.
    pub(in super::super) async fn open(
        &self,
        id: &str,
        token: &str,
        ephemeral: bool,
    ) -> Result<(), StoreError> {
        self.forget_old().await?;
        let pending = Pending {
            token: token.to_owned(),
            ephemeral,
            at: self.clock.now().0,
            first: None,
            later: Vec::new(),
        };
        self.put(id, &pending).await
    }

    /// The interaction, as long as it can be answered.
    pub(in super::super) async fn find(&self, id: &str) -> Result<Option<Pending>, StoreError> {
        let found = self.state.get(&self.namespace, &format!("{PREFIX}{id}")).await?;
        let pending: Option<Pending> = found.and_then(|value| serde_json::from_value(value).ok());
        Ok(pending.filter(|pending| self.is_open(pending)))
    }

    /// The interaction and the place of a piece in its answer. The same piece has the same place every time.
    pub(in super::super) async fn claim(
        &self,
        id: &str,
        key: &str,
    ) -> Result<Option<(Pending, Turn)>, StoreError> {
        let Some(mut pending) = self.find(id).await? else { return Ok(None) };
        match pending.first.as_deref() {
            Some(_) if pending.is_first(key) => Ok(Some((pending, Turn::First))),
            Some(_) => Ok(Some((pending, Turn::Later))),
            None => {
                pending.first = Some(key.to_owned());
                self.put(id, &pending).await?;
                Ok(Some((pending, Turn::First)))
            }
        }
    }

    /// No answer comes. Gives what lets us say so, unless one came; later words go into the open.
    pub(in super::super) async fn close(&self, id: &str) -> Result<Option<String>, StoreError> {
        let Some(pending) = self.find(id).await?.filter(|pending| pending.first.is_none()) else {
            return Ok(None);
        };
        self.state.remove(&self.namespace, &format!("{PREFIX}{id}")).await?;
        Ok(Some(pending.token))
    }

    /// A piece that follows became this message.
    pub(in super::super) async fn note(&self, id: &str, key: &str, message: &str) -> Result<(), StoreError> {
        let Some(mut pending) = self.find(id).await? else { return Ok(()) };
        pending.later.push((key.to_owned(), message.to_owned()));
        self.put(id, &pending).await
    }

    async fn put(&self, id: &str, pending: &Pending) -> Result<(), StoreError> {
        let value = serde_json::json!({
            "token": pending.token,
            "ephemeral": pending.ephemeral,
            "at": pending.at,
            "first": pending.first,
            "later": pending.later,
        });
        self.state.put(&self.namespace, &format!("{PREFIX}{id}"), value).await
    }

    async fn forget_old(&self) -> Result<(), StoreError> {
        for (key, value) in self.state.list(&self.namespace).await? {
            let pending: Option<Pending> = serde_json::from_value(value).ok();
            if key.starts_with(PREFIX) && !pending.is_some_and(|pending| self.is_open(&pending)) {
                self.state.remove(&self.namespace, &key).await?;
            }
        }
        Ok(())
    }

    fn is_open(&self, pending: &Pending) -> bool {
        self.clock.now().since(UnixMillis(pending.at)) < OPEN_FOR
    }
}
