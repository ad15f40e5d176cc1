//! Asks a server a question and reads the answer as JSON.
//!
//! Short deadlines; size is bounded by the transport. Used by all who look for models.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use openclaw_ports::model::{FaultReason, ModelFault, ServerReach};
use openclaw_types::Secret;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::transport::{CallMethod, JsonBody, JsonCall, Transport};

/// How long a server on this machine may take. The largest of them answers lists in milliseconds.
const PATIENCE: Duration = Duration::from_millis(2_500);

/// Asks on behalf of one server.
pub(super) struct Asker<'a> {
    transport: &'a Transport,
    headers: BTreeMap<String, Secret<String>>,
    reach: ServerReach,
    patience: Duration,
}

impl<'a> Asker<'a> {
    /// An asker that shows a key, where there is one.
    pub(super) fn new(transport: &'a Transport, key: Option<&Secret<String>>, reach: ServerReach) -> Self {
        let bearer = key.map(|key| Secret::new(format!("Bearer {}", key.reveal().trim())));
        let headers = bearer.map(|bearer| ("authorization".to_owned(), bearer)).into_iter().collect();
        Self { transport, headers, reach, patience: PATIENCE }
    }

    /// The same with more time and other headers, for servers far away.
    pub(super) fn patient(mut self, patience: Duration, headers: BTreeMap<String, Secret<String>>) -> Self {
        self.patience = patience;
        self.headers.extend(headers);
        self
    }

    /// Reads what is at an address.
    pub(super) async fn get(&self, url: String) -> Result<Bytes, ModelFault> {
        self.ask(CallMethod::Get, url, JsonBody::None).await
    }

    /// Sends a question.
    pub(super) async fn post(&self, url: String, question: Value) -> Result<Bytes, ModelFault> {
        self.ask(CallMethod::Post, url, JsonBody::Json(question)).await
    }

    async fn ask(&self, method: CallMethod, url: String, body: JsonBody) -> Result<Bytes, ModelFault> {
        let call = JsonCall {
            method,
            url,
            headers: self.headers.clone(),
            body,
            reach: self.reach,
            deadline: self.patience,
        };
        let answer = self.transport.json(call).await?;
        if answer.is_success() {
            return Ok(answer.body);
        }
        let reason = match answer.status {
            401 | 403 => FaultReason::Auth,
            429 => FaultReason::RateLimit,
            500.. => FaultReason::Overloaded,
            _ => FaultReason::Unknown,
        };
        let message = format!("the server answered with status {}", answer.status);
        Err(ModelFault { status: Some(answer.status), ..ModelFault::new(reason, message) })
    }
}

/// Reads an answer.
///
/// # Errors
/// `Malformed` when it is of another shape.
pub(super) fn read<T: DeserializeOwned>(body: &[u8]) -> Result<T, ModelFault> {
    // The parser's own message may repeat what the server said, which is nobody's business here.
    serde_json::from_slice(body).map_err(|_shape| {
        ModelFault::new(FaultReason::Malformed, "the answer is not what such a server says")
    })
}
