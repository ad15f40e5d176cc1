//! Accepts connections and answers requests.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response, StatusCode, Version};
use hyper::body::Incoming;
use hyper::rt::Executor;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::TokioIo;
use openclaw_ports::TaskScope;
use openclaw_ports::model::FaultReason;
use openclaw_providers::{Beat, Finish, Rejection};
use openclaw_types::Usage;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};

use super::captured::CapturedRequest;
use super::line::{CutMark, Line};
use super::listings::{Listing, listing};
use super::route::{Route, route};
use super::speak::{self, body};
use super::tls::{HttpVersion, encrypted};
use super::wire::{self, Heading, Speech};
use super::{State, read};

/// The largest request that is taken.
const MAX_REQUEST: usize = 64 * 1024 * 1024;

/// Accepts connections until the scope is cancelled.
pub(super) async fn accept(state: Arc<State>, listener: TcpListener) {
    loop {
        let (stream, _) = listener.accept().await.expect("a listener on loopback accepts");
        stream.set_nodelay(true).expect("an open socket takes options");
        let number = state.connections_made.fetch_add(1, Ordering::Relaxed) + 1;
        let serving = state.clone();
        state.tasks.start_cancellable("connection", async move { serve(&serving, stream, number).await });
    }
}

async fn serve(state: &Arc<State>, stream: TcpStream, connection: u64) {
    let _open = state.open_connections.enter();
    let cut = CutMark::default();
    let line = Line::new(stream, cut.clone());
    let service = hyper::service::service_fn(move |request: Request<Incoming>| {
        let (state, cut) = (state.clone(), cut.clone());
        async move { answer(&state, request, Caller { connection, cut }).await }
    });
    let served = match &state.encryption {
        None => http1::Builder::new().serve_connection(TokioIo::new(line), service).await,
        Some(acceptor) => match encrypted(acceptor, line).await {
            Ok((line, HttpVersion::One)) => {
                http1::Builder::new().serve_connection(TokioIo::new(line), service).await
            }
            Ok((line, HttpVersion::Two)) => {
                let tasks = Streams(state.tasks.clone());
                http2::Builder::new(tasks).serve_connection(TokioIo::new(line), service).await
            }
            // A caller that does not trust us.
            Err(_broken_off) => return,
        },
    };
    // Callers that leave in the middle and scripts that cut end a connection early: that is what it is for.
    drop(served);
}

/// Starts what a connection of HTTP/2 does at once.
#[derive(Clone)]
struct Streams(TaskScope);

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, work: F) {
        self.0.start_cancellable("stream", work);
    }
}

struct Caller {
    connection: u64,
    cut: CutMark,
}

/// Answers one request.
///
/// # Errors
/// When the script cuts the connection before there is an answer.
async fn answer(
    state: &Arc<State>,
    request: Request<Incoming>,
    caller: Caller,
) -> io::Result<Response<Body>> {
    let (head, incoming) = request.into_parts();
    let bytes = to_bytes(Body::new(incoming), MAX_REQUEST).await.map_err(io::Error::other)?;
    let body: Value = serde_json::from_slice(&bytes).unwrap_or_default();
    let path = head.uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let mut headers = BTreeMap::new();
    for (name, value) in &head.headers {
        headers.insert(name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned());
    }
    let route = route(head.method.as_str(), &path, &headers, &body);
    let protocol = match &route {
        Route::Answer { api, .. } => Some(*api),
        _ => None,
    };
    let captured = CapturedRequest {
        protocol,
        method: head.method.as_str().to_owned(),
        path,
        headers,
        body,
        version: if head.version == Version::HTTP_2 { HttpVersion::Two } else { HttpVersion::One },
        at: state.clock.now(),
        connection: caller.connection,
    };
    state.log.add(captured.clone());
    match route {
        Route::Answer { speech, model, .. } => speak(state, Call { speech, model, captured, caller }).await,
        other => Ok(list(state, &other, &captured)),
    }
}

