//! A value that must not be seen: tokens, passwords, keys.
//!
//! `Debug` prints a fixed mark, there is no `Display` and no `Serialize`, and the memory is wiped on drop.
//! Reading the value is one explicit call, so every place that does can be found.

use std::fmt;

use serde::{Deserialize, Deserializer};
use zeroize::Zeroize;

/// Holds a secret and keeps it out of logs, errors and JSON.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret<T: Zeroize>(T);

impl<T: Zeroize> Secret<T> {
    /// Seals a value.
    pub fn new(value: T) -> Self {
        Self(value)
    }

    /// Shows the value to the one caller that needs it.
    pub fn reveal(&self) -> &T {
        &self.0
    }
}

impl<T: Zeroize> Drop for Secret<T> {
    fn drop(&mut self) {
        self.0.zeroize();
    }
}

impl<T: Zeroize> fmt::Debug for Secret<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("[secret]")
    }
}

impl<'de, T: Zeroize + Deserialize<'de>> Deserialize<'de> for Secret<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        T::deserialize(from).map(Self)
    }
}
