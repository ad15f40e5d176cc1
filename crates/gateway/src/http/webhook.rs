//! Requests by which platforms bring events: whose they are, how much of them is read, what is answered.
//!
//! The gateway's own secret is not asked for; a platform shows one of its own, which the account checks: in the headers
//! before anything of the body is read, else over the body. The gateway's own paths are never given away. Who shows wrong
//! proof is counted like everybody who guesses; who shows the right one is never locked out by others.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{self, HeaderValue};
use axum::http::{HeaderMap, Method, Request, Response, StatusCode};
use futures_util::StreamExt as _;
use openclaw_flow::{Called, Hook};
use openclaw_ports::Deadline;
use openclaw_ports::channel::{WebhookAnswer, WebhookRequest};

use super::{answers, control_ui};
use crate::context::GatewayContext;
use crate::handshake::Arrival;
use crate::limits::{Attempter, CredentialKind};
use crate::server::Arrived;

/// How long the body of a request may take.
const BODY_PATIENCE: Duration = Duration::from_secs(15);
/// How long keeping the events may take.
const KEEPING_PATIENCE: Duration = Duration::from_secs(60);

/// Whose a path is. Paths of the gateway itself are nobody's.
pub(super) fn claim(context: &GatewayContext, path: &str) -> Called {
    let Some(agents) = &context.agents else { return Called::Nobody };
    if control_ui::owns(&context.config.current(), path) {
        return Called::Nobody;
    }
    agents.flow.channels().called(path)
}

/// Answers a request for a path of an account.
pub(super) async fn answer(
    context: &Arc<GatewayContext>,
    called: Called,
    request: Request<Body>,
) -> Response<Body> {
    if request.method() != Method::POST {
        let mut response = answers::text(StatusCode::METHOD_NOT_ALLOWED, "Method Not Allowed");
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST"));
        return response;
    }
    let Called::Up(hooks) = called else { return unavailable() };
    if context.closing.is_cancelled() {
        return unavailable();
    }
    match take(context, hooks, request).await {
        Ok(answer) => told(answer),
        Err(refusal) => *refusal,
    }
}

async fn take(
    context: &GatewayContext,
    hooks: Vec<Hook>,
    request: Request<Body>,
) -> Result<WebhookAnswer, Box<Response<Body>>> {
    let caller = Caller::of(context, &request);
    let headers = plain(request.headers());
    let hooks: Vec<Hook> = hooks.into_iter().filter(|hook| hook.admits(&headers)).collect();
    if hooks.is_empty() {
        return Err(caller.refuse(context));
    }
    caller.may_try(context)?;
    let limit = hooks.iter().map(Hook::limit).max().unwrap_or(0);
    let query = request.uri().query().unwrap_or_default().to_owned();
    let body = read(context, request, limit).await?;
    let mut last = None;
    for hook in hooks.iter().filter(|hook| body.len() <= hook.limit()) {
        let request = WebhookRequest {
            method: Method::POST.as_str().to_owned(),
            query: query.clone(),
            headers: headers.clone(),
            body: body.clone(),
        };
        let clock = context.clock.as_ref();
        let kept = Deadline::after(clock, KEEPING_PATIENCE).bound(clock, hook.handle(request)).await;
        let answer = kept.map_err(|_late| Box::new(unavailable()))?;
        tracing::debug!(subsystem = "channels", channel = %hook.channel, account = %hook.account, status = answer.status, "a platform brought something");
        // Another account may share the path, and the proof be meant for it.
        if !matches!(answer.status, 401 | 403) {
            caller.is_right(context);
            return Ok(answer);
        }
        last = Some(answer);
    }
    caller.count(context);
    last.ok_or_else(|| Box::new(too_large()))
}

