//! Changes what was sent, takes it back, and reacts to messages.

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, DeleteMessage, EditMessage, React};
use openclaw_types::{MessageId, RichText, SendTarget};
use serde_json::{Map, Value, json};

use super::super::send::{number, put_text};
use super::super::target::TelegramDestination;
use super::TelegramSlots;

/// The sign that makes some emoji colourful. The platform's names for reactions are without it.
const COLOURFUL: char = '\u{fe0f}';

#[async_trait]
impl EditMessage for TelegramSlots {
    async fn edit(
        &self,
        target: &SendTarget,
        message: &MessageId,
        text: &RichText,
    ) -> Result<(), ChannelError> {
        let mut fields = named(target, message)?;
        put_text(&mut fields, "text", text);
        if !self.login.link_preview {
            fields.insert("link_preview_options".into(), json!({ "is_disabled": true }));
        }
        let outcome = match self.api.order("editMessageText", fields).await {
            // Below a file the words have another name.
            Err(fault) if fault.says(&["there is no text in the message to edit"]) => {
                let mut fields = named(target, message)?;
                put_text(&mut fields, "caption", text);
                self.api.order("editMessageCaption", fields).await
            }
            other => other,
        };
        match outcome {
            Err(fault) if fault.says(&["message is not modified"]) => Ok(()),
            other => Ok(other?),
        }
    }
}

#[async_trait]
impl DeleteMessage for TelegramSlots {
    async fn delete(&self, target: &SendTarget, message: &MessageId) -> Result<(), ChannelError> {
        match self.api.order("deleteMessage", named(target, message)?).await {
            Err(fault) if fault.says(&["message to delete not found", "MESSAGE_ID_INVALID"]) => Ok(()),
            other => Ok(other?),
        }
    }
}

#[async_trait]
impl React for TelegramSlots {
    fn carries_several(&self) -> bool {
        false
    }

    async fn react(&self, target: &SendTarget, message: &MessageId, emoji: &str) -> Result<(), ChannelError> {
        let sign = match emoji.trim().strip_prefix("custom:") {
            Some(id) => json!({ "type": "custom_emoji", "custom_emoji_id": id }),
            None => json!({ "type": "emoji", "emoji": emoji.trim().replace(COLOURFUL, "") }),
        };
        self.set_reaction(target, message, vec![sign]).await
    }

    // A bot has one reaction on a message, so taking back any takes back all.
    async fn unreact(
        &self,
        target: &SendTarget,
        message: &MessageId,
        _emoji: Option<&str>,
    ) -> Result<(), ChannelError> {
        self.set_reaction(target, message, Vec::new()).await
    }
}

impl TelegramSlots {
    async fn set_reaction(
        &self,
        target: &SendTarget,
        message: &MessageId,
        signs: Vec<Value>,
    ) -> Result<(), ChannelError> {
        let mut fields = named(target, message)?;
        fields.insert("reaction".into(), json!(signs));
        Ok(self.api.order("setMessageReaction", fields).await?)
    }
}

/// The fields that name a message.
pub(super) fn named(target: &SendTarget, message: &MessageId) -> Result<Map<String, Value>, ChannelError> {
    let to = TelegramDestination::of(target)?;
    Ok(Map::from_iter([
        ("chat_id".to_owned(), to.chat_id()),
        ("message_id".to_owned(), json!(number(message)?)),
    ]))
}
