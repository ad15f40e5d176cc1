//! Tables for shared secrets, trusted proxies, the tailnet and principals.

use std::time::Duration;

use openclaw_protocol::ConnectAuth;
use openclaw_testkit::SimClock;
use openclaw_types::{DeviceId, Role, Scope, ScopeSet};
use serde_json::{Value, json};

use super::*;
use crate::handshake::tests::{arrival, settings};

fn credentials(sent: Value) -> SentCredentials {
    SentCredentials::new(Some(serde_json::from_value::<ConnectAuth>(sent).unwrap()))
}

#[test]
fn each_mode_asks_for_its_own_secret() {
    let check = |auth: Value, sent: Value, expected: Result<AuthMethod, AuthFailure>| {
        let gateway = settings(&json!({"auth": auth}));
        assert_eq!(check_secret(&gateway.auth, &credentials(sent.clone())), expected, "{auth} {sent}");
    };
    let token = json!({"mode": "token", "token": "right"});
    check(token.clone(), json!({"token": "right"}), Ok(AuthMethod::Token));
    check(token.clone(), json!({"token": " right\n"}), Ok(AuthMethod::Token));
    check(token.clone(), json!({"token": "Right"}), Err(AuthFailure::TokenMismatch));
    check(token.clone(), json!({"token": "righ"}), Err(AuthFailure::TokenMismatch));
    check(token.clone(), json!({"token": "  "}), Err(AuthFailure::TokenMissing));
    check(token.clone(), json!({"password": "right"}), Err(AuthFailure::TokenMissing));
    check(token, json!({"deviceToken": "right"}), Err(AuthFailure::TokenMissing));
    check(json!({"mode": "token"}), json!({"token": "x"}), Err(AuthFailure::TokenNotConfigured));
    let password = json!({"mode": "password", "password": "right"});
    check(password.clone(), json!({"password": "right"}), Ok(AuthMethod::Password));
    check(password.clone(), json!({"password": "wrong"}), Err(AuthFailure::PasswordMismatch));
    check(password, json!({"token": "right"}), Err(AuthFailure::PasswordMissing));
    check(json!({"mode": "password"}), json!({"password": "x"}), Err(AuthFailure::PasswordNotConfigured));
    check(json!({"mode": "none"}), json!({}), Ok(AuthMethod::None));
}

#[test]
fn the_device_token_is_found_in_its_own_field_first() {
    let check = |sent: Value, expected: Option<(&str, DeviceTokenField)>| {
        assert_eq!(credentials(sent.clone()).device_token(), expected, "{sent}");
    };
    check(json!({"token": "a", "deviceToken": " b "}), Some(("b", DeviceTokenField::Own)));
    check(json!({"token": "a", "deviceToken": " "}), Some(("a", DeviceTokenField::Shared)));
    check(json!({"password": "p"}), None);
}

#[test]
fn the_signed_token_is_the_first_one_that_was_sent_exactly_as_sent() {
    let check = |sent: Value, expected: &str| {
        assert_eq!(credentials(sent.clone()).signed_token(), expected, "{sent}")
    };
    check(json!({"token": " a ", "deviceToken": "b"}), " a ");
    check(json!({"token": "", "deviceToken": "b"}), "");
    check(json!({"deviceToken": "b", "bootstrapToken": "c"}), "b");
    check(json!({"bootstrapToken": "c", "password": "p"}), "c");
    check(json!({"password": "p"}), "");
}

#[test]
fn secrets_never_show_in_debug_output() {
    let text = format!(
        "{:?}",
        credentials(json!({"token": "hunter2", "password": "hunter3", "deviceToken": "hunter4"}))
    );
    assert!(!text.contains("hunter"), "{text}");
}

