//! Where a gateway is: parsing its address and deciding whether plain text may go there.
//!
//! Pure. Connecting is `socket`'s business.

use std::fmt;
use std::net::IpAddr;

use tokio_tungstenite::tungstenite::http::Uri;

use crate::error::ConnectError;

/// The port of a local gateway when nothing else is said.
pub const DEFAULT_PORT: u16 = 18789;

/// A parsed `ws://` or `wss://` address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GatewayAddress {
    security: Security,
    host: String,
    port: u16,
    path: String,
}

/// Whether the connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// `ws://`
    Plaintext,
    /// `wss://`
    Tls,
}

impl GatewayAddress {
    /// Parses an address; `http://` and `https://` are read as their WebSocket twins.
    ///
    /// # Errors
    /// Says what is wrong with the text.
    pub fn parse(text: &str) -> Result<Self, ConnectError> {
        let invalid = |reason| ConnectError::InvalidUrl { url: without_secrets(text), reason };
        let Ok(uri) = text.trim().parse::<Uri>() else { return Err(invalid("it cannot be parsed")) };
        let security = match uri.scheme_str() {
            Some("ws" | "http") => Security::Plaintext,
            Some("wss" | "https") => Security::Tls,
            _ => return Err(invalid("it must start with ws:// or wss://")),
        };
        let authority = uri.authority().ok_or_else(|| invalid("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(invalid("it must not hold a user name or password; use --token or --password"));
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']').to_ascii_lowercase();
        if host.is_empty() {
            return Err(invalid("it names no host"));
        }
        let port = match (authority.port_u16(), security) {
            (Some(0), _) => return Err(invalid("port 0 cannot be connected to")),
            (Some(port), _) => port,
            (None, Security::Plaintext) => 80,
            (None, Security::Tls) => 443,
        };
        let path = uri.path_and_query().map_or("/", |path| path.as_str()).to_owned();
        Ok(Self { security, host, port, path })
    }

    /// The gateway on this machine.
    #[must_use]
    pub fn local(port: u16, security: Security) -> Self {
        Self { security, host: "127.0.0.1".to_owned(), port, path: "/".to_owned() }
    }

    /// Whether the connection is encrypted.
    #[must_use]
    pub fn security(&self) -> Security {
        self.security
    }

    /// The host, without brackets.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether the host is this machine, by name or address.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        if self.host == "localhost" {
            return true;
        }
        match self.host.parse::<IpAddr>() {
            Ok(IpAddr::V4(address)) => address.is_loopback(),
            Ok(IpAddr::V6(address)) => {
                address.is_loopback() || address.to_ipv4_mapped().is_some_and(|address| address.is_loopback())
            }
            Err(_) => false,
        }
    }

    /// Host and port as a socket or a `Host` header wants them.
    #[must_use]
    pub fn authority(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]:{}", self.host, self.port)
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }

    /// The address of the same gateway's web page, without any secret.
    #[must_use]
    pub fn web_page(&self) -> String {
        let scheme = match self.security {
            Security::Plaintext => "http",
            Security::Tls => "https",
        };
        format!("{scheme}://{}/", self.authority())
    }

    pub(crate) fn request_uri(&self) -> String {
        // The WebSocket library only needs a scheme it knows; encryption happens below it.
        format!("ws://{}{}", self.authority(), self.path)
    }
}

impl fmt::Display for GatewayAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.security {
            Security::Plaintext => "ws",
            Security::Tls => "wss",
        };
        write!(out, "{scheme}://{}", self.authority())?;
        // A query may hold what should not be shown.
        let path = self.path.split('?').next().unwrap_or_default();
        if path == "/" { Ok(()) } else { out.write_str(path) }
    }
}

/// An address that failed to parse may hold a token anywhere after the host.
fn without_secrets(text: &str) -> String {
    let end = text.find(['?', '#']).unwrap_or(text.len());
    match text[..end].rsplit_once('@') {
        Some((_, after)) => format!("…@{after}"),
        None => text[..end].to_owned(),
    }
}
