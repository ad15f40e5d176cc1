//! Does what only this platform has: stickers, topics, pins, and what it knows of chats and people.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::channel::{ActionRequest, Actions, ChannelError};
use openclaw_types::{MessageId, SendTarget};
use serde_json::{Map, Value, json};

use super::super::target::TelegramDestination;
use super::super::wire::SentMessage;
use super::TelegramSlots;
use super::change::named;

/// How many stickers a search gives where nothing is said.
const FOUND: usize = 5;

/// Does deeds.
pub(super) struct TelegramActions {
    slots: Arc<TelegramSlots>,
    names: Vec<&'static str>,
}

impl TelegramActions {
    pub(super) fn new(slots: Arc<TelegramSlots>) -> Self {
        let deeds = slots.login.deeds;
        let mut names = vec!["pin", "unpin", "channel-info", "member-info"];
        if deeds.topics {
            names.push("topic-create");
        }
        if deeds.stickers {
            names.extend(["sticker", "sticker-search"]);
        }
        Self { slots, names }
    }

    async fn pin(&self, request: &ActionRequest, method: &str) -> Result<Value, ChannelError> {
        let target = place(request)?;
        let message = text(&request.parameters, &["messageId"]);
        let fields = match (message, method) {
            (Some(message), _) => named(target, &message_id(&message)?)?,
            // Without a message the latest pin is taken down.
            (None, "unpinChatMessage") => chat(target)?,
            (None, _) => return Err(missing("messageId")),
        };
        self.slots.api.order(method, fields).await?;
        Ok(json!({ "ok": true }))
    }

    async fn topic(&self, request: &ActionRequest) -> Result<Value, ChannelError> {
        let parameters = &request.parameters;
        let name = text(parameters, &["name", "threadName"]).ok_or_else(|| missing("name"))?;
        let mut more = Map::new();
        if let Some(colour) = parameters.get("iconColor").and_then(Value::as_i64) {
            more.insert("icon_color".into(), json!(colour));
        }
        if let Some(icon) = text(parameters, &["iconCustomEmojiId"]) {
            more.insert("icon_custom_emoji_id".into(), json!(icon));
        }
        let target = place(request)?;
        let topic = self.slots.make_topic(target, &name, more).await?;
        let chat = TelegramDestination::of(target)?.chat_id();
        Ok(json!({ "ok": true, "topicId": topic.message_thread_id, "name": topic.name, "chatId": chat }))
    }

    async fn sticker(&self, request: &ActionRequest) -> Result<Value, ChannelError> {
        let parameters = &request.parameters;
        let listed =
            parameters.get("stickerId").and_then(Value::as_array).and_then(|ids| ids.first()?.as_str());
        let file = listed.map(str::to_owned).or_else(|| text(parameters, &["fileId", "stickerId"]));
        let file = file.ok_or_else(|| missing("fileId"))?;
        let mut fields = TelegramDestination::of(place(request)?)?.fields();
        fields.insert("sticker".into(), json!(file));
        if let Some(reply) = text(parameters, &["replyTo"]) {
            let message: i64 = super::super::send::number(&message_id(&reply)?)?;
            let reply = json!({ "message_id": message, "allow_sending_without_reply": true });
            fields.insert("reply_parameters".into(), reply);
        }
        let sent: SentMessage = self.slots.api.call("sendSticker", fields).await?;
        self.slots.memory.note_sent(sent.chat.id, sent.message_id).await;
        Ok(
            json!({ "ok": true, "messageId": sent.message_id.to_string(), "chatId": sent.chat.id.to_string() }),
        )
    }

    async fn stickers(&self, request: &ActionRequest) -> Result<Value, ChannelError> {
        let query = text(&request.parameters, &["query"]).ok_or_else(|| missing("query"))?.to_lowercase();
        let limit = request.parameters.get("limit").and_then(Value::as_u64);
        let limit = limit.and_then(|limit| usize::try_from(limit).ok()).unwrap_or(FOUND);
        let words: Vec<&str> = query.split_whitespace().collect();
        let found: Vec<Value> = self
            .slots
            .memory
            .stickers()
            .await
            .into_iter()
            .filter(|sticker| {
                let set = sticker.set_name.as_deref().unwrap_or_default().to_lowercase();
                let emoji = sticker.emoji.as_deref().unwrap_or_default();
                words.iter().any(|word| set.contains(word) || (!emoji.is_empty() && word.contains(emoji)))
            })
            .take(limit)
            .map(|sticker| json!(sticker))
            .collect();
        Ok(json!({ "ok": true, "count": found.len(), "stickers": found }))
    }

    async fn about(&self, request: &ActionRequest) -> Result<Value, ChannelError> {
        let info: Value = self.slots.api.call("getChat", chat(place(request)?)?).await?;
        Ok(json!({ "ok": true, "channel": info }))
    }

    async fn member(&self, request: &ActionRequest) -> Result<Value, ChannelError> {
        let user = text(&request.parameters, &["userId", "participant"]).ok_or_else(|| missing("userId"))?;
        let user = super::super::target::person(&user)
            .ok_or_else(|| ChannelError::Wrong { reason: "write the person's number".to_owned() })?;
        let mut fields = chat(place(request)?)?;
        fields.insert("user_id".into(), json!(user.parse::<i64>().unwrap_or_default()));
        let member: Value = self.slots.api.call("getChatMember", fields).await?;
        Ok(json!({ "ok": true, "member": member }))
    }
}

#[async_trait]
impl Actions for TelegramActions {
    fn names(&self) -> &[&'static str] {
        &self.names
    }

    async fn act(&self, request: ActionRequest) -> Result<Value, ChannelError> {
        if !self.names.contains(&request.name.as_str()) {
            return Err(ChannelError::Wrong {
                reason: format!("\"{}\" is not one of {} on Telegram", request.name, self.names.join(", ")),
            });
        }
        match request.name.as_str() {
            "pin" => self.pin(&request, "pinChatMessage").await,
            "unpin" => self.pin(&request, "unpinChatMessage").await,
            "topic-create" => self.topic(&request).await,
            "sticker" => self.sticker(&request).await,
            "sticker-search" => self.stickers(&request).await,
            "channel-info" => self.about(&request).await,
            _ => self.member(&request).await,
        }
    }
}

fn place(request: &ActionRequest) -> Result<&SendTarget, ChannelError> {
    request.target.as_ref().ok_or_else(|| missing("target"))
}

fn chat(target: &SendTarget) -> Result<Map<String, Value>, ChannelError> {
    Ok(Map::from_iter([("chat_id".to_owned(), TelegramDestination::of(target)?.chat_id())]))
}

fn message_id(text: &str) -> Result<MessageId, ChannelError> {
    MessageId::new(text).map_err(|error| ChannelError::Wrong { reason: error.to_string() })
}

/// The first parameter of these that says something; numbers count as their digits.
fn text(parameters: &Map<String, Value>, names: &[&str]) -> Option<String> {
    names.iter().find_map(|name| match parameters.get(*name)? {
        Value::String(text) => Some(text.trim().to_owned()).filter(|text| !text.is_empty()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

fn missing(parameter: &str) -> ChannelError {
    ChannelError::Wrong { reason: format!("say {parameter}") }
}
