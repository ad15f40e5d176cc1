//! Encryption of the gateway's port: whether, and with which certificate.
//!
//! Paths only: reading or making the certificate is the gateway's work. `gateway::resolve` calls this.

use std::path::PathBuf;

use super::Context;
use crate::sections::GatewayTls;

/// Whether the port is encrypted, and with which files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TlsSettings {
    /// Whether TLS is on.
    pub enabled: bool,
    /// Whether a self-signed certificate is made when there is none.
    pub auto_generate: bool,
    /// The certificate, in PEM.
    pub cert_path: PathBuf,
    /// The private key, in PEM.
    pub key_path: PathBuf,
    /// Authorities that client certificates must come from.
    pub ca_path: Option<PathBuf>,
}

pub(super) fn resolve(raw: Option<&GatewayTls>, context: &Context<'_>) -> TlsSettings {
    let empty = GatewayTls::default();
    let raw = raw.unwrap_or(&empty);
    let directory = context.locations.tls_dir();
    let path = |text: &str| context.environment.user_path(text);
    TlsSettings {
        enabled: raw.enabled.unwrap_or(false),
        auto_generate: raw.auto_generate.unwrap_or(true),
        cert_path: raw.cert_path.as_deref().map_or_else(|| directory.join("gateway-cert.pem"), path),
        key_path: raw.key_path.as_deref().map_or_else(|| directory.join("gateway-key.pem"), path),
        ca_path: raw.ca_path.as_deref().map(path),
    }
}
