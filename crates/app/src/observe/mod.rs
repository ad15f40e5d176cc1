//! What the process says about itself: `tracing` events, on the terminal for people and in a file for tools.
//!
//! One layer takes events apart, redacts them, and hands them to both sinks. `logs.tail` and the original's clients
//! read the file; nothing else in the workspace writes to it.

mod file;
mod layer;
mod line;
mod redact;

#[cfg(test)]
mod tests;

pub use file::LogTarget;
pub use layer::{ConsoleOutput, LogPlan, Logs, start};
pub use redact::KnownSecrets;
