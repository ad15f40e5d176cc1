//! Calls to vendors that are no model calls: lists of models, sign-ins, quotas.
//!
//! The catalog and the credentials of this crate call it. Nothing is repeated: a sign-in may spend what it sends. The
//! answer comes whole and bounded, whatever its status; what it means is the caller's business.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use openclaw_ports::Deadline;
use openclaw_ports::model::{FaultReason, ModelFault, ServerReach};
use openclaw_types::Secret;
use serde_json::Value;

use super::Transport;
use super::client::Way;
use super::egress;
use super::secrets::secrets_of;
use super::send::{CallAddress, Outgoing, Reading, header_map, read_bounded};
use crate::sigv4::escaped;

/// One call.
pub struct JsonCall {
    /// The method.
    pub method: CallMethod,
    /// The whole address.
    pub url: String,
    /// The headers, names in lower case. Values may hold credentials.
    pub headers: BTreeMap<String, Secret<String>>,
    /// What is sent; the content type follows from it.
    pub body: JsonBody,
    /// Where the address may lie.
    pub reach: ServerReach,
    /// The time for all of it.
    pub deadline: Duration,
}

/// The methods there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallMethod {
    /// Reads.
    Get,
    /// Sends.
    Post,
}

/// What is sent. Not shown by `Debug`: it may hold secrets.
pub enum JsonBody {
    /// Nothing.
    None,
    /// JSON.
    Json(Value),
    /// Fields of a form.
    Form(Vec<(String, Secret<String>)>),
}

/// An answer of any status. Not shown whole by `Debug`: it may hold tokens.
#[derive(Clone, PartialEq, Eq)]
pub struct JsonAnswer {
    /// The HTTP status.
    pub status: u16,
    /// The headers, names in lower case.
    pub headers: BTreeMap<String, String>,
    /// The whole body.
    pub body: Bytes,
}

impl JsonAnswer {
    /// Whether the status is a success.
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

impl Transport {
    /// Makes one call and reads its whole answer. A redirect to another server is an answer, not followed.
    ///
    /// # Errors
    /// `Network` or `Timeout` when there was no whole answer, `TooLarge` when a body is larger than we take, `Format`
    /// when the address may not be reached or cannot be used. A status that is no success is not an error here.
    pub async fn json(&self, call: JsonCall) -> Result<JsonAnswer, ModelFault> {
        let way = Way::To(call.reach);
        self.ask(call, way).await
    }

    /// Asks one of the lenders of AWS keys that stand beside containers: `169.254.170.2`, `169.254.170.23` and
    /// `[fd00:ec2::23]`, over plain HTTP. The call's reach does not count, no proxy is used, no redirect followed.
    ///
    /// # Errors
    /// As for `json`; `Format` for every other address.
    pub async fn lender(&self, call: JsonCall) -> Result<JsonAnswer, ModelFault> {
        self.ask(call, Way::Lender).await
    }

    async fn ask(&self, call: JsonCall, way: Way) -> Result<JsonAnswer, ModelFault> {
        let total = Deadline::after(self.clock(), call.deadline);
        let outgoing = outgoing(call, way)?;
        let place = CallAddress::of(&outgoing)?;
        let secrets = secrets_of(&outgoing, None, None);
        let work = async {
            let response = self.send(&outgoing, &place).await?;
            let status = response.status().as_u16();
            let headers = header_map(response.headers());
            let body = match read_bounded(response, self.limits().side_bytes).await {
                Reading::Whole(body) => body,
                Reading::Cut(_) => return Err(too_large(&place)),
                Reading::Broken(_, error) => return Err(place.fault(error)),
            };
            Ok(JsonAnswer { status, headers, body })
        };
        match total.bound(self.clock(), work).await {
            Ok(answer) => answer.map_err(|fault| unanswered(secrets.out_of(fault))),
            Err(openclaw_ports::TimedOut) => Err(ModelFault::new(
                FaultReason::Timeout,
                format!("{} did not answer in time; try again later", place.host()),
            )),
        }
    }
}

fn outgoing(call: JsonCall, way: Way) -> Result<Outgoing, ModelFault> {
    let (kind, body) = match call.body {
        JsonBody::None => (None, Bytes::new()),
        JsonBody::Json(value) => {
            let body = serde_json::to_vec(&value).map_err(|error| {
                ModelFault::new(FaultReason::Format, format!("the request is no JSON: {error}"))
            })?;
            (Some("application/json"), Bytes::from(body))
        }
        JsonBody::Form(fields) => (Some("application/x-www-form-urlencoded"), Bytes::from(form(&fields))),
    };
    let mut headers = call.headers;
    if let Some(kind) = kind {
        headers.entry("content-type".to_owned()).or_insert_with(|| Secret::new(kind.to_owned()));
    }
    headers.entry("accept".to_owned()).or_insert_with(|| Secret::new("application/json".to_owned()));
    Ok(Outgoing { method: call.method, url: call.url, headers, body, way })
}

fn form(fields: &[(String, Secret<String>)]) -> String {
    let fields: Vec<String> = fields
        .iter()
        .map(|(name, value)| format!("{}={}", escaped(name.as_bytes()), escaped(value.reveal().as_bytes())))
        .collect();
    fields.join("&")
}

/// A side call costs nothing: how far it came before the connection broke makes no difference.
fn unanswered(fault: ModelFault) -> ModelFault {
    match fault.reason {
        FaultReason::Truncated => ModelFault { reason: FaultReason::Network, ..fault },
        _ => fault,
    }
}

/// Whether an address is one that `Transport::lender` asks.
pub(crate) fn is_lender(url: &str) -> bool {
    reqwest::Url::parse(url.trim())
        .is_ok_and(|url| url.host_str().is_some_and(|host| egress::check_lender(url.scheme(), host).is_ok()))
}

fn too_large(place: &CallAddress) -> ModelFault {
    ModelFault::new(
        FaultReason::TooLarge,
        format!("the answer of {} is larger than the gateway accepts", place.host()),
    )
}

impl fmt::Debug for JsonCall {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.headers.keys().collect();
        out.debug_struct("JsonCall")
            .field("method", &self.method)
            .field("host", &CallAddress::host_of(&self.url))
            .field("headers", &names)
            .field("reach", &self.reach)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for JsonBody {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::None => "None",
            Self::Json(_) => "Json(..)",
            Self::Form(_) => "Form(..)",
        })
    }
}

impl fmt::Debug for JsonAnswer {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&String> = self.headers.keys().collect();
        out.debug_struct("JsonAnswer")
            .field("status", &self.status)
            .field("headers", &names)
            .field("body", &self.body.len())
            .finish()
    }
}
