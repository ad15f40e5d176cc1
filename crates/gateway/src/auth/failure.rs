//! Why a caller was not let in, as clients are told.
//!
//! Pure. Clients look for certain words in these messages and for the codes beside them, so both are part of the
//! protocol: "token mismatch", "device token mismatch", "password", "rate". The hints say what to do next.

use std::borrow::Cow;
use std::time::Duration;

use openclaw_protocol::DetailCode;

use super::ProxyFailure;
use crate::handshake::ClientKind;

/// Why the shared secret, or what stood in for it, was not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AuthFailure {
    /// No token was sent.
    TokenMissing,
    /// The token is wrong.
    TokenMismatch,
    /// The gateway wants a token but has none.
    TokenNotConfigured,
    /// No password was sent.
    PasswordMissing,
    /// The password is wrong.
    PasswordMismatch,
    /// The gateway wants a password but has none.
    PasswordNotConfigured,
    /// The device's token is wrong, revoked, or too weak for what was asked.
    DeviceTokenMismatch,
    /// The tailnet's proxy named nobody.
    TailscaleIdentityMissing,
    /// The tailnet's headers did not come from its proxy.
    TailscaleProxyMissing,
    /// The daemon did not confirm anybody.
    TailscaleWhoisFailed,
    /// The daemon names somebody else.
    TailscaleIdentityMismatch,
    /// The reverse proxy's word did not count.
    Proxy(ProxyFailure),
    /// Too many wrong tries.
    RateLimited {
        /// How long to wait.
        retry_after: Duration,
    },
    /// Anything else.
    Unauthorized,
}

impl AuthFailure {
    /// The short reason that stands in the error's details.
    pub(crate) fn reason(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::TokenMissing => "token_missing",
            Self::TokenMismatch => "token_mismatch",
            Self::TokenNotConfigured => "token_missing_config",
            Self::PasswordMissing => "password_missing",
            Self::PasswordMismatch => "password_mismatch",
            Self::PasswordNotConfigured => "password_missing_config",
            Self::DeviceTokenMismatch => "device_token_mismatch",
            Self::TailscaleIdentityMissing => "tailscale_user_missing",
            Self::TailscaleProxyMissing => "tailscale_proxy_missing",
            Self::TailscaleWhoisFailed => "tailscale_whois_failed",
            Self::TailscaleIdentityMismatch => "tailscale_user_mismatch",
            Self::RateLimited { .. } => "rate_limited",
            Self::Unauthorized => "unauthorized",
            Self::Proxy(failure) => return Cow::Owned(failure.reason()),
        })
    }

    /// The code that stands in the error's details.
    pub(crate) fn code(&self) -> DetailCode {
        match self {
            Self::TokenMissing => DetailCode::AuthTokenMissing,
            Self::TokenMismatch => DetailCode::AuthTokenMismatch,
            Self::TokenNotConfigured => DetailCode::AuthTokenNotConfigured,
            Self::PasswordMissing => DetailCode::AuthPasswordMissing,
            Self::PasswordMismatch => DetailCode::AuthPasswordMismatch,
            Self::PasswordNotConfigured => DetailCode::AuthPasswordNotConfigured,
            Self::DeviceTokenMismatch => DetailCode::AuthDeviceTokenMismatch,
            Self::TailscaleIdentityMissing => DetailCode::AuthTailscaleIdentityMissing,
            Self::TailscaleProxyMissing => DetailCode::AuthTailscaleProxyMissing,
            Self::TailscaleWhoisFailed => DetailCode::AuthTailscaleWhoisFailed,
            Self::TailscaleIdentityMismatch => DetailCode::AuthTailscaleIdentityMismatch,
            Self::RateLimited { .. } => DetailCode::AuthRateLimited,
            Self::Proxy(_) | Self::Unauthorized => DetailCode::AuthUnauthorized,
        }
    }

    /// What clients of protocol 4 are advised to do.
    pub(crate) fn next_step(&self) -> &'static str {
        match self {
            Self::TokenMissing
            | Self::TokenNotConfigured
            | Self::PasswordMissing
            | Self::PasswordNotConfigured => "update_auth_configuration",
            Self::TokenMismatch | Self::PasswordMismatch | Self::DeviceTokenMismatch => {
                "update_auth_credentials"
            }
            Self::RateLimited { .. } => "wait_then_retry",
            _ => "review_auth_configuration",
        }
    }

    /// Whether somebody guessed, and guessed wrong.
    pub(crate) fn is_wrong_guess(&self) -> bool {
        matches!(self, Self::TokenMismatch | Self::PasswordMismatch | Self::DeviceTokenMismatch)
    }

    /// The message for a client of that kind.
    pub(crate) fn message(&self, kind: ClientKind) -> String {
        let (what, hint) = match self {
            Self::TokenMissing => ("gateway token missing", token_hint(kind)),
            Self::TokenMismatch => ("gateway token mismatch", token_hint(kind)),
            Self::TokenNotConfigured => ("gateway token not configured on gateway", "set gateway.auth.token"),
            Self::PasswordMissing => ("gateway password missing", password_hint(kind)),
            Self::PasswordMismatch => ("gateway password mismatch", password_hint(kind)),
            Self::PasswordNotConfigured => {
                ("gateway password not configured on gateway", "set gateway.auth.password")
            }
            Self::DeviceTokenMismatch => ("device token mismatch", "rotate/reissue device token"),
            Self::TailscaleIdentityMissing => ("tailscale identity missing", SERVE_AUTH_HINT),
            Self::TailscaleProxyMissing => {
                ("tailscale proxy headers missing", "use Tailscale Serve or gateway token/password")
            }
            Self::TailscaleWhoisFailed => ("tailscale identity check failed", SERVE_AUTH_HINT),
            Self::TailscaleIdentityMismatch => ("tailscale identity mismatch", SERVE_AUTH_HINT),
            Self::RateLimited { .. } => ("too many failed authentication attempts", "retry later"),
            Self::Proxy(_) | Self::Unauthorized => return "unauthorized".to_owned(),
        };
        format!("unauthorized: {what} ({hint})")
    }
}

const SERVE_AUTH_HINT: &str = "use Tailscale Serve auth or gateway token/password";

fn token_hint(kind: ClientKind) -> &'static str {
    match kind {
        ClientKind::Cli => "set gateway.remote.token to match gateway.auth.token",
        ClientKind::ControlUi | ClientKind::WebChat => {
            "open the dashboard URL and paste the token in Control UI settings"
        }
        ClientKind::Other => "provide gateway auth token",
    }
}

fn password_hint(kind: ClientKind) -> &'static str {
    match kind {
        ClientKind::Cli => "set gateway.remote.password to match gateway.auth.password",
        ClientKind::ControlUi | ClientKind::WebChat => "enter the password in Control UI settings",
        ClientKind::Other => "provide gateway auth password",
    }
}
