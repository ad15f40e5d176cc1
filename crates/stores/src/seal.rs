//! Sealing: stored secrets that cannot be read without a key, nor moved to another row.
//!
//! XChaCha20-Poly1305 with a random nonce. The envelope is one version byte, 24 bytes of nonce, then the sealed
//! bytes with their tag. The row a secret belongs to is authenticated with it, so a value copied into another row
//! does not open. Where the key comes from is a `KeySource` of `keys`; nothing else in the crate touches the key.

mod keys;

pub use keys::KeySource;
pub(crate) use keys::MissingKey;

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use openclaw_types::Secret;
use zeroize::Zeroize;

use crate::error::SealError;
use keys::KEY_BYTES;

/// The layout of the envelope described above.
const ENVELOPE_VERSION: u8 = 1;
const NONCE_BYTES: usize = 24;

/// The row a secret belongs to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowIdentity<'a> {
    pub(crate) table: &'static str,
    pub(crate) key: &'a [&'a str],
}

/// Why a sealed value does not open. Says nothing about the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsealable {
    #[error("its seal has an unknown layout; a newer version of OpenClaw may have written it")]
    UnknownLayout,
    #[error("its seal does not fit the key or the row; put the seal.key that belongs to this database back")]
    WrongKeyOrRow,
}

/// Seals and opens with one key.
pub(crate) struct Sealer {
    cipher: XChaCha20Poly1305,
}

impl std::fmt::Debug for Sealer {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Sealer([secret])")
    }
}

impl Sealer {
    /// Fetches the key, or makes it when that is allowed.
    pub(crate) fn from_source(source: &KeySource, missing: MissingKey) -> Result<Self, SealError> {
        source.key(missing).map(|key| Self::new(&key))
    }

    fn new(key: &[u8; KEY_BYTES]) -> Self {
        Self { cipher: XChaCha20Poly1305::new(key.into()) }
    }

    /// Seals a secret for one row.
    pub(crate) fn seal(&self, row: RowIdentity<'_>, secret: &Secret<String>) -> Result<Vec<u8>, SealError> {
        let mut nonce = [0_u8; NONCE_BYTES];
        fill_random(&mut nonce)?;
        let payload = Payload { msg: secret.reveal().as_bytes(), aad: &row.bytes() };
        let sealed =
            self.cipher.encrypt(&XNonce::from(nonce), payload).map_err(|_refused| SealError::TooLong)?;
        Ok([&[ENVELOPE_VERSION][..], &nonce, &sealed].concat())
    }

    /// Opens what was sealed for this row.
    pub(crate) fn open(&self, row: RowIdentity<'_>, envelope: &[u8]) -> Result<Secret<String>, Unsealable> {
        let (version, rest) = envelope.split_first().ok_or(Unsealable::UnknownLayout)?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE_BYTES>().ok_or(Unsealable::UnknownLayout)?;
        if *version != ENVELOPE_VERSION {
            return Err(Unsealable::UnknownLayout);
        }
        let payload = Payload { msg: sealed, aad: &row.bytes() };
        let opened = self
            .cipher
            .decrypt(&XNonce::from(*nonce), payload)
            .map_err(|_refused| Unsealable::WrongKeyOrRow)?;
        String::from_utf8(opened).map(Secret::new).map_err(|error| {
            error.into_bytes().zeroize();
            Unsealable::WrongKeyOrRow
        })
    }
}

impl RowIdentity<'_> {
    /// The row as bytes, each part with its length in front.
    fn bytes(self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for part in std::iter::once(&self.table).chain(self.key) {
            bytes.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bytes.extend_from_slice(part.as_bytes());
        }
        bytes
    }
}

fn fill_random(bytes: &mut [u8]) -> Result<(), SealError> {
    getrandom::fill(bytes).map_err(|_unavailable| SealError::NoRandomness)
}

#[cfg(test)]
mod tests;
