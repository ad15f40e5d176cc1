//! A gateway whose every message the test writes: a listener, and peers that send and read frames.
//!
//! It decides nothing: a test says when to challenge, welcome, refuse, stay silent or hang up.

use std::sync::Arc;

use futures_util::{SinkExt as _, StreamExt as _};
use openclaw_client::{ClientProfile, ConnectOptions, Device, DeviceIdentity, DeviceTokens, GatewayAddress};
use openclaw_ports::Clock;
use openclaw_testkit::TempHome;
use serde_json::{Value, json};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;

pub(crate) struct ScriptedGateway {
    pub(crate) listener: TcpListener,
}

pub(crate) struct Peer<S = TcpStream> {
    pub(crate) socket: WebSocketStream<S>,
}

impl ScriptedGateway {
    pub(crate) async fn start() -> Self {
        Self { listener: TcpListener::bind("127.0.0.1:0").await.unwrap() }
    }

    pub(crate) fn port(&self) -> u16 {
        self.listener.local_addr().unwrap().port()
    }

    pub(crate) fn options(&self) -> ConnectOptions {
        let address = GatewayAddress::parse(&format!("ws://127.0.0.1:{}", self.port())).unwrap();
        ConnectOptions::new(address, ClientProfile::command_line("1.2.3"))
    }

    pub(crate) async fn accept(&self) -> Peer {
        let (stream, _) = self.listener.accept().await.unwrap();
        Peer { socket: tokio_tungstenite::accept_async(stream).await.unwrap() }
    }

    /// Accepts and lets the client in.
    pub(crate) async fn welcome(&self) -> Peer {
        let mut peer = self.accept().await;
        let connect = peer.challenge().await;
        peer.answer(&connect, hello()).await;
        peer
    }
}

impl<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin> Peer<S> {
    pub(crate) async fn send(&mut self, frame: Value) {
        self.socket.send(Message::text(frame.to_string())).await.unwrap();
    }

    /// The next request.
    pub(crate) async fn read(&mut self) -> Value {
        match self.socket.next().await.unwrap().unwrap() {
            Message::Text(text) => serde_json::from_str(&text).unwrap(),
            other => panic!("expected a request, got {other:?}"),
        }
    }

    /// How the client closes; the goodbye is answered.
    pub(crate) async fn read_close(&mut self) -> (u16, String) {
        let mut close = None;
        while let Some(Ok(message)) = self.socket.next().await {
            if let Message::Close(frame) = message {
                close = frame.map(|frame| (frame.code.into(), frame.reason.to_string()));
            }
        }
        close.expect("the client closes with a code")
    }

    /// Sends the challenge and reads the connect request.
    pub(crate) async fn challenge(&mut self) -> Value {
        self.event("connect.challenge", json!({ "nonce": "nonce-1", "ts": 1 }), None).await;
        let connect = self.read().await;
        assert_eq!(connect["method"], "connect");
        connect
    }

    pub(crate) async fn event(&mut self, name: &str, payload: Value, seq: Option<u64>) {
        let mut frame = json!({ "type": "event", "event": name, "payload": payload });
        if let Some(seq) = seq {
            frame["seq"] = json!(seq);
        }
        self.send(frame).await;
    }

    pub(crate) async fn answer(&mut self, request: &Value, payload: Value) {
        self.send(json!({ "type": "res", "id": request["id"], "ok": true, "payload": payload })).await;
    }

    pub(crate) async fn refuse(&mut self, request: &Value, error: Value) {
        self.send(json!({ "type": "res", "id": request["id"], "ok": false, "error": error })).await;
    }

    pub(crate) async fn close(&mut self, code: u16, reason: &str) {
        let frame = CloseFrame { code: code.into(), reason: reason.to_owned().into() };
        self.socket.close(Some(frame)).await.unwrap();
    }
}

pub(crate) fn hello() -> Value {
    json!({
        "type": "hello-ok",
        "protocol": 3,
        "server": { "version": "9.9.9", "connId": "connection-1" },
        "features": { "methods": ["health"], "events": ["tick"] },
        "snapshot": { "presence": [], "health": {}, "stateVersion": { "presence": 0, "health": 0 }, "uptimeMs": 1 },
        "policy": { "maxPayload": 26_214_400, "maxBufferedBytes": 52_428_800, "tickIntervalMs": 30_000 },
    })
}

pub(crate) fn hello_with_token(token: &str, scopes: &[&str]) -> Value {
    let mut hello = hello();
    hello["auth"] = json!({ "deviceToken": token, "role": "operator", "scopes": scopes, "issuedAtMs": 1 });
    hello
}

pub(crate) fn device(home: &TempHome, clock: &dyn Clock) -> Device {
    let folder = home.path("identity");
    let identity = DeviceIdentity::load_or_create(&folder, clock).unwrap();
    let tokens = DeviceTokens::new(&folder, identity.device_id().clone());
    Device { identity: Arc::new(identity), tokens, signature: Default::default() }
}
