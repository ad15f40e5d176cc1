//! The gateway: the socket over which the platform tells what happens.
//!
//! `session` decides what a close and a payload mean and what is kept to take a session up again; `line` has the socket,
//! beats, and says who we are; `open` brings a line to the point where events come.

mod line;
mod open;
mod session;

#[cfg(test)]
mod tests;

pub(super) use line::{GatewayMessage, chance};
pub(super) use open::{Gate, Opened};
pub(super) use session::{Intents, Next, Resume, before_new, limited};
