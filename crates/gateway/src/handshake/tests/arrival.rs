//! Tables for who counts as local and which address a caller has.

use std::net::IpAddr;

use axum::http::HeaderMap;

use serde_json::json;

use super::settings;
use crate::handshake::Arrival;
use crate::limits::Attempter;

#[derive(Clone, Copy)]
enum RealIp {
    Ignored,
    Believed,
}

#[derive(Clone, Copy)]
struct Row<'a> {
    peer: &'a str,
    headers: &'a [(&'static str, &'a str)],
    proxies: &'a [&'a str],
    real_ip: RealIp,
}

const PLAIN: Row<'static> =
    Row { peer: "127.0.0.1:5000", headers: &[], proxies: &[], real_ip: RealIp::Ignored };

struct Seen {
    client: Option<&'static str>,
    local: bool,
    reported: Option<&'static str>,
}

fn check(row: &Row<'_>, expected: &Seen) {
    let mut headers = HeaderMap::new();
    for (name, value) in row.headers {
        headers.append(*name, value.parse().unwrap());
    }
    let arrival = Arrival { peer: row.peer.parse().unwrap(), headers, secure: false };
    let gateway = settings(&json!({
        "trustedProxies": row.proxies,
        "allowRealIpFallback": matches!(row.real_ip, RealIp::Believed),
    }));
    let ip = |text: Option<&str>| text.map(|text| text.parse::<IpAddr>().unwrap());
    assert_eq!(
        (arrival.client_ip(&gateway), arrival.is_local(&gateway), arrival.reported_ip(&gateway)),
        (ip(expected.client), expected.local, ip(expected.reported)),
        "peer {} headers {:?}",
        row.peer,
        row.headers
    );
}

const LOOPBACK: Option<&str> = Some("127.0.0.1");

#[test]
fn a_direct_loopback_caller_with_a_local_host_is_local() {
    for host in ["localhost:18789", "127.0.0.1:18789", "[::1]:18789", "box.tail1.ts.net"] {
        check(
            &Row { headers: &[("host", host)], ..PLAIN },
            &Seen { client: LOOPBACK, local: true, reported: None },
        );
    }
    check(
        &Row { peer: "[::ffff:127.0.0.1]:5000", headers: &[("host", "localhost")], ..PLAIN },
        &Seen { client: LOOPBACK, local: true, reported: None },
    );
}

#[test]
fn a_foreign_or_missing_host_makes_a_loopback_caller_remote() {
    for headers in [&[("host", "gateway.example:18789")] as &[_], &[]] {
        check(&Row { headers, ..PLAIN }, &Seen { client: LOOPBACK, local: false, reported: None });
    }
}

#[test]
fn any_forwarding_header_makes_a_loopback_caller_remote() {
    for name in ["x-forwarded-for", "x-real-ip", "x-forwarded-host", "x-forwarded-proto", "forwarded"] {
        for value in ["198.51.100.4", "127.0.0.1", ""] {
            let headers = &[("host", "localhost"), (name, value)];
            check(&Row { headers, ..PLAIN }, &Seen { client: LOOPBACK, local: false, reported: None });
        }
    }
}

#[test]
fn a_trusted_proxy_makes_nobody_local() {
    let behind = |headers| Row { headers, proxies: &["127.0.0.1", "::1"], ..PLAIN };
    check(
        &behind(&[("host", "localhost"), ("x-forwarded-for", "127.0.0.9")]),
        &Seen { client: Some("127.0.0.9"), local: false, reported: None },
    );
    check(
        &Row { real_ip: RealIp::Believed, ..behind(&[("host", "localhost"), ("x-real-ip", "127.0.0.9")]) },
        &Seen { client: Some("127.0.0.9"), local: false, reported: None },
    );
}

