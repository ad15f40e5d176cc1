//! The steps together: who gets in as what, who is counted, who is paired.

use std::time::Duration;

use openclaw_ports::stores::{AuditLedger as _, AuditQuery};
use openclaw_protocol::Dialect;
use openclaw_types::{DeviceId, Role, Scope, ScopeSet};
use serde_json::{Value, json};

use super::{TestDevice, World, arrival, connect, lay_over, local, local_page, remote};
use crate::auth::{AuthMethod, Locality, NetworkReach, Principal, WhoIs};
use crate::handshake::AdmittedClient;
use crate::handshake::refusal::ConnectRefusal;
use crate::pairing::{PairingDecision, PairingEvent, TokenRequest};

fn scopes(scopes: &[Scope]) -> ScopeSet {
    scopes.iter().copied().collect()
}

/// The message of a refusal.
fn refused(result: Result<AdmittedClient, ConnectRefusal>) -> String {
    result.map(|admission| admission.principal).unwrap_err().error.message
}

fn code(result: Result<AdmittedClient, ConnectRefusal>) -> String {
    let refusal = result.map(|admission| admission.principal).unwrap_err();
    refusal.error.details.unwrap()["code"].as_str().unwrap().to_owned()
}

fn cli(more: &Value) -> Value {
    let mut params = connect(&json!({"client": {"id": "cli", "mode": "cli"}, "scopes": ["operator.admin"]}));
    lay_over(&mut params, more);
    params
}

fn control_ui(more: &Value) -> Value {
    let client = json!({"id": "openclaw-control-ui", "mode": "webchat"});
    let mut params =
        connect(&json!({"client": client, "scopes": ["operator.admin"], "auth": {"token": "right"}}));
    lay_over(&mut params, more);
    params
}

fn admin() -> Principal {
    Principal {
        role: Role::Operator,
        scopes: scopes(&[Scope::Admin]),
        device: None,
        method: AuthMethod::Token,
        client_ip: None,
        locality: Locality::Local,
    }
}

/// Pairs a device through a local connect and returns its token.
async fn pair(world: &World, device: &TestDevice, connect: &Value) -> String {
    let admission = world.admit(&local(), &world.signed(device, connect)).await.unwrap();
    admission.issued_token.unwrap().token.reveal().clone()
}

#[tokio::test]
async fn an_operator_with_the_owners_token_keeps_the_scopes_it_asked_for() {
    let world = World::new().await;
    let asked =
        json!({"auth": {"token": " right "}, "scopes": ["operator.read", "no.such", "operator.pairing"]});
    let admission = world.admit(&remote(), &connect(&asked)).await.unwrap();
    let expected = Principal {
        scopes: scopes(&[Scope::Read, Scope::Pairing]),
        client_ip: Some("203.0.113.7".parse().unwrap()),
        locality: Locality::Remote,
        ..admin()
    };
    assert_eq!(admission.principal, expected);
    assert_eq!(
        (admission.dialect, admission.issued_token, admission.pairing_events),
        (Dialect::V3, None, vec![])
    );
}

#[tokio::test]
async fn protocol_role_and_origin_are_judged_before_any_secret() {
    let world = World::new().await;
    let old = connect(&json!({"minProtocol": 1, "maxProtocol": 2, "role": "nobody"}));
    assert_eq!(refused(world.admit(&local(), &old).await), "protocol mismatch");
    let nobody = connect(&json!({"role": "nobody", "auth": {"token": "wrong"}}));
    assert_eq!(refused(world.admit(&local_page("https://evil.example"), &nobody).await), "invalid role");
    let page = connect(&json!({"auth": {"token": "wrong"}}));
    for _ in 0..20 {
        let text = refused(world.admit(&local_page("https://evil.example"), &page).await);
        assert!(text.starts_with("origin not allowed"), "{text}");
    }
    assert_eq!(world.limits.len(), 0);
}

