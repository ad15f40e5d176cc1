//! Calls of Slack's Web API, and what its refusals mean to the host.
//!
//! Arguments go as a form, which every method takes; structures in it are JSON. A call is made once. Answers come back as
//! JSON with `ok`; texts of faults hold the method and Slack's own word, never a token.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use openclaw_ports::Clock;
use openclaw_ports::channel::{ChannelError, Landed};
use openclaw_types::Secret;
use serde_json::Value;

use super::config::SlackLogin;
use crate::shared::{Body, Http, HttpRequest, HttpResponse, HttpSettings, Method};

/// How long a call may take.
const CALL: Duration = Duration::from_secs(30);
/// How long the bytes of a file may take.
const TRANSFER: Duration = Duration::from_secs(100);
/// How long to wait when Slack does not say.
const SOME_TIME: Duration = Duration::from_secs(30);

/// Calls the Web API with an account's tokens. Cloning is cheap.
#[derive(Clone)]
pub(super) struct SlackApi {
    http: Http,
    login: Arc<SlackLogin>,
}

/// With which token a call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum As {
    /// As the app itself.
    Us,
    /// As whoever may read most: the person whose token is there, else the app.
    Reader,
    /// As the person whose token is there.
    Person,
    /// As the app without a workspace: for connections.
    App,
}

/// Why a call did not work.
#[derive(Debug)]
pub(super) enum Fault {
    /// Slack does not do it, and says why in a word.
    Refused {
        /// Slack's word.
        word: String,
        /// The same for people.
        reason: String,
    },
    /// Something else.
    Other(ChannelError),
}

impl Fault {
    /// Whether Slack refused with one of these words.
    pub(super) fn says(&self, words: &[&str]) -> bool {
        matches!(self, Self::Refused { word, .. } if words.contains(&word.as_str()))
    }
}

impl From<ChannelError> for Fault {
    fn from(error: ChannelError) -> Self {
        Self::Other(error)
    }
}

impl From<Fault> for ChannelError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Refused { reason, .. } => Self::Refused { reason },
            Fault::Other(error) => error,
        }
    }
}

/// Arguments of a call.
#[derive(Debug, Clone, Default)]
pub(super) struct SlackArguments(Vec<(String, String)>);

impl SlackArguments {
    /// Adds a text.
    pub(super) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self.0.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a text where there is one.
    pub(super) fn maybe(self, name: &str, value: Option<impl Into<String>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// Adds a structure.
    pub(super) fn json(self, name: &str, value: &Value) -> Self {
        self.with(name, value.to_string())
    }
}

impl SlackApi {
    /// Calls for an account.
    ///
    /// # Errors
    /// No connection can be made at all.
    pub(super) fn new(login: Arc<SlackLogin>, clock: Arc<dyn Clock>) -> Result<Self, ChannelError> {
        let http = Http::new(clock, &HttpSettings::default())?;
        Ok(Self { http, login })
    }

    /// What the account needs to be known by.
    pub(super) fn login(&self) -> &SlackLogin {
        &self.login
    }

    /// Makes a call and gives the answer, which is one that says it worked.
    pub(super) async fn call(
        &self,
        who: As,
        method: &str,
        arguments: SlackArguments,
    ) -> Result<Value, Fault> {
        let token = self.token(who).ok_or_else(|| ChannelError::Wrong {
            reason: format!("{method} needs a token that the account does not have"),
        })?;
        let request = HttpRequest {
            method: Method::POST,
            address: format!("{}{method}", self.login.root),
            headers: vec![("authorization", format!("Bearer {}", token.reveal()))],
            body: Body::Form(arguments.0),
            deadline: CALL,
        };
        let answer = self.http.call(request).await.map_err(ChannelError::from)?;
        read(method, &answer)
    }

    /// Brings the bytes of a file to an address that Slack named for it.
    pub(super) async fn bring(&self, address: String, file: &Path) -> Result<(), ChannelError> {
        if !self.is_ours(&address) {
            return Err(ChannelError::Refused { reason: "the address for the file is not Slack's".into() });
        }
        let request = HttpRequest {
            method: Method::POST,
            address,
            headers: vec![("content-type", "application/octet-stream".to_owned())],
            body: Body::File(file.to_owned()),
            deadline: TRANSFER,
        };
        let answer = self.http.call(request).await?;
        Ok(status("the upload", &answer)?)
    }

    /// Writes to an address that came with a command: it stands for the right to answer it.
    pub(super) async fn respond(&self, address: String, body: Value) -> Result<(), ChannelError> {
        if !self.is_ours(&address) {
            return Err(ChannelError::Refused { reason: "the address for the answer is not Slack's".into() });
        }
        let request = HttpRequest {
            method: Method::POST,
            address,
            headers: Vec::new(),
            body: Body::Json(body),
            deadline: CALL,
        };
        let answer = self.http.call(request).await?;
        Ok(status("the answer to a command", &answer)?)
    }

