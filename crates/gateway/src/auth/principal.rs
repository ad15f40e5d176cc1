//! The authenticated caller: the only thing that authorisation ever looks at.
//!
//! Built by `handshake` when every check has passed. Scopes belong to the principal; what a client claims later
//! cannot widen them.

use std::net::IpAddr;

use openclaw_types::{DeviceId, Role, Scope, ScopeSet};

use super::Locality;

/// How a caller proved who it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum AuthMethod {
    /// The gateway asks for nothing.
    None,
    /// The gateway's token.
    Token,
    /// The gateway's password.
    Password,
    /// The device's own token.
    DeviceToken,
    /// A proxy vouched for a person.
    TrustedProxy {
        /// The person's name at that proxy.
        user: String,
    },
    /// The tailnet vouched for a person.
    Tailscale {
        /// The person's login.
        login: String,
    },
}

impl AuthMethod {
    /// The method as it stands in logs and in `hello-ok`.
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Token => "token",
            Self::Password => "password",
            Self::DeviceToken => "device-token",
            Self::TrustedProxy { .. } => "trusted-proxy",
            Self::Tailscale { .. } => "tailscale",
        }
    }

    /// Whether the caller had to know nothing: any page in a browser that is let in this way would be let in too.
    pub(crate) fn is_ambient(&self) -> bool {
        matches!(self, Self::None | Self::TrustedProxy { .. } | Self::Tailscale { .. })
    }

    /// Whether the caller showed the owner's own credential, which needs no device beside it.
    pub(crate) fn is_owner(&self) -> bool {
        matches!(self, Self::Token | Self::Password | Self::TrustedProxy { .. })
    }
}

/// A caller that has been let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Principal {
    /// The part it plays.
    pub(crate) role: Role,
    /// What it may do; always empty for nodes.
    pub(crate) scopes: ScopeSet,
    /// The device that signed the challenge, if one did.
    pub(crate) device: Option<DeviceId>,
    /// How it proved itself.
    pub(crate) method: AuthMethod,
    /// Where it came from, when that is known and not this machine.
    pub(crate) client_ip: Option<IpAddr>,
    /// Whether it sits on this machine.
    pub(crate) locality: Locality,
}

impl Principal {
    /// Whether an operator with this principal's scopes may use something that needs `scope`.
    pub(crate) fn may(&self, scope: Scope) -> bool {
        self.role == Role::Operator && self.scopes.covers(scope)
    }

    /// The principal as it is named in the audit ledger.
    pub(crate) fn actor(&self) -> String {
        match (&self.device, &self.method) {
            (Some(device), _) => format!("device:{device}"),
            (None, AuthMethod::TrustedProxy { user }) => format!("person:{user}"),
            (None, AuthMethod::Tailscale { login }) => format!("person:{login}"),
            (None, method) => format!("{}:{}", self.role, method.as_str()),
        }
    }
}
