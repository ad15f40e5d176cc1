//! The device's own key: who this installation is to a gateway.
//!
//! Two files in `<state dir>/identity`, in the format every OpenClaw program shares, so an identity made by one works
//! with the other: `device.json` (the key) and `device-auth.json` (tokens a gateway gave to it). Both are private to
//! their owner. Sending them anywhere is the handshake's business.

mod key_file;
mod private_file;
mod signature;
mod token_file;

pub use key_file::DeviceIdentity;
pub use signature::{SignatureVersion, SignedFields};
pub use token_file::{DeviceTokens, StoredToken};

#[cfg(test)]
mod tests;
