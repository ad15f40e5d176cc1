//! The fake's way in over HTTP.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::channel::{NotTaken, Sink, Webhook, WebhookAnswer, WebhookRequest};
use openclaw_types::{AccountId, Inbound, UnixMillis};
use serde_json::Value;

use super::FakePlatform;

/// Hears over HTTP: `{"event", "from", "text"}`, with the token in a header.
pub(super) struct Letterbox {
    pub(super) path: String,
    pub(super) token: String,
    pub(super) account: AccountId,
}

impl Letterbox {
    fn event(&self, body: &[u8]) -> Option<Inbound> {
        let said: Value = serde_json::from_slice(body).ok()?;
        let word = |name: &str| said.get(name).and_then(Value::as_str).filter(|word| !word.is_empty());
        let (from, event, text) = (word("from")?, word("event")?, word("text")?);
        Some(FakePlatform::direct(self.account.as_str(), from, event, text, UnixMillis(1_000)))
    }
}

#[async_trait]
impl Webhook for Letterbox {
    fn path(&self) -> &str {
        &self.path
    }

    fn limit(&self) -> usize {
        4_096
    }

    fn admits(&self, headers: &[(String, String)]) -> bool {
        headers.iter().any(|(name, value)| name == "x-fake-token" && *value == self.token)
    }

    async fn handle(&self, request: WebhookRequest, sink: Arc<dyn Sink>) -> WebhookAnswer {
        let Some(event) = self.event(&request.body) else {
            return WebhookAnswer::plain(400, "this is no event");
        };
        match sink.take(vec![event]).await {
            Ok(()) => WebhookAnswer::plain(200, "ok"),
            Err(NotTaken) => WebhookAnswer::plain(503, "come again"),
        }
    }
}
