//! Messaging platforms, one folder for each: what they say in neutral words, and our words in theirs.
//!
//! An adapter translates and nothing else. Who may talk, who answers, how long a message is, what is tried again: the
//! host decides. `shared` holds what all of them need; `registry` names those there are.

mod discord;
mod irc;
mod registry;
mod shared;
mod slack;
mod telegram;

pub use registry::kinds;
