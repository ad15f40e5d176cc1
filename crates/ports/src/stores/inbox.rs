//! Messages that were accepted and are not answered yet.
//!
//! A message is here before its sender is told that it was accepted, so none is lost; it has a key of its own, so a
//! repeated one is noticed. It leaves when its run has ended, or when it is in the transcript of a run under way.

use async_trait::async_trait;
use openclaw_types::{RunId, SessionKey, UnixMillis};
use serde_json::Value;

use super::StoreError;

/// Keeps accepted messages until they are dealt with.
#[async_trait]
pub trait Inbox: Send + Sync {
    /// Accepts a message, unless one with its key was accepted before. Durable on return.
    async fn accept(&self, message: InboxMessage) -> Result<Acceptance, StoreError>;

    /// Notes which run deals with messages, and counts one more attempt for each of them.
    async fn assign(&self, messages: Vec<InboxId>, run: RunId) -> Result<(), StoreError>;

    /// Notes that no run deals with messages any more. Their attempts stay counted.
    async fn release(&self, messages: Vec<InboxId>) -> Result<(), StoreError>;

    /// Notes that messages are dealt with. Their keys are remembered until `forget`.
    async fn finish(&self, messages: Vec<InboxId>, how: InboxEnd) -> Result<(), StoreError>;

    /// Messages that are not dealt with, oldest first.
    async fn open_messages(&self) -> Result<Vec<InboxRow>, StoreError>;

    /// One message by its key.
    async fn find(&self, key: &InboxKey) -> Result<Option<InboxRow>, StoreError>;

    /// Forgets messages that were dealt with before a moment, and says how many there were.
    async fn forget(&self, before: UnixMillis) -> Result<u64, StoreError>;
}

/// Names a message for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InboxId(pub i64);

/// Names a message for those who send it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct InboxKey {
    /// The surface it came over: a channel, `webchat`, `agent`, `subagent`, …
    pub source: String,
    /// Our account there; empty where there is none.
    pub account: String,
    /// The event's own name.
    pub event: String,
}

/// A message to accept.
#[derive(Debug, Clone, PartialEq)]
pub struct InboxMessage {
    /// Its key.
    pub key: InboxKey,
    /// The session it is for.
    pub session: SessionKey,
    /// When it came.
    pub at: UnixMillis,
    /// The message, in the words of whoever accepts and answers messages.
    pub body: Value,
}

/// Whether a message was accepted.
#[derive(Debug, Clone, PartialEq)]
pub enum Acceptance {
    /// It was.
    New(InboxId),
    /// It had been before.
    Known(Box<InboxRow>),
}

/// How a message was dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum InboxEnd {
    /// A run answered it, or told why not.
    Answered,
    /// It was withdrawn: stopped, superseded, or dropped by a full queue, and its sender was told.
    Withdrawn,
}

/// A stored message.
#[derive(Debug, Clone, PartialEq)]
pub struct InboxRow {
    /// Names it.
    pub id: InboxId,
    /// What was accepted.
    pub message: InboxMessage,
    /// The run that deals with it.
    pub run: Option<RunId>,
    /// How often a run was noted.
    pub attempts: u64,
    /// How it was dealt with.
    pub end: Option<InboxEnd>,
}
