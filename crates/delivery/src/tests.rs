//! Answers with every kind of mark, cut in every way; heartbeats; notices.

mod answers;
mod notices;
