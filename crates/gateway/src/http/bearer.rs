//! The gateway's secret in an HTTP header, checked with the same limits as a connect.
//!
//! Used by endpoints that tell or do something. The secret never stands in an address.

use std::time::Duration;

use axum::body::Body;
use axum::http::header::{self, HeaderValue};
use axum::http::{Response, StatusCode};
use openclaw_config::GatewaySettings;
use openclaw_config::sections::AuthMode;
use openclaw_protocol::{ConnectAuth, SecretText};
use serde_json::json;

use super::answers;
use crate::auth::{Locality, NetworkReach, Program, SentCredentials, check_proxy, check_secret};
use crate::context::GatewayContext;
use crate::handshake::Arrival;
use crate::limits::CredentialKind;

/// Who needs no secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pass {
    /// Programs on this machine that talk to us directly; browsers and proxies are no such programs.
    LocalPrograms,
    /// Nobody, unless the gateway asks nobody for anything. Even then pages in browsers do: a page may write to any
    /// address without being asked, and would speak for the owner.
    Nobody,
}

/// Lets a request in, or gives the answer that turns it away.
pub(crate) fn check(
    context: &GatewayContext,
    arrival: &Arrival,
    pass: Pass,
) -> Result<(), Box<Response<Body>>> {
    let config = context.config.current();
    let gateway = &config.gateway;
    if pass == Pass::LocalPrograms
        && arrival.locality(gateway) == Locality::Local
        && arrival.program() == Program::Native
    {
        return Ok(());
    }
    match gateway.auth.mode {
        // As in a connect: while other machines can reach us, nobody comes in unasked.
        AuthMode::None if context.reach == NetworkReach::Network => Err(unauthorized()),
        AuthMode::None if pass == Pass::Nobody && arrival.program() == Program::Browser => {
            Err(unauthorized())
        }
        AuthMode::None => Ok(()),
        AuthMode::TrustedProxy => check_proxy(gateway, arrival).map(drop).map_err(|_refused| unauthorized()),
        AuthMode::Token | AuthMode::Password => check_header(context, gateway, arrival),
    }
}

fn check_header(
    context: &GatewayContext,
    gateway: &GatewaySettings,
    arrival: &Arrival,
) -> Result<(), Box<Response<Body>>> {
    let rules = &gateway.auth.rate_limit;
    let who = arrival.attempter(gateway);
    let now = context.clock.elapsed();
    let limits = &context.auth_limits;
    limits
        .check(rules, who, CredentialKind::SharedSecret, now)
        .map_err(|lockout| rate_limited(lockout.retry_after))?;
    match check_secret(&gateway.auth, &presented(arrival)) {
        Ok(_) => {
            limits.succeeded(who, CredentialKind::SharedSecret);
            Ok(())
        }
        Err(failure) => {
            if failure.is_wrong_guess() {
                limits.failed(rules, who, CredentialKind::SharedSecret, now);
            }
            context.meters.refusals.add(1);
            Err(unauthorized())
        }
    }
}

/// The secret after `Bearer`, as token and as password: the mode decides which one counts.
fn presented(arrival: &Arrival) -> SentCredentials {
    let header = arrival.header(header::AUTHORIZATION.as_str());
    let secret = header.as_deref().and_then(|value| {
        let (scheme, secret) = value.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim().to_owned())
    });
    let sealed = |secret: &String| SecretText::new(secret.clone());
    SentCredentials::new(Some(ConnectAuth {
        token: secret.as_ref().map(sealed),
        password: secret.as_ref().map(sealed),
        ..ConnectAuth::default()
    }))
}

fn unauthorized() -> Box<Response<Body>> {
    let body = json!({"error": {"message": "Unauthorized", "type": "unauthorized"}});
    let mut response = answers::json(StatusCode::UNAUTHORIZED, &body);
    response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    Box::new(response)
}

fn rate_limited(after: Duration) -> Box<Response<Body>> {
    let message = "too many wrong secrets; wait before trying again";
    let body = json!({"error": {"message": message, "type": "rate_limited"}});
    let mut response = answers::json(StatusCode::TOO_MANY_REQUESTS, &body);
    let seconds = after.as_millis().div_ceil(1000).max(1);
    if let Ok(value) = HeaderValue::from_str(&seconds.to_string()) {
        response.headers_mut().insert(header::RETRY_AFTER, value);
    }
    Box::new(response)
}
