//! The line to a model: a neutral request, a stream of events, typed faults, and the codec contract between them.
//!
//! A wire protocol is a `ModelApi`: it turns a request into one HTTP call and the answer's bytes into events, without
//! sockets. The transport moves the bytes; selection and failover decide what to try next. Codecs live in
//! `providers::apis`, one folder each.

mod api;
mod event;
mod fault;
mod request;

pub use api::{ApiName, HttpCall, ModelApi, StreamDecoder, UnknownApi};
pub use event::{Completion, ModelEvent};
pub use fault::{FaultReason, ModelFault};
pub use request::{
    CacheLifetime, Compatibility, MaxTokensField, ModelRequest, ModelTarget, ToolChoice, ToolSpec,
};
