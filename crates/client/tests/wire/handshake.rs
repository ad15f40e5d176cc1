//! The handshake over real sockets: proof, choice of secrets, refusals, addresses and certificates.
//!
//! Signatures are checked with the device's public key against the text the protocol prescribes.

use std::sync::Arc;
use std::time::Duration;

use crate::scripted::{Peer, ScriptedGateway, device, hello, hello_with_token};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ed25519_dalek::{Signature, VerifyingKey};
use openclaw_client::{
    ConnectCredentials, ConnectError, Fingerprint, GatewayAddress, Plaintext, RefusalKind, Retry, Trust,
    connect,
};
use openclaw_ports::{SystemClock, TaskScope};
use openclaw_testkit::{SimClock, TempHome};
use openclaw_types::{Role, Scope, Secret};
use serde_json::{Value, json};

fn secret(text: &str) -> Option<Secret<String>> {
    Some(Secret::new(text.to_owned()))
}

fn verify(params: &Value, text: &str) {
    let decode = |value: &Value| URL_SAFE_NO_PAD.decode(value.as_str().unwrap()).unwrap();
    let key: [u8; 32] = decode(&params["device"]["publicKey"]).try_into().unwrap();
    let signature: [u8; 64] = decode(&params["device"]["signature"]).try_into().unwrap();
    let key = VerifyingKey::from_bytes(&key).unwrap();
    key.verify_strict(text.as_bytes(), &Signature::from_bytes(&signature)).unwrap();
}

#[tokio::test]
async fn the_device_proves_itself_and_keeps_the_token_it_is_given() {
    let (home, clock, tasks) = (TempHome::new(), Arc::new(SimClock::new()), TaskScope::root("test"));
    let gateway = ScriptedGateway::start().await;
    let mut options = gateway.options();
    options.scopes = vec![Scope::Write, Scope::Admin];
    options.credentials = ConnectCredentials { token: secret("shared"), ..ConnectCredentials::default() };
    options.device = Some(device(&home, clock.as_ref()));
    let server = async {
        let mut peer = gateway.accept().await;
        let connect = peer.challenge().await;
        peer.answer(&connect, hello_with_token("minted", &["operator.write", "operator.admin"])).await;
        (peer, connect["params"].clone())
    };
    let (session, (_peer, params)) = tokio::join!(connect(&options, clock.clone(), &tasks), server);
    assert_eq!(session.unwrap().hello().server_version(), "9.9.9");
    let device = options.device.as_ref().unwrap();
    let id = device.identity.device_id();
    let signed_at = params["device"]["signedAt"].as_i64().unwrap();
    verify(
        &params,
        &format!("v3|{id}|cli|cli|operator|operator.write,operator.admin|{signed_at}|shared|nonce-1|linux|"),
    );
    assert_eq!(params["auth"], json!({ "token": "shared" }));
    assert_eq!((&params["minProtocol"], &params["maxProtocol"]), (&json!(3), &json!(4)));
    let stored = device.tokens.get(Role::Operator).unwrap().unwrap();
    assert_eq!(stored.token.reveal(), "minted");
    assert_eq!(stored.scopes, ["operator.admin", "operator.write"]);
}

#[tokio::test]
async fn without_a_shared_token_the_stored_one_is_shown_and_forgotten_when_refused() {
    let (home, clock, tasks) = (TempHome::new(), Arc::new(SimClock::new()), TaskScope::root("test"));
    let gateway = ScriptedGateway::start().await;
    let mut options = gateway.options();
    let device = device(&home, clock.as_ref());
    device
        .tokens
        .put(Role::Operator, &Secret::new("old".to_owned()), &[].into_iter().collect(), clock.as_ref())
        .unwrap();
    options.device = Some(device.clone());
    let server = async {
        let mut peer = gateway.accept().await;
        let connect = peer.challenge().await;
        let error = json!({
            "code": "INVALID_REQUEST",
            "message": "unauthorized: device token mismatch (rotate/reissue device token)",
            "details": { "code": "AUTH_DEVICE_TOKEN_MISMATCH", "authReason": "device_token_mismatch" },
        });
        peer.refuse(&connect, error).await;
        (peer, connect["params"]["auth"].clone())
    };
    let (refused, (_peer, auth)) = tokio::join!(connect(&options, clock.clone(), &tasks), server);
    assert_eq!(auth, json!({ "token": "old", "deviceToken": "old" }));
    let Err(ConnectError::Refused(refusal)) = refused else {
        panic!("the handshake should be refused: {refused:?}")
    };
    assert_eq!(refusal.kind, RefusalKind::DeviceTokenMismatch);
    assert_eq!(device.tokens.get(Role::Operator).unwrap(), None);
}

