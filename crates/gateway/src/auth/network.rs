//! Addresses and host names as they stand in sockets, headers and the configuration.
//!
//! Pure. Knows what a loopback address or name is, how far the addresses we listen on reach, and how to read the forms
//! that proxies and browsers write. Who is believed and why is decided in `handshake::Arrival`.

use std::net::{IpAddr, SocketAddr};

/// Who can reach the addresses the gateway really listens on, whatever the configuration says by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NetworkReach {
    /// Only programs on this machine.
    ThisMachine,
    /// Other machines too.
    Network,
}

impl NetworkReach {
    /// How far these addresses reach.
    pub(crate) fn of(addresses: &[SocketAddr]) -> Self {
        if addresses.iter().all(|address| is_loopback(address.ip())) {
            Self::ThisMachine
        } else {
            Self::Network
        }
    }
}

/// Whether the address is this machine talking to itself.
pub(crate) fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Reads an address as proxies write it: bare, with a port, or in brackets.
pub(crate) fn parse_address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix('[') {
        return rest
            .split_once(']')
            .and_then(|(inside, _)| inside.parse::<IpAddr>().ok())
            .map(|ip| ip.to_canonical());
    }
    if let Ok(address) = text.parse::<IpAddr>() {
        return Some(address.to_canonical());
    }
    let (address, _port) = text.rsplit_once(':')?;
    address.parse::<std::net::Ipv4Addr>().ok().map(IpAddr::V4)
}

/// The name in a `Host` header, in lower case and without its port.
pub(crate) fn host_name(host: &str) -> String {
    let host = host.trim().to_ascii_lowercase();
    if let Some((inside, _)) = host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        return inside.to_owned();
    }
    if host.parse::<std::net::Ipv6Addr>().is_ok() {
        return host;
    }
    match host.split_once(':') {
        Some((name, _port)) => name.to_owned(),
        None => host,
    }
}

/// Whether a host name, without port, means this machine.
pub(crate) fn is_loopback_name(name: &str) -> bool {
    name == "localhost" || name.parse::<IpAddr>().is_ok_and(is_loopback)
}

/// Whether a host name is one that only local callers and the tailnet's own proxy use.
pub(crate) fn is_localish_name(name: &str) -> bool {
    is_loopback_name(name) || name.ends_with(".ts.net")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwarded_addresses_are_read_in_every_form_proxies_write() {
        let check = |text: &str, expected: Option<&str>| {
            assert_eq!(parse_address(text), expected.map(|ip| ip.parse().unwrap()), "{text}");
        };
        check(" 203.0.113.5 ", Some("203.0.113.5"));
        check("203.0.113.5:4711", Some("203.0.113.5"));
        check("[2001:db8::1]:443", Some("2001:db8::1"));
        check("2001:db8::1", Some("2001:db8::1"));
        check("::ffff:203.0.113.5", Some("203.0.113.5"));
        check("unknown", None);
        check("_hidden:80", None);
        check("", None);
    }

    #[test]
    fn host_headers_lose_port_brackets_and_case() {
        let check = |host: &str, expected: &str| assert_eq!(host_name(host), expected, "{host}");
        check("LOCALHOST:18789", "localhost");
        check("127.0.0.1", "127.0.0.1");
        check("[::1]:18789", "::1");
        check("::1", "::1");
        check("box.tail1.ts.net", "box.tail1.ts.net");
        check("", "");
    }

    #[test]
    fn only_loopback_and_tailnet_names_are_localish() {
        let check = |name: &str, loopback: bool, localish: bool| {
            assert_eq!((is_loopback_name(name), is_localish_name(name)), (loopback, localish), "{name}");
        };
        check("localhost", true, true);
        check("127.8.8.8", true, true);
        check("::1", true, true);
        check("::ffff:127.0.0.1", true, true);
        check("0.0.0.0", false, false);
        check("box.tail1.ts.net", false, true);
        check("localhost.evil.example", false, false);
        check("", false, false);
    }
}
