//! Which version of the file a writer has seen.

use crate::FileSnapshot;
use crate::error::WriteError;

/// The hash of the file a change was made against, so that nobody overwrites what they have not seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseHash {
    /// The hash of the snapshot that was read.
    Given(String),
    /// The caller should have given one. Fine only while there is no file.
    Missing,
    /// The change does not depend on the rest of the file, as when one value is set.
    Unchecked,
}

impl BaseHash {
    /// The hash of a request that may lack it.
    #[must_use]
    pub fn from_request(hash: Option<String>) -> Self {
        match hash.map(|hash| hash.trim().to_owned()).filter(|hash| !hash.is_empty()) {
            Some(hash) => Self::Given(hash),
            None => Self::Missing,
        }
    }

    /// Refuses a write against another version than the present one.
    pub(crate) fn check(&self, current: &FileSnapshot) -> Result<(), WriteError> {
        match self {
            Self::Unchecked => Ok(()),
            _ if !current.exists => Ok(()),
            Self::Missing => Err(WriteError::HashRequired),
            Self::Given(hash) if hash.eq_ignore_ascii_case(&current.hash) => Ok(()),
            Self::Given(_) => Err(WriteError::ChangedSince),
        }
    }
}
