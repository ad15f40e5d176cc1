//! Who calls an interface, for which agent and in which session.
//!
//! The gateway's secret makes a caller the owner. Errors have the shape that clients of these interfaces read.

use std::sync::Arc;

use axum::body::{Body, Bytes, to_bytes};
use axum::http::{HeaderMap, Response, StatusCode};
use openclaw_protocol::ErrorShape;
use openclaw_session::SessionError;
use openclaw_types::{AgentId, ApiInterface, PeerId, RunId, SessionKey, SessionScope};
use serde::de::DeserializeOwned;
use serde_json::json;

use crate::context::GatewayContext;
use crate::handshake::Arrival;
use crate::http::answers;
use crate::http::bearer::{self, Pass};
use crate::methods::AgentServices;
use crate::server::Arrived;

/// Names an agent instead of the model.
const AGENT_HEADERS: [&str; 2] = ["x-openclaw-agent-id", "x-openclaw-agent"];
/// Names the session.
const SESSION_HEADER: &str = "x-openclaw-session-key";
/// What stands before an agent's name in the name of a model.
const AGENT_MODELS: [&str; 3] = ["openclaw:", "openclaw/", "agent:"];

/// A request that is not answered as it was meant.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Refused {
    pub(super) status: StatusCode,
    pub(super) kind: &'static str,
    /// A short name of the fault, where programs know one.
    pub(super) code: Option<&'static str>,
    pub(super) message: String,
}

impl Refused {
    /// The request is wrong.
    pub(super) fn wrong(message: impl Into<String>) -> Self {
        let status = StatusCode::BAD_REQUEST;
        Self { status, kind: "invalid_request_error", code: None, message: message.into() }
    }

    /// There is no such thing.
    pub(super) fn missing(code: &'static str, message: impl Into<String>) -> Self {
        let status = StatusCode::NOT_FOUND;
        Self { status, kind: "invalid_request_error", code: Some(code), message: message.into() }
    }

    /// Not now.
    pub(super) fn busy(message: impl Into<String>) -> Self {
        let status = StatusCode::SERVICE_UNAVAILABLE;
        Self { status, kind: "server_error", code: None, message: message.into() }
    }

    /// Something went wrong here.
    pub(super) fn broken(message: impl Into<String>) -> Self {
        let status = StatusCode::INTERNAL_SERVER_ERROR;
        Self { status, kind: "api_error", code: None, message: message.into() }
    }

    /// A session could not be read.
    pub(super) fn unreadable(error: &SessionError) -> Self {
        let status = match error.is_retryable() {
            true => StatusCode::SERVICE_UNAVAILABLE,
            false => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self { status, ..Self::broken(error.to_string()) }
    }

    /// The answer.
    pub(super) fn answer(self) -> Response<Body> {
        let body = json!({
            "error": {"message": self.message, "type": self.kind, "param": null, "code": self.code},
        });
        answers::json(self.status, &body)
    }
}

impl From<ErrorShape> for Refused {
    fn from(error: ErrorShape) -> Self {
        match error.code {
            openclaw_protocol::ErrorCode::InvalidRequest => Self::wrong(error.message),
            _ => Self::broken(error.message),
        }
    }
}

/// A request that was let in.
pub(super) struct Caller {
    pub(super) context: Arc<GatewayContext>,
    pub(super) services: Arc<AgentServices>,
    pub(super) headers: HeaderMap,
}

/// Whose session a question is for.
pub(super) struct Addressee {
    pub(super) agent: AgentId,
    pub(super) key: SessionKey,
    /// The session as the caller wrote it.
    pub(super) raw_key: String,
    /// Whether the caller means to come back to it.
    pub(super) lasting: bool,
}

/// What the body of a request says about whom it is for.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestAddress<'a> {
    /// The interface the request came over.
    pub(super) interface: ApiInterface,
    pub(super) model: &'a str,
    pub(super) user: Option<&'a str>,
    /// A conversation without a name that the request goes on with.
    pub(super) conversation: Option<uuid::Uuid>,
}

