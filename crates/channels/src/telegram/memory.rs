//! What an account remembers: how far it has read, what it sent, whom it has heard, what long buttons carry.
//!
//! Everything lies in the account's part of the state store, in values that cannot grow without end. Forgetting one costs
//! comfort, never a message, so a value that cannot be written is told in the log and nowhere else.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use openclaw_ports::channel::ChannelContext;
use openclaw_ports::stores::StateStore;
use openclaw_types::UnixMillis;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// How many of our messages are remembered of one chat.
const SENT: usize = 200;
/// How many polls, long buttons and stickers are remembered.
const LISTED: usize = 500;
/// How many chats are remembered to be written down already.
const CHATS: usize = 10_000;
/// What the platform takes as the data of a button, in bytes.
const BUTTON_BYTES: usize = 64;
/// What stands before the name of data that is remembered here.
const BUTTON_MARK: &str = "oc#";

/// What an account remembers.
pub(super) struct Memory {
    state: Arc<dyn StateStore>,
    namespace: String,
    /// Chats that are written down already, as they are.
    chats: Mutex<HashMap<i64, KnownChat>>,
}

/// How far an account has read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Offset {
    /// The bot it is true for.
    pub(super) bot: i64,
    /// The next update to ask for.
    pub(super) next: i64,
    /// When it was noted.
    pub(super) at: UnixMillis,
}

/// A chat or a person we have heard of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownChat {
    /// The platform's word for what it is: `private`, `group`, `supergroup`, `channel`.
    pub(super) kind: String,
    /// What people call it.
    pub(super) name: Option<String>,
    /// Its public name.
    pub(super) handle: Option<String>,
}

/// A poll of ours.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownPoll {
    /// The chat it is in.
    pub(super) chat: i64,
    /// The topic it is in.
    pub(super) topic: Option<i64>,
    /// What it asks.
    pub(super) question: String,
    /// What can be chosen.
    pub(super) options: Vec<String>,
}

/// A sticker we have seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KnownSticker {
    /// By which it can be sent.
    pub(super) file_id: String,
    /// What it stands for.
    pub(super) emoji: Option<String>,
    /// The set it belongs to.
    pub(super) set_name: Option<String>,
}

/// The menu as it was published last.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownMenu {
    /// A fingerprint of what the platform was told.
    pub(super) fingerprint: String,
    /// Our commands, by the names they have there.
    pub(super) names: BTreeMap<String, String>,
}

impl Memory {
    /// Of an account.
    pub(super) fn new(context: &ChannelContext) -> Self {
        Self {
            state: Arc::clone(&context.state),
            namespace: context.namespace.clone(),
            chats: Mutex::default(),
        }
    }

    /// How far the account has read.
    pub(super) async fn offset(&self) -> Option<Offset> {
        self.read("offset").await
    }

    /// Notes how far the account has read.
    pub(super) async fn note_offset(&self, offset: Offset) {
        self.write("offset", json!(offset)).await;
    }

    /// Notes a message of ours.
    pub(super) async fn note_sent(&self, chat: i64, message: i64) {
        let key = format!("sent/{chat}");
        let mut ids: Vec<i64> = self.read(&key).await.unwrap_or_default();
        ids.push(message);
        ids.drain(..ids.len().saturating_sub(SENT));
        self.write(&key, json!(ids)).await;
    }

    /// Whether a message is ours.
    pub(super) async fn is_ours(&self, chat: i64, message: i64) -> bool {
        let ids: Option<Vec<i64>> = self.read(&format!("sent/{chat}")).await;
        ids.is_some_and(|ids| ids.contains(&message))
    }

    /// Notes somebody or some place.
    pub(super) async fn note_chat(&self, id: i64, chat: KnownChat) {
        {
            let mut chats = self.chats.lock().unwrap_or_else(PoisonError::into_inner);
            if chats.get(&id) == Some(&chat) || (chats.len() >= CHATS && !chats.contains_key(&id)) {
                return;
            }
            chats.insert(id, chat.clone());
        }
        self.write(&format!("chat/{id}"), json!(chat)).await;
    }