#[tokio::test]
async fn a_local_device_is_paired_silently_and_gets_its_token() {
    let world = World::new().await;
    let device = TestDevice::numbered(1);
    let connect = cli(&json!({"auth": {"token": "right"}}));
    let admission = world.admit(&local(), &world.signed(&device, &connect)).await.unwrap();
    let id = DeviceId::new(device.id()).unwrap();
    assert_eq!(admission.principal, Principal { device: Some(id.clone()), ..admin() });
    let token = admission.issued_token.unwrap();
    assert_eq!((token.role, token.scopes.clone()), (Role::Operator, scopes(&[Scope::Admin])));
    assert_eq!(token.token.reveal().len(), 43);
    let [PairingEvent::Resolved { device_id, decision: PairingDecision::Approved, .. }] =
        admission.pairing_events.as_slice()
    else {
        panic!("one approval is told: {:?}", admission.pairing_events);
    };
    assert_eq!(*device_id, id);

    let again = world.admit(&local(), &world.signed(&device, &connect)).await.unwrap();
    assert_eq!((again.issued_token, again.pairing_events), (Some(token), vec![]));
}

#[tokio::test]
async fn a_remote_device_waits_for_a_person_and_then_gets_in() {
    let world = World::new().await;
    let device = TestDevice::numbered(1);
    let connect = world.signed(&device, &cli(&json!({"auth": {"token": "right"}})));
    let refusal = world.admit(&remote(), &connect).await.unwrap_err();
    let [PairingEvent::Requested(request)] = refusal.pairing_events.as_slice() else {
        panic!("one request is told: {:?}", refusal.pairing_events);
    };
    let details =
        json!({"code": "PAIRING_REQUIRED", "requestId": request.request_id, "reason": "not-paired"});
    assert_eq!(
        (refusal.error.message.as_str(), refusal.error.details.as_deref()),
        ("pairing required", Some(&details))
    );
    assert_eq!(request.remote_ip.as_deref(), Some("203.0.113.7"));

    let again = world.admit(&remote(), &connect).await.unwrap_err();
    assert_eq!(again.pairing_events, [], "a request that waits is told once");
    world.devices.approve(&admin(), &request.request_id).await.unwrap();
    let admission = world.admit(&remote(), &connect).await.unwrap();
    assert_eq!(admission.principal.device, Some(DeviceId::new(device.id()).unwrap()));
    assert!(admission.issued_token.is_some());
}

#[tokio::test]
async fn proxies_and_foreign_hosts_on_loopback_make_a_device_wait() {
    let world = World::new().await;
    let connect = world.signed(&TestDevice::numbered(1), &cli(&json!({"auth": {"token": "right"}})));
    for headers in [
        vec![("host", "gateway.example")],
        vec![("host", "localhost"), ("x-forwarded-for", "127.0.0.1")],
        vec![("host", "localhost"), ("x-real-ip", "127.0.0.1")],
        vec![("host", "localhost"), ("x-forwarded-host", "localhost")],
    ] {
        let text = refused(world.admit(&arrival("127.0.0.1:5000", &headers), &connect).await);
        assert_eq!(text, "pairing required", "{headers:?}");
    }
}

#[tokio::test]
async fn a_browser_pairs_silently_only_as_one_of_our_own_pages() {
    let world = World::new().await;
    let page = local_page("http://localhost:18789");
    let other = connect(&json!({"auth": {"token": "right"}}));
    let waits = world.admit(&page, &world.signed(&TestDevice::numbered(1), &other)).await;
    assert_eq!(code(waits), "PAIRING_REQUIRED");
    let ours = world.admit(&page, &world.signed(&TestDevice::numbered(2), &control_ui(&json!({})))).await;
    assert!(ours.unwrap().issued_token.is_some());
}