#[test]
fn a_proxy_is_believed_only_when_every_condition_is_met() {
    let gateway = json!({
        "auth": {
            "mode": "trusted-proxy",
            "trustedProxy": {"userHeader": "X-User", "requiredHeaders": ["X-Checked"], "allowUsers": ["ana", "ben"]},
        },
        "trustedProxies": ["10.0.0.0/8"],
    });
    let check =
        |gateway: &Value, peer: &str, headers: &[(&str, &str)], expected: Result<&str, ProxyFailure>| {
            let user = check_proxy(&settings(gateway), &arrival(peer, headers));
            let expected = expected.map(|user| AuthMethod::TrustedProxy { user: user.to_owned() });
            assert_eq!(user, expected, "{peer} {headers:?}");
        };
    let proxy = "10.1.2.3:9";
    let checked = ("x-checked", "yes");
    check(&gateway, proxy, &[checked, ("x-user", " ana ")], Ok("ana"));
    check(&gateway, "203.0.113.7:9", &[checked, ("x-user", "ana")], Err(ProxyFailure::UntrustedSource));
    check(&gateway, "127.0.0.1:9", &[checked, ("x-user", "ana")], Err(ProxyFailure::UntrustedSource));
    let missing = ProxyFailure::MissingHeader("x-checked".to_owned());
    check(&gateway, proxy, &[("x-user", "ana")], Err(missing.clone()));
    check(&gateway, proxy, &[("x-checked", " "), ("x-user", "ana")], Err(missing));
    check(&gateway, proxy, &[checked], Err(ProxyFailure::UserMissing));
    check(&gateway, proxy, &[checked, ("x-user", "  ")], Err(ProxyFailure::UserMissing));
    for second in ["ben", "ana", "eve", ""] {
        let twice = [checked, ("x-user", "ana"), ("x-user", second)];
        check(&gateway, proxy, &twice, Err(ProxyFailure::UserRepeated));
    }
    check(&gateway, proxy, &[checked, ("x-user", "eve")], Err(ProxyFailure::UserNotAllowed));
    check(&gateway, proxy, &[checked, ("x-user", "Ana")], Err(ProxyFailure::UserNotAllowed));

    let nobody = json!({"auth": {"mode": "trusted-proxy", "trustedProxy": {"userHeader": "x-user"}}});
    check(&nobody, proxy, &[("x-user", "ana")], Err(ProxyFailure::NoProxies));
    let unset = json!({"auth": {"mode": "trusted-proxy"}, "trustedProxies": ["10.0.0.0/8"]});
    check(&unset, proxy, &[("x-user", "ana")], Err(ProxyFailure::ConfigMissing));
}

const SERVED: [(&str, &str); 4] = [
    ("tailscale-user-login", "ana@example.com"),
    ("x-forwarded-for", "100.64.0.9"),
    ("x-forwarded-proto", "https"),
    ("x-forwarded-host", "box.tail1.ts.net"),
];

#[tokio::test]
async fn the_tailnets_word_counts_only_through_its_proxy_and_with_the_daemons_yes() {
    let clock = SimClock::new();
    let ana = WhoIs::new(|_| async { Some("Ana@Example.com ".to_owned()) });
    let nobody = WhoIs::new(|_| async { None });
    let eve = WhoIs::new(|_| async { Some("eve@example.com".to_owned()) });
    let ask = async |who: &WhoIs, peer: &str, headers: &[(&str, &str)]| {
        check_tailscale(who, &clock, &arrival(peer, headers)).await
    };
    let loopback = "127.0.0.1:9";
    let signed_in = AuthMethod::Tailscale { login: "Ana@Example.com".to_owned() };
    assert_eq!(ask(&ana, loopback, &SERVED).await, Ok(signed_in));
    assert_eq!(ask(&ana, loopback, &SERVED[1..]).await, Err(AuthFailure::TailscaleIdentityMissing));
    assert_eq!(ask(&ana, loopback, &SERVED[..3]).await, Err(AuthFailure::TailscaleProxyMissing));
    assert_eq!(ask(&ana, "203.0.113.7:9", &SERVED).await, Err(AuthFailure::TailscaleProxyMissing));
    assert_eq!(ask(&nobody, loopback, &SERVED).await, Err(AuthFailure::TailscaleWhoisFailed));
    assert_eq!(ask(&eve, loopback, &SERVED).await, Err(AuthFailure::TailscaleIdentityMismatch));
    let mut inside = SERVED;
    inside[1].1 = "127.0.0.1";
    assert_eq!(ask(&ana, loopback, &inside).await, Err(AuthFailure::TailscaleWhoisFailed));
    for second in ["ana@example.com", "eve@example.com", ""] {
        let twice = [&SERVED[..], &[("tailscale-user-login", second)]].concat();
        assert_eq!(ask(&ana, loopback, &twice).await, Err(AuthFailure::TailscaleIdentityMismatch));
    }
}

