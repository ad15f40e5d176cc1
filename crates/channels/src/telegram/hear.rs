//! Turns updates into events and hands them on, however they came. A press is answered once it is kept.

use std::sync::Arc;

use openclaw_ports::channel::{ChannelContext, NotTaken, Sink};
use openclaw_types::Inbound;
use serde_json::{Map, Value, json};

use super::api::TelegramApi;
use super::config::ButtonScope;
use super::memory::{KnownChat, KnownSticker, Memory};
use super::normalize::{Recalled, TelegramContext, chat_name, events, migration};
use super::slots::MenuNames;
use super::wire::{Chat, Message, Update, User};

/// What the platform is asked to tell.
pub(super) const TOLD: &[&str] = &[
    "message",
    "edited_message",
    "channel_post",
    "edited_channel_post",
    "callback_query",
    "message_reaction",
    "my_chat_member",
    "poll_answer",
];

/// Hears for an account.
pub(super) struct UpdateReader {
    pub(super) context: ChannelContext,
    pub(super) api: TelegramApi,
    pub(super) memory: Arc<Memory>,
    pub(super) us: User,
    pub(super) buttons: ButtonScope,
    pub(super) menu: Arc<MenuNames>,
}

impl UpdateReader {
    /// Hands on what updates tell. On return the platform may forget them; on an error it must bring them again.
    pub(super) async fn take(&self, updates: Vec<Value>, sink: &dyn Sink) -> Result<(), NotTaken> {
        let mut all = Vec::new();
        let mut presses = Vec::new();
        for raw in updates {
            let update: Update = match serde_json::from_value(raw) {
                Ok(update) => update,
                Err(error) => {
                    tracing::warn!(subsystem = "channels", %error, "an update makes no sense and is left out");
                    continue;
                }
            };
            all.extend(self.events(&update).await);
            presses.extend(update.callback_query.map(|query| query.id));
        }
        if !all.is_empty() {
            sink.take(all).await?;
        }
        for press in presses {
            self.answer(press);
        }
        Ok(())
    }

    async fn events(&self, update: &Update) -> Vec<Inbound> {
        self.note(update).await;
        let recalled = self.recall(update).await;
        let menu = self.menu.get();
        let hearing = TelegramContext {
            account: &self.context.account,
            us: &self.us,
            now: self.context.clock.now(),
            buttons: self.buttons,
            menu: &menu,
            recalled,
        };
        events(update, &hearing).unwrap_or_else(|error| {
            tracing::warn!(subsystem = "channels", %error, "an update makes no sense and is left out");
            Vec::new()
        })
    }

    async fn recall(&self, update: &Update) -> Recalled {
        let about = match (&update.message_reaction, &update.channel_post, &update.edited_channel_post) {
            (Some(reaction), _, _) => Some((reaction.chat.id, reaction.message_id)),
            (None, Some(post), _) | (None, None, Some(post)) => Some((post.chat.id, post.message_id)),
            (None, None, None) => None,
        };
        let ours = match about {
            Some((chat, message)) => self.memory.is_ours(chat, message).await,
            None => false,
        };
        let data = match update.callback_query.as_ref().and_then(|query| query.data.as_deref()) {
            Some(data) => Some(self.memory.lengthen(data).await),
            None => None,
        };
        let poll = match &update.poll_answer {
            Some(answer) => self.memory.poll(&answer.poll_id).await,
            None => None,
        };
        Recalled { ours, data, poll }
    }

    /// Notes whom we hear, stickers we see, and groups that move.
    async fn note(&self, update: &Update) {
        if let Some((from, to)) = migration(update) {
            self.memory.note_moved(from, to).await;
        }
        let Some(message) = update.message.as_deref().or(update.channel_post.as_deref()) else { return };
        self.note_chat(&message.chat).await;
        if let Some(user) = message.from.as_ref().filter(|user| user.id != message.chat.id && !user.is_bot) {
            let chat = KnownChat {
                kind: "private".to_owned(),
                name: Some(format!("{} {}", user.first_name, user.last_name.as_deref().unwrap_or_default()))
                    .map(|name| name.trim().to_owned()),
                handle: user.username.clone(),
            };
            self.memory.note_chat(user.id, chat).await;
        }
        self.note_sticker(message).await;
    }

    async fn note_chat(&self, chat: &Chat) {
        let known = KnownChat {
            kind: chat.kind.clone(),
            name: Some(chat_name(chat)).filter(|name| !name.is_empty()),
            handle: chat.username.clone(),
        };
        self.memory.note_chat(chat.id, known).await;
    }

    async fn note_sticker(&self, message: &Message) {
        let Some(sticker) = &message.content.sticker else { return };
        let known = KnownSticker {
            file_id: sticker.file_id.clone(),
            emoji: sticker.emoji.clone(),
            set_name: sticker.set_name.clone(),
        };
        self.memory.note_sticker(&sticker.file_unique_id, &known).await;
    }

    /// Tells the platform that a press was heard, so that the button stops to wait. It is too late for that after a while,
    /// which harms nobody.
    fn answer(&self, press: String) {
        let api = self.api.clone();
        self.context.tasks.start_cancellable("answer a press", async move {
            let fields = Map::from_iter([("callback_query_id".to_owned(), json!(press))]);
            if let Err(fault) = api.order("answerCallbackQuery", fields).await {
                tracing::debug!(subsystem = "channels", ?fault, "a press was not answered");
            }
        });
    }
}
