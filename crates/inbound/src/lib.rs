//! What to do with a message, decided without doing it: is it a command, what does it ask for, when is it answered.
//!
//! Pure: no clock, no stores, no channels. `commands` reads what people write, `queue` says when a message is
//! answered and how many answers are made at once. `flow` calls both and does what they say.

pub mod commands;
pub mod queue;
