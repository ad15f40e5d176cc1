//! What can be done on a platform, one small trait for each slot.
//!
//! Calls are made one at a time for one conversation. Whoever calls has cut the words to size and stored them; a failure
//! says whether trying again helps. No call retries by itself.

use std::path::PathBuf;

use async_trait::async_trait;
use openclaw_types::{
    MediaRef, MessageId, Outgoing, PeerId, Receipt, RichText, SendTarget, ThreadId, UnixMillis,
};
use serde_json::{Map, Value};

use super::ChannelError;

/// Sends pieces.
#[async_trait]
pub trait SendMessage: Send + Sync {
    /// Sends one piece.
    async fn send(&self, piece: &Outgoing) -> Result<Receipt, ChannelError>;

    /// Looks for a piece whose fate is unknown, among what was sent since it was first tried. Only asked where the
    /// descriptor says `Findable`.
    async fn find(&self, piece: &Outgoing, since: UnixMillis) -> Result<Sent, ChannelError>;
}

/// What became of a piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sent {
    /// It is there.
    Yes(Receipt),
    /// It is not there.
    No,
    /// The platform cannot say.
    Unknown,
}

/// Changes what was sent.
#[async_trait]
pub trait EditMessage: Send + Sync {
    /// Puts other words into a message of ours. The same words again are no error.
    async fn edit(
        &self,
        target: &SendTarget,
        message: &MessageId,
        text: &RichText,
    ) -> Result<(), ChannelError>;
}

/// Takes back what was sent.
#[async_trait]
pub trait DeleteMessage: Send + Sync {
    /// Takes a message back. One that is already gone is not an error.
    async fn delete(&self, target: &SendTarget, message: &MessageId) -> Result<(), ChannelError>;
}

/// Sets and takes back reactions of ours.
#[async_trait]
pub trait React: Send + Sync {
    /// Sets a reaction.
    async fn react(&self, target: &SendTarget, message: &MessageId, emoji: &str) -> Result<(), ChannelError>;

    /// Whether a message carries several of our reactions at once; else a new one takes the place of the one before.
    fn carries_several(&self) -> bool;

    /// Takes a reaction back; nothing named means all of ours.
    async fn unreact(
        &self,
        target: &SendTarget,
        message: &MessageId,
        emoji: Option<&str>,
    ) -> Result<(), ChannelError>;
}

/// Shows that we write.
#[async_trait]
pub trait Typing: Send + Sync {
    /// Shows it once; it fades by itself. The host repeats it.
    async fn typing(&self, target: &SendTarget) -> Result<(), ChannelError>;

    /// How long it shows.
    fn lasts(&self) -> std::time::Duration;
}

/// Shows an answer while it is made, where the platform has a form for that which is no message yet.
#[async_trait]
pub trait Draft: Send + Sync {
    /// Whether it works there.
    fn works(&self, target: &SendTarget) -> bool;

    /// Shows the words so far. The number names the draft and stays the same for one answer.
    async fn draft(&self, target: &SendTarget, number: u64, text: &RichText) -> Result<(), ChannelError>;

    /// Takes back what is shown there: the answer has ended without words. What fades by itself may be left alone.
    async fn withdraw(&self, target: &SendTarget) -> Result<(), ChannelError>;
}

/// Takes back the sign that an answer is being made, where the platform itself shows one until something comes.
#[async_trait]
pub trait Waiting: Send + Sync {
    /// Whether somebody is shown there that an answer comes.
    fn waits(&self, target: &SendTarget) -> bool;

    /// No answer comes. Nothing happens where one came already.
    async fn end(&self, target: &SendTarget) -> Result<(), ChannelError>;
}

/// Makes threads.
#[async_trait]
pub trait Threads: Send + Sync {
    /// Makes a thread in a conversation, at a message where one is named.
    async fn create(
        &self,
        target: &SendTarget,
        name: &str,
        at: Option<&MessageId>,
    ) -> Result<ThreadId, ChannelError>;

    /// The same, where the thread is put away after so many quiet minutes. Refused where a platform has no such thing.
    async fn create_resting(
        &self,
        _target: &SendTarget,
        _name: &str,
        _at: Option<&MessageId>,
        _minutes: u64,
    ) -> Result<ThreadId, ChannelError> {
        let reason = "threads are not put away after a time here; leave `autoArchiveMin` out".to_owned();
        Err(ChannelError::Wrong { reason })
    }
}

/// Fetches files.
#[async_trait]
pub trait FetchMedia: Send + Sync {
    /// Fetches a file into the account's folder. Stops reading at the limit and says so.
    async fn fetch(&self, media: &MediaRef, limit: u64) -> Result<Fetched, ChannelError>;
}

/// A file that was fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Where it is.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// The media type the platform said.
    pub media_type: Option<String>,
    /// Its name.
    pub name: Option<String>,
}

/// Fills the platform's menu of commands.
#[async_trait]
pub trait CommandMenu: Send + Sync {
    /// Makes the menu be exactly this. Asks the platform for nothing that is so already.
    async fn publish(&self, commands: &[CommandEntry]) -> Result<(), ChannelError>;
}

/// A command in the menu.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandEntry {
    /// Its name, without a slash.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What can follow it, where that is one of a few words.
    pub choices: Vec<String>,
    /// Whether something can follow it at all.
    pub takes_words: bool,
}

/// Does things that only this platform has.
#[async_trait]
pub trait Actions: Send + Sync {
    /// Their names, as the `message` tool knows them: `pin`, `thread-list`, `timeout`, …
    fn names(&self) -> &[&'static str];

    /// Does one.
    async fn act(&self, request: ActionRequest) -> Result<Value, ChannelError>;
}

/// Something to do.
#[derive(Debug, Clone, PartialEq)]
pub struct ActionRequest {
    /// Its name.
    pub name: String,
    /// Where.
    pub target: Option<SendTarget>,
    /// Who wants it, where that is somebody the platform can go by. Never what a model wrote.
    pub requester: Option<Requester>,
    /// Everything else, under the names of the tool's parameters.
    pub parameters: Map<String, Value>,
}

/// Who wants something done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Requester {
    /// The person behind the run, which came over this platform.
    Person(PeerId),
    /// An operator of the gateway who may do everything there, with their own hands.
    Operator,
}
