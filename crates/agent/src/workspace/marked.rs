//! A text that is hashed by its mark, which is made once: prompts look at the same files every turn.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use sha2::{Digest, Sha256};

/// A text and its mark.
#[derive(Clone, PartialEq, Eq)]
pub struct MarkedText {
    text: String,
    mark: [u8; 32],
}

impl From<String> for MarkedText {
    fn from(text: String) -> Self {
        Self { mark: Sha256::digest(&text).into(), text }
    }
}

impl Deref for MarkedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.text
    }
}

impl Hash for MarkedText {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.mark.hash(state);
    }
}

impl fmt::Debug for MarkedText {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(out)
    }
}