#[tokio::test]
async fn the_daemon_is_asked_about_the_nearest_hop_of_all_lines() {
    let clock = SimClock::new();
    let only_eve = WhoIs::new(|address| async move {
        (address == "100.64.0.8".parse::<std::net::IpAddr>().unwrap()).then(|| "eve@example.com".to_owned())
    });
    let ask = async |hops: &[&'static str]| {
        let lines = hops.iter().map(|hop| ("x-forwarded-for", *hop));
        let rest = [("x-forwarded-proto", "https"), ("x-forwarded-host", "box.tail1.ts.net")];
        let headers: Vec<_> =
            [("tailscale-user-login", "eve@example.com")].into_iter().chain(rest).chain(lines).collect();
        check_tailscale(&only_eve, &clock, &arrival("127.0.0.1:9", &headers)).await
    };
    let eve = AuthMethod::Tailscale { login: "eve@example.com".to_owned() };
    assert_eq!(ask(&["100.64.0.9", "100.64.0.8"]).await, Ok(eve.clone()));
    assert_eq!(ask(&["100.64.0.9, 100.64.0.8", "127.0.0.1"]).await, Ok(eve));
    for invented in
        [&["100.64.0.8", "100.64.0.9"] as &[_], &["100.64.0.8", "unknown"], &["100.64.0.8, nobody"]]
    {
        assert_eq!(ask(invented).await, Err(AuthFailure::TailscaleWhoisFailed), "{invented:?}");
    }
}

#[tokio::test]
async fn a_daemon_that_does_not_answer_is_a_no() {
    let clock = SimClock::new();
    let silent = WhoIs::new(|_| std::future::pending());
    let arrival = arrival("127.0.0.1:9", &SERVED);
    let asked = check_tailscale(&silent, &clock, &arrival);
    let (answer, ()) = tokio::join!(asked, clock.advance(Duration::from_secs(5)));
    assert_eq!(answer, Err(AuthFailure::TailscaleWhoisFailed));
}

#[test]
fn only_operators_may_use_scopes() {
    let operator = Principal {
        role: Role::Operator,
        scopes: ScopeSet::from_iter([Scope::Write]),
        device: None,
        method: AuthMethod::Token,
        client_ip: None,
        locality: Locality::Local,
    };
    assert!(operator.may(Scope::Read) && operator.may(Scope::Write) && !operator.may(Scope::Pairing));
    let node = Principal { role: Role::Node, ..operator };
    assert!(!node.may(Scope::Read));
}

#[test]
fn an_actor_is_named_by_the_best_that_is_known() {
    let base = Principal {
        role: Role::Operator,
        scopes: ScopeSet::none(),
        device: None,
        method: AuthMethod::Password,
        client_ip: None,
        locality: Locality::Local,
    };
    let check = |principal: Principal, expected: &str| assert_eq!(principal.actor(), expected);
    check(base.clone(), "operator:password");
    check(Principal { device: Some(DeviceId::new("d1").unwrap()), ..base.clone() }, "device:d1");
    check(
        Principal { method: AuthMethod::TrustedProxy { user: "ana".to_owned() }, ..base.clone() },
        "person:ana",
    );
    check(Principal { method: AuthMethod::Tailscale { login: "ana@x".to_owned() }, ..base }, "person:ana@x");
}
