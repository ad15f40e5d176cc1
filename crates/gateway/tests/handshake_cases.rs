//! The handshake over real sockets: who is let in as what, and the whole failure table.
//!
//! A row is a caller (headers and, perhaps, a device that signs), the params of its connect, and exactly what it must
//! hear: the welcome, or error and close. Peers are always on loopback here; foreign hosts and forwarding headers make
//! them remote.

mod handshake;
mod support;

use handshake::{Caller, Form, Heard, Proof, attempt, connect, laid_over, refusal};
use serde_json::{Value, json};
use support::{Device, Setup, TOKEN, TestGateway};

const FOREIGN_HOST: (&str, &str) = ("host", "gateway.example:18789");
const OWN_PAGE: (&str, &str) = ("origin", "http://localhost:18789");
const LOCAL_NAME: (&str, &str) = ("host", "localhost:18789");

fn with_token(more: Value) -> Value {
    laid_over(&connect(json!({"auth": {"token": TOKEN}})), &more)
}

fn control_ui(more: Value) -> Value {
    let client = json!({"id": "openclaw-control-ui", "mode": "webchat"});
    laid_over(&with_token(json!({"client": client, "scopes": ["operator.admin"]})), &more)
}

fn node(more: Value) -> Value {
    laid_over(&with_token(json!({"role": "node", "client": {"id": "node-host", "mode": "node"}})), &more)
}

fn device(number: u8) -> Proof {
    Proof::of(number)
}

async fn admitted(gateway: &TestGateway, caller: Caller<'_>, params: &Value) -> Value {
    match attempt(gateway, caller, params).await {
        Heard::Welcome(hello) => hello,
        heard => panic!("{params} should be let in: {heard:?}"),
    }
}

async fn refused(gateway: &TestGateway, caller: Caller<'_>, params: &Value, expected: Heard) {
    assert_eq!(attempt(gateway, caller, params).await, expected, "{params}");
}

fn unauthorized(message: &str, code: &str, reason: &str) -> Heard {
    let details = json!({"code": code, "authReason": reason});
    refusal("INVALID_REQUEST", &format!("unauthorized: {message}"), Some(details))
}

fn bad_device(message: &str, reason: &str) -> Heard {
    refusal("INVALID_REQUEST", message, Some(json!({"code": "DEVICE_AUTH_INVALID", "reason": reason})))
}

fn device_required() -> Heard {
    refusal("NOT_PAIRED", "device identity required", Some(json!({"code": "DEVICE_IDENTITY_REQUIRED"})))
}

/// Checks that a connect must wait for pairing, and gives the id of its request.
async fn waits(gateway: &TestGateway, caller: Caller<'_>, params: &Value, reason: &str) -> String {
    let heard = attempt(gateway, caller, params).await;
    let Heard::Refused { ref error, .. } = heard else { panic!("{params} should wait: {heard:?}") };
    let id = error["details"]["requestId"].as_str().unwrap_or_default().to_owned();
    let details = json!({"code": "PAIRING_REQUIRED", "requestId": id, "reason": reason});
    assert_eq!(heard, refusal("NOT_PAIRED", "pairing required", Some(details)));
    id
}

#[tokio::test]
async fn operators_with_the_shared_token_keep_their_scopes_without_a_device() {
    let gateway = TestGateway::new().await;
    let params = with_token(json!({"scopes": ["operator.read", "operator.pairing", "no.such.scope"]}));
    let hello = admitted(&gateway, Caller::LOCAL, &params).await;
    assert_eq!((&hello["protocol"], &hello["auth"]), (&json!(3), &Value::Null));
    let remote = Caller { headers: &[FOREIGN_HOST], ..Caller::LOCAL };
    admitted(&gateway, remote, &params).await;
    let mut client = gateway.operator(&["operator.read", "operator.pairing"]).await;
    client.ok("device.pair.list", json!({})).await;
    client.ok("system-presence", json!({})).await;
    let lacking = client.error("set-heartbeats", json!({"enabled": true})).await;
    assert_eq!(lacking["message"], "missing scope: operator.admin");
}

