//! Socket Mode: says hello, brings envelopes, and notes what is acknowledged.

use std::sync::Arc;

use axum::extract::State as Shared;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::State;

/// What a line is told to do.
pub(super) enum Order {
    /// Say this.
    Text(String),
    /// End without a word.
    Cut,
}

/// Takes a line.
pub(super) async fn link(Shared(state): Shared<Arc<State>>, upgrade: WebSocketUpgrade) -> Response {
    upgrade.on_upgrade(move |line| async move { talk(&state, line).await })
}

async fn talk(state: &State, mut line: WebSocket) {
    let (orders, mut waiting) = mpsc::channel(64);
    let hello = {
        let mut inside = state.inside();
        inside.lines.push(orders);
        inside.opened += 1;
        json!({
            "type": "hello",
            "num_connections": inside.lines.len(),
            "debug_info": { "host": "fake", "approximate_connection_time": 18060 },
            "connection_info": { "app_id": "A0FAKE" },
        })
    };
    state.changed.notify_waiters();
    if line.send(Message::Text(hello.to_string().into())).await.is_err() {
        return;
    }
    loop {
        tokio::select! {
            order = waiting.recv() => match order {
                Some(Order::Text(text)) => {
                    if line.send(Message::Text(text.into())).await.is_err() {
                        return;
                    }
                }
                Some(Order::Cut) | None => return,
            },
            heard = line.recv() => match heard {
                Some(Ok(Message::Text(text))) => {
                    let said: Value = serde_json::from_str(&text).expect("acknowledgements are JSON");
                    let id = said["envelope_id"].as_str().expect("they name an envelope").to_owned();
                    state.inside().acknowledged.push(id);
                    state.changed.notify_waiters();
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return,
            },
        }
    }
}
