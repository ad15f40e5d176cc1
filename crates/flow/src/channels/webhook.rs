//! Events that platforms bring over HTTP: the accounts whose path a request names, for whoever serves HTTP.
//!
//! Several accounts may share a path; whose a request is shows in its proof of origin. Paths, limits and answers on the
//! wire are the server's business.

use std::sync::Arc;

use openclaw_ports::channel::{Sink, Webhook, WebhookAnswer, WebhookRequest};
use openclaw_types::{AccountId, ChannelId};

/// Whose path a request names.
pub enum Called {
    /// Nobody's.
    Nobody,
    /// An account's whose line is not up; the platform should come again.
    Down,
    /// These accounts'.
    Up(Vec<Hook>),
}

/// An account that takes requests.
pub struct Hook {
    /// The platform.
    pub channel: ChannelId,
    /// Our login there.
    pub account: AccountId,
    pub(super) webhook: Arc<dyn Webhook>,
    pub(super) sink: Arc<dyn Sink>,
}

impl Hook {
    /// The most bytes a request may have.
    #[must_use]
    pub fn limit(&self) -> usize {
        self.webhook.limit()
    }

    /// Whether the headers are those of the platform, as far as headers can show that.
    #[must_use]
    pub fn admits(&self, headers: &[(String, String)]) -> bool {
        self.webhook.admits(headers)
    }

    /// Takes a request. Its events are durable when the answer says so.
    pub async fn handle(&self, request: WebhookRequest) -> WebhookAnswer {
        self.webhook.handle(request, Arc::clone(&self.sink)).await
    }
}
