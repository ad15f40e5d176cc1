//! What the protocols of the OpenAI family have in common: addresses, credentials, error objects, ids of tool calls,
//! decisions about a request, the pieces of an answer while they grow, and the frame of a decoder.
//!
//! `wire` holds the few shapes that are the same in both; all others stay in each protocol's own `wire.rs`. Called by
//! the codecs of completions and responses, and by the service that speaks both.

mod address;
mod classify;
mod error_body;
mod ids;
mod outcome;
mod picture;
mod pieces;
mod request;
mod stream;
mod wire;

#[cfg(test)]
mod tests;

pub(in crate::apis) use address::{endpoint, headers, host_of};
pub(in crate::apis) use classify::{classify, stream_fault};
pub(in crate::apis) use ids::{CallIds, IdForm};
pub(in crate::apis) use outcome::{DialectOutcome, Heading, Tokens, conclude, usage};
pub(in crate::apis) use picture::data_url;
pub(in crate::apis) use pieces::Pieces;
pub(in crate::apis) use request::{
    Choice, PICTURES_FOLLOW, call, effort, functions, history_rules, output_limit, result_text, tool_choice,
};
pub(in crate::apis) use stream::{Dialog, EventStream, Progress};
pub(in crate::apis) use wire::{Count, Function, InputDetails, OutputDetails, refused_by_filter};
