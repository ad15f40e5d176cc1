//! Frames a client sends and a server reads, and the other way round.
//!
//! Reading keeps params and payloads as raw JSON text, so that only the one who knows the type parses them, once.
//! Writing goes straight to text. An event's payload is written once (`EventText`) and shared by all who receive it.
//! What frames mean (ordering, `seq`, who gets what) is decided in `gateway` and `client`.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::{EncodeError, ErrorShape};
use crate::method::{explain, is_json};
use crate::shape::{NonEmpty, Text, choices, object};

choices! {
    /// Marks a request.
    RequestTag { Request = "req" }
    /// Marks a response.
    ResponseTag { Response = "res" }
    /// Marks an event.
    EventTag { Event = "event" }
}

object! {
    /// How often presence and health changed since the gateway started.
    #[derive(Copy, Eq, Default)]
    open StateVersion {
        presence: u64,
        health: u64,
    }
    /// A request as the schema describes it; `Request` is its parsed form.
    closed RequestFrame {
        "type" tag: RequestTag,
        id: NonEmpty,
        method: NonEmpty,
        params?: Value,
        /// Trace context (protocol 4).
        traceparent?: Text<0, 128>,
        /// The user profile the client believes to be (protocol 4).
        expected_profile_id?: Text<1, 128>,
    }
    /// A response as the schema describes it; `response_ok` and `response_error` write it.
    closed ResponseFrame {
        "type" tag: ResponseTag,
        id: NonEmpty,
        ok: bool,
        payload?: Value,
        error?: ErrorShape,
    }
    /// An event as the schema describes it; `EventText` writes it.
    closed EventFrame {
        "type" tag: EventTag,
        event: NonEmpty,
        payload?: Value,
        seq?: u64,
        state_version?: StateVersion,
    }
}

/// A request, with its params still raw.
#[derive(Debug, Clone)]
pub struct Request {
    /// Chosen by the client; the response carries it back.
    pub id: String,
    /// The method's name.
    pub method: String,
    /// The params; absent and null are the same.
    pub params: Option<Box<RawValue>>,
    /// Trace context, from clients of protocol 4.
    pub traceparent: Option<String>,
    /// The user profile the client believes to be, from clients of protocol 4.
    pub expected_profile_id: Option<String>,
}

/// Why a message is not a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FrameFault {
    /// The bytes are not JSON. The sender gets no answer.
    #[error("the message is not JSON")]
    NotJson,
    /// The bytes are JSON but no request frame. Answer with `to_error`, under `id` when the sender gave one.
    #[error("invalid request frame: {problems}")]
    NotRequest {
        /// The id the sender gave.
        id: Option<String>,
        /// What is wrong, in words.
        problems: String,
    },
}

/// The id of an answer to a request that had none.
pub const INVALID_REQUEST_ID: &str = "invalid";

impl FrameFault {
    /// The answer to send back: its id and the error. Bytes that are not JSON get none.
    #[must_use]
    pub fn to_answer(&self) -> Option<(&str, ErrorShape)> {
        match self {
            Self::NotJson => None,
            Self::NotRequest { id, .. } => Some((
                id.as_deref().unwrap_or(INVALID_REQUEST_ID),
                ErrorShape::invalid_request(self.to_string()),
            )),
        }
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct RawRequest {
    #[serde(rename = "type")]
    _tag: RequestTag,
    id: NonEmpty,
    method: NonEmpty,
    #[serde(default)]
    params: Option<Box<RawValue>>,
    #[serde(default, deserialize_with = "crate::shape::present")]
    traceparent: Option<Text<0, 128>>,
    #[serde(default, deserialize_with = "crate::shape::present")]
    expected_profile_id: Option<Text<1, 128>>,
}

impl Request {
    /// Reads one message of a client.
    ///
    /// # Errors
    /// Tells bytes that are not JSON from JSON that is no request; the latter keeps the id.
    pub fn parse(message: &[u8]) -> Result<Self, FrameFault> {
        match serde_json::from_slice::<RawRequest>(message) {
            // A derived reader also takes a list and fills the fields by position; a frame is an object.
            Ok(raw) if message.trim_ascii_start().first() == Some(&b'{') => Ok(Self {
                id: raw.id.into_string(),
                method: raw.method.into_string(),
                params: raw.params,
                traceparent: raw.traceparent.map(Text::into_string),
                expected_profile_id: raw.expected_profile_id.map(Text::into_string),
            }),
            Ok(_) => Err(explain_request(message, None)),
            Err(error) => Err(explain_request(message, Some(&error))),
        }
    }
}

#[cold]
fn explain_request(message: &[u8], error: Option<&serde_json::Error>) -> FrameFault {
    if !is_json(message) {
        return FrameFault::NotJson;
    }
    let value = serde_json::from_slice::<Value>(message).unwrap_or(Value::Null);
    let id = value.get("id").and_then(Value::as_str).filter(|id| !id.is_empty()).map(str::to_owned);
    FrameFault::NotRequest { id, problems: explain::<RequestFrame>(&value, error) }
}

#[derive(Serialize)]
struct RequestOut<'a, P: ?Sized> {
    #[serde(rename = "type")]
    tag: RequestTag,
    id: &'a str,
    method: &'a str,
    params: &'a P,
}

/// Writes a request.
///
/// # Errors
/// When the params cannot be written as JSON.
pub fn request<P: Serialize + ?Sized>(id: &str, method: &str, params: &P) -> Result<String, EncodeError> {
    Ok(serde_json::to_string(&RequestOut { tag: RequestTag::Request, id, method, params })?)
}

#[derive(Serialize)]
struct ResponseOut<'a, P: ?Sized> {
    #[serde(rename = "type")]
    tag: ResponseTag,
    id: &'a str,
    ok: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    payload: Option<&'a P>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a ErrorShape>,
}

