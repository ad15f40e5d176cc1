//! Sends one call and reads bounded bodies; turns the client's errors into faults that hold no secret.
//!
//! `stream` and `side_call` use it. Knows nothing of models, repetition or deadlines, that of connecting apart.

use std::collections::BTreeMap;
use std::error::Error;

use bytes::{Bytes, BytesMut};
use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_types::Secret;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Method, Response, Url};

use super::Transport;
use super::certificate;
use super::client::Way;
use super::connect::ConnectTimedOut;
use super::egress::Refusal;
use super::side_call::CallMethod;

/// The longest cause that goes into a fault, in characters.
pub(super) const MAX_CAUSE: usize = 200;

/// Headers that belong to the connection, not to the call.
const OURS: &[&str] = &[
    "connection",
    "content-length",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// One call as it goes out.
pub(super) struct Outgoing {
    pub(super) method: CallMethod,
    pub(super) url: String,
    pub(super) headers: BTreeMap<String, Secret<String>>,
    pub(super) body: Bytes,
    pub(super) way: Way,
}

/// The address of a call, read once.
pub(super) struct CallAddress {
    url: Url,
    host: String,
}

impl CallAddress {
    /// Reads the address.
    pub(super) fn of(outgoing: &Outgoing) -> Result<Self, ModelFault> {
        let url = Url::parse(outgoing.url.trim()).map_err(|error| {
            let text = format!("the provider's address cannot be used ({error}); correct its baseUrl");
            ModelFault::new(FaultReason::Format, text)
        })?;
        let host = url.host_str().unwrap_or_default().to_owned();
        Ok(Self { url, host })
    }

    /// The place of an address that was read already.
    pub(super) fn at(url: Url) -> Self {
        let host = url.host_str().unwrap_or_default().to_owned();
        Self { url, host }
    }

    /// The host of an address, for people.
    pub(super) fn host_of(url: &str) -> String {
        let url = Url::parse(url.trim()).ok();
        url.and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_else(|| "[no host]".to_owned())
    }

    /// The host: all of the address that is ever shown.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// The address exactly as it is sent.
    pub(super) fn as_sent(&self) -> &str {
        self.url.as_str()
    }

    /// What an error of the client means: `Network` when no connection came about, so that nothing was sent;
    /// `Truncated` when it broke afterwards, since the server may have read the request and begun to work.
    pub(super) fn fault(&self, error: reqwest::Error) -> ModelFault {
        let error = error.without_url();
        let host = &self.host;
        let mut cause: &(dyn Error + 'static) = &error;
        loop {
            if let Some(refusal) = cause.downcast_ref::<Refusal>() {
                return refusal.fault();
            }
            if let Some(fault) = certificate::fault(host, cause) {
                return fault;
            }
            if cause.is::<ConnectTimedOut>() {
                let text =
                    format!("{host} could not be connected to in time; check the network or the proxy");
                return ModelFault::new(FaultReason::Network, text);
            }
            match cause.source() {
                Some(deeper) => cause = deeper,
                None => break,
            }
        }
        let (reason, what) = match () {
            () if error.is_builder() => {
                return ModelFault::new(FaultReason::Format, format!("the call to {host} cannot be made"));
            }
            () if error.is_connect() => {
                let what = "could not be connected to; check that it runs and can be reached";
                (FaultReason::Network, what)
            }
            () => (FaultReason::Truncated, "broke the connection after the request was sent"),
        };
        let cause: String = cause.to_string().chars().take(MAX_CAUSE).collect();
        ModelFault::new(reason, format!("{host} {what} ({cause})"))
    }
}

impl Transport {
    /// Sends a call and waits for the head of the answer.
    pub(super) async fn send(
        &self,
        outgoing: &Outgoing,
        place: &CallAddress,
    ) -> Result<Response, ModelFault> {
        let limit = self.limits().request_bytes;
        if outgoing.body.len() > limit {
            let text = format!(
                "the request has {} bytes and may have {limit}; send fewer or smaller attachments",
                outgoing.body.len()
            );
            return Err(ModelFault::new(FaultReason::TooLarge, text));
        }
        let client = self.inner.clients.allowed(place.url.scheme(), &place.host, outgoing.way)?;
        let method = match outgoing.method {
            CallMethod::Get => Method::GET,
            CallMethod::Post => Method::POST,
        };
        let mut call = client.request(method, place.url.clone()).headers(headers(&outgoing.headers)?);
        if outgoing.method == CallMethod::Post {
            call = call.body(outgoing.body.clone());
        }
        call.send().await.map_err(|error| place.fault(error))
    }
}

/// How reading a body ended.
pub(super) enum Reading {
    /// With its end.
    Whole(Bytes),
    /// At the limit.
    Cut(Bytes),
    /// With the connection.
    Broken(Bytes, reqwest::Error),
}

/// Reads a body up to a limit. Dropping the future loses what was read.
pub(super) async fn read_bounded(mut response: Response, limit: usize) -> Reading {
    let mut body = BytesMut::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) if body.len() + piece.len() > limit => {
                let room = limit - body.len();
                body.extend_from_slice(&piece[..room]);
                return Reading::Cut(body.freeze());
            }
            Ok(Some(piece)) => body.extend_from_slice(&piece),
            Ok(None) => return Reading::Whole(body.freeze()),
            Err(error) => return Reading::Broken(body.freeze(), error),
        }
    }
}

/// Headers of an answer, names in lower case. Several of one name are joined; what is no text is left out.
pub(super) fn header_map(headers: &HeaderMap) -> BTreeMap<String, String> {
    let mut map = BTreeMap::<String, String>::new();
    for (name, value) in headers {
        let Ok(value) = value.to_str() else { continue };
        map.entry(name.as_str().to_owned())
            .and_modify(|all| {
                all.push_str(", ");
                all.push_str(value);
            })
            .or_insert_with(|| value.to_owned());
    }
    map
}

fn headers(given: &BTreeMap<String, Secret<String>>) -> Result<HeaderMap, ModelFault> {
    let bad = |name: &str, why: &str| {
        let name: String = name.chars().filter(|letter| letter.is_ascii_graphic()).take(60).collect();
        ModelFault::new(
            FaultReason::Format,
            format!("the header {name:?} {why}; correct the provider's headers"),
        )
    };
    let mut map = HeaderMap::with_capacity(given.len());
    for (name, value) in given {
        let Ok(header) = name.parse::<HeaderName>() else { return Err(bad(name, "has no valid name")) };
        if OURS.contains(&header.as_str()) {
            return Err(bad(name, "is set by the gateway itself"));
        }
        let Ok(mut value) = HeaderValue::from_str(value.reveal().trim()) else {
            return Err(bad(name, "has a value that cannot be sent"));
        };
        value.set_sensitive(true);
        map.insert(header, value);
    }
    Ok(map)
}
