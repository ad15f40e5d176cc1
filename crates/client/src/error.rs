//! What can go wrong between us and a gateway, by what the caller can do about it.
//!
//! Texts here are for people at a terminal: they say what to do next and never hold a secret. Which errors end the
//! reconnecting client for good is decided by `ConnectError::retry`.

use std::path::PathBuf;
use std::time::Duration;

use openclaw_protocol::ErrorShape;

/// The device's identity files could not be used.
#[derive(Debug, thiserror::Error)]
pub enum IdentityError {
    /// A file exists and cannot be read.
    #[error("cannot read {path}; check its owner and mode (it should be yours, mode 600)")]
    Read {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// A file cannot be written.
    #[error("cannot write {path}; check that the state directory is yours and has space")]
    Write {
        /// Which file.
        path: PathBuf,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The system gave no random bytes.
    #[error("the system has no randomness to make a device key")]
    Randomness {
        /// Why.
        #[source]
        source: getrandom::Error,
    },
    /// A key whose hash is no device id; cannot happen with a sound hash function.
    #[error("the device key has no usable name")]
    Name {
        /// Why.
        #[source]
        source: openclaw_types::IdError,
    },
}

/// No session came about.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The text is no gateway address.
    #[error("{url:?} is no gateway address: {reason}; write it like ws://127.0.0.1:18789 or wss://host:port")]
    InvalidUrl {
        /// What was given.
        url: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Plain text to another machine would show the token and every message to the network.
    #[error(
        "refusing to send credentials in plain text to {host:?}; use wss://, or a tunnel such as `ssh -N -L 18789:127.0.0.1:18789 {host}` and ws://127.0.0.1:18789"
    )]
    PlaintextRefused {
        /// Where it would have gone.
        host: String,
    },
    /// A pinned certificate makes no sense without TLS.
    #[error("a TLS fingerprint is set but the address is ws://; use wss://")]
    FingerprintWithoutTls,
    /// The text is no SHA-256 fingerprint.
    #[error("{text:?} is no SHA-256 fingerprint: 64 hex digits are needed, colons are allowed")]
    InvalidFingerprint {
        /// What was given.
        text: String,
    },
    /// The machine has no list of trusted authorities we can find.
    #[error(
        "no trusted certificate authorities were found on this machine; pass the gateway's certificate with --tls-fingerprint"
    )]
    NoTrustedRoots,
    /// Nobody answers there.
    #[error("nothing answers at {address}; is the gateway running? start it with `openclaw gateway`")]
    Unreachable {
        /// Host and port.
        address: String,
        /// Why.
        #[source]
        source: std::io::Error,
    },
    /// The certificate is not the pinned one, or not trusted.
    #[error("the certificate of {address} was refused: {detail}")]
    Certificate {
        /// Host and port.
        address: String,
        /// What is wrong with it.
        detail: String,
    },
    /// Something answers, but not a gateway.
    #[error("{address} answers, but not as a gateway: {detail}")]
    NotAGateway {
        /// Host and port.
        address: String,
        /// What it did.
        detail: String,
    },
    /// The gateway did not finish the handshake in time.
    #[error("the gateway at {address} did not {awaited} within {limit:?}")]
    TimedOut {
        /// Host and port.
        address: String,
        /// What we waited for.
        awaited: &'static str,
        /// How long.
        limit: Duration,
    },
    /// The gateway ended the connection before the handshake was done.
    #[error("the gateway closed the connection during the handshake ({code}{}{reason})", if reason.is_empty() { "" } else { ": " })]
    Closed {
        /// The WebSocket close code; 1006 when there was none.
        code: u16,
        /// What the gateway said.
        reason: String,
    },
    /// The gateway answered the handshake with a refusal.
    #[error(transparent)]
    Refused(#[from] HandshakeRefusal),
    /// The device identity could not be used.
    #[error(transparent)]
    Identity(#[from] IdentityError),
}

/// Whether trying again, unchanged, can help.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// The same attempt may work later.
    Later,
    /// A person has to change something first.
    Never,
}

impl ConnectError {
    /// Whether trying again can help without a person.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Unreachable { .. }
            | Self::NotAGateway { .. }
            | Self::TimedOut { .. }
            | Self::Closed { .. } => Retry::Later,
            Self::Refused(refusal) => refusal.kind.retry(),
            Self::InvalidUrl { .. }
            | Self::PlaintextRefused { .. }
            | Self::FingerprintWithoutTls
            | Self::InvalidFingerprint { .. }
            | Self::NoTrustedRoots
            | Self::Certificate { .. }
            | Self::Identity(_) => Retry::Never,
        }
    }
}

