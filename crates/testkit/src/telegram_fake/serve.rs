//! Accepts calls, notes them, lets them fail as told, and answers. A few addresses below `/control` let programs in other
//! languages make things happen and look at what was called.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Path, State};
use axum::http::{HeaderMap, Response, StatusCode};
use axum::routing::{any, get, post};
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;

use super::methods::{Outcome, answer};
use super::{BotCall, BotFailure, Inside, TOKEN, form, scenario};

pub(super) fn start(inside: &Arc<Inside>, listener: TcpListener) {
    let routes = Router::new()
        .route("/control/happen", post(happen))
        .route("/control/fail", post(fail))
        .route("/control/file", post(put_file))
        .route("/control/play", post(play))
        .route("/control/seen", get(seen))
        .route("/file/{bot}/{*path}", get(file))
        .route("/{bot}/{method}", any(call))
        .layer(DefaultBodyLimit::max(64 * 1024 * 1024))
        .with_state(Arc::clone(inside));
    inside.tasks.start_cancellable("serve", async move {
        axum::serve(listener, routes).await.expect("the fake serves");
    });
}

async fn call(
    State(inside): State<Arc<Inside>>,
    Path((bot, method)): Path<(String, String)>,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    if bot != format!("bot{TOKEN}") {
        return no(401, "Unauthorized", None);
    }
    if !inside.spec.knows(&method) {
        return no(404, "Not Found: method not found", None);
    }
    let kind = headers.get("content-type").and_then(|kind| kind.to_str().ok()).unwrap_or_default();
    let (fields, files) = match form::read(&inside.spec, &method, kind, &body) {
        Ok(read) => read,
        Err(wrong) => {
            inside.world().complaints.push(format!("{method}: {wrong}"));
            return no(400, "Bad Request: the body makes no sense", None);
        }
    };
    let failure = {
        let mut world = inside.world();
        world.complaints.extend(inside.spec.check_call(&method, &fields));
        world.calls.push(BotCall { method: method.clone(), fields: fields.clone(), files });
        world.failures.get_mut(&method).and_then(std::collections::VecDeque::pop_front)
    };
    inside.changed.notify_waiters();
    match failure {
        Some(BotFailure::Said { code, words, parameters }) => return no(code, &words, parameters),
        Some(BotFailure::Nonsense(status)) => return plain(status, "<html>trouble</html>"),
        Some(BotFailure::CutAfter) => {
            answer(&inside, &method, &fields).await;
            return cut();
        }
        None => {}
    }
    match answer(&inside, &method, &fields).await {
        Outcome::Done(result) => {
            inside.world().complaints.extend(inside.spec.check_answer(&method, &result));
            body_of(200, &json!({ "ok": true, "result": result }))
        }
        Outcome::No { code, words } => no(code, &words, None),
    }
}

async fn file(
    State(inside): State<Arc<Inside>>,
    Path((bot, path)): Path<(String, String)>,
) -> Response<Body> {
    if bot != format!("bot{TOKEN}") {
        return plain(401, "");
    }
    let found = inside.world().files.values().find(|(each, _)| *each == path).map(|(_, bytes)| bytes.clone());
    match found {
        Some(bytes) => respond(200, "application/octet-stream", bytes.into()),
        None => plain(404, ""),
    }
}

async fn happen(State(inside): State<Arc<Inside>>, body: Bytes) -> Response<Body> {
    match serde_json::from_slice::<Value>(&body) {
        Ok(update) => body_of(200, &json!({ "update_id": inside.happen(update) })),
        Err(error) => plain(400, &error.to_string()),
    }
}

async fn fail(State(inside): State<Arc<Inside>>, body: Bytes) -> Response<Body> {
    let said: Value = serde_json::from_slice(&body).unwrap_or_default();
    let code = said["code"].as_u64().and_then(|code| u16::try_from(code).ok()).unwrap_or(500);
    let failure = BotFailure::Said {
        code,
        words: said["words"].as_str().unwrap_or_default().to_owned(),
        parameters: said.get("parameters").cloned(),
    };
    let method = said["method"].as_str().unwrap_or_default().to_owned();
    inside.world().failures.entry(method).or_default().push_back(failure);
    body_of(200, &json!({ "ok": true }))
}

async fn put_file(State(inside): State<Arc<Inside>>, body: Bytes) -> Response<Body> {
    let said: Value = serde_json::from_slice(&body).unwrap_or_default();
    let text = |name: &str| said[name].as_str().unwrap_or_default().to_owned();
    inside.world().files.insert(text("id"), (text("path"), text("text").into_bytes()));
    body_of(200, &json!({ "ok": true }))
}

/// Plays the story with whoever asks for updates; says what went wrong.
async fn play(State(inside): State<Arc<Inside>>) -> Response<Body> {
    body_of(200, &json!({ "wrong": scenario::play(&inside).await.err() }))
}

async fn seen(State(inside): State<Arc<Inside>>) -> Response<Body> {
    let world = inside.world();
    let calls: Vec<Value> = world
        .calls
        .iter()
        .map(|call| {
            let files: Vec<Value> = call
                .files
                .iter()
                .map(|file| json!({ "field": file.field, "name": file.name, "bytes": file.bytes.len() }))
                .collect();
            json!({ "method": call.method, "fields": call.fields, "files": files })
        })
        .collect();
    body_of(
        200,
        &json!({
            "calls": calls,
            "complaints": world.complaints,
            "waiting": world.updates.waiting(),
            "webhook": world.webhook.as_ref().map(|hook| hook.url.clone()),
            "commands": world.commands,
        }),
    )
}

fn no(code: u16, words: &str, parameters: Option<Value>) -> Response<Body> {
    let mut body = Map::from_iter([
        ("ok".to_owned(), json!(false)),
        ("error_code".to_owned(), json!(code)),
        ("description".to_owned(), json!(words)),
    ]);
    body.extend(parameters.map(|parameters| ("parameters".to_owned(), parameters)));
    body_of(code, &Value::Object(body))
}

/// An answer whose body never comes.
fn cut() -> Response<Body> {
    let broken = futures_util::stream::iter([Err::<Bytes, _>(std::io::Error::other("cut"))]);
    let mut response = Response::new(Body::from_stream(broken));
    *response.status_mut() = StatusCode::OK;
    response
}

fn body_of(status: u16, value: &Value) -> Response<Body> {
    respond(status, "application/json", value.to_string().into())
}

fn plain(status: u16, text: &str) -> Response<Body> {
    respond(status, "text/html", text.to_owned().into())
}

fn respond(status: u16, media_type: &'static str, body: Body) -> Response<Body> {
    Response::builder()
        .status(status)
        .header("content-type", media_type)
        .body(body)
        .expect("a status and a type make an answer")
}
