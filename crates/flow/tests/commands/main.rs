//! What chat commands do, told by what their senders see: the answer, the session afterwards, what the model gets.
//!
//! `world` has `heart` put a flow together from memory stores, a scripted model, a real shell and a real desk for approvals; each
//! other file is a family of commands as tables of what is written and what comes of it.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on says so by panicking")]

mod cards;
mod conversation;
#[path = "../heart/mod.rs"]
mod heart;
mod management;
mod options;
mod world;