    /// Everybody and every place we have heard of.
    pub(super) async fn chats(&self) -> Vec<(i64, KnownChat)> {
        let all = self.state.list(&self.namespace).await.unwrap_or_else(|error| {
            tracing::warn!(subsystem = "channels", %error, "what was remembered cannot be read");
            Vec::new()
        });
        all.into_iter()
            .filter_map(|(key, value)| {
                let id = key.strip_prefix("chat/")?.parse().ok()?;
                Some((id, serde_json::from_value(value).ok()?))
            })
            .collect()
    }

    /// What a button carries to the platform: the data, or a name for it where it is too long.
    pub(super) async fn shorten(&self, data: &str) -> String {
        if (1..=BUTTON_BYTES).contains(&data.len()) && !data.starts_with(BUTTON_MARK) {
            return data.to_owned();
        }
        let digest = Sha256::digest(data.as_bytes());
        let name = hex::encode(digest.get(..16).unwrap_or_default());
        self.remember("buttons", &name, json!(data)).await;
        format!("{BUTTON_MARK}{name}")
    }

    /// What a button carries.
    pub(super) async fn lengthen(&self, data: &str) -> String {
        let Some(name) = data.strip_prefix(BUTTON_MARK) else { return data.to_owned() };
        let found: Option<String> = self.recall("buttons", name).await;
        found.unwrap_or_else(|| data.to_owned())
    }

    /// Notes a poll of ours.
    pub(super) async fn note_poll(&self, id: &str, poll: &KnownPoll) {
        self.remember("polls", id, json!(poll)).await;
    }

    /// A poll of ours.
    pub(super) async fn poll(&self, id: &str) -> Option<KnownPoll> {
        self.recall("polls", id).await
    }

    /// Notes a sticker.
    pub(super) async fn note_sticker(&self, id: &str, sticker: &KnownSticker) {
        self.remember("stickers", id, json!(sticker)).await;
    }

    /// The stickers we have seen, the latest first.
    pub(super) async fn stickers(&self) -> Vec<KnownSticker> {
        let all: Vec<(String, KnownSticker)> = self.read("stickers").await.unwrap_or_default();
        all.into_iter().rev().map(|(_, sticker)| sticker).collect()
    }

    /// Notes that a group has another number now.
    pub(super) async fn note_moved(&self, from: i64, to: i64) {
        self.remember("moved", &from.to_string(), json!(to)).await;
    }

    /// The number a group has now, where it was told.
    pub(super) async fn moved(&self, from: i64) -> Option<i64> {
        self.recall("moved", &from.to_string()).await
    }

    /// Notes that the first half of a piece was sent.
    pub(super) async fn note_half(&self, piece: &str, message: i64) {
        self.remember("halves", piece, json!(message)).await;
    }

    /// The first half of a piece, where it was sent before.
    pub(super) async fn half(&self, piece: &str) -> Option<i64> {
        self.recall("halves", piece).await
    }

    /// The menu as it was published last.
    pub(super) async fn menu(&self) -> KnownMenu {
        self.read("menu").await.unwrap_or_default()
    }

    /// Notes the menu.
    pub(super) async fn note_menu(&self, menu: &KnownMenu) {
        self.write("menu", json!(menu)).await;
    }

    /// Puts something at the end of a list that forgets its oldest.
    async fn remember(&self, list: &str, name: &str, value: Value) {
        let mut all: Vec<(String, Value)> = self.read(list).await.unwrap_or_default();
        if all.iter().any(|(each, kept)| each == name && *kept == value) {
            return;
        }
        all.retain(|(each, _)| each != name);
        all.push((name.to_owned(), value));
        all.drain(..all.len().saturating_sub(LISTED));
        self.write(list, json!(all)).await;
    }

    async fn recall<T: DeserializeOwned>(&self, list: &str, name: &str) -> Option<T> {
        let all: Vec<(String, Value)> = self.read(list).await?;
        let (_, value) = all.into_iter().find(|(each, _)| each == name)?;
        serde_json::from_value(value).ok()
    }

    async fn read<T: DeserializeOwned>(&self, key: &str) -> Option<T> {
        let value = self.state.get(&self.namespace, key).await.unwrap_or_else(|error| {
            tracing::warn!(subsystem = "channels", %error, key, "what was remembered cannot be read");
            None
        });
        serde_json::from_value(value?).ok()
    }

    async fn write(&self, key: &str, value: Value) {
        if let Err(error) = self.state.put(&self.namespace, key, value).await {
            tracing::warn!(subsystem = "channels", %error, key, "something cannot be remembered");
        }
    }
}
