//! The addresses of the fake.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State as Shared};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::{get, post};
use serde_json::Value;
use tokio::net::TcpListener;

use super::{Scripted, SlackCall, State, methods, socket};

/// Serves until the task is dropped.
pub(super) async fn serve(state: Arc<State>, listener: TcpListener) {
    let router = Router::new()
        .route("/api/{method}", post(call))
        .route("/upload/{file}", post(upload))
        .route("/files/{name}", get(file))
        .route("/respond", post(respond))
        .route("/link/{number}", get(socket::link))
        .with_state(state);
    axum::serve(listener, router).await.expect("a listener on loopback serves");
}

async fn call(
    Shared(state): Shared<Arc<State>>,
    Path(method): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let token = headers.get("authorization").and_then(|value| value.to_str().ok()).unwrap_or_default();
    let token = token.trim_start_matches("Bearer ").to_owned();
    let call = SlackCall { method: method.clone(), token, arguments: fields(&body) };
    let (scripted, answer) = {
        let mut inside = state.inside();
        inside.calls.push(call.clone());
        let scripted = inside.scripted.get_mut(&method).and_then(std::collections::VecDeque::pop_front);
        let answer = match scripted {
            Some(Scripted::Answer(_) | Scripted::RateLimited(_)) => Value::Null,
            _ => methods::answer(&mut inside, &call),
        };
        (scripted, answer)
    };
    state.changed.notify_waiters();
    match scripted {
        Some(Scripted::RateLimited(seconds)) => {
            (StatusCode::TOO_MANY_REQUESTS, [("retry-after", seconds.to_string())], "").into_response()
        }
        Some(Scripted::Answer(answer)) => axum::Json(answer).into_response(),
        Some(Scripted::Held) => std::future::pending().await,
        Some(Scripted::Silence) => StatusCode::BAD_GATEWAY.into_response(),
        None => axum::Json(answer).into_response(),
    }
}

async fn upload(Shared(state): Shared<Arc<State>>, Path(file): Path<String>, body: Bytes) -> &'static str {
    state.inside().uploads.insert(file, body.to_vec());
    "OK"
}

/// A file for those who know the token; `page` is what Slack shows those who may not have it, `led` leads elsewhere.
async fn file(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let known = headers.get("authorization").is_some_and(|value| value == "Bearer xoxb-fake-bot");
    match (name.as_str(), known) {
        ("elsewhere", false) => ([("content-type", "text/plain")], "led here").into_response(),
        ("led", true) => (StatusCode::FOUND, [("location", "/files/elsewhere")], "").into_response(),
        ("page", _) => {
            ([("content-type", "text/html; charset=utf-8")], "<html>sign in</html>").into_response()
        }
        ("note" | "asked-for", true) => {
            ([("content-type", "text/plain")], "the bytes of the file").into_response()
        }
        (_, true) => StatusCode::NOT_FOUND.into_response(),
        (_, false) => StatusCode::FORBIDDEN.into_response(),
    }
}

async fn respond(Shared(state): Shared<Arc<State>>, body: Bytes) -> &'static str {
    let body = serde_json::from_slice(&body).expect("answers to commands are JSON");
    state.inside().responses.push(body);
    "ok"
}

/// The fields of a form.
fn fields(body: &[u8]) -> BTreeMap<String, String> {
    let text = std::str::from_utf8(body).expect("a form is text");
    text.split('&').filter(|pair| !pair.is_empty()).map(pair).collect()
}

fn pair(pair: &str) -> (String, String) {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    (decoded(name), decoded(value))
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        rest = after;
        match first {
            b'+' => bytes.push(b' '),
            b'%' => {
                let digits = std::str::from_utf8(&after[..2]).expect("two digits follow");
                bytes.push(u8::from_str_radix(digits, 16).expect("they are digits"));
                rest = &after[2..];
            }
            other => bytes.push(*other),
        }
    }
    String::from_utf8(bytes).expect("a form is text")
}
