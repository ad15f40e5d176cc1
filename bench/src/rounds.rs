//! Round trips over WebSocket: one question, one answer, again and again, on one or many connections.

use std::time::Instant;

use anyhow::{Context, bail};
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

pub(crate) type Socket = WebSocketStream<MaybeTlsStream<TcpStream>>;

/// Connects to a bare server.
pub(crate) async fn plain(port: u16) -> anyhow::Result<Socket> {
    let (mut socket, _) = connect_async(format!("ws://127.0.0.1:{port}/")).await?;
    if let MaybeTlsStream::Plain(stream) = socket.get_mut() {
        stream.set_nodelay(true)?;
    }
    Ok(socket)
}

/// Connects to a gateway and shakes hands.
pub(crate) async fn gateway(port: u16, token: &str) -> anyhow::Result<Socket> {
    let mut socket = plain(port).await?;
    let connect = json!({
        "type": "req", "id": "c", "method": "connect",
        "params": {
            "minProtocol": 3, "maxProtocol": 3, "role": "operator", "scopes": ["operator.admin"],
            "client": {"id": "gateway-client", "version": "bench", "platform": "linux", "mode": "backend"},
            "auth": {"token": token},
        },
    });
    socket.send(Message::text(connect.to_string())).await?;
    let hello = answer_to(&mut socket, "c").await?;
    if hello["ok"] != true {
        bail!("the gateway refused: {hello}");
    }
    Ok(socket)
}

/// What one series of round trips took.
pub(crate) struct Series {
    pub(crate) per_second: f64,
    pub(crate) calls: u32,
}

/// Asks `each` times on every socket, all sockets at once.
pub(crate) async fn run(sockets: Vec<Socket>, each: u32) -> anyhow::Result<Series> {
    let calls = each * u32::try_from(sockets.len())?;
    #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
    let started = Instant::now();
    let mut running = tokio::task::JoinSet::new();
    for mut socket in sockets {
        running.spawn(async move {
            for index in 0..each {
                let id = index.to_string();
                let question = format!(r#"{{"type":"req","id":"{id}","method":"health"}}"#);
                socket.send(Message::text(question)).await?;
                await_answer(&mut socket, &id).await?;
            }
            anyhow::Ok(socket)
        });
    }
    while let Some(ended) = running.join_next().await {
        ended??;
    }
    Ok(Series { per_second: f64::from(calls) / started.elapsed().as_secs_f64(), calls })
}

/// Waits for the answer without parsing it: the measuring side must cost the same for both servers.
async fn await_answer(socket: &mut Socket, id: &str) -> anyhow::Result<()> {
    let wanted = format!(r#""id":"{id}""#);
    while let Some(message) = socket.next().await {
        let text = message?.into_text()?;
        if text.starts_with('x') || (text.starts_with(r#"{"type":"res""#) && text.contains(&wanted)) {
            return Ok(());
        }
    }
    bail!("the server closed the connection")
}

async fn answer_to(socket: &mut Socket, id: &str) -> anyhow::Result<Value> {
    while let Some(message) = socket.next().await {
        let frame: Value = serde_json::from_str(message?.to_text()?)?;
        if frame["type"] == "res" && frame["id"] == id {
            return Ok(frame);
        }
    }
    Err(anyhow::anyhow!("the server closed the connection")).context("while waiting for an answer")
}
