//! The API over HTTP: one client for an account, with the platform's limits kept and its refusals in neutral words.
//!
//! `call` carries, `limits` remembers how much may be asked, `fault` says what a refusal means. Nothing is tried again.

mod call;
mod fault;
mod limits;

#[cfg(test)]
mod tests;

pub(super) use call::{ApiSettings, Call, DiscordApi, escaped};
pub(super) use fault::{ApiFault, UNKNOWN_MESSAGE};
