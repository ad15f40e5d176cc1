//! Tells whether an address is near: on this machine or in its own network. Pure.

use std::net::{IpAddr, Ipv4Addr};

/// Whether a server's address lies on this machine or in a private network.
pub(super) fn is_local(base_url: &str) -> bool {
    let Some(host) = host(base_url) else { return false };
    if host.eq_ignore_ascii_case("localhost") || host.to_ascii_lowercase().ends_with(".local") {
        return true;
    }
    match host.parse::<IpAddr>() {
        Ok(IpAddr::V4(address)) => is_near(address),
        Ok(IpAddr::V6(address)) => {
            address.is_loopback()
                || address.is_unspecified()
                || address.is_unique_local()
                || address.is_unicast_link_local()
                || address.to_ipv4_mapped().is_some_and(is_near)
        }
        Err(_) => false,
    }
}

fn is_near(address: Ipv4Addr) -> bool {
    address.is_loopback() || address.is_unspecified() || address.is_private() || address.is_link_local()
}

fn host(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    match authority.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next(),
        None => authority.split(':').next(),
    }
}

#[cfg(test)]
mod tests {
    use super::is_local;

    #[test]
    fn near_and_far_addresses_are_told_apart() {
        let near = [
            "http://127.0.0.1:11434",
            "http://localhost/v1",
            "http://[::1]:8000/v1",
            "http://192.168.1.7:1234/v1",
            "http://box.local/v1",
            "http://user@10.0.0.1/",
        ];
        let far =
            ["https://api.openai.com/v1", "https://127.0.0.1.example.com", "nonsense", "https://8.8.8.8"];
        assert_eq!(near.map(is_local), [true; 6]);
        assert_eq!(far.map(is_local), [false; 4]);
    }
}
