//! The fake's menu of commands, and its directory.

use async_trait::async_trait;
use openclaw_ports::channel::{
    ChannelError, CommandEntry, CommandMenu, Directory, DirectoryEntry, DirectoryKind,
};
use openclaw_types::{AccountId, ChatKind};
use serde_json::Value;

use super::{FakePlatform, Hand, lock};

/// The menu of an account.
pub(super) struct Board {
    pub(super) platform: FakePlatform,
    pub(super) account: AccountId,
}

#[async_trait]
impl CommandMenu for Board {
    async fn publish(&self, commands: &[CommandEntry]) -> Result<(), ChannelError> {
        let names = commands.iter().map(|command| command.name.clone()).collect();
        lock(&self.platform.0.menus).insert(self.account.clone(), names);
        self.platform.0.changed.notify_waiters();
        Ok(())
    }
}

/// Two people and a room are known by name: Ana (`ana`), Bob (`bob`), and `kitchen`.
#[async_trait]
impl Directory for Hand {
    async fn me(&self) -> Result<DirectoryEntry, ChannelError> {
        Ok(known(ChatKind::Direct, "bot", "Bot"))
    }

    async fn search(
        &self,
        kind: DirectoryKind,
        words: &str,
        limit: usize,
    ) -> Result<Vec<DirectoryEntry>, ChannelError> {
        let all = match kind {
            DirectoryKind::People => {
                vec![known(ChatKind::Direct, "ana", "Ana"), known(ChatKind::Direct, "bob", "Bob")]
            }
            DirectoryKind::Rooms => vec![known(ChatKind::Group, "kitchen", "Kitchen")],
        };
        let words = words.to_lowercase();
        Ok(all.into_iter().filter(|entry| entry.id.contains(&words)).take(limit).collect())
    }

    async fn members(&self, room: &str, limit: usize) -> Result<Vec<DirectoryEntry>, ChannelError> {
        match room {
            "kitchen" => self.search(DirectoryKind::People, "", limit).await,
            _ => Err(ChannelError::Refused { reason: "there is no such room".to_owned() }),
        }
    }
}

fn known(kind: ChatKind, id: &str, name: &str) -> DirectoryEntry {
    DirectoryEntry { id: id.to_owned(), kind, name: Some(name.to_owned()), handle: None, raw: Value::Null }
}
