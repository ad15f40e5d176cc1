//! The bare server that the gateway is compared with: axum, WebSocket, one answer for each message.
//!
//! It answers with a fixed text as long as a `health` answer, so that both servers move the same bytes.

use axum::Router;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::routing::any;
use axum::serve::ListenerExt;

/// The size of a typical `health` answer.
pub(crate) const ANSWER_BYTES: usize = 700;

pub(crate) async fn serve() -> anyhow::Result<()> {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    eprintln!("listening on {}", listener.local_addr()?);
    let router =
        Router::new().route("/", any(|upgrade: WebSocketUpgrade| async { upgrade.on_upgrade(answer) }));
    let listener = listener.tap_io(|stream| {
        if let Err(error) = stream.set_nodelay(true) {
            eprintln!("the echo server is slower than it could be: {error}");
        }
    });
    axum::serve(listener, router).await?;
    Ok(())
}

async fn answer(mut socket: WebSocket) {
    let text = "x".repeat(ANSWER_BYTES);
    while let Some(Ok(message)) = socket.recv().await {
        let Message::Text(_) = message else { continue };
        if socket.send(Message::Text(text.clone().into())).await.is_err() {
            return;
        }
    }
}