#[tokio::test]
async fn upgrades_of_role_and_platform_wait_even_on_this_machine_but_scopes_do_not() {
    let world = World::new().await;
    let device = TestDevice::numbered(1);
    let first = cli(&json!({"auth": {"token": "right"}, "scopes": ["operator.read"]}));
    pair(&world, &device, &first).await;
    let more = cli(&json!({"auth": {"token": "right"}, "scopes": ["operator.write", "operator.pairing"]}));
    let admission = world.admit(&local(), &world.signed(&device, &more)).await.unwrap();
    assert_eq!(admission.principal.scopes, scopes(&[Scope::Pairing, Scope::Write]));
    assert_eq!(admission.pairing_events.len(), 1);

    let reason = |result: Result<AdmittedClient, ConnectRefusal>| {
        result.map(|admission| admission.principal).unwrap_err().error.details.unwrap()["reason"].clone()
    };
    let node = connect(
        &json!({"role": "node", "client": {"id": "node-host", "mode": "node"}, "auth": {"token": "right"}}),
    );
    assert_eq!(reason(world.admit(&local(), &world.signed(&device, &node)).await), json!("role-upgrade"));
    let moved = cli(&json!({"auth": {"token": "right"}, "client": {"platform": "darwin"}}));
    assert_eq!(
        reason(world.admit(&local(), &world.signed(&device, &moved)).await),
        json!("metadata-upgrade")
    );
    let remote_more = cli(&json!({"auth": {"token": "right"}, "scopes": ["operator.admin"]}));
    assert_eq!(
        reason(world.admit(&remote(), &world.signed(&device, &remote_more)).await),
        json!("scope-upgrade")
    );
}

#[tokio::test]
async fn a_device_token_works_in_either_field_and_needs_no_shared_secret() {
    let world = World::new().await;
    let device = TestDevice::numbered(1);
    let token = pair(&world, &device, &cli(&json!({"auth": {"token": "right"}}))).await;
    for auth in [
        json!({"token": token}),
        json!({"deviceToken": token}),
        json!({"token": "old", "deviceToken": token}),
    ] {
        let connect = world.signed(&device, &cli(&json!({"auth": auth, "scopes": ["operator.write"]})));
        let admission = world.admit(&remote(), &connect).await.unwrap();
        assert_eq!(admission.principal.method, AuthMethod::DeviceToken);
        assert_eq!(admission.principal.scopes, scopes(&[Scope::Write]));
    }
    let thief = world.signed(&TestDevice::numbered(2), &cli(&json!({"auth": {"deviceToken": token}})));
    assert_eq!(
        refused(world.admit(&remote(), &thief).await),
        "unauthorized: device token mismatch (rotate/reissue device token)"
    );
    let bare = cli(&json!({"auth": {"token": token}}));
    assert_eq!(code(world.admit(&remote(), &bare).await), "AUTH_TOKEN_MISMATCH");
}

#[tokio::test]
async fn a_device_token_gives_no_more_than_it_was_made_for() {
    let world = World::new().await;
    let device = TestDevice::numbered(1);
    let token =
        pair(&world, &device, &cli(&json!({"auth": {"token": "right"}, "scopes": ["operator.read"]}))).await;
    let greedy = cli(&json!({"auth": {"deviceToken": token}}));
    assert_eq!(
        code(world.admit(&local(), &world.signed(&device, &greedy)).await),
        "AUTH_DEVICE_TOKEN_MISMATCH"
    );
    let node = json!({"role": "node", "auth": {"deviceToken": token}, "client": {"id": "node-host", "mode": "node"}});
    let node = world.signed(&device, &connect(&node));
    assert_eq!(code(world.admit(&local(), &node).await), "AUTH_DEVICE_TOKEN_MISMATCH");
}

#[tokio::test]
async fn a_revoked_or_replaced_token_and_a_removed_device_are_refused_at_once() {
    let world = World::new().await;
    let device = TestDevice::numbered(1);
    let id = DeviceId::new(device.id()).unwrap();
    let first = pair(&world, &device, &cli(&json!({"auth": {"token": "right"}}))).await;
    let with = |token: &str| world.signed(&device, &cli(&json!({"auth": {"deviceToken": token}})));
    let wanted = TokenRequest { device_id: id.clone(), role: Role::Operator, scopes: None };
    let rotated = world.devices.rotate(&admin(), wanted).await.unwrap().issued.token.reveal().clone();
    assert_eq!(code(world.admit(&local(), &with(&first)).await), "AUTH_DEVICE_TOKEN_MISMATCH");
    assert!(world.admit(&local(), &with(&rotated)).await.is_ok());
    world.devices.revoke(&admin(), &id, Role::Operator).await.unwrap();
    assert_eq!(code(world.admit(&local(), &with(&rotated)).await), "AUTH_DEVICE_TOKEN_MISMATCH");
    world.devices.remove(&admin(), &id).await.unwrap();
    assert_eq!(code(world.admit(&local(), &with(&rotated)).await), "AUTH_DEVICE_TOKEN_MISMATCH");
}

