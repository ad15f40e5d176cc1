//! What the protocols of the OpenAI family have in common: addresses, credentials, error objects, ids of tool calls,
//! the pieces of an answer while they grow, and the frame of a decoder.
//!
//! The fields of requests and answers stay in each protocol's `wire.rs`. Called by the codecs of completions and
//! responses, and through them by the service that speaks both.

mod address;
mod classify;
mod error_body;
mod ids;
mod outcome;
mod picture;
mod pieces;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub(in crate::apis) use address::{endpoint, headers, host_of};
pub(in crate::apis) use classify::{classify, stream_fault};
pub(in crate::apis) use ids::{CallIds, IdForm};
pub(in crate::apis) use outcome::{Heading, Outcome, Tokens, conclude, usage};
pub(in crate::apis) use picture::data_url;
pub(in crate::apis) use pieces::Pieces;
pub(in crate::apis) use stream::{Dialog, EventStream, Progress};
pub(in crate::apis) use wire::{Count, refused_by_filter};
