//! Devices that may connect: who is known, who waits for a person, and the tokens they hold.
//!
//! `decide`, `request` and `token` are pure; `DeviceRegistry` holds the state, writes every change to the store before
//! it counts, and records decisions in the audit ledger. Minting and approving never give more than the caller has.
//! `handshake` asks the registry during connect, the device methods manage it. Broadcasting events is the server's.

mod claim;
mod decide;
mod event;
mod manage;
mod refusal;
mod registry;
mod request;
mod state;
mod token;

pub(crate) use claim::DeviceClaim;
pub(crate) use decide::{AutoApproval, PairingNeed, PairingReason, decide};
pub(crate) use event::{PairingDecision, PairingEvent};
pub(crate) use manage::{Affected, TokenRequest};
pub(crate) use refusal::PairingRefusal;
pub(crate) use registry::{DeviceRegistry, PairingOutcome, Terms, TokenShown, Unapproved};
pub(crate) use token::{IssuedToken, TokenRefusal};

#[cfg(test)]
mod tests;
