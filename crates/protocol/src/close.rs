//! How a socket is closed: codes and the reasons original clients know.
//!
//! A reason is cut to the bytes a close frame can hold. Who closes when is decided in `gateway` and `client`.

use std::borrow::Cow;

/// Longest reason we send, in bytes; the WebSocket limit is 123.
pub const MAX_CLOSE_REASON_BYTES: usize = 120;

/// The codes the protocol closes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u16)]
pub enum CloseCode {
    /// A plain end, also after a handshake timeout and after text that is not JSON.
    Normal = 1000,
    /// No common protocol version.
    ProtocolError = 1002,
    /// A rule was broken: refused handshake, slow consumer, too many unauthorised calls.
    Policy = 1008,
    /// A message was larger than `policy.maxPayload`.
    TooBig = 1009,
    /// The server failed.
    InternalError = 1011,
    /// The server stops or restarts.
    ServiceRestart = 1012,
    /// The client heard no tick for two intervals.
    TickTimeout = 4000,
    /// The credentials of the gateway changed (protocol 4).
    AuthChanged = 4001,
    /// The Control UI gave up its connect.
    ConnectFailed = 4008,
}

impl CloseCode {
    /// The number on the wire.
    #[must_use]
    pub fn number(self) -> u16 {
        self as u16
    }

    /// The code for a number, if the protocol knows it.
    #[must_use]
    pub fn from_number(number: u16) -> Option<Self> {
        const ALL: [CloseCode; 9] = [
            CloseCode::Normal,
            CloseCode::ProtocolError,
            CloseCode::Policy,
            CloseCode::TooBig,
            CloseCode::InternalError,
            CloseCode::ServiceRestart,
            CloseCode::TickTimeout,
            CloseCode::AuthChanged,
            CloseCode::ConnectFailed,
        ];
        ALL.into_iter().find(|code| code.number() == number)
    }
}

/// A close frame: code and a reason that fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Close {
    code: CloseCode,
    reason: Cow<'static, str>,
}

impl Close {
    /// A plain end without a reason.
    pub const NORMAL: Self = Self::fixed(CloseCode::Normal, "");
    /// No common protocol version.
    pub const PROTOCOL_MISMATCH: Self = Self::fixed(CloseCode::ProtocolError, "protocol mismatch");
    /// The first message was JSON but no request.
    pub const INVALID_REQUEST_FRAME: Self = Self::fixed(CloseCode::Policy, "invalid request frame");
    /// The client does not read fast enough.
    pub const SLOW_CONSUMER: Self = Self::fixed(CloseCode::Policy, "slow consumer");
    /// The client keeps calling what its role may not call.
    pub const REPEATED_UNAUTHORIZED: Self = Self::fixed(CloseCode::Policy, "repeated unauthorized calls");
    /// The client waited for the challenge, which did not come.
    pub const CHALLENGE_TIMEOUT: Self = Self::fixed(CloseCode::Policy, "connect challenge timeout");
    /// The client's connect was refused.
    pub const CONNECT_FAILED: Self = Self::fixed(CloseCode::Policy, "connect failed");
    /// The server stops or restarts.
    pub const SERVICE_RESTART: Self = Self::fixed(CloseCode::ServiceRestart, "service restart");
    /// The client heard no tick.
    pub const TICK_TIMEOUT: Self = Self::fixed(CloseCode::TickTimeout, "tick timeout");
    /// The credentials of the gateway changed.
    pub const AUTH_CHANGED: Self = Self::fixed(CloseCode::AuthChanged, "gateway auth changed");

    const fn fixed(code: CloseCode, reason: &'static str) -> Self {
        Self { code, reason: Cow::Borrowed(reason) }
    }

    /// A close for a reason known only now, cut to fit.
    #[must_use]
    pub fn because(code: CloseCode, reason: &str) -> Self {
        Self { code, reason: Cow::Owned(close_reason(reason).to_owned()) }
    }

    /// The code.
    #[must_use]
    pub fn code(&self) -> CloseCode {
        self.code
    }

    /// The reason, at most 120 bytes.
    #[must_use]
    pub fn reason(&self) -> &str {
        &self.reason
    }
}

/// Cuts a reason to 120 bytes without splitting a character.
#[must_use]
pub fn close_reason(reason: &str) -> &str {
    if reason.len() <= MAX_CLOSE_REASON_BYTES {
        return reason;
    }
    let end = (0..=MAX_CLOSE_REASON_BYTES).rev().find(|end| reason.is_char_boundary(*end)).unwrap_or(0);
    &reason[..end]
}
