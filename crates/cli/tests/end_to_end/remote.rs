//! A device on another machine, as the gateway sees it: raw WebSocket with the header a proxy adds, a key of its own.
//!
//! It speaks protocol 3, whose devices have to be approved even when they show the gateway's token.

use futures_util::{SinkExt as _, StreamExt as _};
use openclaw_client::{DeviceIdentity, SignatureVersion, SignedFields};
use openclaw_ports::{Clock as _, SystemClock};
use openclaw_types::Role;
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

/// A device with a key of its own.
pub(crate) struct RemoteDevice {
    _folder: tempfile::TempDir,
    identity: DeviceIdentity,
    clock: SystemClock,
}

impl RemoteDevice {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = SystemClock::new();
        let identity = DeviceIdentity::load_or_create(folder.path(), &clock).unwrap();
        Self { _folder: folder, identity, clock }
    }

    pub(crate) fn id(&self) -> &str {
        self.identity.device_id().as_str()
    }

    /// Connects once and gives the gateway's answer to `connect`.
    pub(crate) fn connect(&self, port: u16, token: &str, scopes: &[&str]) -> Value {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(self.shake_hands(port, token, scopes))
    }

    async fn shake_hands(&self, port: u16, token: &str, scopes: &[&str]) -> Value {
        let mut request = format!("ws://127.0.0.1:{port}/").into_client_request().unwrap();
        request.headers_mut().insert("x-forwarded-for", "203.0.113.9".parse().unwrap());
        let (mut socket, _) = tokio_tungstenite::connect_async(request).await.unwrap();
        let mut nonce = None;
        while let Some(message) = socket.next().await {
            let Message::Text(text) = message.unwrap() else { continue };
            let frame: Value = serde_json::from_str(&text).unwrap();
            match (&nonce, frame["event"].as_str(), frame["type"].as_str()) {
                (None, Some("connect.challenge"), _) => {
                    let given = frame["payload"]["nonce"].as_str().unwrap().to_owned();
                    let params = self.params(token, scopes, &given);
                    let frame = json!({ "type": "req", "id": "1", "method": "connect", "params": params });
                    socket.send(Message::text(frame.to_string())).await.unwrap();
                    nonce = Some(given);
                }
                (Some(_), _, Some("res")) => return frame,
                _ => {}
            }
        }
        panic!("the gateway closed without an answer");
    }

    fn params(&self, token: &str, scopes: &[&str], nonce: &str) -> Value {
        let now = self.clock.now();
        let fields = SignedFields {
            device_id: self.identity.device_id(),
            client_id: "gateway-client",
            client_mode: "backend",
            role: Role::Operator,
            scopes,
            signed_at: now,
            token,
            nonce,
            platform: "linux",
            device_family: "",
        };
        json!({
            "minProtocol": 3, "maxProtocol": 3,
            "client": { "id": "gateway-client", "mode": "backend", "version": "1", "platform": "linux", "displayName": "Far away" },
            "role": "operator", "scopes": scopes, "auth": { "token": token },
            "device": {
                "id": self.id(), "publicKey": self.identity.public_key(), "signedAt": now.0, "nonce": nonce,
                "signature": self.identity.sign(&fields.text(SignatureVersion::V3)),
            },
        })
    }
}
