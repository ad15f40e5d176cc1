//! What the measuring programs share: how they say what they found.
//!
//! `main.rs` measures the gateway, `decoders/main.rs` the decoders of the model protocols, `streams/main.rs` many
//! streams at once: they are programs of their own, since the latter two count allocations and the first must not be
//! slowed down by that.

mod table;

pub use table::{Row, report};
