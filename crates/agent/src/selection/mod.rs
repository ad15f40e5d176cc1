//! Which models are asked, in which order, and how: pure decisions over configuration and catalog.
//!
//! No clock, no credentials, no effects. `models` acts on what is decided here; whether a credential is usable is the
//! business of `profiles` and `failover`.

mod chain;
mod names;
mod options;
mod reference;
mod thinking;
mod window;

#[cfg(test)]
mod tests;

pub use chain::Selection;
pub(crate) use chain::wants_to_be_seen;
pub use names::{ModelNames, ResolvedModel};
pub(crate) use options::CallOptions;
pub use reference::Reference;
pub(crate) use thinking::{asked_level, lower_level};
pub use window::{ContextWindow, WindowVerdict};
pub(crate) use window::{HARD_MINIMUM, WARN_BELOW};
