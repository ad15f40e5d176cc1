//! Interfaces that other programs know: `/v1/chat/completions`, `/v1/responses`, `/v1/models`, `/tools/invoke`.
//!
//! `caller` lets requests in and reads who and what they are for, `ask` puts a question to the agent and follows its
//! run, `fetch` gets what a request only names the address of, `speech` streams. `chat`, `responses` and `models` hold the shapes of one interface each, `invoke` calls a tool.
//! An interface that is switched off is not there.

mod ask;
mod caller;
mod chat;
mod closed;
mod fetch;
mod invoke;
mod models;
mod parts;
mod responses;
mod speech;

pub(super) use chat::answer as chat;
pub(super) use closed::{only_get, only_post, unknown};
pub(super) use invoke::answer as invoke;
pub(super) use models::{list, one};
pub(super) use responses::answer as responses;
