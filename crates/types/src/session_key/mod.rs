//! Session keys: which conversation's memory a message belongs to.
//!
//! A key is a structure. This folder is the only place that splits or joins its text: `scope` is the vocabulary,
//! `parse` reads, `print` writes, `resolve` completes the short forms people and clients send, `sanitize` holds the
//! rules for agent and account ids. Deciding which key a message gets is the business of `inbound::route`.

mod ask;
mod key;
mod parse;
mod print;
mod resolve;
mod sanitize;
mod scope;

#[cfg(test)]
mod tests;

pub use key::SessionKey;
pub use resolve::{KeyContext, SessionBreadth};
pub use scope::{ApiInterface, DirectWord, Lineage, SessionName, SessionScope, SessionThread, ThreadMarker};
