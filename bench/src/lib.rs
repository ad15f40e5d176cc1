//! What the measuring programs share: how they say what they found.
//!
//! `main.rs` measures the gateway, `sessions/main.rs` long conversations in the store, `decoders/main.rs` the decoders of
//! the model protocols, `streams/main.rs` many streams at once, `spine/main.rs` messages of a platform: they are programs
//! of their own, since the latter three count allocations and the others must not be slowed down by that.

mod clock;
mod table;

pub use clock::cpu_micros_of;
pub use table::{Row, report};
