//! How an upgrade request came in: peer, headers, and what may be concluded from them.
//!
//! Pure. The one place that turns forwarding headers into a client address and decides whether a caller counts as
//! local. Loopback alone proves nothing: a foreign `Host` or a forwarding header makes the request remote.

use std::borrow::Cow;
use std::net::{IpAddr, SocketAddr};

use axum::http::HeaderMap;
use openclaw_config::GatewaySettings;

use crate::auth::network::{host_name, is_localish_name, is_loopback, parse_address};
use crate::auth::{Locality, Program};
use crate::limits::Attempter;

/// The headers that show a request passed through a proxy.
const FORWARDING_HEADERS: [&str; 5] =
    ["x-forwarded-for", "x-real-ip", "x-forwarded-host", "x-forwarded-proto", "forwarded"];

/// A header that may stand once stood several times, so that nobody can tell which value is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Repeated;

/// An upgrade or HTTP request before anybody has proved anything.
#[derive(Debug, Clone)]
pub(crate) struct Arrival {
    /// The other end of the TCP connection.
    pub(crate) peer: SocketAddr,
    /// The request's headers.
    pub(crate) headers: HeaderMap,
    /// Whether the connection is encrypted up to us.
    pub(crate) secure: bool,
}

impl Arrival {
    /// A header's first value, trimmed; `None` when absent or blank.
    pub(crate) fn header(&self, name: &str) -> Option<Cow<'_, str>> {
        let value = String::from_utf8_lossy(self.headers.get(name)?.as_bytes());
        let trimmed = match value {
            Cow::Borrowed(text) => Cow::Borrowed(text.trim()),
            Cow::Owned(text) => Cow::Owned(text.trim().to_owned()),
        };
        (!trimmed.is_empty()).then_some(trimmed)
    }

    /// The value of a header on which trust rests: a client may have sent one of its own beside the proxy's.
    ///
    /// # Errors
    /// `Repeated` when the header stands more than once, whatever the values are.
    pub(crate) fn sole_header(&self, name: &str) -> Result<Option<Cow<'_, str>>, Repeated> {
        match self.headers.get_all(name).iter().count() {
            0 | 1 => Ok(self.header(name)),
            _ => Err(Repeated),
        }
    }

    /// The addresses a request passed through as proxies noted them, the nearest first; `None` for what is no address.
    pub(crate) fn hops(&self) -> impl Iterator<Item = Option<IpAddr>> {
        let lines = self.headers.get_all("x-forwarded-for").iter();
        let lines: Vec<_> = lines.map(|line| String::from_utf8_lossy(line.as_bytes())).collect();
        let hops: Vec<_> = lines.iter().flat_map(|line| line.split(',')).map(parse_address).collect();
        hops.into_iter().rev()
    }

    /// Where the browser page that asks was loaded from; only browsers say.
    pub(crate) fn origin(&self) -> Option<Cow<'_, str>> {
        self.header("origin")
    }

    /// The host the caller believes it talks to.
    pub(crate) fn host(&self) -> Option<Cow<'_, str>> {
        self.header("host")
    }

    /// Whether a proxy named a client address.
    pub(crate) fn names_forwarded_client(&self) -> bool {
        self.header("x-forwarded-for").is_some() || self.header("x-real-ip").is_some()
    }

    /// Whether any header shows that a proxy handed the request on.
    pub(crate) fn is_forwarded(&self) -> bool {
        FORWARDING_HEADERS.iter().any(|name| self.headers.contains_key(*name))
    }

    /// Whether the peer is a proxy that the owner trusts.
    pub(crate) fn is_from_proxy(&self, gateway: &GatewaySettings) -> bool {
        is_trusted_proxy(gateway, self.peer.ip())
    }

    /// The address of the client: the peer, or what a trusted proxy says. `None` when that proxy names nobody, or
    /// wrote something that cannot be read.
    pub(crate) fn client_ip(&self, gateway: &GatewaySettings) -> Option<IpAddr> {
        if !self.is_from_proxy(gateway) {
            return Some(self.peer.ip().to_canonical());
        }
        if self.headers.contains_key("x-forwarded-for") || !gateway.allow_real_ip_fallback {
            return self.forwarded_client(gateway);
        }
        self.sole_header("x-real-ip").ok().flatten().and_then(|text| parse_address(&text))
    }

    /// Whether the caller sits on this machine and talks to us directly. Who comes through a proxy does not, not even
    /// through a trusted one: that proxy can be reached from elsewhere.
    pub(crate) fn is_local(&self, gateway: &GatewaySettings) -> bool {
        self.client_ip(gateway).is_some_and(is_loopback)
            && self.host().is_some_and(|host| is_localish_name(&host_name(&host)))
            && !self.is_forwarded()
    }

    /// Where the caller sits.
    pub(crate) fn locality(&self, gateway: &GatewaySettings) -> Locality {
        if self.is_local(gateway) { Locality::Local } else { Locality::Remote }
    }

    /// What kind of program called.
    pub(crate) fn program(&self) -> Program {
        if self.origin().is_some() { Program::Browser } else { Program::Native }
    }

    /// The caller as the limits count it. A proxy that names no client is counted itself.
    pub(crate) fn attempter(&self, gateway: &GatewaySettings) -> Attempter {
        let address = self.client_ip(gateway).unwrap_or(self.peer.ip());
        Attempter::of(address, self.locality(gateway), self.program())
    }

    /// The client address worth showing to people; `None` when it is local or nobody trustworthy named it.
    pub(crate) fn reported_ip(&self, gateway: &GatewaySettings) -> Option<IpAddr> {
        let unproven = self.names_forwarded_client() && !self.is_from_proxy(gateway);
        if unproven || self.is_local(gateway) {
            return None;
        }
        self.client_ip(gateway).filter(|address| !is_loopback(*address))
    }

    /// The nearest hop that is not one of our proxies: everything beyond it may be invented by the client. A hop that
    /// cannot be read is not passed over, it may be the client itself.
    fn forwarded_client(&self, gateway: &GatewaySettings) -> Option<IpAddr> {
        self.hops().find(|hop| hop.is_none_or(|address| !is_trusted_proxy(gateway, address))).flatten()
    }
}

fn is_trusted_proxy(gateway: &GatewaySettings, address: IpAddr) -> bool {
    gateway.trusted_proxies.iter().any(|range| range.contains(address))
}
