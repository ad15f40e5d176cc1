//! Tells whether two sign-ins are the same without keeping either: a keyed hash of what signs in.
//!
//! The key is random, made once per installation and kept in the state store, so that fingerprints say nothing to
//! anybody who does not have the store as well.

use hmac::{Hmac, KeyInit as _, Mac as _};
use openclaw_ports::stores::{StateStore, StoreError, StoredCredential, StoredSecret};
use serde_json::Value;
use sha2::Sha256;
use zeroize::Zeroizing;

/// Where the state store keeps the key.
const NAMESPACE: &str = "models";
const KEY: &str = "import-fingerprint-key";

/// Makes fingerprints of sign-ins.
pub(super) struct Fingerprints {
    start: Hmac<Sha256>,
}

impl Fingerprints {
    /// Reads the key of this installation, or makes it.
    ///
    /// # Errors
    /// The store's, or the machine has no random numbers.
    pub(super) async fn of(store: &dyn StateStore) -> Result<Self, StoreError> {
        let stored = match store.get(NAMESPACE, KEY).await? {
            Some(Value::String(text)) => hex::decode(text).ok().filter(|key| key.len() == 32),
            _ => None,
        };
        let key = match stored {
            Some(key) => Zeroizing::new(key),
            None => {
                let mut key = Zeroizing::new(vec![0; 32]);
                getrandom::fill(&mut key).map_err(|error| failed(error.into()))?;
                store.put(NAMESPACE, KEY, Value::String(hex::encode(&*key))).await?;
                key
            }
        };
        let start = Hmac::new_from_slice(&key).map_err(|error| failed(error.into()))?;
        Ok(Self { start })
    }

    /// The fingerprint of what signs in, with everything that belongs to it.
    pub(super) fn print(&self, credential: &StoredCredential) -> String {
        let mut print = Print(self.start.clone());
        match credential {
            StoredCredential::ApiKey { key } => {
                print.add(Some("api_key"));
                print.add_secret(key);
            }
            StoredCredential::Token { token, expires } => {
                print.add(Some("token"));
                print.add_secret(token);
                print.add(expires.map(|at| at.0.to_string()).as_deref());
            }
            StoredCredential::Oauth(tokens) => {
                print.add(Some("oauth"));
                print.add(Some(tokens.access.reveal()));
                print.add(tokens.refresh.as_ref().map(|token| token.reveal().as_str()));
                print.add(Some(&tokens.expires.0.to_string()));
                for part in
                    [&tokens.account_id, &tokens.project_id, &tokens.enterprise_url, &tokens.client_id]
                {
                    print.add(part.as_deref());
                }
            }
        }
        hex::encode(print.0.finalize().into_bytes())
    }
}

struct Print(Hmac<Sha256>);

impl Print {
    /// Adds one part with its length, so that parts cannot run into each other.
    fn add(&mut self, part: Option<&str>) {
        match part {
            Some(text) => {
                self.0.update(&[1]);
                self.0.update(&(text.len() as u64).to_be_bytes());
                self.0.update(text.as_bytes());
            }
            None => self.0.update(&[0]),
        }
    }

    fn add_secret(&mut self, secret: &StoredSecret) {
        match secret {
            StoredSecret::Text(text) => {
                self.add(Some("text"));
                self.add(Some(text.reveal()));
            }
            StoredSecret::Reference(value) => {
                self.add(Some("reference"));
                self.add(Some(&value.to_string()));
            }
        }
    }
}

fn failed(source: Box<dyn std::error::Error + Send + Sync>) -> StoreError {
    StoreError::Failed { action: "make the key that sign-ins are compared with", source }
}
