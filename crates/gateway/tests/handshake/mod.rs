//! One attempt to connect, from the upgrade to the welcome or the close.
#![allow(dead_code, unreachable_pub, reason = "each test file uses its own part of this")]
#![allow(clippy::unwrap_used, reason = "a test fails loudly, at the line that is wrong")]

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::{Value, json};

use crate::support::{Client, Device, TestGateway};

/// How a client comes in.
#[derive(Clone)]
pub struct Caller<'a> {
    /// Headers of its upgrade; `host` replaces the usual one.
    pub headers: &'a [(&'a str, &'a str)],
    /// Its device.
    pub proof: Option<Proof>,
}

impl Caller<'_> {
    /// A program on this machine without a device.
    pub const LOCAL: Caller<'static> = Caller { headers: &[], proof: None };
}

/// How a device proves itself, rightly or not.
#[derive(Debug, Clone)]
pub struct Proof {
    pub device: u8,
    pub form: Form,
    /// How far its clock is off.
    pub clock_off_ms: i64,
    /// Laid over the params before signing, not before sending.
    pub sign_as: Value,
    /// Laid over the finished proof.
    pub spoil: Value,
}

/// The generations of the signed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    V1,
    V2,
    V3,
}

impl Proof {
    /// A right proof of the device with this number.
    pub fn of(device: u8) -> Self {
        Self { device, form: Form::V3, clock_off_ms: 0, sign_as: json!({}), spoil: json!({}) }
    }

    fn add_to(&self, params: &Value, nonce: &str, now: i64) -> Value {
        let signed = laid_over(params, &self.sign_as);
        let text =
            |pointer: &str| signed.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned();
        let lower = |pointer: &str| text(pointer).trim().to_ascii_lowercase();
        let scopes: Vec<_> =
            signed["scopes"].as_array().into_iter().flatten().map(|scope| scope.as_str().unwrap()).collect();
        let id = Device::new(self.device).id();
        let at = now + self.clock_off_ms;
        let role = if signed["role"].is_string() { text("/role") } else { "operator".to_owned() };
        let token = if signed.pointer("/auth/token").is_some() {
            text("/auth/token")
        } else {
            text("/auth/deviceToken")
        };
        let mark = format!("{:?}", self.form).to_lowercase();
        let mut fields = vec![
            mark,
            id.clone(),
            text("/client/id"),
            text("/client/mode"),
            role,
            scopes.join(","),
            at.to_string(),
            token,
        ];
        let mut device =
            json!({"id": id, "publicKey": Device::new(self.device).public_key(), "signedAt": at});
        if self.form != Form::V1 {
            fields.push(nonce.to_owned());
            device["nonce"] = json!(nonce);
        }
        if self.form == Form::V3 {
            fields.extend([lower("/client/platform"), lower("/client/deviceFamily")]);
        }
        let signature = SigningKey::from_bytes(&[self.device; 32]).sign(fields.join("|").as_bytes());
        device["signature"] = json!(URL_SAFE_NO_PAD.encode(signature.to_bytes()));
        laid_over(params, &json!({"device": laid_over(&device, &self.spoil)}))
    }
}

/// What a client heard.
#[derive(Debug, Clone, PartialEq)]
pub enum Heard {
    /// The payload of the welcome.
    Welcome(Value),
    /// An error, and the close that followed.
    Refused { error: Value, code: u16, reason: String },
}

/// A refusal closed with 1008 and its own message, cut to 120 bytes.
pub fn refusal(code: &str, message: &str, details: Option<Value>) -> Heard {
    let mut error = json!({"code": code, "message": message});
    if let Some(details) = details {
        error["details"] = details;
    }
    Heard::Refused { error, code: 1008, reason: message[..message.len().min(120)].to_owned() }
}

/// The params of a small client of protocol 3, with `more` laid over.
pub fn connect(more: Value) -> Value {
    let base = json!({
        "minProtocol": 3, "maxProtocol": 3,
        "client": {"id": "test", "version": "1.0", "platform": "linux", "mode": "test"},
    });
    laid_over(&base, &more)
}

/// `more` laid over `base`, objects key by key.
pub fn laid_over(base: &Value, more: &Value) -> Value {
    match (base, more) {
        (Value::Object(base), Value::Object(more)) => {
            let mut all = base.clone();
            for (key, value) in more {
                let below = all.get(key).cloned().unwrap_or(Value::Null);
                all.insert(key.clone(), laid_over(&below, value));
            }
            Value::Object(all)
        }
        (_, more) => more.clone(),
    }
}

/// Opens a socket, answers the challenge, sends the connect, and tells what came of it.
pub async fn attempt(gateway: &TestGateway, caller: Caller<'_>, params: &Value) -> Heard {
    let mut client = Client::open_with(gateway.address(), caller.headers).await;
    let challenge = client.event("connect.challenge").await;
    let nonce = challenge["payload"]["nonce"].as_str().unwrap();
    let params = match &caller.proof {
        Some(proof) => proof.add_to(params, nonce, gateway.clock.now().0),
        None => params.clone(),
    };
    let id = client.request("connect", &params).await;
    let response = client.response(&id).await;
    if response["ok"] == true {
        return Heard::Welcome(response["payload"].clone());
    }
    let (code, reason) = client.closed().await;
    Heard::Refused { error: response["error"].clone(), code, reason }
}
