//! Recorded events in neutral words, words in the platform's markup, and settings as rules.

mod formatting;
pub(super) mod recorded;
mod rooms;
mod settings;
