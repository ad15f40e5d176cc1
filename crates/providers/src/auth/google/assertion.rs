//! Signs for a service account: a JSON web token with RS256, good for an hour (RFC 7523).

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use openclaw_ports::model::ModelFault;
use openclaw_types::{Secret, UnixMillis};
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use serde_json::json;
use zeroize::Zeroizing;

use super::Service;
use crate::auth::fault;

const SCOPE: &str = "https://www.googleapis.com/auth/cloud-platform";
const LIFETIME_SECONDS: i64 = 3600;

/// The signed assertion.
///
/// # Errors
/// Reason `Auth` when the key in the file is no key.
pub(super) fn sign(service: &Service, audience: &str, now: UnixMillis) -> Result<Secret<String>, ModelFault> {
    let issued = now.0.div_euclid(1000);
    let mut header = json!({ "alg": "RS256", "typ": "JWT" });
    if let Some(id) = &service.private_key_id {
        header["kid"] = id.as_str().into();
    }
    let claims = json!({
        "iss": service.client_email,
        "scope": SCOPE,
        "aud": audience,
        "iat": issued,
        "exp": issued + LIFETIME_SECONDS,
    });
    let part = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let message = format!("{}.{}", part(&header), part(&claims));
    let pair = key_pair(&service.private_key)?;
    let mut signature = vec![0; pair.public().modulus_len()];
    pair.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), message.as_bytes(), &mut signature)
        .map_err(|_unspecified| no_key())?;
    Ok(Secret::new(format!("{message}.{}", URL_SAFE_NO_PAD.encode(signature))))
}

fn key_pair(pem: &Secret<String>) -> Result<RsaKeyPair, ModelFault> {
    let text = pem.reveal();
    let body = text
        .split_once("-----BEGIN PRIVATE KEY-----")
        .and_then(|(_, rest)| rest.split_once("-----END PRIVATE KEY-----"))
        .map(|(body, _)| Zeroizing::new(body.split_whitespace().collect::<String>()))
        .ok_or_else(no_key)?;
    let der = Zeroizing::new(STANDARD.decode(body.as_bytes()).map_err(|_quotes| no_key())?);
    RsaKeyPair::from_pkcs8(&der).map_err(|_rejected| no_key())
}

fn no_key() -> ModelFault {
    fault::auth(
        "the service account's private key cannot be used; download a new key file from the Google console",
    )
}
