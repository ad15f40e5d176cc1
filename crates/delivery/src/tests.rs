//! Answers with every kind of mark, cut in every way; heartbeats; notices; pieces and what becomes of them.

mod albums;
mod answers;
mod notices;
mod outbox;
mod pieces;
mod sources;
