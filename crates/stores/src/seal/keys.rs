//! Where the key that seals secrets comes from: one variant of `KeySource` and one pair of functions for each source.
//!
//! A source does two things: it gives the key, making it when that is allowed, and it says whether the key it has can
//! be used. A keyring, a passphrase or a piece of hardware would be one more variant and one more file beside this one.
//! `Sealer` is the only one who sees a key.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use zeroize::Zeroizing;

use super::fill_random;
use crate::error::SealError;
use crate::files::{self, Existing};

pub(super) const KEY_BYTES: usize = 32;

/// A key, wiped from memory when it is dropped.
pub(super) type Key = Zeroizing<[u8; KEY_BYTES]>;

/// Where the key that seals secrets comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeySource {
    /// A file of 32 bytes, mode 0600, made on first use.
    File(PathBuf),
}

impl KeySource {
    /// Says whether a key that is there can be used. A key that is not there yet is no trouble.
    pub(crate) fn examine(&self) -> Result<(), SealError> {
        match self {
            Self::File(path) => read_key(path).map(drop),
        }
    }

    /// Gives the key, or makes it when that is allowed.
    pub(super) fn key(&self, missing: MissingKey) -> Result<Key, SealError> {
        match self {
            Self::File(path) => key_from_file(path, missing),
        }
    }
}

/// Whether a key may be made when there is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MissingKey {
    /// Nothing was sealed yet: make one.
    Make,
    /// Something was sealed with the lost one: refuse.
    Refuse,
}

fn key_from_file(path: &Path, missing: MissingKey) -> Result<Key, SealError> {
    match (read_key(path)?, missing) {
        (Some(key), _) => Ok(key),
        (None, MissingKey::Refuse) => Err(SealError::Missing { path: path.to_owned() }),
        (None, MissingKey::Make) => make_key(path),
    }
}

fn read_key(path: &Path) -> Result<Option<Key>, SealError> {
    let io = |source| SealError::Io { action: "read", path: path.to_owned(), source };
    let mode = match fs::metadata(path) {
        Ok(found) => found.permissions().mode() & 0o777,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(io(error)),
    };
    if mode & 0o077 != 0 {
        return Err(SealError::Exposed { path: path.to_owned(), mode });
    }
    let bytes = Zeroizing::new(fs::read(path).map_err(io)?);
    let key = bytes
        .as_slice()
        .try_into()
        .map_err(|_wrong_length| SealError::Malformed { path: path.to_owned() })?;
    Ok(Some(Zeroizing::new(key)))
}

fn make_key(path: &Path) -> Result<Key, SealError> {
    let mut key = Zeroizing::new([0_u8; KEY_BYTES]);
    fill_random(key.as_mut())?;
    match files::write_whole(path, key.as_ref(), Existing::Keep) {
        Ok(()) => Ok(key),
        // Another process was faster; its key counts.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            read_key(path)?.ok_or_else(|| SealError::Missing { path: path.to_owned() })
        }
        Err(source) => Err(SealError::Io { action: "make", path: path.to_owned(), source }),
    }
}