impl Addressee {
    /// The name of a conversation that nobody named; nothing for others.
    pub(super) fn conversation(&self) -> Option<&str> {
        match self.key.scope() {
            SessionScope::ApiRequest(_, once) => Some(once.as_str()),
            _ => None,
        }
    }
}

impl Caller {
    /// Checks the secret. Nothing when nobody here answers.
    pub(super) fn admit(
        context: &Arc<GatewayContext>,
        arrived: Arrived,
        headers: HeaderMap,
    ) -> Result<Self, Box<Response<Body>>> {
        let arrival = Arrival { peer: arrived.peer, headers: headers.clone(), secure: arrived.secure };
        bearer::check(context, &arrival, Pass::Nobody)?;
        match &context.agents {
            Some(services) => {
                Ok(Self { context: Arc::clone(context), services: Arc::clone(services), headers })
            }
            None => Err(Box::new(answers::not_found())),
        }
    }

    /// The agent and session a request is for.
    pub(super) fn addressee(&self, named_by: &RequestAddress<'_>) -> Result<Addressee, Refused> {
        let RequestAddress { interface, model, user, conversation } = *named_by;
        let named = AGENT_HEADERS.into_iter().find_map(|name| self.header(name));
        let agent = match named.as_deref().or_else(|| agent_of(model)) {
            Some(name) if !name.eq_ignore_ascii_case("default") => self.services.known_agent(name)?,
            _ => self.services.config().agents.default_agent.clone(),
        };
        let user = user.map(str::trim).filter(|user| !user.is_empty());
        let (key, raw_key, lasting) = match (self.header(SESSION_HEADER), user) {
            (Some(text), _) => (self.services.key(&text)?, text, true),
            (None, Some(user)) => {
                let user = PeerId::new(user).map_err(|error| Refused::wrong(format!("user: {error}")))?;
                with_text(SessionKey::new(&agent, SessionScope::ApiUser(interface, user)), true)
            }
            (None, None) => {
                let (once, lasting) = match conversation {
                    Some(earlier) => (earlier, true),
                    None => (uuid::Uuid::new_v4(), false),
                };
                let once = RunId::new(once.to_string()).map_err(|error| Refused::wrong(error.to_string()))?;
                with_text(SessionKey::new(&agent, SessionScope::ApiRequest(interface, once)), lasting)
            }
        };
        let agent = self.services.agent_of(&key);
        Ok(Addressee { agent, key, raw_key, lasting })
    }

    pub(super) fn header(&self, name: &str) -> Option<String> {
        let value = self.headers.get(name)?.to_str().ok()?.trim();
        (!value.is_empty()).then(|| value.to_owned())
    }
}

fn with_text(key: SessionKey, lasting: bool) -> (SessionKey, String, bool) {
    let text = key.to_string();
    (key, text, lasting)
}

fn agent_of(model: &str) -> Option<&str> {
    let model = model.trim();
    AGENT_MODELS.into_iter().find_map(|start| model.strip_prefix(start)).filter(|agent| !agent.is_empty())
}

/// Reads a body that may be so large.
pub(super) async fn read(body: Body, most: usize) -> Result<Bytes, Refused> {
    to_bytes(body, most).await.map_err(|error| {
        tracing::debug!(%error, "the body of a request was not read");
        Refused {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            kind: "invalid_request_error",
            code: None,
            message: format!("the request is larger than {most} bytes, or was not sent whole"),
        }
    })
}

/// Reads a body as a JSON object.
pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    // A derived reader also takes a list, and would complain of its length.
    if matches!(bytes.trim_ascii_start().first(), Some(first) if *first != b'{') {
        return Err(Refused::wrong("invalid request body: send a JSON object"));
    }
    serde_json::from_slice(bytes).map_err(|error| Refused::wrong(format!("invalid request body: {error}")))
}
