//! How messages come in: over a line of ours, or over HTTP.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_types::Inbound;

use super::ChannelError;

/// Hears what happens on a platform.
#[async_trait]
pub trait Receive: Send {
    /// Hands on everything that happens, in order, until the line breaks or its task scope is cancelled. An event is
    /// acknowledged to the platform only after the sink took it.
    async fn run(self: Box<Self>, sink: Arc<dyn Sink>) -> Result<(), ChannelError>;
}

/// Takes what happens on a platform.
#[async_trait]
pub trait Sink: Send + Sync {
    /// Takes events. They are durable on return, and taken once however often they come.
    async fn take(&self, events: Vec<Inbound>) -> Result<(), NotTaken>;
}

/// The events could not be kept; they must be offered again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the messages could not be kept; they have to come again")]
pub struct NotTaken;

/// Takes events that the platform brings over HTTP.
#[async_trait]
pub trait Webhook: Send + Sync {
    /// The path below the gateway's address.
    fn path(&self) -> &str;

    /// The most bytes a request may have. The host reads no more.
    fn limit(&self) -> usize;

    /// Checks what can be checked before the body is read: secrets in headers. Refusing costs nothing.
    fn admits(&self, headers: &[(String, String)]) -> bool;

    /// Checks the rest (signatures), hands events to the sink, and answers when they are durable.
    async fn handle(&self, request: WebhookRequest, sink: Arc<dyn Sink>) -> WebhookAnswer;
}

/// A request of a platform.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookRequest {
    /// The method, in capitals.
    pub method: String,
    /// What follows the question mark.
    pub query: String,
    /// The headers; names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// What the platform is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WebhookAnswer {
    /// The status.
    pub status: u16,
    /// The media type.
    pub media_type: &'static str,
    /// The body.
    pub body: String,
}

impl WebhookRequest {
    /// One header.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(each, _)| each == name).map(|(_, value)| value.as_str())
    }
}

impl WebhookAnswer {
    /// A plain answer.
    #[must_use]
    pub fn plain(status: u16, body: impl Into<String>) -> Self {
        Self { status, media_type: "text/plain; charset=utf-8", body: body.into() }
    }

    /// An answer in JSON.
    #[must_use]
    pub fn json(status: u16, body: &serde_json::Value) -> Self {
        Self { status, media_type: "application/json", body: body.to_string() }
    }
}
