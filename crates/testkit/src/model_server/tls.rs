//! Encryption for the scripted server: an authority made for one test, and lines that show its certificate.
//!
//! `serve` asks for an encrypted line where a test started the server with an authority. A caller that does not trust
//! the authority breaks off, which is no failure of the server.

use std::io;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::line::Line;

/// The versions of HTTP that a test tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.0 or HTTP/1.1.
    One,
    /// HTTP/2.
    Two,
}

impl HttpVersion {
    /// The name under which it is agreed on while a line is encrypted.
    fn agreed_as(self) -> &'static [u8] {
        match self {
            Self::One => b"http/1.1",
            Self::Two => b"h2",
        }
    }
}

/// An authority that signs certificates for servers on this machine. Nobody trusts it unless told to.
#[derive(Debug)]
pub struct TestAuthority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

impl TestAuthority {
    /// Makes one with a key of its own.
    #[must_use]
    pub fn new() -> Self {
        let key = KeyPair::generate().expect("the system gives random numbers");
        let mut params = CertificateParams::new(Vec::new()).expect("no names are fine");
        // Callers look authorities up by name, so each has its own.
        let name = format!("made for one test {:02x?}", params.key_identifier(&key));
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        Self { issuer: CertifiedIssuer::self_signed(params, key).expect("the parameters are fine") }
    }

    /// The certificate of the authority, in the form that `SSL_CERT_FILE` wants.
    #[must_use]
    pub fn root_pem(&self) -> String {
        self.issuer.pem()
    }

    /// What a server on this machine shows that speaks this version alone.
    pub(super) fn acceptor(&self, version: HttpVersion) -> TlsAcceptor {
        let key = KeyPair::generate().expect("the system gives random numbers");
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let params = CertificateParams::new(names).expect("the names are names");
        let certificate = params.signed_by(&key, &self.issuer).expect("the parameters are fine");
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("the provider has the usual versions")
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key)
            .expect("the key is that of the certificate");
        config.alpn_protocols = vec![version.agreed_as().to_vec()];
        TlsAcceptor::from(Arc::new(config))
    }
}

impl Default for TestAuthority {
    fn default() -> Self {
        Self::new()
    }
}

/// Encrypts a line, and tells which version was agreed on.
///
/// # Errors
/// When the caller does not trust the certificate or goes away.
pub(super) async fn encrypted(
    acceptor: &TlsAcceptor,
    line: Line,
) -> io::Result<(TlsStream<Line>, HttpVersion)> {
    let stream = acceptor.accept(line).await?;
    let agreed = stream.get_ref().1.alpn_protocol();
    let version =
        if agreed == Some(HttpVersion::Two.agreed_as()) { HttpVersion::Two } else { HttpVersion::One };
    Ok((stream, version))
}
