//! Starts that must be refused, and encrypted ones.

mod support;

use std::sync::Arc;

use openclaw_config::{Bind, Offered};
use openclaw_gateway::GatewayError;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{DigitallySignedStruct, SignatureScheme};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use support::{Client, Device, Setup, connect_params, http};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

async fn refusal(setup: Setup) -> String {
    match setup.try_start().await {
        Err(error @ GatewayError::Unsafe { .. }) => error.to_string(),
        Err(other) => panic!("refused for another reason: {other}"),
        Ok(_) => panic!("the gateway started"),
    }
}

#[tokio::test]
async fn a_door_without_a_lock_is_not_opened_to_other_machines() {
    let config = r#"{ gateway: { auth: { mode: "none" }, controlUi: { enabled: false } } }"#;
    let text = refusal(Setup { bind: Some(Bind::Lan), ..Setup::config(config) }).await;
    assert!(text.contains("gateway.auth.mode"), "{text}");
}

#[tokio::test]
async fn a_page_for_other_machines_needs_to_know_its_origins() {
    let text = refusal(Setup { bind: Some(Bind::Lan), ..Setup::default() }).await;
    let open = r#"gateway: { bind: "lan", auth: { token: "test-token-0123456789" }, controlUi: "#;
    assert!(text.contains("gateway.controlUi.allowedOrigins"), "{text}");
    for enough in [
        r#"{ allowedOrigins: ["https://gw.example"] }"#,
        "{ enabled: false }",
        "{ dangerouslyAllowHostHeaderOriginFallback: true }",
    ] {
        let gateway = Setup::config(&format!("{{ {open} {enough} }} }}")).start().await;
        assert!(gateway.address().ip().is_unspecified());
    }
}

#[tokio::test]
async fn a_lock_taken_away_while_the_door_stands_open_leaves_it_shut() {
    let locked = r#"{ gateway: { bind: "lan", auth: { mode: "token", token: "test-token-0123456789" },
        controlUi: { enabled: false } } }"#;
    let gateway = Setup::config(locked).start().await;
    // The restart that this change asks for has not happened yet.
    let unlocked =
        r#"{ gateway: { bind: "loopback", auth: { mode: "none" }, controlUi: { enabled: false } } }"#;
    std::fs::write(gateway.home.path("openclaw.json"), unlocked).unwrap();
    let offered = gateway.config.reload();
    assert!(matches!(offered, Offered::Taken(_)), "{offered:?}");
    let stranger = json!({
        "minProtocol": 3, "maxProtocol": 3, "scopes": ["operator.admin"],
        "client": {"id": "cli", "version": "1", "platform": "linux", "mode": "cli"},
    });
    let (_, response) = gateway.device(&Device::new(1), stranger).await;
    assert_eq!(response["error"]["details"]["code"], "AUTH_UNAUTHORIZED", "{response}");
    let elsewhere = [("Host", "gateway.example")];
    assert_eq!(http(gateway.address(), "GET /metrics", &elsewhere).await.status, 401);
}

#[tokio::test]
async fn loopback_needs_no_lock() {
    let gateway = Setup::config(r#"{ gateway: { auth: { mode: "none" } } }"#).start().await;
    assert!(gateway.address().ip().is_loopback());
}

#[tokio::test]
async fn no_configuration_at_all_starts_on_loopback() {
    let gateway = Setup { config: None, ..Setup::default() }.start().await;
    assert!(gateway.gateway.addresses().iter().all(|address| address.ip().is_loopback()));
    assert_eq!(gateway.gateway.tls_fingerprint(), None);
}

/// Accepts exactly the certificate with this fingerprint, as pinning clients do.
#[derive(Debug)]
struct Pinned(String);

impl ServerCertVerifier for Pinned {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        assert_eq!(hex::encode(Sha256::digest(certificate.as_ref())), self.0);
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        unreachable!("the gateway speaks TLS 1.3")
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        let algorithms = rustls::crypto::ring::default_provider().signature_verification_algorithms;
        rustls::crypto::verify_tls13_signature(message, certificate, signature, &algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        rustls::crypto::ring::default_provider().signature_verification_algorithms.supported_schemes()
    }
}

#[tokio::test]
async fn an_encrypted_gateway_shows_the_certificate_it_announces() {
    let config = r#"{ gateway: { auth: { token: "test-token-0123456789" }, tls: { enabled: true } } }"#;
    let gateway = Setup::config(config).start().await;
    let fingerprint = gateway.gateway.tls_fingerprint().unwrap().to_owned();
    assert!(gateway.home.path("gateway/tls/gateway-cert.pem").exists());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(Pinned(fingerprint)))
        .with_no_client_auth();
    let stream = TcpStream::connect(gateway.address()).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let stream = TlsConnector::from(Arc::new(tls)).connect(name, stream).await.unwrap();
    let mut client = Client::over(stream, &format!("ws://{}/", gateway.address()), &[]).await;
    assert_eq!(client.connect_with(&connect_params(&[])).await["ok"], true);
    assert_eq!(client.ok("health", json!({})).await["ok"], true);
}
