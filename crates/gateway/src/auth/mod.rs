//! Who is asking, and how they proved it.
//!
//! `shared`, `trusted_proxy` and `tailscale` each check one kind of proof; `principal` is the result. The settings are
//! read anew for every connection, so that a changed secret counts at once. Devices and their tokens live in `pairing`,
//! the order of all checks in `handshake`.

mod failure;
pub(crate) mod network;
mod principal;
mod shared;
mod standing;
mod tailscale;
mod trusted_proxy;

pub(crate) use failure::AuthFailure;
pub(crate) use network::NetworkReach;
pub(crate) use principal::{AuthMethod, Principal};
pub(crate) use shared::{DeviceTokenField, SentCredentials, check_secret, same_secret};
pub(crate) use standing::{Locality, Program};
pub(crate) use tailscale::{WhoIs, check_tailscale};
pub(crate) use trusted_proxy::{ProxyFailure, check_proxy};

#[cfg(test)]
mod tests;
