//! Tools that models call: one folder for each family, and the registry that lists them.
//!
//! A tool reads its arguments leniently (`arguments`), does one thing, and says what came of it. Handles to the rest of
//! the system come in through `registry`; a tool whose handle is missing does not exist.

mod arguments;
mod fence;
mod files;
mod gateway;
mod image;
mod messaging;
mod picture;
mod registry;
mod runtime;
mod sessions;
mod stop;
mod web;

#[cfg(test)]
mod testing;

pub use files::{GuardedFiles, MovedPlaces, ProtectedPlaces};
pub use registry::{ToolHandles, tools};
