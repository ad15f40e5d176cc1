//! Tests the line: who we are, how updates come, and whether we are in the groups that have rules.

use async_trait::async_trait;
use openclaw_ports::channel::{ChannelError, Probe};
use serde_json::{Map, Value, json};

use super::super::wire::{ChatMember, User, WebhookInfo};
use super::TelegramSlots;

/// How many groups are asked about.
const GROUPS: usize = 20;

#[async_trait]
impl Probe for TelegramSlots {
    async fn probe(&self) -> Result<Value, ChannelError> {
        let began = self.context.clock.elapsed();
        let us: User = self.api.call("getMe", Map::new()).await?;
        let webhook: WebhookInfo = self.api.call("getWebhookInfo", Map::new()).await?;
        let mut groups = Vec::new();
        for room in self.login.rooms.iter().take(GROUPS) {
            groups.push(self.group(*room).await);
        }
        let elapsed = self.context.clock.elapsed().saturating_sub(began);
        Ok(json!({
            "ok": true,
            "elapsedMs": u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            "bot": {
                "id": us.id,
                "username": us.username,
                "canJoinGroups": us.can_join_groups,
                "canReadAllGroupMessages": us.can_read_all_group_messages,
                "supportsInlineQueries": us.supports_inline_queries,
            },
            "webhook": {
                "url": webhook.url,
                "hasCustomCert": webhook.has_custom_certificate,
                "pending": webhook.pending_update_count,
                "lastError": webhook.last_error_message,
            },
            "groups": groups,
        }))
    }
}

impl TelegramSlots {
    async fn group(&self, room: i64) -> Value {
        let fields =
            Map::from_iter([("chat_id".to_owned(), json!(room)), ("user_id".to_owned(), json!(self.us.id))]);
        match self.api.call::<ChatMember>("getChatMember", fields).await {
            Ok(member) => {
                let there = matches!(member.status.as_str(), "creator" | "administrator" | "member")
                    || (member.status == "restricted" && member.is_member);
                json!({ "chatId": room.to_string(), "ok": there, "status": member.status })
            }
            Err(fault) => {
                let error = ChannelError::from(fault);
                json!({ "chatId": room.to_string(), "ok": false, "error": error.to_string() })
            }
        }
    }
}