#[test]
fn what_cannot_be_read_is_not_passed_over_on_the_way_to_a_client() {
    fn behind<'a>(headers: &'a [(&'static str, &'a str)]) -> Row<'a> {
        Row { peer: "10.0.0.2:5000", headers, proxies: &["10.0.0.0/8"], ..PLAIN }
    }
    for hops in
        ["127.0.0.1, unknown", "198.51.100.4, _hidden, 10.0.0.9", "127.0.0.1,", "127.0.0.1, , 10.0.0.9", ""]
    {
        let headers = &[("host", "localhost"), ("x-forwarded-for", hops)];
        let nobody = Seen { client: None, local: false, reported: None };
        check(&behind(headers), &nobody);
        let real = &[("host", "localhost"), ("x-forwarded-for", hops), ("x-real-ip", "127.0.0.1")];
        check(&Row { real_ip: RealIp::Believed, ..behind(real) }, &nobody);
    }
    let lines = &[("host", "gw"), ("x-forwarded-for", "198.51.100.4"), ("x-forwarded-for", "unknown")];
    check(&behind(lines), &Seen { client: None, local: false, reported: None });
    let twice = &[("host", "gw"), ("x-real-ip", "127.0.0.1"), ("x-real-ip", "198.51.100.4")];
    check(
        &Row { real_ip: RealIp::Believed, ..behind(twice) },
        &Seen { client: None, local: false, reported: None },
    );
}

#[test]
fn a_client_nobody_can_name_is_counted_as_its_proxy() {
    let gateway = settings(&json!({"trustedProxies": ["10.0.0.0/8"]}));
    let proxy = Attempter::Remote("10.0.0.2".parse().unwrap());
    for hops in ["unknown", "127.0.0.1, unknown", "198.51.100.4, unknown"] {
        let headers = [("host", "localhost"), ("x-forwarded-for", hops)];
        assert_eq!(super::arrival("10.0.0.2:5000", &headers).attempter(&gateway), proxy, "{hops}");
    }
}

#[test]
fn forwarded_addresses_of_strangers_are_not_believed() {
    check(
        &Row {
            peer: "203.0.113.9:5000",
            headers: &[("host", "gw"), ("x-forwarded-for", "127.0.0.1")],
            ..PLAIN
        },
        &Seen { client: Some("203.0.113.9"), local: false, reported: None },
    );
    check(
        &Row { peer: "203.0.113.9:5000", headers: &[("host", "localhost")], ..PLAIN },
        &Seen { client: Some("203.0.113.9"), local: false, reported: Some("203.0.113.9") },
    );
}

#[test]
fn a_trusted_proxy_names_the_last_hop_that_is_not_a_proxy() {
    let behind = |headers| Row { peer: "10.0.0.2:5000", headers, proxies: &["10.0.0.0/8"], ..PLAIN };
    check(
        &behind(&[("host", "gw"), ("x-forwarded-for", "1.1.1.1, 198.51.100.4, 10.0.0.9")]),
        &Seen { client: Some("198.51.100.4"), local: false, reported: Some("198.51.100.4") },
    );
    check(
        &behind(&[("host", "gw"), ("x-forwarded-for", "1.1.1.1"), ("x-forwarded-for", "198.51.100.4:99")]),
        &Seen { client: Some("198.51.100.4"), local: false, reported: Some("198.51.100.4") },
    );
    check(&behind(&[("host", "gw")]), &Seen { client: None, local: false, reported: None });
    check(
        &behind(&[("host", "localhost"), ("x-forwarded-for", "10.0.0.7")]),
        &Seen { client: None, local: false, reported: None },
    );
}

#[test]
fn the_real_ip_header_counts_only_when_asked_for_and_from_a_trusted_proxy() {
    let headers: &[(&'static str, &str)] = &[("host", "localhost"), ("x-real-ip", "198.51.100.4")];
    let behind = Row { peer: "10.0.0.2:5000", headers, proxies: &["10.0.0.2"], ..PLAIN };
    check(&Row { headers, ..behind }, &Seen { client: None, local: false, reported: None });
    check(
        &Row { real_ip: RealIp::Believed, ..behind },
        &Seen { client: Some("198.51.100.4"), local: false, reported: Some("198.51.100.4") },
    );
    check(
        &Row { headers, real_ip: RealIp::Believed, ..PLAIN },
        &Seen { client: LOOPBACK, local: false, reported: None },
    );
}
