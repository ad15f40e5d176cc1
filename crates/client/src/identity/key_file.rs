//! Reads and makes `device.json`: the Ed25519 key of this installation.
//!
//! A file that cannot be understood is put aside, never overwritten: the key in it may still be wanted.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ed25519_dalek::pkcs8::DecodePrivateKey as _;
use ed25519_dalek::{Signer as _, SigningKey};
use openclaw_ports::Clock;
use openclaw_types::DeviceId;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use zeroize::Zeroizing;

use super::private_file;
use crate::error::IdentityError;

/// What precedes the 32 key bytes in a PKCS #8 document of an Ed25519 key (version 1, without the public half).
const PRIVATE_DER_PREFIX: [u8; 16] =
    [0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20];
/// What precedes the 32 key bytes in the public half's document.
const PUBLIC_DER_PREFIX: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The key of this installation and the name that follows from it.
#[derive(Clone)]
pub struct DeviceIdentity {
    device_id: DeviceId,
    key: SigningKey,
}

impl std::fmt::Debug for DeviceIdentity {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("DeviceIdentity").field("device_id", &self.device_id).finish_non_exhaustive()
    }
}

impl DeviceIdentity {
    /// Reads the identity in `folder`, making one on first use.
    ///
    /// Two processes that start at once end up with the same identity. A file that cannot be understood is renamed to
    /// `device.json.unreadable-<time>` and a new identity takes its place.
    ///
    /// # Errors
    /// When the folder cannot be read or written, or the system has no randomness.
    pub fn load_or_create(folder: &Path, clock: &dyn Clock) -> Result<Self, IdentityError> {
        let path = folder.join("device.json");
        match read(&path)? {
            Stored::Good(identity) => return Ok(*identity),
            Stored::Unreadable => put_aside(&path, clock)?,
            Stored::Missing => {}
        }
        let identity = Self::generate()?;
        match private_file::create(&path, &identity.to_file_text(clock)) {
            Ok(()) => Ok(identity),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => match read(&path)? {
                Stored::Good(theirs) => Ok(*theirs),
                Stored::Missing | Stored::Unreadable => Err(IdentityError::Write { path, source: error }),
            },
            Err(source) => Err(IdentityError::Write { path, source }),
        }
    }

    /// Makes an identity that lives only in memory.
    ///
    /// # Errors
    /// When the system has no randomness.
    pub fn generate() -> Result<Self, IdentityError> {
        let mut seed = Zeroizing::new([0_u8; 32]);
        getrandom::fill(seed.as_mut()).map_err(|source| IdentityError::Randomness { source })?;
        Self::from_key(SigningKey::from_bytes(&seed))
    }

    /// The device's name: the hex SHA-256 of its public key.
    #[must_use]
    pub fn device_id(&self) -> &DeviceId {
        &self.device_id
    }

    /// The public key as the wire carries it: raw bytes in base64url without padding.
    #[must_use]
    pub fn public_key(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.key.verifying_key().as_bytes())
    }

    /// Signs a text; base64url without padding.
    #[must_use]
    pub fn sign(&self, text: &str) -> String {
        URL_SAFE_NO_PAD.encode(self.key.sign(text.as_bytes()).to_bytes())
    }

    fn from_key(key: SigningKey) -> Result<Self, IdentityError> {
        let name = hex::encode(Sha256::digest(key.verifying_key().as_bytes()));
        let device_id = DeviceId::new(name).map_err(|source| IdentityError::Name { source })?;
        Ok(Self { device_id, key })
    }

    fn to_file_text(&self, clock: &dyn Clock) -> Zeroizing<String> {
        let seed = Zeroizing::new(self.key.to_bytes());
        let mut private = Zeroizing::new(Vec::with_capacity(48));
        private.extend_from_slice(&PRIVATE_DER_PREFIX);
        private.extend_from_slice(seed.as_ref());
        let public = [PUBLIC_DER_PREFIX.as_slice(), self.key.verifying_key().as_bytes()].concat();
        let document = json!({
            "version": 1,
            "deviceId": self.device_id.as_str(),
            "publicKeyPem": pem("PUBLIC KEY", &public),
            "privateKeyPem": pem("PRIVATE KEY", &private),
            "createdAtMs": clock.now().0,
        });
        Zeroizing::new(format!("{document:#}\n"))
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    // Both documents fit on one line of 64 characters.
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", STANDARD.encode(der))
}

enum Stored {
    Missing,
    Unreadable,
    Good(Box<DeviceIdentity>),
}

fn read(path: &Path) -> Result<Stored, IdentityError> {
    let text = match fs::read_to_string(path) {
        Ok(text) => Zeroizing::new(text),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Stored::Missing),
        Err(error) if error.kind() == ErrorKind::InvalidData => return Ok(Stored::Unreadable),
        Err(source) => return Err(IdentityError::Read { path: path.to_owned(), source }),
    };
    let Ok(mut document) = serde_json::from_str::<Value>(&text) else { return Ok(Stored::Unreadable) };
    if document["version"] != json!(1) {
        return Ok(Stored::Unreadable);
    }
    let Some(private_pem) = document["privateKeyPem"].as_str() else { return Ok(Stored::Unreadable) };
    let Ok(key) = SigningKey::from_pkcs8_pem(private_pem) else { return Ok(Stored::Unreadable) };
    let identity = DeviceIdentity::from_key(key)?;
    if document["deviceId"].as_str() != Some(identity.device_id.as_str()) {
        document["deviceId"] = json!(identity.device_id.as_str());
        private_file::replace(path, &format!("{document:#}\n"))
            .map_err(|source| IdentityError::Write { path: path.to_owned(), source })?;
    }
    Ok(Stored::Good(Box::new(identity)))
}

fn put_aside(path: &Path, clock: &dyn Clock) -> Result<(), IdentityError> {
    let aside: PathBuf = path.with_file_name(format!("device.json.unreadable-{}", clock.now().0));
    fs::rename(path, &aside).map_err(|source| IdentityError::Write { path: path.to_owned(), source })?;
    tracing::warn!(kept = %aside.display(), "the device identity could not be read; a new one takes its place and needs pairing");
    Ok(())
}
