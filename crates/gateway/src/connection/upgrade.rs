//! Turns an HTTP request into a WebSocket. Any path will do, except the one kept for the canvas.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::Body;
use axum::http::header::{self, HeaderMap, HeaderValue};
use axum::http::{Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::opening;
use crate::context::GatewayContext;
use crate::handshake::{Arrival, OriginRefused, check_page};
use crate::http::{not_found, plain_text};
use crate::limits::PlaceSource;
use crate::server::Arrived;

/// Kept for the live reload of the canvas, which is not served here.
const CANVAS_PATH: &str = "/__openclaw__/ws";

/// Whether a request wants to become a WebSocket.
pub(crate) fn is_upgrade(headers: &HeaderMap) -> bool {
    lists(headers, header::UPGRADE, "websocket") && lists(headers, header::CONNECTION, "upgrade")
}

/// Answers the request and, when all is well, serves the socket in a task of its own.
pub(crate) fn upgrade(
    context: &Arc<GatewayContext>,
    mut request: Request<Incoming>,
    arrived: Arrived,
) -> Response<Body> {
    if request.uri().path() == CANVAS_PATH {
        return not_found();
    }
    let key = match wanted_key(&request) {
        Ok(key) => key,
        Err(refusal) => return *refusal,
    };
    let arrival = Arrival { peer: arrived.peer, headers: request.headers().clone(), secure: arrived.secure };
    let full = context.websockets.load(Ordering::Relaxed) >= context.limits.sockets;
    let place = if full { None } else { context.strangers.take(source(context, &arrival)) };
    let Some(stranger) = place else {
        tracing::warn!(peer = %arrived.peer, "too many connections are open or opening; this one is turned away");
        return plain_text(StatusCode::SERVICE_UNAVAILABLE, "too many connections; try again in a moment");
    };
    let upgraded = hyper::upgrade::on(&mut request);
    let serving = context.clone();
    context.meters.connections.add(1);
    let seat = opening::Seat::new(context.clone());
    context.start_tracked("connection", async move {
        match upgraded.await {
            Ok(upgraded) => opening::open(serving, stranger, upgraded, arrival).await,
            Err(error) => tracing::debug!(%error, "a socket broke while it was upgraded"),
        }
        drop(seat);
    });
    switching(&key)
}

/// Where a socket comes from, as far as its share of the handshakes is concerned.
fn source(context: &GatewayContext, arrival: &Arrival) -> PlaceSource {
    let config = context.config.current();
    let source = PlaceSource::of(arrival.client_ip(&config.gateway).unwrap_or(arrival.peer.ip()));
    match check_page(&config.gateway.control_ui, arrival) {
        Ok(()) => source,
        Err(OriginRefused) => source.foreign_page(),
    }
}

fn wanted_key(request: &Request<Incoming>) -> Result<String, Box<Response<Body>>> {
    if request.method() != Method::GET {
        return Err(Box::new(plain_text(StatusCode::METHOD_NOT_ALLOWED, "a WebSocket is opened with GET")));
    }
    let headers = request.headers();
    if headers.get(header::SEC_WEBSOCKET_VERSION).is_none_or(|version| version != "13") {
        let mut refusal =
            plain_text(StatusCode::UPGRADE_REQUIRED, "this gateway speaks WebSocket version 13");
        refusal.headers_mut().insert(header::SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
        return Err(Box::new(refusal));
    }
    match headers.get(header::SEC_WEBSOCKET_KEY) {
        Some(key) => Ok(derive_accept_key(key.as_bytes())),
        None => Err(Box::new(plain_text(StatusCode::BAD_REQUEST, "the header Sec-WebSocket-Key is missing"))),
    }
}

fn switching(key: &str) -> Response<Body> {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
    let headers = response.headers_mut();
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    match HeaderValue::from_str(key) {
        Ok(key) => drop(headers.insert(header::SEC_WEBSOCKET_ACCEPT, key)),
        // The key is base64 text, so this does not happen; a client would notice the missing header.
        Err(error) => tracing::error!(%error, "a WebSocket key could not be written"),
    }
    response
}

/// Whether a comma-separated header names a word, in any case.
fn lists(headers: &HeaderMap, name: header::HeaderName, word: &str) -> bool {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|part| part.trim().eq_ignore_ascii_case(word))
}
