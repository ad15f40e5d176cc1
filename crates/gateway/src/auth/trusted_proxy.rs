//! Sign-in by a reverse proxy that has already checked the person.
//!
//! Pure. The proxy must be one the owner listed, must send every header the owner asked for, and must name a person.

use openclaw_config::GatewaySettings;

use super::AuthMethod;
use crate::handshake::{Arrival, Repeated};

/// Why a proxy's word did not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ProxyFailure {
    /// The mode is on but its settings are missing.
    ConfigMissing,
    /// No proxy is trusted.
    NoProxies,
    /// The request did not come from a trusted proxy.
    UntrustedSource,
    /// A header that the owner asked for is missing.
    MissingHeader(String),
    /// The proxy named nobody.
    UserMissing,
    /// More than one name arrived; one of them may be the client's own.
    UserRepeated,
    /// The person is not on the list.
    UserNotAllowed,
}

impl ProxyFailure {
    /// The reason as clients are told.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::ConfigMissing => "trusted_proxy_config_missing".to_owned(),
            Self::NoProxies => "trusted_proxy_no_proxies_configured".to_owned(),
            Self::UntrustedSource => "trusted_proxy_untrusted_source".to_owned(),
            Self::MissingHeader(name) => format!("trusted_proxy_missing_header_{name}"),
            Self::UserMissing => "trusted_proxy_user_missing".to_owned(),
            Self::UserRepeated => "trusted_proxy_user_repeated".to_owned(),
            Self::UserNotAllowed => "trusted_proxy_user_not_allowed".to_owned(),
        }
    }
}

/// Takes the person's name from a trusted proxy.
///
/// # Errors
/// Says which of the conditions was not met.
pub(crate) fn check_proxy(gateway: &GatewaySettings, arrival: &Arrival) -> Result<AuthMethod, ProxyFailure> {
    let sign_in = gateway.auth.trusted_proxy.as_ref().ok_or(ProxyFailure::ConfigMissing)?;
    if gateway.trusted_proxies.is_empty() {
        return Err(ProxyFailure::NoProxies);
    }
    if !arrival.is_from_proxy(gateway) {
        return Err(ProxyFailure::UntrustedSource);
    }
    if let Some(missing) = sign_in.required_headers.iter().find(|name| arrival.header(name).is_none()) {
        return Err(ProxyFailure::MissingHeader(missing.clone()));
    }
    let user = arrival.sole_header(&sign_in.user_header).map_err(|Repeated| ProxyFailure::UserRepeated)?;
    let user = user.ok_or(ProxyFailure::UserMissing)?;
    if !sign_in.allow_users.is_empty() && !sign_in.allow_users.iter().any(|allowed| *allowed == user) {
        return Err(ProxyFailure::UserNotAllowed);
    }
    Ok(AuthMethod::TrustedProxy { user: user.into_owned() })
}