#[tokio::test]
async fn wrong_and_missing_tokens_are_told_with_the_hint_for_each_client() {
    let gateway = TestGateway::new().await;
    for (id, mode, hint) in [
        ("cli", "cli", "set gateway.remote.token to match gateway.auth.token"),
        ("webchat-ui", "ui", "open the dashboard URL and paste the token in Control UI settings"),
        ("test", "test", "provide gateway auth token"),
    ] {
        let headers: &[(&str, &str)] = if id == "webchat-ui" { &[LOCAL_NAME, OWN_PAGE] } else { &[] };
        let caller = Caller { headers, ..Caller::LOCAL };
        let params = connect(json!({"client": {"id": id, "mode": mode}, "auth": {"token": "wrong"}}));
        let text = format!("gateway token mismatch ({hint})");
        let expected = unauthorized(&text, "AUTH_TOKEN_MISMATCH", "token_mismatch");
        refused(&gateway, caller.clone(), &params, expected).await;
        let params = connect(json!({"client": {"id": id, "mode": mode}}));
        let text = format!("gateway token missing ({hint})");
        let caller = Caller { proof: Some(device(1)), ..caller };
        refused(&gateway, caller, &params, unauthorized(&text, "AUTH_TOKEN_MISSING", "token_missing")).await;
    }
}

#[tokio::test]
async fn without_secret_and_device_nobody_gets_in() {
    let gateway = TestGateway::new().await;
    refused(&gateway, Caller::LOCAL, &connect(json!({})), device_required()).await;
    refused(&gateway, Caller::LOCAL, &connect(json!({"auth": {"deviceToken": TOKEN}})), device_required())
        .await;
    refused(&gateway, Caller::LOCAL, &node(json!({})), device_required()).await;
}

#[tokio::test]
async fn a_range_without_a_common_protocol_is_refused_with_1002() {
    let gateway = TestGateway::new().await;
    for (min, max, expected) in [(1, 2, 3), (5, 9, 4)] {
        let params = with_token(json!({"minProtocol": min, "maxProtocol": max}));
        let Heard::Refused { error, code, reason } = attempt(&gateway, Caller::LOCAL, &params).await else {
            panic!("{min} to {max} should be refused");
        };
        assert_eq!((code, reason.as_str()), (1002, "protocol mismatch"));
        assert_eq!(
            (&error["code"], &error["message"]),
            (&json!("INVALID_REQUEST"), &json!("protocol mismatch"))
        );
        assert_eq!(error["details"]["expectedProtocol"], expected);
    }
}

#[tokio::test]
async fn params_that_break_the_schema_are_named_in_answer_and_close() {
    let gateway = TestGateway::new().await;
    for (more, path) in [
        (json!({"client": {"id": "stranger"}}), "at /client/id: "),
        (json!({"extra": true}), "at root: unexpected property 'extra'"),
        (json!({"client": {"buildId": "b"}}), "at /client: unexpected property 'buildId'"),
        (json!({"client": {"version": ""}}), "at /client/version: "),
    ] {
        let heard = attempt(&gateway, Caller::LOCAL, &with_token(more.clone())).await;
        let Heard::Refused { error, code, reason } = heard else {
            panic!("{more} should be refused: {heard:?}")
        };
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with(&format!("invalid connect params: {path}")), "{message}");
        assert_eq!((&error["code"], code), (&json!("INVALID_REQUEST"), 1008));
        assert!(reason.len() <= 120 && message.starts_with(&reason), "{reason}");
    }
}

#[tokio::test]
async fn roles_other_than_operator_and_node_do_not_exist() {
    let gateway = TestGateway::new().await;
    for role in ["admin", "Operator", " node"] {
        let params = with_token(json!({"role": role}));
        refused(&gateway, Caller::LOCAL, &params, refusal("INVALID_REQUEST", "invalid role", None)).await;
    }
}