    /// A request for a file, with the token where the address is one of Slack's own.
    pub(super) fn file_request(&self, address: &str, with_token: WithToken) -> Option<HttpRequest> {
        if !self.is_ours(address) {
            return None;
        }
        let token = self.token(As::Us).filter(|_| with_token == WithToken::Yes);
        let headers = token.map(|token| ("authorization", format!("Bearer {}", token.reveal())));
        Some(HttpRequest {
            method: Method::GET,
            address: address.to_owned(),
            headers: headers.into_iter().collect(),
            body: Body::Empty,
            deadline: TRANSFER,
        })
    }

    /// Carries requests that are not calls.
    pub(super) fn http(&self) -> &Http {
        &self.http
    }

    /// Whether an address leads to Slack, or to where the account's calls go.
    pub(super) fn is_ours(&self, address: &str) -> bool {
        let Ok(address) = reqwest::Url::parse(address) else { return false };
        if let Ok(root) = reqwest::Url::parse(&self.login.root)
            && root.origin() == address.origin()
        {
            return true;
        }
        let host = address.host_str().unwrap_or_default().trim_end_matches('.').to_ascii_lowercase();
        let slack = ["slack.com", "slack-files.com", "slack-edge.com", "slack-gov.com"];
        address.scheme() == "https"
            && slack
                .iter()
                .any(|own| host == *own || host.strip_suffix(own).is_some_and(|rest| rest.ends_with('.')))
    }

    fn token(&self, who: As) -> Option<&Secret<String>> {
        let login = &self.login;
        match who {
            As::Us => login.writer(),
            As::Reader => login.user.as_ref().or_else(|| login.writer()),
            As::Person => login.user.as_ref(),
            As::App => login.app.as_ref(),
        }
    }
}

/// Whether a request for a file carries the token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WithToken {
    /// Yes.
    Yes,
    /// No.
    No,
}

fn read(method: &str, answer: &HttpResponse) -> Result<Value, Fault> {
    status(method, answer)?;
    let body = answer.json().ok_or_else(|| ChannelError::Unreachable {
        reason: format!("{method}: the answer makes no sense"),
        landed: Landed::Maybe,
    })?;
    match body["ok"] == Value::Bool(true) {
        true => Ok(body),
        false => Err(refusal(method, &body, wait(answer))),
    }
}

fn status(what: &str, answer: &HttpResponse) -> Result<(), Fault> {
    match answer.status {
        200..=299 => Ok(()),
        429 => Err(Fault::Other(ChannelError::RateLimited { after: wait(answer) })),
        // Some answers with a reason come with such a status.
        400..=499 => match answer.json().filter(|body| body["error"].is_string()) {
            Some(body) => Err(refusal(what, &body, wait(answer))),
            None => Err(Fault::Other(ChannelError::Refused {
                reason: format!("{what}: status {}", answer.status),
            })),
        },
        other => Err(Fault::Other(ChannelError::Unreachable {
            reason: format!("{what}: status {other}"),
            landed: Landed::Maybe,
        })),
    }
}

fn wait(answer: &HttpResponse) -> Duration {
    let seconds = answer.header("retry-after").and_then(|text| text.trim().parse::<u64>().ok());
    seconds.map_or(SOME_TIME, |seconds| Duration::from_secs(seconds.max(1)))
}

/// What Slack's word for a refusal means to the host.
fn refusal(method: &str, body: &Value, after: Duration) -> Fault {
    let word = body["error"].as_str().unwrap_or("no reason given");
    let text = |more: Option<&str>| match more {
        Some(more) => format!("{method}: {word} ({more})"),
        None => format!("{method}: {word}"),
    };
    match word {
        "ratelimited" | "rate_limited" => Fault::Other(ChannelError::RateLimited { after }),
        "invalid_auth"
        | "not_authed"
        | "account_inactive"
        | "token_revoked"
        | "token_expired"
        | "org_login_required"
        | "user_removed_from_team"
        | "team_access_not_granted" => Fault::Other(ChannelError::Unauthorized { reason: text(None) }),
        "internal_error"
        | "fatal_error"
        | "service_unavailable"
        | "request_timeout"
        | "team_added_to_org" => {
            Fault::Other(ChannelError::Unreachable { reason: text(None), landed: Landed::Maybe })
        }
        _ => {
            let needed = body["needed"].as_str().map(|scope| format!("the app needs the scope {scope}"));
            let more = body.pointer("/response_metadata/messages/0").and_then(Value::as_str);
            Fault::Refused { word: word.to_owned(), reason: text(needed.as_deref().or(more)) }
        }
    }
}
