//! What an account remembers: how far it has read, what it sent, whom it has heard, what long buttons carry.
//!
//! Everything lies in the account's part of the state store, in values that cannot grow without end.

use std::collections::{BTreeMap, HashMap};

use openclaw_ports::channel::ChannelContext;
use openclaw_types::UnixMillis;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::sync::Mutex;

use crate::shared::AccountMemory;

/// How many of our messages are remembered of one chat.
const SENT: usize = 200;
/// How many chats and people are remembered.
const CHATS: usize = 10_000;
/// What the platform takes as the data of a button, in bytes.
const BUTTON_BYTES: usize = 64;

/// What an account remembers.
pub(super) struct Memory {
    kept: AccountMemory,
    /// The chats that are written down, once they were read.
    chats: Mutex<Option<HashMap<i64, KnownChat>>>,
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
        Self { kept: AccountMemory::new(context), chats: Mutex::default() }
    }

    /// How far the account has read.
    pub(super) async fn offset(&self) -> Option<Offset> {
        self.kept.read("offset").await
    }

    /// Notes how far the account has read.
    pub(super) async fn note_offset(&self, offset: Offset) {
        self.kept.write("offset", json!(offset)).await;
    }

    /// Notes a message of ours.
    pub(super) async fn note_sent(&self, chat: i64, message: i64) {
        self.kept
            .change(&format!("sent/{chat}"), |ids: &mut Vec<i64>| {
                ids.push(message);
                ids.drain(..ids.len().saturating_sub(SENT));
            })
            .await;
    }

    /// Whether a message is ours.
    pub(super) async fn is_ours(&self, chat: i64, message: i64) -> bool {
        let ids: Option<Vec<i64>> = self.kept.read(&format!("sent/{chat}")).await;
        ids.is_some_and(|ids| ids.contains(&message))
    }

    /// Notes somebody or some place, while there is room: strangers in a group are heard before anybody lets them in.
    pub(super) async fn note_chat(&self, id: i64, chat: KnownChat) {
        let mut known = self.chats.lock().await;
        if known.is_none() {
            *known = Some(self.chats().await.into_iter().collect());
        }
        let known = known.get_or_insert_default();
        if known.get(&id) == Some(&chat) || (known.len() >= CHATS && !known.contains_key(&id)) {
            return;
        }
        self.kept.write(&format!("chat/{id}"), json!(chat)).await;
        known.insert(id, chat);
    }

    /// Everybody and every place we have heard of.
    pub(super) async fn chats(&self) -> Vec<(i64, KnownChat)> {
        let read = |(key, value): (String, Value)| {
            let id = key.strip_prefix("chat/")?.parse().ok()?;
            Some((id, serde_json::from_value(value).ok()?))
        };
        self.kept.all().await.into_iter().filter_map(read).collect()
    }

    /// What a button carries to the platform: the data, or a name for it where it is too long.
    pub(super) async fn shorten(&self, data: &str) -> String {
        match AccountMemory::is_short(data, BUTTON_BYTES) {
            true => data.to_owned(),
            false => self.kept.shorten(data, 0).await,
        }
    }

    /// What a button carries.
    pub(super) async fn lengthen(&self, data: &str) -> String {
        self.kept.lengthen(data).await
    }

    /// Notes a poll of ours.
    pub(super) async fn note_poll(&self, id: &str, poll: &KnownPoll) {
        self.kept.remember("polls", id, json!(poll)).await;
    }

    /// A poll of ours.
    pub(super) async fn poll(&self, id: &str) -> Option<KnownPoll> {
        self.kept.recall("polls", id).await
    }

    /// Notes a sticker.
    pub(super) async fn note_sticker(&self, id: &str, sticker: &KnownSticker) {
        self.kept.remember("stickers", id, json!(sticker)).await;
    }

    /// The stickers we have seen, the latest first.
    pub(super) async fn stickers(&self) -> Vec<KnownSticker> {
        let all: Vec<(String, KnownSticker)> = self.kept.read("stickers").await.unwrap_or_default();
        all.into_iter().rev().map(|(_, sticker)| sticker).collect()
    }

    /// Notes that a group has another number now.
    pub(super) async fn note_moved(&self, from: i64, to: i64) {
        self.kept.remember("moved", &from.to_string(), json!(to)).await;
    }

    /// The number a group has now, where it was told.
    pub(super) async fn moved(&self, from: i64) -> Option<i64> {
        self.kept.recall("moved", &from.to_string()).await
    }

    /// Notes that the first half of a piece was sent.
    pub(super) async fn note_half(&self, piece: &str, message: i64) {
        self.kept.remember("halves", piece, json!(message)).await;
    }

    /// The first half of a piece, where it was sent before.
    pub(super) async fn half(&self, piece: &str) -> Option<i64> {
        self.kept.recall("halves", piece).await
    }

    /// The menu as it was published last.
    pub(super) async fn menu(&self) -> KnownMenu {
        self.kept.read("menu").await.unwrap_or_default()
    }

    /// Notes the menu.
    pub(super) async fn note_menu(&self, menu: &KnownMenu) {
        self.kept.write("menu", json!(menu)).await;
    }
}
