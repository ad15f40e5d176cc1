//! What a connected account can do: a slot for each thing, empty where it cannot.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use openclaw_types::{ChatKind, NamedRoom};
use serde_json::Value;

use super::{
    Actions, Capability, ChannelError, CommandMenu, DeleteMessage, Draft, EditMessage, FetchMedia, Identity,
    React, Receive, SendMessage, Threads, Typing, Waiting, Webhook,
};

/// A connected account.
pub struct Surface {
    /// Who we are there.
    pub identity: Identity,
    /// Which rooms bear the names that the account's rules go by.
    pub named_rooms: Vec<NamedRoom>,
    /// Hears what happens.
    pub receive: Option<Box<dyn Receive>>,
    /// Hears what is brought over HTTP.
    pub webhook: Option<Arc<dyn Webhook>>,
    /// Sends words.
    pub send: Option<Arc<dyn SendMessage>>,
    /// Which payloads and trimmings `send` takes beside words.
    pub sends: BTreeSet<Capability>,
    /// Changes what was sent.
    pub edit: Option<Arc<dyn EditMessage>>,
    /// Takes back what was sent.
    pub delete: Option<Arc<dyn DeleteMessage>>,
    /// Reacts.
    pub react: Option<Arc<dyn React>>,
    /// Shows that we write.
    pub typing: Option<Arc<dyn Typing>>,
    /// Shows an answer while it is made.
    pub draft: Option<Arc<dyn Draft>>,
    /// Takes back the platform's own sign that we think.
    pub waiting: Option<Arc<dyn Waiting>>,
    /// Makes threads.
    pub threads: Option<Arc<dyn Threads>>,
    /// Fetches files.
    pub fetch: Option<Arc<dyn FetchMedia>>,
    /// Looks people and rooms up.
    pub directory: Option<Arc<dyn Directory>>,
    /// Fills the platform's menu of commands.
    pub menu: Option<Arc<dyn CommandMenu>>,
    /// Does things of the platform's own kind.
    pub actions: Option<Arc<dyn Actions>>,
    /// Tests the line.
    pub probe: Option<Arc<dyn Probe>>,
}

impl Surface {
    /// A surface with every slot empty.
    #[must_use]
    pub fn empty(identity: Identity) -> Self {
        Self {
            identity,
            named_rooms: Vec::new(),
            receive: None,
            webhook: None,
            send: None,
            sends: BTreeSet::new(),
            edit: None,
            delete: None,
            react: None,
            typing: None,
            draft: None,
            waiting: None,
            threads: None,
            fetch: None,
            directory: None,
            menu: None,
            actions: None,
            probe: None,
        }
    }

    /// What the filled slots can do.
    #[must_use]
    pub fn capabilities(&self) -> BTreeSet<Capability> {
        let mut all = if self.send.is_some() { self.sends.clone() } else { BTreeSet::new() };
        let slots = [
            (self.receive.is_some(), Capability::Receive),
            (self.webhook.is_some(), Capability::Webhook),
            (self.send.is_some(), Capability::Send),
            (self.edit.is_some(), Capability::Edit),
            (self.delete.is_some(), Capability::Delete),
            (self.react.is_some(), Capability::React),
            (self.typing.is_some(), Capability::Typing),
            (self.draft.is_some(), Capability::Draft),
            (self.threads.is_some(), Capability::Threads),
            (self.fetch.is_some(), Capability::FetchMedia),
            (self.directory.is_some(), Capability::Directory),
            (self.menu.is_some(), Capability::NativeCommands),
            (self.actions.is_some(), Capability::Actions),
            (self.probe.is_some(), Capability::Probe),
        ];
        all.extend(slots.into_iter().filter(|(filled, _)| *filled).map(|(_, capability)| capability));
        all
    }
}

/// Looks people and rooms up.
#[async_trait]
pub trait Directory: Send + Sync {
    /// Who we are there.
    async fn me(&self) -> Result<DirectoryEntry, ChannelError>;

    /// People or rooms whose name holds the words; all without words. At most `limit`.
    async fn search(
        &self,
        kind: DirectoryKind,
        words: &str,
        limit: usize,
    ) -> Result<Vec<DirectoryEntry>, ChannelError>;

    /// The members of a room.
    async fn members(&self, room: &str, limit: usize) -> Result<Vec<DirectoryEntry>, ChannelError>;
}

/// What to look for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DirectoryKind {
    /// People.
    People,
    /// Rooms.
    Rooms,
}

/// Somebody or some place.
#[derive(Debug, Clone, PartialEq)]
pub struct DirectoryEntry {
    /// The id.
    pub id: String,
    /// What kind of conversation a message to it begins.
    pub kind: ChatKind,
    /// The name.
    pub name: Option<String>,
    /// The handle.
    pub handle: Option<String>,
    /// What the platform says beside that.
    pub raw: Value,
}

/// Tests a line.
#[async_trait]
pub trait Probe: Send + Sync {
    /// Asks the platform who we are and what we may do. The answer goes to those who look at the status.
    async fn probe(&self) -> Result<Value, ChannelError>;
}
