//! Takes updates that the platform brings. Its secret is checked before anything is read, in a time that tells nothing.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::channel::{Sink, Webhook, WebhookAnswer, WebhookRequest};
use openclaw_types::Secret;
use sha2::{Digest as _, Sha256};

use super::config::Push;
use super::hear::UpdateReader;

/// The header with the secret.
const HEADER: &str = "x-telegram-bot-api-secret-token";
/// The most bytes of an update. The platform's own stay far below.
const LIMIT: usize = 1024 * 1024;

/// Takes what the platform brings.
pub(super) struct TelegramWebhook {
    ears: Arc<UpdateReader>,
    path: String,
    secret: Secret<String>,
}

impl TelegramWebhook {
    pub(super) fn new(ears: Arc<UpdateReader>, push: &Push) -> Self {
        Self { ears, path: push.path.clone(), secret: push.secret.clone() }
    }
}

#[async_trait]
impl Webhook for TelegramWebhook {
    fn path(&self) -> &str {
        &self.path
    }

    fn limit(&self) -> usize {
        LIMIT
    }

    fn admits(&self, headers: &[(String, String)]) -> bool {
        let mut given = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case(HEADER));
        match (given.next(), given.next()) {
            (Some((_, given)), None) => same(given, self.secret.reveal()),
            _ => false,
        }
    }

    async fn handle(&self, request: WebhookRequest, sink: Arc<dyn Sink>) -> WebhookAnswer {
        if !self.admits(&request.headers) {
            return WebhookAnswer::plain(401, "the secret is wrong");
        }
        if request.method != "POST" {
            return WebhookAnswer::plain(405, "updates are brought with POST");
        }
        let Ok(update) = serde_json::from_slice(&request.body) else {
            return WebhookAnswer::plain(400, "an update is JSON");
        };
        match self.ears.take(vec![update], sink.as_ref()).await {
            Ok(()) => WebhookAnswer::plain(200, "ok"),
            // The platform brings it again.
            Err(not_taken) => WebhookAnswer::plain(503, not_taken.to_string()),
        }
    }
}

/// Compares two secrets. Their fingerprints have one length, and every byte of them is looked at.
fn same(one: &str, other: &str) -> bool {
    let (one, other) = (Sha256::digest(one.as_bytes()), Sha256::digest(other.as_bytes()));
    one.iter().zip(other.iter()).fold(0_u8, |sum, (one, other)| sum | (one ^ other)) == 0
}
