//! Tables of the guard: which addresses may be called.

use std::net::SocketAddr;
use std::sync::Arc;

use openclaw_ports::model::ServerReach;
use reqwest::dns::Resolve;

use crate::transport::client::{GuardedResolver, machine_lookup};
use crate::transport::egress::{Refusal, check_lender, check_resolved, check_written};
use crate::transport::is_lender;

/// How an address fares with reach `Public` and with reach `Anywhere`.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Open,
    NamedOnly,
    Closed,
}

#[track_caller]
fn check(host: &str, expected: Fate) {
    let text = if host.contains(':') { format!("https://[{host}]/") } else { format!("https://{host}/") };
    let url = reqwest::Url::parse(&text).unwrap();
    let allowed = |reach| check_written(url.scheme(), url.host_str().unwrap(), reach).is_ok();
    let fate = match (allowed(ServerReach::Public), allowed(ServerReach::Anywhere)) {
        (true, true) => Fate::Open,
        (false, true) => Fate::NamedOnly,
        (_, false) => Fate::Closed,
    };
    assert_eq!(fate, expected, "{host}");
}

#[test]
fn public_addresses_are_open() {
    let open = [
        "1.1.1.1",
        "8.8.8.8",
        "100.63.255.255",
        "100.128.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.167.255.255",
        "169.253.255.255",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "11.0.0.0",
        "126.255.255.255",
        "2606:4700::1111",
        "2a00:1450::1",
        "2001:4860::8888",
        "::ffff:8.8.8.8",
        "64:ff9b::8.8.8.8",
        "2002:808:808::1",
        "api.example.com",
        "local.example.com",
        "mylocalhost.example",
    ];
    for host in open {
        check(host, Fate::Open);
    }
}

#[test]
fn private_and_special_addresses_are_for_named_servers_only() {
    let named = [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.254",
        "169.254.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.8",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.7",
        "203.0.113.9",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:0:192.168.1.1",
        "64:ff9b::10.0.0.1",
        "64:ff9b:1::808:808",
        "2002:7f00:1::",
        "2001:0:1::1",
        "2001:2::1",
        "2001:db8::1",
        "3fff::1",
        "100::1",
        "fc00::1",
        "fd12:3456::1",
        "fe80::1",
        "fec0::1",
        "ff02::1",
        "4000::1",
        "localhost",
        "LOCALHOST",
        "a.localhost",
        "localhost.",
        "printer.local",
        "db.internal",
        "router.lan",
    ];
    for host in named {
        check(host, Fate::NamedOnly);
    }
}

#[test]
fn other_ways_to_write_a_private_address_change_nothing() {
    for host in ["2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0x7f.1", "127.0.0.1.", "%31%32%37.0.0.1"]
    {
        check(host, Fate::NamedOnly);
    }
}

#[test]
fn metadata_services_are_never_called() {
    let closed = [
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd20:ce::254",
        "::ffff:169.254.169.254",
        "64:ff9b::169.254.169.254",
        "2002:a9fe:a9fe::1",
        "2852039166",
        "metadata.google.internal",
        "Metadata.Google.Internal.",
        "metadata.goog",
        "instance-data",
    ];
    for host in closed {
        check(host, Fate::Closed);
    }
}

#[test]
fn only_encrypted_calls_go_to_the_public_and_no_other_schemes_anywhere() {
    let allowed = |scheme, reach| check_written(scheme, "api.example.com", reach).is_ok();
    assert_eq!(
        ["https", "http", "ftp", "file"].map(|scheme| allowed(scheme, ServerReach::Public)),
        [true, false, false, false]
    );
    assert_eq!(
        ["https", "http", "ftp", "file"].map(|scheme| allowed(scheme, ServerReach::Anywhere)),
        [true, true, false, false]
    );
}

#[test]
fn a_name_with_one_private_address_is_refused_whole() {
    let address = |text: &str| text.parse::<SocketAddr>().unwrap();
    let public = vec![address("1.1.1.1:0"), address("[2606:4700::1111]:0")];
    assert_eq!(check_resolved("a.example", public.clone(), ServerReach::Public), Ok(public.clone()));
    for bad in ["10.0.0.1:0", "127.0.0.1:0", "[::1]:0", "[fd00::1]:0", "[::ffff:192.168.0.1]:0"] {
        let mixed: Vec<SocketAddr> = public.iter().copied().chain([address(bad)]).collect();
        assert!(check_resolved("a.example", mixed.clone(), ServerReach::Public).is_err(), "{bad}");
        assert_eq!(check_resolved("a.example", mixed.clone(), ServerReach::Anywhere), Ok(mixed));
    }
    let metadata = vec![address("1.1.1.1:0"), address("169.254.169.254:0")];
    assert!(check_resolved("a.example", metadata, ServerReach::Anywhere).is_err());
}

#[test]
fn a_refusal_says_what_to_do() {
    let refusal = check_written("https", "10.0.0.7", ServerReach::Public).unwrap_err();
    assert_eq!(
        refusal.fault().to_string(),
        "format: 10.0.0.7 was not called: it leads to a private network, and this provider may only be called on the \
         public internet. If it is a server of yours, configure it under models.providers with its baseUrl."
    );
}

#[tokio::test]
async fn names_are_checked_by_what_they_resolve_to() {
    let resolve = async |reach, proxies: &[&str]| {
        let proxies = proxies.iter().map(|proxy| (*proxy).to_owned()).collect();
        let resolver = GuardedResolver { reach, proxies, lookup: Arc::new(machine_lookup) };
        let resolving = resolver.resolve("localhost".parse().unwrap());
        resolving.await.map(|found| found.count() > 0).map_err(|error| error.is::<Refusal>())
    };
    assert_eq!(resolve(ServerReach::Public, &[]).await, Err(true));
    assert_eq!(resolve(ServerReach::Anywhere, &[]).await, Ok(true));
    // The person's proxy may well run here.
    assert_eq!(resolve(ServerReach::Public, &["LocalHost"]).await, Ok(true));
}

#[test]
fn lenders_of_keys_are_exactly_three_and_speak_plain_http() {
    let lends = |url: &str| {
        let parsed = reqwest::Url::parse(url).unwrap();
        let checked = check_lender(parsed.scheme(), parsed.host_str().unwrap()).is_ok();
        assert_eq!(is_lender(url), checked, "{url}");
        checked
    };
    for url in ["http://169.254.170.2/v2/keys", "http://169.254.170.23/v1", "http://[fd00:ec2::23]/v1"] {
        assert!(lends(url), "{url}");
        // Ordinary calls are kept away from them, whoever named the address.
        let host = reqwest::Url::parse(url).unwrap().host_str().unwrap().to_owned();
        assert!(check_written("http", &host, ServerReach::Anywhere).is_err(), "{url}");
    }
    for url in [
        "https://169.254.170.2/",
        "http://169.254.169.254/",
        "http://169.254.169.253/",
        "http://169.254.170.3/",
        "http://169.254.170.22/",
        "http://[fd00:ec2::254]/",
        "http://[fd00:ec2::24]/",
        "http://[::ffff:169.254.170.2]/",
        "http://100.100.100.200/",
        "http://metadata.google.internal/",
        "http://169.254.170.2.example.com/",
        "http://127.0.0.1/",
        "http://localhost/",
        "http://10.0.0.1/",
        "https://api.example.com/",
    ] {
        assert!(!lends(url), "{url}");
    }
}