#[tokio::test]
async fn a_refused_token_that_was_given_leaves_the_stored_one_alone() {
    let (home, clock, tasks) = (TempHome::new(), Arc::new(SimClock::new()), TaskScope::root("test"));
    let gateway = ScriptedGateway::start().await;
    let mut options = gateway.options();
    let device = device(&home, clock.as_ref());
    device
        .tokens
        .put(Role::Operator, &Secret::new("old".to_owned()), &[].into_iter().collect(), clock.as_ref())
        .unwrap();
    options.device = Some(device.clone());
    options.credentials.token = secret("wrong");
    let server = async {
        let mut peer = gateway.accept().await;
        let connect = peer.challenge().await;
        peer.refuse(
            &connect,
            json!({ "code": "INVALID_REQUEST", "message": "unauthorized: device token mismatch" }),
        )
        .await;
        peer
    };
    let (refused, _peer) = tokio::join!(connect(&options, clock.clone(), &tasks), server);
    assert!(matches!(refused, Err(ConnectError::Refused(_))));
    assert_eq!(device.tokens.get(Role::Operator).unwrap().unwrap().token.reveal(), "old");
}

async fn refusal_of(error: Value) -> (RefusalKind, Retry, String) {
    let (clock, tasks) = (Arc::new(SimClock::new()), TaskScope::root("test"));
    let gateway = ScriptedGateway::start().await;
    let options = gateway.options();
    let server = async {
        let mut peer = gateway.accept().await;
        let connect = peer.challenge().await;
        peer.refuse(&connect, error).await;
        peer
    };
    let (refused, _peer) = tokio::join!(connect(&options, clock, &tasks), server);
    let error = refused.unwrap_err();
    let retry = error.retry();
    let text = error.to_string();
    let ConnectError::Refused(refusal) = error else { panic!("the handshake should be refused") };
    (refusal.kind, retry, text)
}

#[tokio::test]
async fn a_device_that_must_be_approved_first_learns_its_request() {
    let error = json!({
        "code": "NOT_PAIRED", "message": "pairing required",
        "details": { "code": "PAIRING_REQUIRED", "requestId": "r-1", "reason": "not-paired" },
    });
    let kind = RefusalKind::PairingRequired {
        request_id: Some("r-1".to_owned()),
        reason: Some("not-paired".to_owned()),
    };
    let text = "pairing required; on the gateway's machine run `openclaw devices approve r-1`".to_owned();
    assert_eq!(refusal_of(error).await, (kind, Retry::Never, text));
}

#[tokio::test]
async fn refusals_of_older_gateways_without_details_are_understood_by_code_and_text() {
    let cases = [
        (
            json!({ "code": "NOT_PAIRED", "message": "device identity required" }),
            RefusalKind::DeviceRequired,
            Retry::Never,
        ),
        (
            json!({ "code": "INVALID_REQUEST", "message": "unauthorized: gateway token missing" }),
            RefusalKind::Unauthorized,
            Retry::Never,
        ),
        (json!({ "code": "UNAVAILABLE", "message": "starting" }), RefusalKind::Unavailable, Retry::Later),
        (
            json!({ "code": "INVALID_REQUEST", "message": "protocol mismatch", "details": { "expectedProtocol": 5 } }),
            RefusalKind::ProtocolMismatch { expected: Some(5) },
            Retry::Never,
        ),
        (
            json!({ "code": "INVALID_REQUEST", "message": "x", "details": { "code": "AUTH_RATE_LIMITED" } }),
            RefusalKind::RateLimited,
            Retry::Later,
        ),
    ];
    for (error, kind, retry) in cases {
        let (found, may_retry, _) = refusal_of(error).await;
        assert_eq!((found, may_retry), (kind, retry));
    }
}