#[tokio::test]
async fn a_changed_secret_counts_for_the_next_connect() {
    let mut world = World::new().await;
    let connect = cli(&json!({"auth": {"token": "right"}}));
    assert!(world.admit(&remote(), &connect).await.is_ok());
    world.config = super::config(&json!({"auth": {"mode": "token", "token": "new"}}));
    assert_eq!(code(world.admit(&remote(), &connect).await), "AUTH_TOKEN_MISMATCH");
}

#[tokio::test]
async fn guessing_locks_out_remote_callers_and_local_browsers_but_not_local_programs() {
    let world = World::new().await;
    let wrong = cli(&json!({"auth": {"token": "wrong"}}));
    let right = cli(&json!({"auth": {"token": "right"}}));
    let page = local_page("http://localhost:18789");
    for caller in [&remote(), &page] {
        for _ in 0..10 {
            assert_eq!(code(world.admit(caller, &wrong).await), "AUTH_TOKEN_MISMATCH");
        }
        assert_eq!(code(world.admit(caller, &right).await), "AUTH_RATE_LIMITED");
    }
    for _ in 0..30 {
        assert_eq!(code(world.admit(&local(), &wrong).await), "AUTH_TOKEN_MISMATCH");
    }
    assert!(world.admit(&local(), &right).await.is_ok());
    world.clock.advance(Duration::from_secs(300)).await;
    assert!(world.admit(&remote(), &right).await.is_ok());

    let lockouts = AuditQuery { action_prefix: Some("auth.lockout".to_owned()), ..AuditQuery::default() };
    let actors: Vec<_> =
        world.audit.query(lockouts).await.unwrap().into_iter().map(|one| one.entry.actor).collect();
    assert_eq!(actors, ["address:127.0.0.1", "address:203.0.113.7"]);
}

#[tokio::test]
async fn a_device_token_beside_a_guess_does_not_hide_the_guess() {
    let world = World::new().await;
    let device = TestDevice::numbered(1);
    let token = pair(&world, &device, &cli(&json!({"auth": {"token": "right"}}))).await;
    let guess =
        |guess: &str| world.signed(&device, &cli(&json!({"auth": {"token": guess, "deviceToken": token}})));
    for number in 0..10 {
        let admission = world.admit(&remote(), &guess(&number.to_string())).await.unwrap();
        assert_eq!(admission.principal.method, AuthMethod::DeviceToken);
    }
    let bare = cli(&json!({"auth": {"token": "right"}}));
    assert_eq!(code(world.admit(&remote(), &bare).await), "AUTH_RATE_LIMITED");
}

#[tokio::test]
async fn a_device_that_sends_its_token_as_the_shared_one_is_never_locked_out_for_it() {
    let world = World::new().await;
    let device = TestDevice::numbered(1);
    let token = pair(&world, &device, &cli(&json!({"auth": {"token": "right"}}))).await;
    let connect = world.signed(&device, &cli(&json!({"auth": {"token": token}})));
    for _ in 0..25 {
        assert!(world.admit(&remote(), &connect).await.is_ok());
    }
    assert!(world.admit(&remote(), &cli(&json!({"auth": {"token": "right"}}))).await.is_ok());
}

#[tokio::test]
async fn wrong_device_tokens_lock_out_as_well() {
    let world = World::new().await;
    let device = TestDevice::numbered(1);
    let token = pair(&world, &device, &cli(&json!({"auth": {"token": "right"}}))).await;
    let with = |token: &str| world.signed(&device, &cli(&json!({"auth": {"deviceToken": token}})));
    for _ in 0..10 {
        assert_eq!(code(world.admit(&remote(), &with("wrong")).await), "AUTH_DEVICE_TOKEN_MISMATCH");
    }
    assert_eq!(code(world.admit(&remote(), &with(&token)).await), "AUTH_RATE_LIMITED");
}

