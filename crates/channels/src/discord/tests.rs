//! Recorded events in neutral words, words in the platform's markup, and settings as rules.

mod formatting;
mod recorded;
mod settings;