#[tokio::test]
async fn local_devices_are_paired_silently_in_every_generation_of_the_signature() {
    let gateway = TestGateway::new().await;
    for (number, form) in [(1, Form::V1), (2, Form::V2), (3, Form::V3)] {
        let caller = Caller { proof: Some(Proof { form, ..device(number) }), ..Caller::LOCAL };
        let params = with_token(json!({"scopes": ["operator.write", "operator.read", "future.scope"]}));
        let auth = admitted(&gateway, caller, &params).await["auth"].clone();
        assert_eq!(auth["deviceToken"].as_str().unwrap().len(), 43);
        assert_eq!(
            (&auth["role"], &auth["scopes"]),
            (&json!("operator"), &json!(["operator.read", "operator.write"]))
        );
        assert!(auth["issuedAtMs"].is_i64());
    }
    let actions = gateway.audited().await;
    assert_eq!(actions, ["device.pair.auto-approve"; 3]);
}

#[tokio::test]
async fn a_signature_without_a_nonce_is_refused_from_anywhere_else() {
    let gateway = TestGateway::new().await;
    let old = Some(Proof { form: Form::V1, ..device(1) });
    let expected = || bad_device("device nonce required", "device-nonce-missing");
    for headers in
        [&[FOREIGN_HOST] as &[_], &[LOCAL_NAME, ("x-forwarded-for", "127.0.0.1")], &[LOCAL_NAME, OWN_PAGE]]
    {
        let caller = Caller { headers, proof: old.clone() };
        refused(&gateway, caller, &with_token(json!({})), expected()).await;
    }
}

#[tokio::test]
async fn every_fault_of_a_device_proof_is_told() {
    let gateway = TestGateway::new().await;
    let other_key = Device::new(2).public_key();
    for (spoil, expected) in [
        (json!({"id": "00ff"}), bad_device("device identity mismatch", "device-id-mismatch")),
        (json!({"publicKey": other_key}), bad_device("device identity mismatch", "device-id-mismatch")),
        (json!({"publicKey": "***"}), bad_device("device public key invalid", "device-public-key")),
        (json!({"nonce": "another"}), bad_device("device nonce mismatch", "device-nonce-mismatch")),
        (json!({"signature": "AAAA"}), bad_device("device signature invalid", "device-signature")),
    ] {
        let caller = Caller { proof: Some(Proof { spoil, ..device(1) }), ..Caller::LOCAL };
        refused(&gateway, caller, &with_token(json!({})), expected).await;
    }
    let blank = Some(Proof { spoil: json!({"nonce": " "}), ..device(1) });
    let caller = Caller { headers: &[FOREIGN_HOST], proof: blank };
    let expected = bad_device("device nonce required", "device-nonce-missing");
    refused(&gateway, caller, &with_token(json!({})), expected).await;
    for off in [-121_000, 121_000] {
        let caller = Caller { proof: Some(Proof { clock_off_ms: off, ..device(1) }), ..Caller::LOCAL };
        let expected = bad_device("device signature expired", "device-signature-stale");
        refused(&gateway, caller, &with_token(json!({})), expected).await;
    }
    let unsigned = Some(Proof { sign_as: json!({"scopes": ["operator.read"]}), ..device(1) });
    let params = with_token(json!({"scopes": ["operator.admin"]}));
    let expected = bad_device("device signature invalid", "device-signature");
    refused(&gateway, Caller { proof: unsigned, ..Caller::LOCAL }, &params, expected).await;
}

