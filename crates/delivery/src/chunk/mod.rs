//! Cuts words into pieces that fit into one message each.
//!
//! Pieces are cut where it hurts least: between paragraphs, then lines, sentences, words, and never inside what people see
//! as one character. A code block that fits stays whole; one that does not is closed and opened again. What is lost is white
//! space at the cuts, nothing else. How long a piece is, the caller says, so that markup counts. Pure; `plan` calls it.

mod cut;
mod place;

#[cfg(test)]
mod tests;

pub use cut::{Room, chunk};
