//! Shows that we write, shows an answer while it is made, and makes topics.

use std::time::Duration;

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, Draft, Threads, Typing};
use openclaw_types::{MessageId, RichText, SendTarget, ThreadId};
use serde_json::{Map, json};

use super::super::send::put_text;
use super::super::target::TelegramDestination;
use super::super::wire::MadeTopic;
use super::TelegramSlots;

/// The longest name of a topic, in characters.
const TOPIC_NAME: usize = 128;

#[async_trait]
impl Typing for TelegramSlots {
    async fn typing(&self, target: &SendTarget) -> Result<(), ChannelError> {
        let mut fields = TelegramDestination::of(target)?.typing_fields();
        fields.insert("action".into(), json!("typing"));
        Ok(self.api.order("sendChatAction", fields).await?)
    }

    fn lasts(&self) -> Duration {
        Duration::from_secs(5)
    }
}

#[async_trait]
impl Draft for TelegramSlots {
    fn works(&self, target: &SendTarget) -> bool {
        TelegramDestination::of(target).is_ok_and(|to| to.is_private() && to.topic.is_some())
    }

    async fn draft(&self, target: &SendTarget, number: u64, text: &RichText) -> Result<(), ChannelError> {
        let mut fields = TelegramDestination::of(target)?.fields();
        // The platform takes no zero, and numbers that every client can hold.
        let number = number % u64::from(i32::MAX.unsigned_abs()) + 1;
        fields.insert("draft_id".into(), json!(number));
        put_text(&mut fields, "text", text);
        Ok(self.api.order("sendMessageDraft", fields).await?)
    }

    /// A draft fades by itself.
    async fn withdraw(&self, _target: &SendTarget) -> Result<(), ChannelError> {
        Ok(())
    }
}

#[async_trait]
impl Threads for TelegramSlots {
    async fn create(
        &self,
        target: &SendTarget,
        name: &str,
        _at: Option<&MessageId>,
    ) -> Result<ThreadId, ChannelError> {
        let topic = self.make_topic(target, name, Map::new()).await?;
        ThreadId::new(topic.message_thread_id.to_string())
            .map_err(|error| ChannelError::Wrong { reason: error.to_string() })
    }
}

impl TelegramSlots {
    /// Makes a topic in a forum, or in a private chat that has topics.
    pub(super) async fn make_topic(
        &self,
        target: &SendTarget,
        name: &str,
        more: Map<String, serde_json::Value>,
    ) -> Result<MadeTopic, ChannelError> {
        let name: String = name.trim().chars().take(TOPIC_NAME).collect();
        if name.is_empty() {
            return Err(ChannelError::Wrong { reason: "a topic needs a name".to_owned() });
        }
        let mut fields = more;
        fields.insert("chat_id".into(), TelegramDestination::of(target)?.chat_id());
        fields.insert("name".into(), json!(name));
        Ok(self.api.call("createForumTopic", fields).await?)
    }
}
