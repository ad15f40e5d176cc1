//! What people see of a session: its history, a preview, a title.
//!
//! Pure: stored entries in, JSON or text out. `service` reads the entries and never more of them than are shown.

mod history;
mod preview;
mod strip;
mod title;

#[cfg(test)]
mod tests;

pub(crate) use history::{DEFAULT_LIMIT, MAX_LIMIT, counts, shaped};
pub use preview::PreviewItem;
pub(crate) use preview::{items, last_words};
pub use strip::{strip_directive_tags, strip_inbound_envelope};
pub(crate) use title::{first_words, title};
