//! The gateway's client: the one way every program of ours speaks to a gateway.
//!
//! `connect` makes one session; `Client` keeps one up. Both prove the device's identity, choose what secret to show and
//! store the token they are given. Wire types come from `protocol`; where the gateway is and which secrets exist is
//! decided by the caller. Nothing here prints, reads variables or knows a home directory.

mod address;
mod backoff;
mod client;
mod error;
mod events;
mod handshake;
mod hello;
mod identity;
mod options;
mod refusal;
mod session;
mod socket;
mod tls;
mod traffic;

pub use address::{DEFAULT_PORT, GatewayAddress, Security};
pub use client::{Client, Connection};
pub use error::{
    ConnectError, HandshakeRefusal, IdentityError, RefusalKind, RequestError, Retry, SessionEnd,
};
pub use events::{ClientNotice, EventStream};
pub use hello::{Grant, Hello};
pub use identity::{DeviceIdentity, DeviceTokens, SignatureVersion, SignedFields, StoredToken};
pub use options::{ClientProfile, ConnectCredentials, ConnectOptions, Device, Plaintext};
pub use session::{Await, RequestOptions, Session, connect};
pub use tls::{Fingerprint, Trust};