#[tokio::test]
async fn a_gateway_that_sends_no_challenge_is_given_up_after_two_seconds() {
    let (clock, tasks) = (Arc::new(SimClock::new()), TaskScope::root("test"));
    let gateway = ScriptedGateway::start().await;
    let options = gateway.options();
    let steps = async {
        let peer = gateway.accept().await;
        // The limit of the whole handshake and that of the challenge.
        clock.until_asleep(2).await;
        clock.advance(Duration::from_secs(2)).await;
        peer
    };
    let (failed, _peer) = tokio::join!(connect(&options, clock.clone(), &tasks), steps);
    let text = failed.unwrap_err().to_string();
    assert_eq!(
        text,
        format!("the gateway at 127.0.0.1:{} did not send its challenge within 2s", gateway.port())
    );
}

#[tokio::test]
async fn plain_text_goes_to_this_machine_only_unless_allowed() {
    let (clock, tasks) = (Arc::new(SystemClock::new()), TaskScope::root("test"));
    let gateway = ScriptedGateway::start().await;
    let mut options = gateway.options();
    options.address = GatewayAddress::parse("ws://gateway.example:18789").unwrap();
    let refused = connect(&options, clock.clone(), &tasks).await.unwrap_err();
    assert!(
        matches!(refused, ConnectError::PlaintextRefused { ref host } if host == "gateway.example"),
        "{refused:?}"
    );
    options.address = GatewayAddress::parse(&format!("ws://127.0.0.1:{}", gateway.port())).unwrap();
    options.trust = Trust::Pinned(Fingerprint::of_certificate(b"x"));
    let refused = connect(&options, clock.clone(), &tasks).await.unwrap_err();
    assert!(matches!(refused, ConnectError::FingerprintWithoutTls));
    options.trust = Trust::System;
    options.plaintext = Plaintext::Anywhere;
    let (session, _peer) = tokio::join!(connect(&options, clock, &tasks), gateway.welcome());
    session.unwrap();
}

#[tokio::test]
async fn nobody_listening_is_told_with_what_to_do() {
    let (clock, tasks) = (Arc::new(SystemClock::new()), TaskScope::root("test"));
    let gateway = ScriptedGateway::start().await;
    let options = gateway.options();
    drop(gateway);
    let error = connect(&options, clock, &tasks).await.unwrap_err();
    assert!(matches!(error, ConnectError::Unreachable { .. }));
    assert!(error.to_string().ends_with("start it with `openclaw gateway`"));
}

#[test]
fn addresses_are_parsed_and_printed_without_secrets() {
    let good = [
        ("ws://127.0.0.1:18789", "ws://127.0.0.1:18789", true),
        ("ws://LOCALHOST:1/", "ws://localhost:1", true),
        ("http://[::1]:5/x?token=abc", "ws://[::1]:5/x", true),
        ("ws://[::ffff:127.0.0.1]:5", "ws://[::ffff:127.0.0.1]:5", true),
        ("wss://gw.example", "wss://gw.example:443", false),
        ("https://gw.example:8443/path", "wss://gw.example:8443/path", false),
    ];
    for (text, printed, loopback) in good {
        let address = GatewayAddress::parse(text).unwrap();
        assert_eq!((address.to_string().as_str(), address.is_loopback()), (printed, loopback), "{text}");
    }
    for text in ["", "127.0.0.1:18789", "ftp://x", "ws://", "ws://user:secret@host", "ws://h:0"] {
        let error = GatewayAddress::parse(text).unwrap_err().to_string();
        assert!(!error.contains("secret"), "{error}");
    }
}

