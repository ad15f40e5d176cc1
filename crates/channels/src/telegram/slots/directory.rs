//! Looks people and rooms up. A bot can ask for nobody it has not met, so these are those it has heard, and public names.

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, Directory, DirectoryEntry, DirectoryKind};
use openclaw_types::ChatKind;
use serde_json::{Map, Value, json};

use super::super::memory::KnownChat;
use super::super::normalize::chat_name;
use super::super::target::{ChatRef, TelegramDestination, target};
use super::super::wire::{Chat, ChatMember, User};
use super::TelegramSlots;

#[async_trait]
impl Directory for TelegramSlots {
    async fn me(&self) -> Result<DirectoryEntry, ChannelError> {
        Ok(user_entry(&self.us, Value::Null))
    }

    async fn search(
        &self,
        kind: DirectoryKind,
        words: &str,
        limit: usize,
    ) -> Result<Vec<DirectoryEntry>, ChannelError> {
        let words = words.trim().to_lowercase();
        let bare = words.trim_start_matches('@');
        let holds = |text: Option<&String>| text.is_some_and(|text| text.to_lowercase().contains(bare));
        let mut found: Vec<DirectoryEntry> = self
            .memory
            .chats()
            .await
            .into_iter()
            .filter(|(_, chat)| (chat.kind == "private") == (kind == DirectoryKind::People))
            .filter(|(id, chat)| {
                bare.is_empty()
                    || holds(chat.name.as_ref())
                    || holds(chat.handle.as_ref())
                    || id.to_string() == bare
            })
            .map(|(id, chat)| known_entry(id, chat))
            .take(limit)
            .collect();
        if found.is_empty() && words.starts_with('@') && limit > 0 {
            found.extend(self.public(&words, kind).await?);
        }
        Ok(found)
    }

    async fn members(&self, room: &str, limit: usize) -> Result<Vec<DirectoryEntry>, ChannelError> {
        let to = target(room).map_err(|reason| ChannelError::Wrong { reason })?;
        let fields = Map::from_iter([("chat_id".to_owned(), chat_id(&to)?)]);
        // The platform tells bots the administrators alone.
        let members: Vec<ChatMember> = self.api.call("getChatAdministrators", fields).await?;
        let entries = members
            .into_iter()
            .filter_map(|member| Some(user_entry(&member.user?, json!({ "status": member.status }))));
        Ok(entries.take(limit).collect())
    }
}

impl TelegramSlots {
    /// A chat by its public name; nothing where there is none.
    async fn public(&self, name: &str, kind: DirectoryKind) -> Result<Option<DirectoryEntry>, ChannelError> {
        let Ok(to) = target(name) else { return Ok(None) };
        let fields = Map::from_iter([("chat_id".to_owned(), chat_id(&to)?)]);
        match self.api.call::<Chat>("getChat", fields).await {
            Ok(chat) => {
                let known = KnownChat {
                    kind: chat.kind.clone(),
                    name: Some(chat_name(&chat)).filter(|name| !name.is_empty()),
                    handle: chat.username.clone(),
                };
                let fits = (known.kind == "private") == (kind == DirectoryKind::People);
                Ok(fits.then(|| known_entry(chat.id, known)))
            }
            Err(fault) if fault.says(&["chat not found"]) => Ok(None),
            Err(fault) => Err(fault.into()),
        }
    }
}

fn chat_id(to: &str) -> Result<Value, ChannelError> {
    let wrong = || ChannelError::Wrong { reason: format!("\"{to}\" is no Telegram chat") };
    let chat = to.split(':').next().unwrap_or_default();
    let chat = match (chat.parse(), chat.strip_prefix('@')) {
        (Ok(id), _) => ChatRef::Id(id),
        (Err(_), Some(name)) => ChatRef::Name(name.to_owned()),
        (Err(_), None) => return Err(wrong()),
    };
    Ok(TelegramDestination { chat, topic: None, direct: None }.chat_id())
}

fn known_entry(id: i64, chat: KnownChat) -> DirectoryEntry {
    DirectoryEntry {
        id: id.to_string(),
        kind: match chat.kind.as_str() {
            "private" => ChatKind::Direct,
            "channel" => ChatKind::Channel,
            _ => ChatKind::Group,
        },
        name: chat.name,
        handle: chat.handle,
        raw: json!({ "type": chat.kind }),
    }
}

fn user_entry(user: &User, raw: Value) -> DirectoryEntry {
    let name = format!("{} {}", user.first_name, user.last_name.as_deref().unwrap_or_default());
    DirectoryEntry {
        id: user.id.to_string(),
        kind: ChatKind::Direct,
        name: Some(name.trim().to_owned()).filter(|name| !name.is_empty()),
        handle: user.username.clone(),
        raw,
    }
}
