//! What to do with a message, decided without doing it: who may talk to us, who answers, what does it ask for, when.
//!
//! Pure: no clock, no stores, no channels. `access` decides who may talk to us, `route` finds agent and session, `conversation` puts a
//! message into words for the model, `commands` reads what people write, `queue` says when a message is answered and how
//! many answers are made at once. `flow` calls all of them and does what they say.

pub mod access;
pub mod commands;
pub mod conversation;
pub mod queue;
pub mod route;