/// Reads the body, no further than the limit.
async fn read(
    context: &GatewayContext,
    request: Request<Body>,
    limit: usize,
) -> Result<Vec<u8>, Box<Response<Body>>> {
    let said = request.headers().get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    if said.and_then(|text| text.parse::<u64>().ok()).is_some_and(|length| length > limit as u64) {
        return Err(Box::new(too_large()));
    }
    let reading = async {
        let mut stream = request.into_body().into_data_stream();
        let mut body = Vec::new();
        while let Some(part) = stream.next().await {
            let part = part.map_err(|error| {
                tracing::debug!(subsystem = "channels", %error, "a request of a platform broke off");
                Box::new(answers::text(StatusCode::BAD_REQUEST, "Bad Request"))
            })?;
            if body.len() + part.len() > limit {
                return Err(Box::new(too_large()));
            }
            body.extend_from_slice(&part);
        }
        Ok(body)
    };
    let clock = context.clock.as_ref();
    let late = || Err(Box::new(answers::text(StatusCode::REQUEST_TIMEOUT, "Request Timeout")));
    Deadline::after(clock, BODY_PATIENCE).bound(clock, reading).await.unwrap_or_else(|_late| late())
}

/// Who brings a request, as limits count it.
struct Caller(Attempter);

impl Caller {
    fn of(context: &GatewayContext, request: &Request<Body>) -> Self {
        let gateway = &context.config.current().gateway;
        let Some(arrived) = request.extensions().get::<Arrived>() else { return Self(Attempter::Relayed) };
        let headers = request.headers().clone();
        Self(Arrival { peer: arrived.peer, headers, secure: arrived.secure }.attempter(gateway))
    }

    /// Machines that have shown wrong proof too often wait. What comes over loopback may be a proxy that speaks for
    /// the platform as well, so it is looked at in any case.
    fn may_try(&self, context: &GatewayContext) -> Result<(), Box<Response<Body>>> {
        match self.0 {
            Attempter::Remote(_) => self.check(context),
            Attempter::Local | Attempter::LocalBrowser | Attempter::Relayed => Ok(()),
        }
    }

    fn check(&self, context: &GatewayContext) -> Result<(), Box<Response<Body>>> {
        let rules = &context.config.current().gateway.auth.rate_limit;
        let now = context.clock.elapsed();
        context.auth_limits.check(rules, self.0, CredentialKind::Webhook, now).map_err(|lockout| {
            let mut response = answers::text(StatusCode::TOO_MANY_REQUESTS, "Too Many Requests");
            let seconds = lockout.retry_after.as_millis().div_ceil(1000).max(1).to_string();
            if let Ok(value) = HeaderValue::from_str(&seconds) {
                response.headers_mut().insert(header::RETRY_AFTER, value);
            }
            Box::new(response)
        })
    }

    /// Counts wrong proof.
    fn count(&self, context: &GatewayContext) {
        let rules = &context.config.current().gateway.auth.rate_limit;
        context.auth_limits.failed(rules, self.0, CredentialKind::Webhook, context.clock.elapsed());
        context.meters.refusals.add(1);
    }

    fn refuse(&self, context: &GatewayContext) -> Box<Response<Body>> {
        if let Err(locked) = self.check(context) {
            return locked;
        }
        self.count(context);
        Box::new(answers::text(StatusCode::UNAUTHORIZED, "Unauthorized"))
    }

    fn is_right(&self, context: &GatewayContext) {
        context.auth_limits.succeeded(self.0, CredentialKind::Webhook);
    }
}

fn plain(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect()
}

fn told(answer: WebhookAnswer) -> Response<Body> {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    answers::content(status, HeaderValue::from_static(answer.media_type), Body::from(answer.body))
}

fn too_large() -> Response<Body> {
    answers::text(StatusCode::PAYLOAD_TOO_LARGE, "Payload Too Large")
}

fn unavailable() -> Response<Body> {
    let mut response = answers::text(StatusCode::SERVICE_UNAVAILABLE, "Service Unavailable");
    response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("5"));
    response
}
