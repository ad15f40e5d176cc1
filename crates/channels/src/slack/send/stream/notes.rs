//! Notes which streams are open, so that one that a crash left open is taken back by the next process, or, where a piece
//! may be in it, is there for that piece.

use std::sync::Arc;

use openclaw_ports::stores::StateStore;
use serde_json::{Value, json};

use super::Stream;

/// Begins the names of notes.
const NOTE: &str = "stream/";

/// The notes of an account. Cloning is cheap.
#[derive(Clone)]
pub(super) struct Notes {
    state: Arc<dyn StateStore>,
    namespace: String,
}

impl Notes {
    pub(super) fn new(state: Arc<dyn StateStore>, namespace: String) -> Self {
        Self { state, namespace }
    }

    /// Notes a stream as it is now.
    pub(super) async fn note(&self, stream: &Stream) {
        let (to, thread) = &stream.spot;
        let value = json!({
            "room": stream.room, "ts": stream.ts, "to": to, "thread": thread, "piece": stream.piece,
        });
        if let Err(error) = self.state.put(&self.namespace, &name(stream), value).await {
            tracing::warn!(subsystem = "channels", %error, "an open stream could not be noted");
        }
    }

    /// Forgets a stream.
    pub(super) async fn strike(&self, stream: &Stream) {
        if let Err(error) = self.state.remove(&self.namespace, &name(stream)).await {
            tracing::warn!(subsystem = "channels", %error, "the note of a stream could not be struck");
        }
    }

    /// The streams that are noted.
    pub(super) async fn left(&self) -> Vec<Stream> {
        let notes = match self.state.list(&self.namespace).await {
            Ok(notes) => notes,
            Err(error) => {
                tracing::warn!(subsystem = "channels", %error, "streams that were left open cannot be looked up");
                return Vec::new();
            }
        };
        let notes = notes.iter().filter(|(name, _)| name.starts_with(NOTE));
        notes.filter_map(|(_, value)| read(value)).collect()
    }
}

fn name(stream: &Stream) -> String {
    format!("{NOTE}{}/{}", stream.room, stream.ts)
}

fn read(note: &Value) -> Option<Stream> {
    let text = |key: &str| note[key].as_str().map(str::to_owned);
    Some(Stream {
        number: 0,
        // Notes of earlier versions name no thread, and no piece either, so that nobody asks for it.
        spot: (text("to").unwrap_or_default(), text("thread").unwrap_or_default()),
        room: text("room")?,
        ts: text("ts")?,
        shown: String::new(),
        sure: false,
        piece: text("piece"),
    })
}
