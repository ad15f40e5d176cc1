//! Signed requests of Slack: events, commands and buttons all come to one address.
//!
//! What is not signed, or was signed long ago, is refused before anything in it is read. Slack is answered when the sink
//! has kept what came; what could not be kept is answered with a fault, so that Slack brings it again.

use std::sync::Arc;

use async_trait::async_trait;
use openclaw_ports::Clock;
use openclaw_ports::channel::{Sink, Webhook, WebhookAnswer, WebhookRequest};
use openclaw_types::Secret;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::intake::{Intake, SlackPayload};
use super::signature::{fits, is_recent};
use super::wire::{self, Callback};

/// The most bytes a request may have.
const LIMIT: usize = 1024 * 1024;
const SIGNATURE: &str = "x-slack-signature";
const TIMESTAMP: &str = "x-slack-request-timestamp";

/// Takes signed requests.
pub(super) struct SlackWebhook {
    path: String,
    secret: Secret<String>,
    clock: Arc<dyn Clock>,
    intake: Intake,
}

impl SlackWebhook {
    /// Takes requests at a path that are signed with a secret.
    pub(super) fn new(path: String, secret: Secret<String>, clock: Arc<dyn Clock>, intake: Intake) -> Self {
        Self { path, secret, clock, intake }
    }
}

#[async_trait]
impl Webhook for SlackWebhook {
    fn path(&self) -> &str {
        &self.path
    }

    fn limit(&self) -> usize {
        LIMIT
    }

    fn admits(&self, headers: &[(String, String)]) -> bool {
        let header = |wanted: &str| headers.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
        header(SIGNATURE).is_some_and(|signature| signature.starts_with("v0="))
            && header(TIMESTAMP).is_some_and(|time| is_recent(time, self.clock.now()))
    }

    async fn handle(&self, request: WebhookRequest, sink: Arc<dyn Sink>) -> WebhookAnswer {
        let (signature, time) = (request.header(SIGNATURE), request.header(TIMESTAMP));
        let (Some(signature), Some(time)) = (signature, time) else { return refused() };
        if request.method != "POST" {
            return WebhookAnswer::plain(405, "only POST is taken");
        }
        if !is_recent(time, self.clock.now()) || !fits(&self.secret, time, &request.body, signature) {
            return refused();
        }
        let payload = match read(&request) {
            Some(Brought::Payload(payload)) => payload,
            Some(Brought::Challenge(challenge)) => {
                return WebhookAnswer::json(200, &json!({ "challenge": challenge }));
            }
            Some(Brought::Nothing) => return WebhookAnswer::plain(200, ""),
            None => return WebhookAnswer::plain(400, "this makes no sense"),
        };
        match self.intake.take(payload, sink.as_ref()).await {
            Ok(()) => WebhookAnswer::plain(200, ""),
            Err(not_taken) => WebhookAnswer::plain(503, not_taken.to_string()),
        }
    }
}

fn refused() -> WebhookAnswer {
    WebhookAnswer::plain(401, "the signature is missing, wrong or too old")
}

/// What a request brought.
enum Brought {
    Payload(SlackPayload),
    /// What has to be said back to prove that we hear.
    Challenge(String),
    /// A question whether the line is encrypted.
    Nothing,
}

fn read(request: &WebhookRequest) -> Option<Brought> {
    let media_type = request.header("content-type").unwrap_or_default();
    if media_type.starts_with("application/x-www-form-urlencoded") {
        return form(&request.body);
    }
    let callback: Callback = from(serde_json::from_slice(&request.body).ok()?)?;
    match (callback.kind.as_str(), callback.challenge.clone()) {
        ("url_verification", Some(challenge)) => Some(Brought::Challenge(challenge)),
        ("url_verification", None) => None,
        _ => Some(Brought::Payload(SlackPayload::Event(Box::new(callback)))),
    }
}

/// Commands come as fields, buttons as JSON in one field.
fn form(body: &[u8]) -> Option<Brought> {
    let text = std::str::from_utf8(body).ok()?;
    // The fields of a form are written like those of an address.
    let address = reqwest::Url::parse(&format!("http://form/?{text}")).ok()?;
    let fields: serde_json::Map<String, Value> = address
        .query_pairs()
        .map(|(name, value)| (name.into_owned(), Value::String(value.into_owned())))
        .collect();
    if fields.contains_key("ssl_check") {
        return Some(Brought::Nothing);
    }
    let payload = match fields.get("payload").and_then(Value::as_str) {
        Some(payload) => SlackPayload::Touched(Box::new(from(serde_json::from_str(payload).ok()?)?)),
        None if fields.contains_key("command") => {
            SlackPayload::Command(Box::new(from(Value::Object(fields))?))
        }
        None => return None,
    };
    Some(Brought::Payload(payload))
}

fn from<T: DeserializeOwned>(value: Value) -> Option<T> {
    wire::read(value).ok()
}