#[tokio::test]
async fn device_tokens_work_in_either_field_until_they_are_revoked() {
    let gateway = TestGateway::new().await;
    let caller = || Caller { proof: Some(device(1)), ..Caller::LOCAL };
    let first = with_token(json!({"scopes": ["operator.write"]}));
    let token = admitted(&gateway, caller(), &first).await["auth"]["deviceToken"].clone();
    let in_token = connect(json!({"scopes": ["operator.read"], "auth": {"token": token}}));
    let in_own = connect(json!({"scopes": ["operator.write"], "auth": {"deviceToken": token}}));
    for params in [&in_token, &in_own] {
        let remote = Caller { headers: &[FOREIGN_HOST], ..caller() };
        assert_eq!(admitted(&gateway, remote, params).await["auth"]["deviceToken"], token);
    }
    let mismatch = || {
        let text = "device token mismatch (rotate/reissue device token)";
        unauthorized(text, "AUTH_DEVICE_TOKEN_MISMATCH", "device_token_mismatch")
    };
    let wrong = connect(json!({"auth": {"deviceToken": "wrong"}}));
    refused(&gateway, caller(), &wrong, mismatch()).await;
    let greedy = connect(json!({"scopes": ["operator.admin"], "auth": {"deviceToken": token}}));
    refused(&gateway, caller(), &greedy, mismatch()).await;
    let thief = Caller { proof: Some(device(2)), ..Caller::LOCAL };
    refused(&gateway, thief, &in_own, mismatch()).await;

    let mut admin = gateway.admin().await;
    let id = Device::new(1).id();
    admin.ok("device.token.revoke", json!({"deviceId": id, "role": "operator"})).await;
    refused(&gateway, caller(), &in_own, mismatch()).await;
    let hint = "gateway token mismatch (provide gateway auth token)";
    refused(&gateway, caller(), &in_token, unauthorized(hint, "AUTH_TOKEN_MISMATCH", "token_mismatch")).await;
    let fresh = admitted(&gateway, caller(), &first).await["auth"]["deviceToken"].clone();
    assert_ne!(fresh, token, "the owner's secret gets the device a new token");
}

#[tokio::test]
async fn a_revoked_or_removed_device_loses_its_open_sockets() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    let device = Device::new(1);
    for method in ["device.token.revoke", "device.pair.remove"] {
        let (mut client, response) = gateway.device(&device, with_token(json!({}))).await;
        assert_eq!(response["ok"], true, "{response}");
        let params = match method {
            "device.pair.remove" => json!({"deviceId": device.id()}),
            _ => json!({"deviceId": device.id(), "role": "operator"}),
        };
        admin.ok(method, params).await;
        client.closed().await;
    }
}

#[tokio::test]
async fn hosts_and_proxies_make_a_device_wait_until_a_person_approves() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    let params = with_token(json!({"scopes": ["operator.read"]}));
    let mut requests = Vec::new();
    for headers in [
        &[FOREIGN_HOST] as &[_],
        &[LOCAL_NAME, ("x-forwarded-for", "198.51.100.4")],
        &[LOCAL_NAME, ("x-real-ip", "127.0.0.1")],
        &[LOCAL_NAME, ("x-forwarded-host", "localhost")],
        &[LOCAL_NAME, ("forwarded", "for=127.0.0.1")],
    ] {
        let caller = Caller { headers, proof: Some(device(1)) };
        requests.push(waits(&gateway, caller, &params, "not-paired").await);
    }
    let event = admin.event("device.pair.requested").await;
    assert_eq!(event["payload"]["requestId"], json!(requests[0]));
    requests.dedup();
    assert_eq!(requests.len(), 1, "one device has one request");
    admin.ok("device.pair.approve", json!({"requestId": requests[0]})).await;
    let resolved = admin.event("device.pair.resolved").await;
    assert_eq!(
        (&resolved["payload"]["decision"], &resolved["payload"]["requestId"]),
        (&json!("approved"), &json!(requests[0]))
    );
    assert!(!admin.skipped.iter().any(|frame| frame["event"] == "device.pair.requested"), "told once");
    let remote = Caller { headers: &[FOREIGN_HOST], proof: Some(device(1)) };
    let hello = admitted(&gateway, remote, &params).await;
    assert_eq!(hello["auth"]["scopes"], json!(["operator.read"]));
}