#[tokio::test]
async fn a_missing_secret_is_no_guess() {
    let world = World::new().await;
    let silent = world.signed(&TestDevice::numbered(1), &cli(&json!({})));
    for _ in 0..30 {
        assert_eq!(code(world.admit(&remote(), &silent).await), "AUTH_TOKEN_MISSING");
    }
    assert_eq!(code(world.admit(&remote(), &cli(&json!({}))).await), "DEVICE_IDENTITY_REQUIRED");
}

#[tokio::test]
async fn without_authentication_only_devices_get_in() {
    let world = World::with(&json!({"auth": {"mode": "none"}})).await;
    assert_eq!(
        code(world.admit(&local(), &cli(&json!({"auth": {"token": "any"}}))).await),
        "DEVICE_IDENTITY_REQUIRED"
    );
    let device = TestDevice::numbered(1);
    let admission = world.admit(&local(), &world.signed(&device, &cli(&json!({})))).await.unwrap();
    assert_eq!(admission.principal.method, AuthMethod::None);
    let stranger = world.signed(&TestDevice::numbered(2), &cli(&json!({})));
    assert_eq!(code(world.admit(&remote(), &stranger).await), "PAIRING_REQUIRED");
}

#[tokio::test]
async fn the_password_opens_in_password_mode_and_the_token_does_not() {
    let world =
        World::with(&json!({"auth": {"mode": "password", "password": "open sesame", "token": "right"}}))
            .await;
    let with = |auth: Value| cli(&json!({"auth": auth}));
    let admission = world.admit(&remote(), &with(json!({"password": "open sesame"}))).await.unwrap();
    assert_eq!(admission.principal.method, AuthMethod::Password);
    assert_eq!(code(world.admit(&remote(), &with(json!({"token": "right"}))).await), "AUTH_PASSWORD_MISSING");
    assert_eq!(
        code(world.admit(&remote(), &with(json!({"password": "no"}))).await),
        "AUTH_PASSWORD_MISMATCH"
    );
}

#[tokio::test]
async fn nodes_need_a_device_and_get_no_operator_scopes() {
    let world = World::new().await;
    let node = connect(&json!({
        "role": "node",
        "scopes": ["operator.admin"],
        "client": {"id": "node-host", "mode": "node"},
        "auth": {"token": "right"},
    }));
    assert_eq!(code(world.admit(&local(), &node).await), "DEVICE_IDENTITY_REQUIRED");
    let admission = world.admit(&local(), &world.signed(&TestDevice::numbered(1), &node)).await.unwrap();
    assert_eq!((admission.principal.role, admission.principal.scopes), (Role::Node, ScopeSet::none()));
    let token = admission.issued_token.unwrap();
    assert_eq!((token.role, token.scopes), (Role::Node, ScopeSet::none()));
}

#[tokio::test]
async fn the_control_ui_may_be_freed_from_its_device_by_the_owner() {
    let strict = World::new().await;
    let page = arrival("203.0.113.7:5000", &[("host", "gw.example"), ("origin", "https://panel.example")]);
    let own = local_page("http://127.0.0.1:18789");
    assert_eq!(
        code(strict.admit(&own, &control_ui(&json!({}))).await),
        "CONTROL_UI_DEVICE_IDENTITY_REQUIRED"
    );
    let gateway = json!({
        "auth": {"mode": "token", "token": "right"},
        "controlUi": {"dangerouslyDisableDeviceAuth": true, "allowedOrigins": ["https://panel.example"]},
    });
    let free = World::with(&gateway).await;
    let signed = free.signed(&TestDevice::numbered(1), &control_ui(&json!({})));
    for connect in [control_ui(&json!({})), signed] {
        let admission = free.admit(&page, &connect).await.unwrap();
        assert_eq!((admission.principal.device, admission.principal.scopes), (None, scopes(&[Scope::Admin])));
    }
    let wrong = control_ui(&json!({"auth": {"token": "wrong"}}));
    assert_eq!(code(free.admit(&page, &wrong).await), "AUTH_TOKEN_MISMATCH");
}

