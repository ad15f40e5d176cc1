//! Hides secrets from what clients see of the configuration.
//!
//! Values at sensitive paths become a mark, in the values and, by position, in the raw text, and so do comments that
//! may hold a secret: nothing else of the text changes. A value that is only a reference to a variable stays visible
//! where it is written as one. `write` puts the stored values and comments back when a client sends the mark.

mod comments;
mod place;
mod shown;
mod text;

pub use place::redact_value;
pub use shown::{RedactedSnapshot, redact};
pub(crate) use text::{LostComment, restore_text};

/// What stands in place of a secret.
pub const REDACTED: &str = "__OPENCLAW_REDACTED__";

/// Parts that the property tests of the crate use alone.
#[cfg(test)]
pub(crate) use self::{comments::KnownTexts, text::redact_text};
