//! Sealed thoughts while they arrive: Base64 in parts, each of which may end in padding of its own.
//!
//! Each part is read once, when it comes; reading all of them again for each part would take forever for long ones.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// The parts so far.
#[derive(Debug)]
pub(crate) struct Sealed {
    /// The parts one behind the other, for parts that are no Base64 of their own.
    text: String,
    /// The bytes of all parts, as long as each could be read.
    bytes: Option<Vec<u8>>,
}

impl Default for Sealed {
    fn default() -> Self {
        Self { text: String::new(), bytes: Some(Vec::new()) }
    }
}

impl Sealed {
    /// Takes the next part.
    pub(super) fn push(&mut self, part: &str) {
        self.text.push_str(part);
        self.bytes = self.bytes.take().and_then(|mut bytes| {
            bytes.extend(BASE64_STANDARD.decode(part).ok()?);
            Some(bytes)
        });
    }

    /// All parts as one Base64 text.
    pub(super) fn whole(self) -> String {
        match self.bytes {
            Some(bytes) => BASE64_STANDARD.encode(bytes),
            None => self.text,
        }
    }
}

impl From<String> for Sealed {
    fn from(part: String) -> Self {
        let mut sealed = Self::default();
        sealed.push(&part);
        sealed
    }
}