#[tokio::test]
async fn upgrades_wait_for_a_person_except_scopes_on_this_machine() {
    let gateway = TestGateway::new().await;
    let local = || Caller { proof: Some(device(1)), ..Caller::LOCAL };
    let remote = || Caller { headers: &[FOREIGN_HOST], ..local() };
    admitted(&gateway, local(), &with_token(json!({"scopes": ["operator.read"]}))).await;
    let more = with_token(json!({"scopes": ["operator.write"]}));
    waits(&gateway, remote(), &more, "scope-upgrade").await;
    admitted(&gateway, local(), &more).await;
    waits(&gateway, local(), &node(json!({})), "role-upgrade").await;
    let moved = with_token(json!({"client": {"platform": "darwin"}}));
    waits(&gateway, local(), &moved, "metadata-upgrade").await;
    let same = with_token(json!({"client": {"platform": " LINUX "}}));
    admitted(&gateway, local(), &same).await;
}

#[tokio::test]
async fn nobody_approves_or_mints_more_than_they_have() {
    let gateway = TestGateway::new().await;
    let remote = Caller { headers: &[FOREIGN_HOST], proof: Some(device(1)) };
    let id = waits(&gateway, remote, &with_token(json!({"scopes": ["operator.admin"]})), "not-paired").await;
    let mut helper = gateway.operator(&["operator.pairing", "operator.read"]).await;
    let error = helper.error("device.pair.approve", json!({"requestId": id})).await;
    assert_eq!(error["message"], "missing scope: operator.admin");
    let local = Caller { proof: Some(device(2)), ..Caller::LOCAL };
    admitted(&gateway, local, &with_token(json!({"scopes": ["operator.write"]}))).await;
    let wish = |scopes: Value| json!({"deviceId": Device::new(2).id(), "role": "operator", "scopes": scopes});
    let error = helper.error("device.token.rotate", wish(json!(["operator.write"]))).await;
    assert_eq!(error["message"], "missing scope: operator.write");
    helper.ok("device.token.rotate", wish(json!(["operator.read"]))).await;
    let mut admin = gateway.admin().await;
    let error = admin.error("device.token.rotate", wish(json!(["operator.admin"]))).await;
    assert_eq!(error["code"], "INVALID_REQUEST");
}

#[tokio::test]
async fn nodes_need_a_device_and_stay_in_their_role() {
    let gateway = TestGateway::new().await;
    let device = Device::new(1);
    let (mut client, response) = gateway.device(&device, node(json!({"scopes": ["operator.admin"]}))).await;
    let auth = &response["payload"]["auth"];
    assert_eq!((&auth["role"], &auth["scopes"]), (&json!("node"), &json!([])), "{response}");
    let error = client.error("status", json!({})).await;
    assert_eq!(error["message"], "unauthorized role: node");
}

#[tokio::test]
async fn the_control_ui_needs_an_origin_and_a_device() {
    let gateway = TestGateway::new().await;
    let page = |headers| Caller { headers, ..Caller::LOCAL };
    let origin = "origin not allowed (open the Control UI from the gateway host or allow it in \
                  gateway.controlUi.allowedOrigins)";
    let refuse = || refusal("INVALID_REQUEST", origin, None);
    refused(&gateway, page(&[LOCAL_NAME]), &control_ui(json!({})), refuse()).await;
    for headers in [
        &[LOCAL_NAME, ("origin", "https://evil.example")] as &[_],
        &[LOCAL_NAME, ("origin", "null")],
        &[FOREIGN_HOST, OWN_PAGE],
        &[FOREIGN_HOST, ("origin", "http://gateway.example:18789")],
    ] {
        refused(&gateway, page(headers), &control_ui(json!({})), refuse()).await;
        refused(&gateway, page(headers), &with_token(json!({})), refuse()).await;
    }
    let text = "control ui requires device identity (use HTTPS or localhost secure context)";
    let expected =
        refusal("INVALID_REQUEST", text, Some(json!({"code": "CONTROL_UI_DEVICE_IDENTITY_REQUIRED"})));
    refused(&gateway, page(&[LOCAL_NAME, OWN_PAGE]), &control_ui(json!({})), expected).await;
    let signed =
        Caller { headers: &[LOCAL_NAME, OWN_PAGE], proof: Some(Proof { form: Form::V2, ..device(1) }) };
    assert!(admitted(&gateway, signed, &control_ui(json!({}))).await["auth"]["deviceToken"].is_string());
    let other = Caller { headers: &[LOCAL_NAME, OWN_PAGE], proof: Some(device(2)) };
    waits(&gateway, other, &with_token(json!({})), "not-paired").await;
}

