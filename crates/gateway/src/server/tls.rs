//! The gateway's certificate: a person's own, or one made on first use.
//!
//! Clients may pin the SHA-256 of the certificate, so a self-signed one is made once and kept. Files are written so
//! that only the owner can read them. Accepting connections is the business of `accept`.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use sha2::{Digest as _, Sha256};
use tokio_rustls::TlsAcceptor;
use zeroize::Zeroizing;

use super::bind::TlsPlan;
use crate::error::GatewayError;

/// The name a self-signed certificate carries, next to the loopback names.
const SELF_SIGNED_NAME: &str = "openclaw-gateway";
/// How long a self-signed certificate is valid, in years from 2026.
const SELF_SIGNED_LAST_YEAR: i32 = 2046;

/// A ready certificate.
pub(crate) struct Certificate {
    /// Does the TLS handshake.
    pub(crate) acceptor: TlsAcceptor,
    /// SHA-256 of the certificate, lower-case hex.
    pub(crate) fingerprint: String,
}

/// Reads or makes the certificate the plan asks for; nothing when TLS is off.
pub(crate) fn prepare(plan: &TlsPlan) -> Result<Option<Certificate>, GatewayError> {
    match plan {
        TlsPlan::Off => Ok(None),
        TlsPlan::Files { certificate, key } => load(certificate, key).map(Some),
        TlsPlan::SelfSigned { certificate, key } => {
            // A certificate without its key looks like a person's own, half installed; that is for them to mend.
            if !certificate.exists() {
                make(certificate, key)?;
            }
            load(certificate, key).map(Some)
        }
    }
}

fn load(certificate_path: &Path, key_path: &Path) -> Result<Certificate, GatewayError> {
    let unusable = |path: &Path, problem: String| GatewayError::Tls { path: path.to_owned(), problem };
    let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_file_iter(certificate_path)
        .and_then(Iterator::collect)
        .map_err(|source| unusable(certificate_path, format!("{source}; it must hold PEM certificates")))?;
    let Some(first) = chain.first() else {
        return Err(unusable(certificate_path, "no certificate in it; it must be a PEM file".to_owned()));
    };
    let fingerprint = hex::encode(Sha256::digest(first.as_ref()));
    let key = PrivateKeyDer::from_pem_file(key_path)
        .map_err(|source| unusable(key_path, format!("{source}; it must hold a PEM private key")))?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&rustls::version::TLS13])
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|source| {
            unusable(key_path, format!("{source}; certificate and key must belong together"))
        })?;
    Ok(Certificate { acceptor: TlsAcceptor::from(Arc::new(config)), fingerprint })
}

/// Makes what is missing. A key that is there already, from a start that was cut short, gets its certificate.
fn make(certificate_path: &Path, key_path: &Path) -> Result<(), GatewayError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |source: io::Error| GatewayError::TlsFile { path, source }
    };
    let names = [SELF_SIGNED_NAME, "localhost", "127.0.0.1", "::1"].map(str::to_owned).to_vec();
    for path in [certificate_path, key_path] {
        if let Some(folder) = path.parent() {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed(folder))?;
        }
    }
    // The key goes first: a lone key is completed by the next start, a lone certificate is not.
    let key = match key_path.exists() {
        true => read_key(key_path)?,
        false => {
            let key = rcgen::KeyPair::generate().map_err(io::Error::other).map_err(failed(key_path))?;
            write_private(key_path, &key.serialize_pem()).map_err(failed(key_path))?;
            key
        }
    };
    let certificate = self_signed(names, &key).map_err(io::Error::other).map_err(failed(certificate_path))?;
    write_private(certificate_path, &certificate).map_err(failed(certificate_path))?;
    tracing::info!(certificate = %certificate_path.display(), "made a self-signed certificate");
    Ok(())
}

fn read_key(path: &Path) -> Result<rcgen::KeyPair, GatewayError> {
    let text =
        fs::read_to_string(path).map_err(|source| GatewayError::TlsFile { path: path.to_owned(), source })?;
    let text = Zeroizing::new(text);
    rcgen::KeyPair::from_pem(&text).map_err(|source| GatewayError::Tls {
        path: path.to_owned(),
        problem: format!("{source}; it must hold a PEM private key, or be removed so that a new one is made"),
    })
}

fn self_signed(names: Vec<String>, key: &rcgen::KeyPair) -> Result<String, rcgen::Error> {
    let mut params = rcgen::CertificateParams::new(names)?;
    params.distinguished_name = rcgen::DistinguishedName::new();
    params.distinguished_name.push(rcgen::DnType::CommonName, SELF_SIGNED_NAME);
    params.not_after = rcgen::date_time_ymd(SELF_SIGNED_LAST_YEAR, 1, 1);
    Ok(params.self_signed(key)?.pem())
}

/// Writes a whole file or none, whenever the process may end.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = path.with_extension(format!("{}.tmp", uuid::Uuid::new_v4()));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&unfinished)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    match path.parent() {
        Some(folder) => fs::File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
