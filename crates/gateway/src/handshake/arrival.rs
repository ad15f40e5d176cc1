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
const FORWARDING_HEADERS: [&str; 4] = ["x-forwarded-for", "x-real-ip", "x-forwarded-host", "forwarded"];

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
        FORWARDING_HEADERS.iter().any(|name| self.header(name).is_some())
    }

    /// Whether the peer is a proxy that the owner trusts.
    pub(crate) fn is_from_proxy(&self, gateway: &GatewaySettings) -> bool {
        is_trusted_proxy(gateway, self.peer.ip())
    }

    /// The address of the client: the peer, or what a trusted proxy says. `None` when that proxy names nobody.
    pub(crate) fn client_ip(&self, gateway: &GatewaySettings) -> Option<IpAddr> {
        if !self.is_from_proxy(gateway) {
            return Some(self.peer.ip().to_canonical());
        }
        let real_ip = self.header("x-real-ip").filter(|_| gateway.allow_real_ip_fallback);
        self.forwarded_client(gateway).or_else(|| real_ip.and_then(|text| parse_address(&text)))
    }

    /// Whether the caller sits on this machine and talks to us directly.
    pub(crate) fn is_local(&self, gateway: &GatewaySettings) -> bool {
        self.client_ip(gateway).is_some_and(is_loopback)
            && self.host().is_some_and(|host| is_localish_name(&host_name(&host)))
            && (!self.is_forwarded() || self.is_from_proxy(gateway))
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

    /// The last hop that is not one of our proxies: everything left of it may be invented by the client.
    fn forwarded_client(&self, gateway: &GatewaySettings) -> Option<IpAddr> {
        let mut hops = Vec::new();
        for value in self.headers.get_all("x-forwarded-for") {
            let value = String::from_utf8_lossy(value.as_bytes());
            hops.extend(value.split(',').filter_map(parse_address));
        }
        hops.into_iter().rev().find(|hop| !is_trusted_proxy(gateway, *hop))
    }
}

fn is_trusted_proxy(gateway: &GatewaySettings, address: IpAddr) -> bool {
    gateway.trusted_proxies.iter().any(|range| range.contains(address))
}