#[tokio::test]
async fn a_trusted_proxy_signs_people_in() {
    let gateway = json!({
        "auth": {"mode": "trusted-proxy", "trustedProxy": {"userHeader": "x-user", "allowUsers": ["ana"]}},
        "trustedProxies": ["10.0.0.0/8"],
        "controlUi": {"allowedOrigins": ["https://panel.example"]},
    });
    let world = World::with(&gateway).await;
    let from = |user| {
        arrival(
            "10.0.0.2:5000",
            &[
                ("host", "gw"),
                ("origin", "https://panel.example"),
                ("x-forwarded-for", "198.51.100.9"),
                ("x-user", user),
            ],
        )
    };
    let bare = control_ui(&json!({"auth": {"token": ""}}));
    let admission = world.admit(&from("ana"), &bare).await.unwrap();
    let expected = Principal {
        method: AuthMethod::TrustedProxy { user: "ana".to_owned() },
        client_ip: Some("198.51.100.9".parse().unwrap()),
        locality: Locality::Remote,
        ..admin()
    };
    assert_eq!(admission.principal, expected);
    let device = world.admit(&from("ana"), &world.signed(&TestDevice::numbered(1), &bare)).await.unwrap();
    assert_eq!((device.issued_token, device.pairing_events), (None, vec![]), "the page needs no pairing");
    assert_eq!(code(world.admit(&from("eve"), &bare).await), "CONTROL_UI_DEVICE_IDENTITY_REQUIRED");
    let other = world.signed(&TestDevice::numbered(2), &cli(&json!({})));
    assert_eq!(code(world.admit(&from("eve"), &other).await), "AUTH_UNAUTHORIZED");
}

#[tokio::test]
async fn a_foreign_page_cannot_use_that_somebody_is_signed_in_at_the_proxy() {
    let gateway = json!({
        "auth": {"mode": "trusted-proxy", "trustedProxy": {"userHeader": "x-user"}},
        "trustedProxies": ["10.0.0.0/8"],
        "controlUi": {"allowedOrigins": ["https://panel.example"]},
    });
    let world = World::with(&gateway).await;
    let from = |more: &[(&str, &str)]| {
        let mut headers = vec![("host", "gw"), ("x-forwarded-for", "198.51.100.9"), ("x-user", "ana")];
        headers.extend_from_slice(more);
        arrival("10.0.0.2:5000", &headers)
    };
    let bare = cli(&json!({}));
    let signed = world.signed(&TestDevice::numbered(1), &bare);
    for connect in [&bare, &signed, &cli(&json!({"minProtocol": 4, "maxProtocol": 4}))] {
        for origin in ["https://evil.example", "null"] {
            let text = refused(world.admit(&from(&[("origin", origin)]), connect).await);
            assert!(text.starts_with("origin not allowed"), "{origin}: {text}");
        }
    }
    assert!(world.admit(&from(&[("origin", "https://panel.example")]), &bare).await.is_ok());
    assert!(world.admit(&from(&[]), &bare).await.is_ok(), "a program is no page");
    let two_names = world.admit(&from(&[("x-user", "ben")]), &signed).await.unwrap_err();
    assert_eq!(two_names.error.details.unwrap()["authReason"], "trusted_proxy_user_repeated");
}

#[tokio::test]
async fn a_page_behind_a_proxy_that_brings_the_owners_secret_is_that_proxys_business() {
    let world = World::new().await;
    let page = arrival(
        "203.0.113.7:5000",
        &[("host", "gw"), ("origin", "https://app.example"), ("x-forwarded-for", "198.51.100.9")],
    );
    assert!(world.admit(&page, &cli(&json!({"auth": {"token": "right"}}))).await.is_ok());
}