#[tokio::test]
async fn allowed_origins_and_the_dangerous_switches_do_what_they_say() {
    let config = r#"{ gateway: { auth: { mode: "token", token: "test-token-0123456789" },
        controlUi: { allowedOrigins: ["https://panel.example"], dangerouslyDisableDeviceAuth: true } } }"#;
    let gateway = Setup::config(config).start().await;
    let panel = Caller { headers: &[FOREIGN_HOST, ("origin", "https://Panel.example:443")], ..Caller::LOCAL };
    let hello = admitted(&gateway, panel, &control_ui(json!({}))).await;
    assert_eq!(hello["auth"], Value::Null);
    let wrong = control_ui(json!({"auth": {"token": "wrong"}}));
    let panel = Caller { headers: &[FOREIGN_HOST, ("origin", "https://panel.example")], ..Caller::LOCAL };
    let text = "gateway token mismatch (open the dashboard URL and paste the token in Control UI settings)";
    refused(&gateway, panel, &wrong, unauthorized(text, "AUTH_TOKEN_MISMATCH", "token_mismatch")).await;
}

#[tokio::test]
async fn password_mode_takes_the_password_only() {
    let gateway = Setup::config(r#"{ gateway: { auth: { mode: "password", password: "open sesame" } } }"#)
        .start()
        .await;
    let hello =
        admitted(&gateway, Caller::LOCAL, &connect(json!({"auth": {"password": "open sesame"}}))).await;
    assert_eq!(hello["snapshot"]["authMode"], "password");
    let text = "gateway password mismatch (provide gateway auth password)";
    let wrong = connect(json!({"auth": {"password": "wrong"}}));
    refused(
        &gateway,
        Caller::LOCAL,
        &wrong,
        unauthorized(text, "AUTH_PASSWORD_MISMATCH", "password_mismatch"),
    )
    .await;
    let text = "gateway password missing (provide gateway auth password)";
    let token = connect(json!({"auth": {"token": "open sesame"}}));
    refused(&gateway, Caller::LOCAL, &token, unauthorized(text, "AUTH_PASSWORD_MISSING", "password_missing"))
        .await;
}

#[tokio::test]
async fn without_authentication_devices_still_pair() {
    let gateway = Setup::config(r#"{ gateway: { auth: { mode: "none" } } }"#).start().await;
    let local = Caller { proof: Some(device(1)), ..Caller::LOCAL };
    let hello = admitted(&gateway, local, &connect(json!({"scopes": ["operator.admin"]}))).await;
    assert_eq!(hello["snapshot"]["authMode"], "none");
    refused(&gateway, Caller::LOCAL, &connect(json!({"scopes": ["operator.admin"]})), device_required())
        .await;
    let remote = Caller { headers: &[FOREIGN_HOST], proof: Some(device(2)) };
    waits(&gateway, remote, &connect(json!({})), "not-paired").await;
}

#[tokio::test]
async fn a_trusted_proxy_signs_people_in() {
    let config = r#"{ gateway: { auth: { mode: "trusted-proxy",
        trustedProxy: { userHeader: "x-user", requiredHeaders: ["x-checked"], allowUsers: ["ana"] } },
        trustedProxies: ["127.0.0.1"], controlUi: { allowedOrigins: ["https://panel.example"] } } }"#;
    let gateway = Setup::config(config).start().await;
    let base = [FOREIGN_HOST, ("origin", "https://panel.example"), ("x-forwarded-for", "198.51.100.4")];
    let page = control_ui(json!({"auth": {"token": ""}}));
    let ana = [&base[..], &[("x-checked", "1"), ("x-user", "ana")]].concat();
    let hello = admitted(&gateway, Caller { headers: &ana, ..Caller::LOCAL }, &page).await;
    let presence = hello["snapshot"]["presence"].as_array().unwrap();
    assert!(presence.iter().any(|entry| entry["ip"] == "198.51.100.4"), "{presence:?}");
    for (headers, reason) in [
        (vec![("x-checked", "1"), ("x-user", "eve")], "trusted_proxy_user_not_allowed"),
        (vec![("x-checked", "1")], "trusted_proxy_user_missing"),
        (vec![("x-user", "ana")], "trusted_proxy_missing_header_x-checked"),
    ] {
        let headers = [&base[2..], &headers].concat();
        let caller = Caller { headers: &headers, proof: Some(device(1)) };
        let details = json!({"code": "AUTH_UNAUTHORIZED", "authReason": reason});
        refused(
            &gateway,
            caller,
            &connect(json!({})),
            refusal("INVALID_REQUEST", "unauthorized", Some(details)),
        )
        .await;
    }
}

