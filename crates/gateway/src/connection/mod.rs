//! One WebSocket from its upgrade to its end.
//!
//! `upgrade` turns an HTTP request into a socket, `opening` admits or refuses the client, `hello` welcomes it, `serve`
//! runs its requests until it leaves. `outbound` is what waits to be written; `dispatch` and `reply` take a request
//! to its response. Who may connect is decided in `handshake`, what methods do in `methods`.

mod client;
mod dispatch;
mod hello;
mod metered;
mod opening;
mod outbound;
mod reply;
mod serve;
mod socket;
mod upgrade;

pub(crate) use client::Client;
pub(crate) use outbound::{Leftovers, Pace, Pushed};
pub(crate) use reply::RequestReply;
pub(crate) use upgrade::{is_upgrade, upgrade};

#[cfg(test)]
pub(crate) mod tests;