fn list(state: &State, route: &Route, captured: &CapturedRequest) -> Response<Body> {
    let models = state.models();
    let now = state.clock.now().0 / 1000;
    let facts = Listing { models: &models, base_url: &state.root, headers: &captured.headers, now };
    let own = state.list().filter(|_| *route == Route::Models);
    match own.or_else(|| listing(route, &facts)) {
        Some(value) => json_answer(200, &[], &value),
        None => json_answer(404, &[], &json!({"error": {"message": "nothing is served on this path"}})),
    }
}

struct Call {
    speech: Speech,
    model: String,
    captured: CapturedRequest,
    caller: Caller,
}

async fn speak(state: &Arc<State>, call: Call) -> io::Result<Response<Body>> {
    let Call { speech, model, captured, caller } = call;
    if let Some(rejection) = complaint(state, speech, &captured) {
        return Ok(reject(speech, &rejection, &model));
    }
    let open = state.open_streams.enter();
    let script = state.scripts.choose(&read::asked(speech, &model, &captured.body));
    let mut beats = script.beats();
    let first = beats.iter().position(|beat| !beat.is_wait());
    if let Some(at) = first
        && matches!(beats[at], Beat::Rejected(_) | Beat::Silent | Beat::Cut)
    {
        for beat in beats.drain(..at) {
            match beat {
                Beat::Held(gate) => gate.pass().await,
                Beat::Paused(span) => state.clock.sleep(span).await,
                _ => {}
            }
        }
        return match beats.pop_front() {
            Some(Beat::Rejected(rejection)) => Ok(reject(speech, &rejection, &model)),
            Some(Beat::Cut) => {
                caller.cut.set();
                Err(io::Error::new(io::ErrorKind::ConnectionReset, "the script cuts the connection here"))
            }
            _ => std::future::pending().await,
        };
    }
    let heading = Heading {
        number: state.answers.fetch_add(1, Ordering::Relaxed) + 1,
        model,
        created: state.clock.now().0 / 1000,
        usage: usage_of(&beats),
        wants_usage: captured.body["stream_options"]["include_usage"] == true,
    };
    let speaker = wire::speaker(speech, heading);
    let response = Response::builder()
        .status(StatusCode::OK)
        .header("content-type", speaker.content_type())
        .header("cache-control", "no-cache");
    let clock = state.clock.clone();
    let body = body(speak::Speech { beats, speaker, clock, cut: caller.cut, _open: open });
    Ok(response.body(body).expect("the headers are well-formed"))
}

/// Why a request is rejected before any script is asked.
fn complaint(state: &State, speech: Speech, captured: &CapturedRequest) -> Option<Rejection> {
    let door = state.door();
    door.check(speech, &captured.path, &captured.headers).or_else(|| {
        let streams = match speech {
            Speech::Anthropic | Speech::Completions | Speech::Responses => captured.body["stream"] == true,
            // Ollama streams unless it is told not to.
            Speech::Ollama => captured.body["stream"] != false,
            Speech::Google => captured.path.contains("alt=sse"),
            Speech::Bedrock => true,
        };
        let words = "the scripted server gives streams only; ask for one";
        (!streams).then(|| Rejection::new(FaultReason::Format).saying(words))
    })
}

fn usage_of<'a>(beats: impl IntoIterator<Item = &'a Beat>) -> Option<Usage> {
    beats.into_iter().find_map(|beat| match beat {
        Beat::Finished(Finish { usage, .. }) => *usage,
        _ => None,
    })
}

fn reject(speech: Speech, rejection: &Rejection, model: &str) -> Response<Body> {
    let rejected = wire::rejected(speech, rejection, model);
    json_answer(rejected.status, &rejected.headers, &rejected.body)
}

fn json_answer(status: u16, headers: &[(&'static str, String)], body: &Value) -> Response<Body> {
    let mut response = Response::builder().status(status).header("content-type", "application/json");
    for (name, value) in headers {
        response = response.header(*name, value);
    }
    response.body(Body::from(body.to_string())).expect("the headers are well-formed")
}
