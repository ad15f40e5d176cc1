//! The owner's shared secret: token or password.
//!
//! Pure. Comparing takes the same time whatever was sent. Counting failures is the business of `handshake`.

use openclaw_config::AuthSettings;
use openclaw_config::sections::AuthMode;
use openclaw_protocol::{ConnectAuth, SecretText};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use super::{AuthFailure, AuthMethod};

/// The secrets a caller sent, exactly as sent.
#[derive(Debug, Clone, Default)]
pub(crate) struct SentCredentials(ConnectAuth);

/// Where a device's token was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeviceTokenField {
    /// In its own field.
    Own,
    /// In the field of the shared token.
    Shared,
}

impl SentCredentials {
    /// Takes over what the caller sent.
    pub(crate) fn new(sent: Option<ConnectAuth>) -> Self {
        Self(sent.unwrap_or_default())
    }

    /// The shared token, trimmed; `None` when absent or blank.
    pub(crate) fn token(&self) -> Option<&str> {
        present(self.0.token.as_ref())
    }

    /// The password, trimmed; `None` when absent or blank.
    pub(crate) fn password(&self) -> Option<&str> {
        present(self.0.password.as_ref())
    }

    /// Whether a shared secret was sent at all.
    pub(crate) fn has_shared(&self) -> bool {
        self.token().is_some() || self.password().is_some()
    }

    /// What may be a device's token, and where it stood.
    pub(crate) fn device_token(&self) -> Option<(&str, DeviceTokenField)> {
        let own = present(self.0.device_token.as_ref()).map(|token| (token, DeviceTokenField::Own));
        own.or_else(|| self.token().map(|token| (token, DeviceTokenField::Shared)))
    }

    /// The token slot of the signed text.
    pub(crate) fn signed_token(&self) -> &str {
        let sent = self.0.token.as_ref().or(self.0.device_token.as_ref()).or(self.0.bootstrap_token.as_ref());
        sent.map_or("", |token| token.reveal())
    }
}

fn present(secret: Option<&SecretText>) -> Option<&str> {
    secret.map(|secret| secret.reveal().trim()).filter(|text| !text.is_empty())
}

/// Checks the shared secret that the mode asks for.
///
/// # Errors
/// Says what was missing or wrong; a mode without a shared secret fails as `Unauthorized`.
pub(crate) fn check_secret(auth: &AuthSettings, sent: &SentCredentials) -> Result<AuthMethod, AuthFailure> {
    match auth.mode {
        AuthMode::None => Ok(AuthMethod::None),
        AuthMode::Token => match (&auth.token, sent.token()) {
            (None, _) => Err(AuthFailure::TokenNotConfigured),
            (Some(_), None) => Err(AuthFailure::TokenMissing),
            (Some(token), Some(sent)) if same_secret(sent, token.reveal()) => Ok(AuthMethod::Token),
            (Some(_), Some(_)) => Err(AuthFailure::TokenMismatch),
        },
        AuthMode::Password => match (&auth.password, sent.password()) {
            (None, _) => Err(AuthFailure::PasswordNotConfigured),
            (Some(_), None) => Err(AuthFailure::PasswordMissing),
            (Some(password), Some(sent)) if same_secret(sent, password.reveal()) => Ok(AuthMethod::Password),
            (Some(_), Some(_)) => Err(AuthFailure::PasswordMismatch),
        },
        AuthMode::TrustedProxy => Err(AuthFailure::Unauthorized),
    }
}

/// Compares two secrets in a time that tells nothing about either, not even its length.
pub(crate) fn same_secret(sent: &str, ours: &str) -> bool {
    Sha256::digest(sent.as_bytes()).ct_eq(&Sha256::digest(ours.as_bytes())).into()
}