/// The gateway's refusal of a handshake.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{}", .kind.advice(.message))]
pub struct HandshakeRefusal {
    /// What kind of refusal it is.
    pub kind: RefusalKind,
    /// The gateway's own words.
    pub message: String,
    /// `details.code`, when there was one.
    pub detail_code: Option<String>,
}

/// Why a gateway refuses a handshake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefusalKind {
    /// Token or password missing or wrong.
    Unauthorized,
    /// The device token we had stored is no longer good. It has been forgotten.
    DeviceTokenMismatch,
    /// Too many failed attempts.
    RateLimited,
    /// A person has to approve this device first.
    PairingRequired {
        /// Names the request that waits.
        request_id: Option<String>,
        /// `not-paired`, `role-upgrade`, `scope-upgrade` or `metadata-upgrade`.
        reason: Option<String>,
    },
    /// The gateway wants a device identity and got none.
    DeviceRequired,
    /// The device's proof was refused: clock, key or signature.
    DeviceInvalid {
        /// The gateway's word for what was wrong.
        reason: Option<String>,
    },
    /// We and the gateway speak different protocol generations.
    ProtocolMismatch {
        /// What the gateway speaks.
        expected: Option<i64>,
    },
    /// The gateway is not able to serve right now.
    Unavailable,
    /// Anything else.
    Other,
}

impl RefusalKind {
    fn retry(&self) -> Retry {
        match self {
            Self::RateLimited | Self::Unavailable => Retry::Later,
            _ => Retry::Never,
        }
    }

    fn advice(&self, message: &str) -> String {
        match self {
            Self::Unauthorized => format!(
                "{message}; set OPENCLAW_GATEWAY_TOKEN or gateway.auth.token to the gateway's token (gateway.remote.token for a remote gateway)"
            ),
            Self::DeviceTokenMismatch => {
                format!(
                    "{message}; the stored device token was forgotten, connect once with the gateway's token"
                )
            }
            Self::RateLimited => format!("{message}; wait a minute, then try again with the right token"),
            Self::PairingRequired { request_id: Some(id), .. } => {
                format!("{message}; on the gateway's machine run `openclaw devices approve {id}`")
            }
            Self::PairingRequired { request_id: None, .. } => {
                format!(
                    "{message}; on the gateway's machine run `openclaw devices list` and approve this device"
                )
            }
            Self::DeviceInvalid { reason: Some(reason) } if reason == "device-signature-stale" => {
                format!("{message}; set the clock of this machine")
            }
            Self::ProtocolMismatch { expected: Some(expected) } => {
                format!("{message}; the gateway speaks protocol {expected}, update the older of the two")
            }
            _ => message.to_owned(),
        }
    }
}

/// A request got no good answer.
#[derive(Debug, Clone, thiserror::Error)]
pub enum RequestError {
    /// The gateway answered with an error.
    #[error(transparent)]
    Refused(#[from] ErrorShape),
    /// No answer came in time. The gateway may still be doing what was asked.
    #[error("the gateway did not answer {method} within {limit:?}")]
    TimedOut {
        /// What was asked.
        method: String,
        /// How long we waited.
        limit: Duration,
    },
    /// The session ended before the answer came. The gateway may have done what was asked.
    #[error("the connection ended before the gateway answered: {ending}")]
    Ended {
        /// How the session ended.
        ending: SessionEnd,
    },
    /// No session could be made.
    #[error("no connection to the gateway: {reason}")]
    NotConnected {
        /// Why.
        reason: String,
    },
    /// The parameters or the answer have a shape that does not fit.
    #[error("cannot {action} for {method}: {detail}")]
    Shape {
        /// What was asked.
        method: String,
        /// `send the parameters` or `read the answer`.
        action: &'static str,
        /// What does not fit.
        detail: String,
    },
    /// Too many requests wait for an answer already.
    #[error("too many requests wait for an answer; try again in a moment")]
    Busy,
}

/// How a session ended.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SessionEnd {
    /// We closed it.
    #[error("closed by us")]
    ByUs,
    /// The gateway closed it.
    #[error("the gateway closed the connection ({code}{}{reason})", if reason.is_empty() { "" } else { ": " })]
    ByGateway {
        /// The WebSocket close code; 1005 when the gateway gave none.
        code: u16,
        /// What it said.
        reason: String,
    },
    /// Nothing was heard for two tick intervals.
    #[error("the gateway went silent (tick timeout)")]
    Silent,
    /// The network broke.
    #[error("the connection was lost: {detail}")]
    Lost {
        /// What the network said.
        detail: String,
    },
}
