//! Calls of the Bot API: one method, its fields, its answer. What the platform says against a call becomes a typed fault.
//!
//! The token stands in every address, so no address is ever shown, and what the platform says is searched for it. The
//! platform tells most refusals apart by their words alone; those words are known here and nowhere else.

use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Clock;
use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_types::Secret;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::config::TelegramLogin;
use super::wire::Reply;
use crate::shared::{Body, Http, HttpFault, HttpRequest, HttpResponse, Method, UploadField};

/// How long a call with a file may take. The host gives a piece two minutes.
const UPLOAD: Duration = Duration::from_secs(110);
/// How long to wait where the platform says too much and not how long.
const PAUSE: Duration = Duration::from_secs(5);

/// Makes calls for one account. Cloning is cheap.
#[derive(Clone)]
pub(super) struct TelegramApi {
    http: Http,
    root: Arc<str>,
    token: Secret<String>,
    patience: Duration,
}

/// Why a call gave nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ApiFault {
    /// More came back than is read.
    TooLarge,
    /// No answer came that makes sense.
    Silent {
        /// What happened.
        reason: String,
        /// Whether the platform may have taken the call.
        landed: Landed,
    },
    /// The platform says no.
    Said(No),
}

/// What the platform says against a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct No {
    /// Its number for it.
    pub(super) code: u16,
    /// Its words.
    pub(super) words: String,
    /// Where the conversation went.
    pub(super) moved_to: Option<i64>,
    /// How long to wait.
    pub(super) after: Option<Duration>,
}

impl TelegramApi {
    /// For an account.
    pub(super) fn new(login: &TelegramLogin, clock: Arc<dyn Clock>) -> Result<Self, ChannelError> {
        Ok(Self {
            http: Http::new(clock, &login.network)?,
            root: login.root.as_str().into(),
            token: login.token.clone(),
            patience: login.patience,
        })
    }

    /// Makes a call.
    pub(super) async fn call<T: DeserializeOwned>(
        &self,
        method: &str,
        fields: Map<String, Value>,
    ) -> Result<T, ApiFault> {
        self.call_within(method, fields, self.patience).await
    }

    /// Makes a call whose answer says no more than that it was done.
    pub(super) async fn order(&self, method: &str, fields: Map<String, Value>) -> Result<(), ApiFault> {
        self.call::<Value>(method, fields).await.map(|_done| ())
    }

    /// Makes a call that may take longer than others.
    pub(super) async fn call_within<T: DeserializeOwned>(
        &self,
        method: &str,
        fields: Map<String, Value>,
        deadline: Duration,
    ) -> Result<T, ApiFault> {
        self.send(method, Body::Json(Value::Object(fields)), deadline).await
    }

    /// Makes a call that carries files.
    pub(super) async fn upload<T: DeserializeOwned>(
        &self,
        method: &str,
        fields: Map<String, Value>,
        files: Vec<UploadField>,
    ) -> Result<T, ApiFault> {
        let mut parts: Vec<UploadField> = fields
            .into_iter()
            .map(|(name, value)| UploadField::Text {
                name,
                value: match value {
                    Value::String(text) => text,
                    other => other.to_string(),
                },
            })
            .collect();
        parts.extend(files);
        self.send(method, Body::Parts(parts), UPLOAD.max(self.patience)).await
    }

    /// The request for a file. Its path comes from the platform and stays below the place for files.
    pub(super) fn file_request(&self, path: &str) -> HttpRequest {
        HttpRequest {
            method: Method::GET,
            address: format!("{}/file/bot{}/{path}", self.root, self.token.reveal()),
            headers: Vec::new(),
            body: Body::Empty,
            deadline: UPLOAD,
        }
    }

    /// Carries requests that are no calls.
    pub(super) fn http(&self) -> &Http {
        &self.http
    }

    async fn send<T: DeserializeOwned>(
        &self,
        method: &str,
        body: Body,
        deadline: Duration,
    ) -> Result<T, ApiFault> {
        let address = format!("{}/bot{}/{method}", self.root, self.token.reveal());
        let request = HttpRequest { method: Method::POST, address, headers: Vec::new(), body, deadline };
        let answer = self.http.call(request).await?;
        let value = self.read(&answer)?;
        serde_json::from_value(value).map_err(|error| ApiFault::Silent {
            reason: format!("the answer to {method} makes no sense: {error}"),
            landed: Landed::Maybe,
        })
    }

    fn read(&self, answer: &HttpResponse) -> Result<Value, ApiFault> {
        let reply: Option<Reply> = serde_json::from_slice(&answer.body).ok();
        match reply {
            Some(reply) if reply.ok => Ok(reply.result),
            Some(reply) => {
                let parameters = reply.parameters.unwrap_or_default();
                Err(ApiFault::Said(No {
                    code: reply.error_code.unwrap_or(answer.status),
                    words: reply.description.replace(self.token.reveal().as_str(), "…"),
                    moved_to: parameters.migrate_to_chat_id,
                    after: parameters.retry_after.map(Duration::from_secs),
                }))
            }
            // A proxy or a server in trouble speaks no JSON.
            None if (400..500).contains(&answer.status) && answer.status != 429 => Err(ApiFault::Said(No {
                code: answer.status,
                words: format!("HTTP {}", answer.status),
                moved_to: None,
                after: None,
            })),
            None => Err(ApiFault::Silent {
                reason: format!("an answer that makes no sense (HTTP {})", answer.status),
                landed: Landed::Maybe,
            }),
        }
    }
}

impl ApiFault {
    /// Whether the platform's words hold one of these.
    pub(super) fn says(&self, any: &[&str]) -> bool {
        match self {
            Self::TooLarge | Self::Silent { .. } => false,
            Self::Said(no) => {
                let words = no.words.to_lowercase();
                any.iter().any(|each| words.contains(&each.to_lowercase()))
            }
        }
    }
}

impl From<HttpFault> for ApiFault {
    fn from(fault: HttpFault) -> Self {
        match fault {
            HttpFault::TooLarge => Self::TooLarge,
            HttpFault::Broken { reason, landed } => Self::Silent { reason, landed },
        }
    }
}

impl From<ApiFault> for ChannelError {
    fn from(fault: ApiFault) -> Self {
        let no = match fault {
            ApiFault::TooLarge => return HttpFault::TooLarge.into(),
            ApiFault::Silent { reason, landed } => return Self::Unreachable { reason, landed },
            ApiFault::Said(no) => no,
        };
        if let Some(to) = no.moved_to {
            return Self::Moved { to: to.to_string() };
        }
        let words = no.words.to_lowercase();
        let reason = no.words;
        match no.code {
            429 => Self::RateLimited { after: no.after.unwrap_or(PAUSE) },
            401 => Self::Unauthorized { reason },
            // A token of the wrong form is answered as an address that is not there, with these words alone.
            404 if words == "not found" => Self::Unauthorized { reason },
            409 => Self::Conflict { reason },
            400 if words.contains("can't parse entities") || words.contains("unsupported start tag") => {
                Self::Markup { reason }
            }
            400..=499 => Self::Refused { reason },
            _ => Self::Unreachable { reason, landed: Landed::Maybe },
        }
    }
}
