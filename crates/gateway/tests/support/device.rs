//! A device with a key of its own, which signs what `connect` asks for.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signer as _, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// A device.
pub struct Device(SigningKey);

impl Device {
    /// The device number `seed`; the same number is the same device.
    pub fn new(seed: u8) -> Self {
        Self(SigningKey::from_bytes(&[seed; 32]))
    }

    /// Its id: the hash of its key.
    pub fn id(&self) -> String {
        hex::encode(Sha256::digest(self.0.verifying_key().as_bytes()))
    }

    /// Its public key as it stands on the wire.
    pub fn public_key(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.verifying_key().as_bytes())
    }

    /// Adds the proof for a challenge to the params of a connect.
    pub fn sign(&self, params: &mut Value, nonce: &str, now: i64) {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let scopes: Vec<_> = params["scopes"].as_array().into_iter().flatten().map(text).collect();
        let role = params["role"].as_str().unwrap_or("operator").to_owned();
        let auth = &params["auth"];
        let token = [&auth["token"], &auth["deviceToken"]].into_iter().find(|value| value.is_string());
        let signed = [
            "v2".to_owned(),
            self.id(),
            text(&params["client"]["id"]),
            text(&params["client"]["mode"]),
            role,
            scopes.join(","),
            now.to_string(),
            token.map(text).unwrap_or_default(),
            nonce.to_owned(),
        ]
        .join("|");
        let signature = URL_SAFE_NO_PAD.encode(self.0.sign(signed.as_bytes()).to_bytes());
        params["device"] = json!({
            "id": self.id(), "publicKey": self.public_key(), "signature": signature, "signedAt": now, "nonce": nonce,
        });
    }
}