#[tokio::test]
async fn a_changed_token_counts_for_the_next_connect() {
    let gateway = TestGateway::new().await;
    admitted(&gateway, Caller::LOCAL, &with_token(json!({}))).await;
    let changed = r#"{ gateway: { auth: { mode: "token", token: "another-token-987654" } } }"#;
    std::fs::write(gateway.home.path("openclaw.json"), changed).unwrap();
    gateway.config.reload();
    let text = "gateway token mismatch (provide gateway auth token)";
    let expected = unauthorized(text, "AUTH_TOKEN_MISMATCH", "token_mismatch");
    refused(&gateway, Caller::LOCAL, &with_token(json!({})), expected).await;
    admitted(&gateway, Caller::LOCAL, &connect(json!({"auth": {"token": "another-token-987654"}}))).await;
}

#[tokio::test]
async fn clients_of_protocol_4_get_their_codes_and_are_not_forced_to_pair() {
    let gateway = TestGateway::new().await;
    let newer = |more: Value| {
        let client = json!({"id": "openclaw-tui", "mode": "ui", "buildId": "b", "timeZone": "UTC"});
        laid_over(&with_token(json!({"minProtocol": 4, "maxProtocol": 4, "client": client})), &more)
    };
    let remote = |proof| Caller { headers: &[FOREIGN_HOST], proof };
    let hello =
        admitted(&gateway, remote(Some(device(1))), &newer(json!({"scopes": ["operator.read"]}))).await;
    assert_eq!(hello["protocol"], 4);
    assert_eq!(hello["auth"], json!({"method": "token", "role": "operator", "scopes": ["operator.read"]}));

    let wrong = newer(json!({"auth": {"token": "wrong"}}));
    let details = |retry: bool, next: &str| {
        json!({
            "code": "AUTH_TOKEN_MISMATCH", "authReason": "token_mismatch",
            "canRetryWithDeviceToken": retry, "recommendedNextStep": next,
        })
    };
    let text = "unauthorized: gateway token mismatch (provide gateway auth token)";
    let expected = refusal("INVALID_REQUEST", text, Some(details(false, "update_auth_credentials")));
    refused(&gateway, remote(None), &wrong, expected).await;
    let expected = refusal("INVALID_REQUEST", text, Some(details(true, "retry_with_device_token")));
    refused(&gateway, remote(Some(device(1))), &wrong, expected).await;

    let stale = Proof { clock_off_ms: -200_000, ..device(1) };
    let details = json!({"code": "DEVICE_AUTH_SIGNATURE_EXPIRED", "reason": "device-signature-stale"});
    let expected = refusal("INVALID_REQUEST", "device signature expired", Some(details));
    refused(&gateway, remote(Some(stale)), &newer(json!({})), expected).await;
    let probe = newer(json!({"minProtocol": 3, "client": {"id": "openclaw-probe", "mode": "probe"}}));
    assert_eq!(admitted(&gateway, Caller::LOCAL, &probe).await["protocol"], 4);
}
