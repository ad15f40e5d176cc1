//! The table of the browser origin rule.

use serde_json::{Value, json};

use super::{arrival, settings};
use crate::handshake::applicant::ClientKind;
use crate::handshake::origin::{OriginRefused, check_origin, check_page};

struct Row<'a> {
    rule: Value,
    headers: &'a [(&'a str, &'a str)],
    kind: ClientKind,
}

fn check(row: Row<'_>, passes: bool) {
    let gateway = settings(&json!({"controlUi": row.rule}));
    let arrival = arrival("127.0.0.1:5000", row.headers);
    let passed = check_origin(&gateway.control_ui, &arrival, row.kind).is_ok();
    assert_eq!(passed, passes, "{:?} {:?} {:?}", row.rule, row.headers, row.kind);
}

fn plain<'a>(headers: &'a [(&'a str, &'a str)], kind: ClientKind) -> Row<'a> {
    Row { rule: json!({}), headers, kind }
}

const LOCAL: (&str, &str) = ("host", "localhost:18789");
const PUBLIC: (&str, &str) = ("host", "gateway.example:18789");

#[test]
fn programs_without_an_origin_pass_but_our_own_pages_do_not() {
    check(plain(&[LOCAL], ClientKind::Other), true);
    check(plain(&[LOCAL], ClientKind::Cli), true);
    check(plain(&[LOCAL], ClientKind::ControlUi), false);
    check(plain(&[LOCAL], ClientKind::WebChat), false);
    check(plain(&[LOCAL, ("origin", "  ")], ClientKind::Other), true);
}

#[test]
fn loopback_pages_pass_on_a_loopback_host_only() {
    for origin in ["http://localhost:5173", "https://127.0.0.1", "http://[::1]:80", "HTTP://LOCALHOST"] {
        check(plain(&[LOCAL, ("origin", origin)], ClientKind::ControlUi), true);
        check(plain(&[LOCAL, ("origin", origin)], ClientKind::Other), true);
        check(plain(&[PUBLIC, ("origin", origin)], ClientKind::ControlUi), false);
    }
}

#[test]
fn foreign_pages_are_refused_whatever_client_they_claim_to_be() {
    for kind in [ClientKind::ControlUi, ClientKind::WebChat, ClientKind::Cli, ClientKind::Other] {
        for origin in
            ["https://evil.example", "null", "file://", "not a url", "https://localhost.evil.example"]
        {
            check(plain(&[LOCAL, ("origin", origin)], kind), false);
        }
        check(plain(&[LOCAL, ("origin", "https://localhost@evil.example")], kind), false);
    }
}

#[test]
fn behind_a_proxy_only_our_own_pages_are_checked() {
    let headers = [PUBLIC, ("origin", "https://evil.example"), ("x-forwarded-for", "198.51.100.1")];
    check(plain(&headers, ClientKind::Other), true);
    check(plain(&headers, ClientKind::ControlUi), false);
    check(plain(&headers, ClientKind::WebChat), false);
}

#[test]
fn a_page_that_has_to_know_nothing_is_checked_behind_every_proxy() {
    let gateway = settings(&json!({"controlUi": {"allowedOrigins": ["https://panel.example"]}}));
    let forwarded = ("x-forwarded-for", "198.51.100.1");
    for (origin, expected) in [
        ("https://panel.example", Ok(())),
        ("https://evil.example", Err(OriginRefused)),
        ("null", Err(OriginRefused)),
    ] {
        let page = arrival("10.0.0.2:5000", &[PUBLIC, ("origin", origin), forwarded]);
        assert_eq!(check_page(&gateway.control_ui, &page), expected, "{origin}");
    }
    assert_eq!(check_page(&gateway.control_ui, &arrival("10.0.0.2:5000", &[PUBLIC, forwarded])), Ok(()));
}

#[test]
fn allowed_origins_match_whole_and_without_case() {
    let rule = json!({"allowedOrigins": ["https://Panel.example", "http://box:8080"]});
    let row = |origin: &'static str| (rule.clone(), [PUBLIC, ("origin", origin)]);
    for (origin, passes) in [
        ("https://panel.example", true),
        ("https://PANEL.example:443", true),
        ("http://panel.example", false),
        ("https://panel.example:8443", false),
        ("https://sub.panel.example", false),
        ("http://box:8080", true),
        ("http://box", false),
    ] {
        let (rule, headers) = row(origin);
        check(Row { rule, headers: &headers, kind: ClientKind::ControlUi }, passes);
    }
}

#[test]
fn the_host_header_counts_only_when_the_owner_asked_for_it() {
    let headers = [PUBLIC, ("origin", "http://Gateway.example:18789")];
    check(plain(&headers, ClientKind::ControlUi), false);
    let rule = json!({"dangerouslyAllowHostHeaderOriginFallback": true});
    check(Row { rule: rule.clone(), headers: &headers, kind: ClientKind::ControlUi }, true);
    let other = [PUBLIC, ("origin", "http://gateway.example:1")];
    check(Row { rule, headers: &other, kind: ClientKind::ControlUi }, false);
}
