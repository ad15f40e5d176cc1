//! What the tests of the handshake share: settings from JSON, devices that sign, and a gateway without sockets.

mod admit;
mod arrival;
mod failures;
mod hostile;
mod identity;
mod missing_device;
mod origin;
mod signature;

use std::net::SocketAddr;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer as _, SigningKey};
use openclaw_config::{Config, Context, Environment, GatewaySettings, Locations, Overrides, ProfileChoice};
use openclaw_ports::Clock as _;
use openclaw_protocol::ConnectParams;
use openclaw_stores::memory::{MemoryAuditLedger, MemoryDeviceStore};
use openclaw_testkit::SimClock;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::refusal::ConnectRefusal;
use super::signature::{SignatureForm, SignedFields};
use super::{AdmittedClient, Arrival, Challenge, Handshake};
use crate::auth::{NetworkReach, WhoIs};
use crate::limits::AuthLimits;
use crate::pairing::DeviceRegistry;

/// The whole configuration with this `gateway` section.
pub(crate) fn config(gateway: &Value) -> Arc<Config> {
    let raw = serde_json::from_value(json!({"gateway": gateway})).unwrap();
    let environment = Environment::fake([("HOME", "/nowhere")], "/nowhere");
    let locations = Locations::resolve(&environment, &ProfileChoice::FromEnvironment).unwrap();
    let overrides = Overrides::default();
    let context = Context { environment: &environment, locations: &locations, overrides: &overrides };
    Arc::new(Config::resolve(raw, &context).0)
}

/// The settings of this `gateway` section.
pub(crate) fn settings(gateway: &Value) -> GatewaySettings {
    config(gateway).gateway.clone()
}

/// A request from `peer` with these headers.
pub(crate) fn arrival(peer: &str, headers: &[(&str, &str)]) -> Arrival {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        map.append(name.parse::<HeaderName>().unwrap(), value.parse().unwrap());
    }
    Arrival { peer: peer.parse::<SocketAddr>().unwrap(), headers: map, secure: false }
}

/// A program on this machine.
pub(crate) fn local() -> Arrival {
    arrival("127.0.0.1:50000", &[("host", "127.0.0.1:18789")])
}

/// A program on another machine.
pub(crate) fn remote() -> Arrival {
    arrival("203.0.113.7:50000", &[("host", "gateway.example:18789")])
}

/// A page of that origin, in a browser on this machine.
pub(crate) fn local_page(origin: &str) -> Arrival {
    arrival("127.0.0.1:50000", &[("host", "localhost:18789"), ("origin", origin)])
}

/// The connect of a client, with `more` laid over it.
pub(crate) fn connect(more: &Value) -> Value {
    let mut params = json!({
        "minProtocol": 3,
        "maxProtocol": 3,
        "client": {"id": "test", "version": "1.0", "platform": "linux", "mode": "test"},
    });
    lay_over(&mut params, more);
    params
}

/// Lays `more` over `base`, objects key by key.
pub(crate) fn lay_over(base: &mut Value, more: &Value) {
    match (base, more) {
        (Value::Object(base), Value::Object(more)) => {
            for (key, value) in more {
                lay_over(base.entry(key.clone()).or_insert(Value::Null), value);
            }
        }
        (base, more) => *base = more.clone(),
    }
}

/// Reads params the way the server does.
pub(crate) fn params(connect: &Value) -> ConnectParams {
    let raw = serde_json::value::to_raw_value(connect).unwrap();
    ConnectParams::decode(Some(&raw)).unwrap()
}

/// A device with a key of its own.
pub(crate) struct TestDevice(SigningKey);

impl TestDevice {
    pub(crate) fn numbered(number: u8) -> Self {
        Self(SigningKey::from_bytes(&[number; 32]))
    }

    pub(crate) fn id(&self) -> String {
        hex::encode(Sha256::digest(self.0.verifying_key().as_bytes()))
    }

    pub(crate) fn public_key(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.verifying_key().as_bytes())
    }

    pub(crate) fn sign(&self, text: &str) -> String {
        URL_SAFE_NO_PAD.encode(self.0.sign(text.as_bytes()).to_bytes())
    }

    /// The connect with this device's proof, signed in the given form at the given time.
    pub(crate) fn signed(&self, connect: &Value, form: SignatureForm, nonce: &str, at: i64) -> Value {
        let text_at = |pointer: &str| connect.pointer(pointer).and_then(Value::as_str);
        let scopes: Vec<String> = connect
            .pointer("/scopes")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .map(|scope| scope.as_str().unwrap().to_owned())
            .collect();
        let fields = SignedFields {
            device_id: &self.id(),
            client_id: text_at("/client/id").unwrap(),
            client_mode: text_at("/client/mode").unwrap(),
            role: text_at("/role").unwrap_or("operator").parse().unwrap(),
            scopes: &scopes,
            signed_at: at,
            token: text_at("/auth/token").or(text_at("/auth/deviceToken")).unwrap_or_default(),
            nonce,
            platform: text_at("/client/platform"),
            device_family: text_at("/client/deviceFamily"),
        };
        let mut device = json!({
            "id": self.id(),
            "publicKey": self.public_key(),
            "signature": self.sign(&fields.text(form)),
            "signedAt": at,
        });
        if form != SignatureForm::V1 {
            device["nonce"] = json!(nonce);
        }
        let mut signed = connect.clone();
        signed["device"] = device;
        signed
    }
}

/// A gateway without sockets.
pub(crate) struct World {
    pub(crate) config: Arc<Config>,
    pub(crate) clock: Arc<SimClock>,
    pub(crate) audit: Arc<MemoryAuditLedger>,
    pub(crate) devices: DeviceRegistry,
    pub(crate) limits: AuthLimits,
    pub(crate) who_is: WhoIs,
    pub(crate) reach: NetworkReach,
}

pub(crate) const NONCE: &str = "11111111-2222-3333-4444-555555555555";

impl World {
    /// A gateway with the token `right`.
    pub(crate) async fn new() -> Self {
        Self::with(&json!({"auth": {"mode": "token", "token": "right"}})).await
    }

    pub(crate) async fn with(gateway: &Value) -> Self {
        let clock = Arc::new(SimClock::new());
        let audit = Arc::new(MemoryAuditLedger::default());
        let store = Arc::new(MemoryDeviceStore::default());
        let devices = DeviceRegistry::load(store, audit.clone(), clock.clone()).await.unwrap();
        let who_is = WhoIs::new(|_| async { None });
        let (config, limits, reach) = (config(gateway), AuthLimits::new(), NetworkReach::ThisMachine);
        Self { config, clock, audit, devices, limits, who_is, reach }
    }

    pub(crate) fn now(&self) -> i64 {
        self.clock.now().0
    }

    /// The connect with the device's proof for this gateway's challenge.
    pub(crate) fn signed(&self, device: &TestDevice, connect: &Value) -> Value {
        device.signed(connect, SignatureForm::V3, NONCE, self.now())
    }

    pub(crate) async fn admit(
        &self,
        arrival: &Arrival,
        connect: &Value,
    ) -> Result<AdmittedClient, ConnectRefusal> {
        let handshake = Handshake {
            config: self.config.clone(),
            devices: &self.devices,
            limits: &self.limits,
            clock: self.clock.as_ref(),
            audit: self.audit.as_ref(),
            who_is: &self.who_is,
            reach: self.reach,
        };
        let challenge = Challenge { nonce: NONCE.to_owned(), issued_at: self.clock.now() };
        handshake.admit(arrival, &challenge, params(connect)).await
    }
}
