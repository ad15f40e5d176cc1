//! Reads and writes `device-auth.json`: the tokens a gateway gave to this device, one for each role.
//!
//! A file of another device, or one that cannot be understood, counts as empty: its tokens would be refused anyway.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use openclaw_ports::Clock;
use openclaw_types::{DeviceId, Role, ScopeSet, Secret};
use serde_json::{Map, Value, json};
use zeroize::Zeroizing;

use super::private_file;
use crate::error::IdentityError;

/// The token file of one device.
#[derive(Debug, Clone)]
pub struct DeviceTokens {
    path: PathBuf,
    device_id: DeviceId,
}

/// A token as it was stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredToken {
    /// The token itself.
    pub token: Secret<String>,
    /// What it allows, as the gateway said when it gave it.
    pub scopes: Vec<String>,
}

impl DeviceTokens {
    /// The token file in `folder` that belongs to `device_id`. Nothing is read yet.
    #[must_use]
    pub fn new(folder: &Path, device_id: DeviceId) -> Self {
        Self { path: folder.join("device-auth.json"), device_id }
    }

    /// The stored token for a role.
    ///
    /// # Errors
    /// When the file exists and cannot be read.
    pub fn get(&self, role: Role) -> Result<Option<StoredToken>, IdentityError> {
        let tokens = self.read()?;
        let entry = &tokens[role.as_str()];
        Ok(entry["token"].as_str().filter(|token| !token.is_empty()).map(|token| StoredToken {
            token: Secret::new(token.to_owned()),
            scopes: strings(&entry["scopes"]),
        }))
    }

    /// Remembers the token for a role, keeping those of other roles.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn put(
        &self,
        role: Role,
        token: &Secret<String>,
        scopes: &ScopeSet,
        clock: &dyn Clock,
    ) -> Result<(), IdentityError> {
        let mut tokens = self.read()?;
        let scopes: Vec<&str> = scopes.iter().map(openclaw_types::Scope::as_str).collect();
        tokens[role.as_str()] = json!({
            "token": token.reveal(),
            "role": role.as_str(),
            "scopes": scopes,
            "updatedAtMs": clock.now().0,
        });
        self.write(&tokens)
    }

    /// Forgets the token for a role; says whether there was one.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn forget(&self, role: Role) -> Result<bool, IdentityError> {
        let mut tokens = self.read()?;
        let was_there =
            tokens.as_object_mut().is_some_and(|tokens| tokens.shift_remove(role.as_str()).is_some());
        if was_there {
            self.write(&tokens)?;
        }
        Ok(was_there)
    }

    fn read(&self) -> Result<Value, IdentityError> {
        let none = || Value::Object(Map::new());
        let text = match fs::read_to_string(&self.path) {
            Ok(text) => Zeroizing::new(text),
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidData) => {
                return Ok(none());
            }
            Err(source) => return Err(IdentityError::Read { path: self.path.clone(), source }),
        };
        let Ok(mut document) = serde_json::from_str::<Value>(&text) else { return Ok(none()) };
        let ours =
            document["version"] == json!(1) && document["deviceId"].as_str() == Some(self.device_id.as_str());
        Ok(if ours && document["tokens"].is_object() { document["tokens"].take() } else { none() })
    }

    fn write(&self, tokens: &Value) -> Result<(), IdentityError> {
        let document = json!({ "version": 1, "deviceId": self.device_id.as_str(), "tokens": tokens });
        let text = Zeroizing::new(format!("{document:#}\n"));
        private_file::replace(&self.path, &text)
            .map_err(|source| IdentityError::Write { path: self.path.clone(), source })
    }
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect()
}