/// Writes the answer to a request that succeeded. A `&RawValue` as payload is copied as it is.
///
/// # Errors
/// When the payload cannot be written as JSON.
pub fn response_ok<P: Serialize + ?Sized>(id: &str, payload: &P) -> Result<String, EncodeError> {
    let frame = ResponseOut { tag: ResponseTag::Response, id, ok: true, payload: Some(payload), error: None };
    Ok(serde_json::to_string(&frame)?)
}

/// Writes the answer to a request that was refused.
///
/// # Errors
/// When the details cannot be written as JSON.
pub fn response_error(id: &str, error: &ErrorShape) -> Result<String, EncodeError> {
    let frame =
        ResponseOut::<()> { tag: ResponseTag::Response, id, ok: false, payload: None, error: Some(error) };
    Ok(serde_json::to_string(&frame)?)
}

/// An event whose payload is already JSON text, ready to be framed with or without a `seq`.
///
/// A broadcast writes the payload once, calls `frame` once and shares the text; a copy for one connection calls
/// `frame` again with its own stamp and does not write the payload anew.
#[derive(Debug, Clone)]
pub struct EventText {
    name: &'static str,
    payload: Box<RawValue>,
}

/// What a broadcast adds to an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct EventStamp {
    /// Position among all broadcasts; absent for an event sent to selected connections.
    pub seq: Option<u64>,
    /// State counters; only with `presence` and `health`.
    pub state_version: Option<StateVersion>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventOut<'a> {
    #[serde(rename = "type")]
    tag: EventTag,
    event: &'a str,
    payload: &'a RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    seq: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    state_version: Option<StateVersion>,
}

impl EventText {
    /// Writes the payload of an event.
    ///
    /// # Errors
    /// When the payload cannot be written as JSON.
    pub fn new<P: Serialize + ?Sized>(name: &'static str, payload: &P) -> Result<Self, EncodeError> {
        Ok(Self { name, payload: serde_json::value::to_raw_value(payload)? })
    }

    /// The event's name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The payload as JSON text.
    #[must_use]
    pub fn payload(&self) -> &RawValue {
        &self.payload
    }

    /// The whole frame as text.
    ///
    /// # Errors
    /// Never for an event built by `new`; the signature is honest about the writer.
    pub fn frame(&self, stamp: EventStamp) -> Result<String, EncodeError> {
        Ok(serde_json::to_string(&EventOut {
            tag: EventTag::Event,
            event: self.name,
            payload: &self.payload,
            seq: stamp.seq,
            state_version: stamp.state_version,
        })?)
    }
}

/// A message of the server, as our own client reads it. Unknown top-level keys are ignored.
#[derive(Debug, Clone)]
pub enum ServerFrame {
    /// The answer to a request.
    Response(ServerResponse),
    /// Something that happened.
    Event(ServerEvent),
}

/// An answer; one request may get two of them with the same id.
#[derive(Debug, Clone)]
pub struct ServerResponse {
    /// The id of the request.
    pub id: String,
    /// The payload, or the error with the payload that came with it.
    pub outcome: Result<Option<Box<RawValue>>, FailedResponse>,
}

/// A refusal and the payload that may accompany it.
#[derive(Debug, Clone)]
pub struct FailedResponse {
    /// Why.
    pub error: ErrorShape,
    /// What the server still had to say.
    pub payload: Option<Box<RawValue>>,
}

/// An event, with its payload still raw.
#[derive(Debug, Clone)]
pub struct ServerEvent {
    /// The event's name.
    pub event: String,
    /// The payload.
    pub payload: Option<Box<RawValue>>,
    /// Position among all broadcasts.
    pub seq: Option<u64>,
    /// State counters.
    pub state_version: Option<StateVersion>,
}

/// The server sent something that is no frame.
#[derive(Debug, thiserror::Error)]
#[error("the server sent a message that is no response or event: {reason}")]
pub struct BadServerFrame {
    reason: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RawServerFrame {
    #[serde(rename = "type")]
    tag: String,
    id: Option<String>,
    ok: Option<bool>,
    event: Option<String>,
    payload: Option<Box<RawValue>>,
    error: Option<ErrorShape>,
    seq: Option<u64>,
    state_version: Option<StateVersion>,
}

impl ServerFrame {
    /// Reads one message of a server.
    ///
    /// # Errors
    /// When it is neither a response nor an event.
    pub fn parse(message: &[u8]) -> Result<Self, BadServerFrame> {
        let raw: RawServerFrame = serde_json::from_slice(message).map_err(|error| bad(error.to_string()))?;
        match (raw.tag.as_str(), raw.id, raw.ok, raw.event) {
            ("res", Some(id), Some(true), _) => {
                Ok(Self::Response(ServerResponse { id, outcome: Ok(raw.payload) }))
            }
            ("res", Some(id), Some(false), _) => {
                let error = raw.error.unwrap_or_else(|| ErrorShape::unavailable("the server gave no reason"));
                let outcome = Err(FailedResponse { error, payload: raw.payload });
                Ok(Self::Response(ServerResponse { id, outcome }))
            }
            ("event", _, _, Some(event)) => Ok(Self::Event(ServerEvent {
                event,
                payload: raw.payload,
                seq: raw.seq,
                state_version: raw.state_version,
            })),
            (tag, ..) => Err(bad(format!("type {tag:?} without the fields it needs"))),
        }
    }
}

fn bad(reason: String) -> BadServerFrame {
    BadServerFrame { reason }
}
