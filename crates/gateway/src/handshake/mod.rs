//! From a first request to an admitted client, or a refusal that says why.
//!
//! One file for each step, pure where it can be; `admit` runs them in the order that matters: protocol, role, origin,
//! shared secret, missing device, device proof, device token, pairing. `arrival` says what may be concluded from the
//! way a request came in, `refusal` holds every answer to those who are turned away. Frames, timeouts and `hello-ok`
//! belong to `connection`.

mod admit;
mod applicant;
mod arrival;
mod identity;
mod missing_device;
mod origin;
mod refusal;
mod signature;

pub(crate) use admit::{AdmittedClient, Challenge, Handshake};
pub(crate) use applicant::ClientKind;
pub(crate) use arrival::{Arrival, Repeated};
pub(crate) use origin::{OriginRefused, check_page};
pub(crate) use signature::pinned_form;

#[cfg(test)]
pub(crate) mod tests;