#[test]
fn fingerprints_are_read_in_every_form_people_paste() {
    let plain = "ab".repeat(32);
    let colons = plain
        .as_bytes()
        .chunks(2)
        .map(|pair| std::str::from_utf8(pair).unwrap().to_uppercase())
        .collect::<Vec<_>>()
        .join(":");
    for text in [plain.clone(), colons.clone(), format!("SHA256:{colons}"), format!(" sha-256 {plain} ")] {
        assert_eq!(Fingerprint::parse(&text).unwrap(), Fingerprint::parse(&plain).unwrap(), "{text}");
    }
    assert!(Fingerprint::parse("abcd").is_err());
}

struct TlsGateway {
    gateway: ScriptedGateway,
    acceptor: tokio_rustls::TlsAcceptor,
    fingerprint: Fingerprint,
}

async fn tls_gateway() -> TlsGateway {
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = made.cert.der().clone();
    let key = rustls::pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let fingerprint = Fingerprint::of_certificate(&certificate);
    let config =
        rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate], key)
            .unwrap();
    TlsGateway {
        gateway: ScriptedGateway::start().await,
        acceptor: tokio_rustls::TlsAcceptor::from(Arc::new(config)),
        fingerprint,
    }
}

async fn connect_with_trust(server: &TlsGateway, trust: Trust) -> Result<(), ConnectError> {
    let (clock, tasks) = (Arc::new(SystemClock::new()), TaskScope::root("test"));
    let mut options = server.gateway.options();
    options.address = GatewayAddress::parse(&format!("wss://127.0.0.1:{}", server.gateway.port())).unwrap();
    options.trust = trust;
    let serving = async {
        let (stream, _) = server.gateway.listener.accept().await.unwrap();
        let Ok(stream) = server.acceptor.accept(stream).await else { return };
        let Ok(socket) = tokio_tungstenite::accept_async(stream).await else { return };
        let mut peer = Peer { socket };
        let request = peer.challenge().await;
        peer.answer(&request, hello()).await;
    };
    let (session, ()) = tokio::join!(connect(&options, clock, &tasks), serving);
    session.map(drop)
}

#[tokio::test]
async fn a_pinned_certificate_is_accepted_and_any_other_refused() {
    let server = tls_gateway().await;
    connect_with_trust(&server, Trust::Pinned(server.fingerprint)).await.unwrap();
    let refused = connect_with_trust(&server, Trust::Pinned(Fingerprint::of_certificate(b"other"))).await;
    assert!(matches!(refused, Err(ConnectError::Certificate { .. })), "{refused:?}");
}

#[tokio::test]
async fn a_self_signed_certificate_is_refused_without_a_pin_and_the_way_out_is_named() {
    let server = tls_gateway().await;
    let error = connect_with_trust(&server, Trust::System).await.unwrap_err();
    match &error {
        ConnectError::Certificate { .. } | ConnectError::NoTrustedRoots => {}
        other => panic!("unexpected: {other:?}"),
    }
    assert!(error.to_string().contains("--tls-fingerprint"), "{error}");
}

#[tokio::test]
async fn a_password_keeps_the_stored_token_at_home() {
    let (home, clock, tasks) = (TempHome::new(), Arc::new(SimClock::new()), TaskScope::root("test"));
    let gateway = ScriptedGateway::start().await;
    let mut options = gateway.options();
    let device = device(&home, clock.as_ref());
    let none = [].into_iter().collect();
    device.tokens.put(Role::Operator, &Secret::new("old".to_owned()), &none, clock.as_ref()).unwrap();
    options.device = Some(device);
    options.credentials.password = secret("word");
    let server = async {
        let mut peer = gateway.accept().await;
        let connect = peer.challenge().await;
        peer.answer(&connect, hello()).await;
        (peer, connect["params"]["auth"].clone())
    };
    let (session, (_peer, auth)) = tokio::join!(connect(&options, clock.clone(), &tasks), server);
    session.unwrap();
    assert_eq!(auth, json!({ "password": "word" }));
}
