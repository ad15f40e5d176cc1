//! A stream of server-sent events that another program reads while a run goes on.
//!
//! A task of the gateway writes; when the reader goes away, the task notices and its run is stopped. A comment goes out
//! now and then, so that nothing between us takes the line for dead while tools work.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{self, HeaderValue};
use axum::http::{Response, StatusCode};
use futures_util::stream;
use serde_json::Value;
use tokio::sync::mpsc;

use super::ask::ApiRun;
use crate::context::GatewayContext;
use crate::http::answers;

/// Events that wait for a slow reader; then the writer waits, and words pile up where they are counted once.
const WAITING: usize = 16;
/// How long nothing may be said.
const SILENCE: Duration = Duration::from_secs(15);

/// The reader went away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Gone;

/// The writing end.
pub(super) struct Speech {
    out: mpsc::Sender<Bytes>,
    context: Arc<GatewayContext>,
}

impl Speech {
    /// Sends an event with a name.
    pub(super) async fn event(&self, name: &str, data: &Value) -> Result<(), Gone> {
        self.write(format!("event: {name}\ndata: {data}\n\n")).await
    }

    /// Sends an event without a name.
    pub(super) async fn data(&self, data: &Value) -> Result<(), Gone> {
        self.write(format!("data: {data}\n\n")).await
    }

    /// Says that nothing more comes.
    pub(super) async fn done(&self) -> Result<(), Gone> {
        self.write("data: [DONE]\n\n".to_owned()).await
    }

    /// The next words of a run; nothing when all were said.
    pub(super) async fn words(&self, asked: &ApiRun) -> Result<Option<String>, Gone> {
        loop {
            // Dropping the wait for words loses none: they stay where they pile up.
            tokio::select! {
                words = asked.words() => return Ok(words),
                () = self.out.closed() => return Err(Gone),
                () = self.context.clock.sleep(SILENCE) => self.write(": waiting\n\n".to_owned()).await?,
            }
        }
    }

    async fn write(&self, text: String) -> Result<(), Gone> {
        self.out.send(Bytes::from(text)).await.map_err(|_closed| Gone)
    }
}

/// An answer that is written by a task. `writing` gets the writing end and ends when all is said or nobody reads.
pub(super) fn streamed<W, F>(context: &Arc<GatewayContext>, writing: W) -> Response<Body>
where
    W: FnOnce(Speech) -> F,
    F: Future<Output = Result<(), Gone>> + Send + 'static,
{
    let (out, reading) = mpsc::channel(WAITING);
    let work = writing(Speech { out, context: Arc::clone(context) });
    context.start_tracked("api stream", async move {
        if work.await == Err(Gone) {
            tracing::debug!("a program went away while it was answered");
        }
    });
    let events = stream::unfold(reading, |mut reading| async move {
        let event = reading.recv().await?;
        Some((Ok::<_, Infallible>(event), reading))
    });
    let kind = HeaderValue::from_static("text/event-stream; charset=utf-8");
    let mut response = answers::content(StatusCode::OK, kind, Body::from_stream(events));
    // Proxies would hold events back until they have a page full.
    response.headers_mut().insert("x-accel-buffering", HeaderValue::from_static("no"));
    response.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("keep-alive"));
    response
}
