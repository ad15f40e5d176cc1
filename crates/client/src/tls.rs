//! Which certificate we accept: one pinned by its fingerprint, or one the machine's authorities vouch for.
//!
//! Self-signed gateways are pinned. Without a pin the certificate is checked against the usual bundle files of the
//! system, so no extra trust store is shipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::error::ConnectError;

/// Where systems keep the authorities they trust, most common first.
const SYSTEM_BUNDLES: [&str; 6] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/usr/local/etc/openssl@3/cert.pem",
];

/// The SHA-256 of a certificate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Parses 64 hex digits; colons, spaces, case and a leading `sha256:` do not matter.
    ///
    /// # Errors
    /// When the text is anything else.
    pub fn parse(text: &str) -> Result<Self, ConnectError> {
        let trimmed = text.trim();
        let digits: String = match trimmed.get(..7) {
            Some(prefix)
                if prefix.eq_ignore_ascii_case("sha256:") || prefix.eq_ignore_ascii_case("sha-256") =>
            {
                &trimmed[7..]
            }
            _ => trimmed,
        }
        .chars()
        .filter(|letter| !matches!(letter, ':' | ' '))
        .collect();
        let mut bytes = [0_u8; 32];
        match hex::decode_to_slice(&digits, &mut bytes) {
            Ok(()) => Ok(Self(bytes)),
            Err(_) => Err(ConnectError::InvalidFingerprint { text: text.to_owned() }),
        }
    }

    /// The fingerprint of the first certificate in a PEM file, such as the one a local gateway made for itself.
    ///
    /// # Errors
    /// When the file cannot be read or holds no certificate.
    pub fn of_pem_file(file: &Path) -> Result<Self, ConnectError> {
        let refused =
            |detail: String| ConnectError::Certificate { address: file.display().to_string(), detail };
        let bytes = fs::read(file).map_err(|error| {
            refused(format!(
                "the certificate cannot be read ({error}); the gateway makes it on its first start"
            ))
        })?;
        let certificate = CertificateDer::from_pem_slice(&bytes)
            .map_err(|error| refused(format!("the file holds no certificate ({error})")))?;
        Ok(Self::of_certificate(&certificate))
    }

    /// The fingerprint of a certificate.
    #[must_use]
    pub fn of_certificate(der: &[u8]) -> Self {
        Self(Sha256::digest(der).into())
    }
}

/// How the gateway's certificate is judged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Trust {
    /// By the authorities the system trusts.
    #[default]
    System,
    /// By the authorities in this PEM file.
    Authorities(PathBuf),
    /// It must be exactly the certificate with this fingerprint.
    Pinned(Fingerprint),
}

pub(crate) fn client_config(trust: &Trust) -> Result<Arc<ClientConfig>, ConnectError> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| ConnectError::Certificate {
            address: "this machine".to_owned(),
            detail: error.to_string(),
        })?;
    let config = match trust {
        Trust::Pinned(wanted) => builder
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(PinnedCertificate { wanted: *wanted, provider }))
            .with_no_client_auth(),
        Trust::Authorities(file) => {
            builder.with_root_certificates(roots([file.as_path()])?).with_no_client_auth()
        }
        Trust::System => {
            builder.with_root_certificates(roots(SYSTEM_BUNDLES.map(Path::new))?).with_no_client_auth()
        }
    };
    Ok(Arc::new(config))
}

/// The authorities of the first bundle that holds any.
fn roots<'a>(files: impl IntoIterator<Item = &'a Path>) -> Result<RootCertStore, ConnectError> {
    let mut store = RootCertStore::empty();
    for file in files {
        // A bundle that is absent or unreadable is not an error: the next place may have one, and none at all is told below.
        let Ok(bytes) = fs::read(file) else { continue };
        let certificates = CertificateDer::pem_slice_iter(&bytes).filter_map(Result::ok);
        let (added, _) = store.add_parsable_certificates(certificates);
        if added > 0 {
            return Ok(store);
        }
    }
    Err(ConnectError::NoTrustedRoots)
}

/// Accepts exactly one certificate. Names and dates do not matter: the pin is stronger than both.
#[derive(Debug)]
struct PinnedCertificate {
    wanted: Fingerprint,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for PinnedCertificate {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let shown = Fingerprint::of_certificate(end_entity);
        if bool::from(shown.0.ct_eq(&self.wanted.0)) {
            Ok(ServerCertVerified::assertion())
        } else {
            Err(rustls::Error::InvalidCertificate(CertificateError::ApplicationVerificationFailure))
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(
            message,
            certificate,
            signature,
            &self.provider.signature_verification_algorithms,
        )
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