#[tokio::test]
async fn without_authentication_nobody_gets_in_while_other_machines_can_reach_the_gateway() {
    let mut world = World::with(&json!({"auth": {"mode": "none"}})).await;
    let connect = world.signed(&TestDevice::numbered(1), &cli(&json!({})));
    world.reach = NetworkReach::Network;
    for caller in [local(), remote()] {
        assert_eq!(code(world.admit(&caller, &connect).await), "AUTH_UNAUTHORIZED");
    }
    world.reach = NetworkReach::ThisMachine;
    assert!(world.admit(&local(), &connect).await.is_ok());
}

#[tokio::test]
async fn the_tailnet_signs_people_in_who_bring_a_device() {
    let gateway = json!({"auth": {"mode": "token", "token": "right", "allowTailscale": true}});
    let mut world = World::with(&gateway).await;
    world.who_is = WhoIs::new(|address| async move {
        (address == "100.64.0.9".parse::<std::net::IpAddr>().unwrap()).then(|| "Ana@example.com".to_owned())
    });
    let from = |address, login| {
        arrival(
            "127.0.0.1:5000",
            &[
                ("host", "box.tail1.ts.net"),
                ("x-forwarded-for", address),
                ("x-forwarded-proto", "https"),
                ("x-forwarded-host", "box.tail1.ts.net"),
                ("tailscale-user-login", login),
            ],
        )
    };
    let ana = from("100.64.0.9", "ana@example.com");
    let connect = world.signed(&TestDevice::numbered(1), &cli(&json!({})));
    let refusal = world.admit(&ana, &connect).await.unwrap_err();
    assert_eq!(refusal.error.message, "pairing required", "she is known, her device is not");
    let [PairingEvent::Requested(request)] = refusal.pairing_events.as_slice() else { panic!("one request") };
    world.devices.approve(&admin(), &request.request_id).await.unwrap();
    let admission = world.admit(&ana, &connect).await.unwrap();
    assert_eq!(admission.principal.method, AuthMethod::Tailscale { login: "Ana@example.com".to_owned() });

    let mut page = ana.clone();
    page.headers.insert("origin", "https://evil.example".parse().unwrap());
    assert!(refused(world.admit(&page, &connect).await).starts_with("origin not allowed"));

    assert_eq!(code(world.admit(&ana, &cli(&json!({}))).await), "DEVICE_IDENTITY_REQUIRED");
    let liar = from("100.64.0.9", "eve@example.com");
    assert_eq!(code(world.admit(&liar, &connect).await), "AUTH_TAILSCALE_IDENTITY_MISMATCH");
    let stranger = from("100.64.0.8", "ana@example.com");
    assert_eq!(code(world.admit(&stranger, &connect).await), "AUTH_TAILSCALE_WHOIS_FAILED");
    let direct = arrival("203.0.113.7:5000", &[("host", "gw"), ("tailscale-user-login", "ana@example.com")]);
    assert_eq!(code(world.admit(&direct, &connect).await), "AUTH_TAILSCALE_PROXY_MISSING");
}

#[tokio::test]
async fn protocol_4_lets_the_owner_pass_unpaired_but_nobody_else() {
    let world = World::new().await;
    let newer = |more: &Value| {
        let mut params = cli(&json!({"minProtocol": 4, "maxProtocol": 4, "client": {"buildId": "b1"}}));
        lay_over(&mut params, more);
        params
    };
    let device = TestDevice::numbered(1);
    let owner = world.signed(&device, &newer(&json!({"auth": {"token": "right"}})));
    let admission = world.admit(&remote(), &owner).await.unwrap();
    assert_eq!(
        (admission.dialect, admission.issued_token, admission.pairing_events),
        (Dialect::V4, None, vec![])
    );
    assert_eq!(world.devices.list().await.pending, []);

    let node =
        json!({"role": "node", "client": {"id": "node-host", "mode": "node"}, "auth": {"token": "right"}});
    let node = world.signed(&device, &newer(&node));
    assert_eq!(code(world.admit(&remote(), &node).await), "PAIRING_REQUIRED");
    let local = world.admit(&local(), &owner).await.unwrap();
    assert!(local.issued_token.is_some(), "on this machine it is paired as ever");
}
