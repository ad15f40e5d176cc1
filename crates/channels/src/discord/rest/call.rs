//! Carries calls to the API.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use openclaw_ports::Clock;
use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_types::{Secret, UnixMillis};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::fault::{ApiFault, fault, understood};
use super::limits::{Learned, Limits, Route};
use crate::shared::{Body, Downloaded, Http, HttpRequest, Method, UploadField};

const USUAL: Duration = Duration::from_secs(30);
const WITH_FILES: Duration = Duration::from_secs(110);

/// Where the API is, and who asks.
pub(in super::super) struct ApiSettings {
    /// The address, with the version and without a slash at its end.
    pub(in super::super) root: String,
    /// Our token.
    pub(in super::super) token: Secret<String>,
}

/// Makes calls of one account. Cloning is cheap.
#[derive(Clone)]
pub(in super::super) struct DiscordApi {
    http: Http,
    settings: Arc<ApiSettings>,
    limits: Arc<Mutex<Limits>>,
    clock: Arc<dyn Clock>,
}

/// A call.
pub(in super::super) struct Call {
    method: Method,
    path: String,
    body: Body,
    reason: Option<String>,
    deadline: Duration,
    sign: Sign,
}

/// Whether a call shows our token.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Ours,
    /// The path holds a token of its own.
    InPath,
}

impl Call {
    fn new(method: Method, path: impl Into<String>, body: Body) -> Self {
        Self { method, path: path.into(), body, reason: None, deadline: USUAL, sign: Sign::Ours }
    }

    /// Asks.
    pub(in super::super) fn get(path: impl Into<String>) -> Self {
        Self::new(Method::GET, path, Body::Empty)
    }

    /// Takes away.
    pub(in super::super) fn delete(path: impl Into<String>) -> Self {
        Self::new(Method::DELETE, path, Body::Empty)
    }

    /// Sets something that needs no words.
    pub(in super::super) fn set(path: impl Into<String>) -> Self {
        Self::new(Method::PUT, path, Body::Empty)
    }

    /// Brings something.
    pub(in super::super) fn with(method: Method, path: impl Into<String>, body: Value) -> Self {
        Self::new(method, path, Body::Json(body))
    }

    /// Brings something with files.
    pub(in super::super) fn with_files(
        method: Method,
        path: impl Into<String>,
        parts: Vec<UploadField>,
    ) -> Self {
        Self { deadline: WITH_FILES, ..Self::new(method, path, Body::Parts(parts)) }
    }

    /// Says why, for the guild's own log.
    pub(in super::super) fn because(self, reason: Option<&str>) -> Self {
        Self { reason: reason.map(str::to_owned), ..self }
    }

    /// The path holds a token of its own, so that ours is not shown.
    pub(in super::super) fn unsigned(self) -> Self {
        Self { sign: Sign::InPath, ..self }
    }

    /// Waits only so long.
    pub(in super::super) fn within(self, deadline: Duration) -> Self {
        Self { deadline, ..self }
    }
}

impl DiscordApi {
    /// Makes calls over this client.
    pub(in super::super) fn new(http: Http, settings: ApiSettings, clock: Arc<dyn Clock>) -> Self {
        Self { http, settings: Arc::new(settings), limits: Arc::default(), clock }
    }

    /// Makes a call; nothing in the answer is `Null`.
    pub(in super::super) async fn call(&self, call: Call) -> Result<Value, ApiFault> {
        let route = Route::of(call.method.as_str(), &call.path);
        self.reserve(&route)?;
        let request = self.request(call);
        let answer = self.http.call(request).await?;
        let learned = Learned::from(&|name: &str| answer.header(name), answer.status, &answer.body);
        self.learn(&route, &learned);
        match understood(answer.status) {
            true if answer.body.is_empty() => Ok(Value::Null),
            true => answer.json().ok_or_else(|| nonsense("no JSON came back")),
            false => Err(fault(answer.status, &answer.body, learned.retry_after())),
        }
    }

    /// Makes a call whose answer has a shape.
    pub(in super::super) async fn read<T: DeserializeOwned>(&self, call: Call) -> Result<T, ApiFault> {
        let value = self.call(call).await?;
        serde_json::from_value(value).map_err(|error| nonsense(&format!("an answer makes no sense: {error}")))
    }

    /// Fetches a file from an address that was checked.
    pub(in super::super) async fn download(
        &self,
        address: String,
        path: &std::path::Path,
        limit: u64,
    ) -> Result<Downloaded, ChannelError> {
        let request = HttpRequest {
            method: Method::GET,
            address,
            headers: vec![("user-agent", agent())],
            body: Body::Empty,
            deadline: WITH_FILES,
        };
        Ok(self.http.download(request, path, limit).await?)
    }

    /// The time of the machine.
    pub(in super::super) fn now(&self) -> UnixMillis {
        self.clock.now()
    }

    /// What carries the calls.
    pub(in super::super) fn http(&self) -> &Http {
        &self.http
    }

    /// The address of the API.
    pub(in super::super) fn root(&self) -> &str {
        &self.settings.root
    }

    fn request(&self, call: Call) -> HttpRequest {
        let mut headers = vec![("user-agent", agent())];
        if call.sign == Sign::Ours {
            headers.push(("authorization", format!("Bot {}", self.settings.token.reveal())));
        }
        if let Some(reason) = &call.reason {
            headers.push(("x-audit-log-reason", escaped(reason)));
        }
        HttpRequest {
            method: call.method,
            address: format!("{}{}", self.settings.root, call.path),
            headers,
            body: call.body,
            deadline: call.deadline,
        }
    }

    fn reserve(&self, route: &Route) -> Result<(), ChannelError> {
        let now = self.clock.elapsed();
        let mut limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        limits.reserve(route, now).map_err(|after| ChannelError::RateLimited { after })
    }

    fn learn(&self, route: &Route, learned: &Learned) {
        let now = self.clock.elapsed();
        self.limits.lock().unwrap_or_else(PoisonError::into_inner).learn(route, learned, now);
    }
}

/// The platform wants programs to name themselves in this form.
fn agent() -> String {
    format!("DiscordBot (https://openclaw.ai, {})", env!("CARGO_PKG_VERSION"))
}

/// A part of a path or a header: everything that is no plain letter is written as bytes.
pub(in super::super) fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}

fn nonsense(reason: &str) -> ApiFault {
    ChannelError::Unreachable { reason: reason.to_owned(), landed: Landed::Maybe }.into()
}
