//! Models: wire protocols as codecs without sockets.
//!
//! `framing` cuts bytes into frames, `apis` holds one folder for each protocol. A codec turns a neutral request into
//! one HTTP call and the answer's bytes into events; it knows no socket, no clock and no other codec.

mod apis;
mod framing;
mod history;

pub use apis::AnthropicMessages;
