//! Device tokens: made, compared, and judged good enough.
//!
//! Pure but for the randomness of a new token. A token is bound to one device and role and is only looked at after the
//! device has proved its key.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openclaw_ports::stores::{DeviceToken, PairedDevice, StoreError};
use openclaw_types::{Role, ScopeSet, Secret, UnixMillis};

use crate::auth::same_secret;

/// A token to hand to its device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct IssuedToken {
    /// The token itself.
    pub(crate) token: Secret<String>,
    /// The role it is for.
    pub(crate) role: Role,
    /// What it allows.
    pub(crate) scopes: ScopeSet,
    /// When it was made or last replaced.
    pub(crate) issued_at: UnixMillis,
}

impl IssuedToken {
    pub(super) fn of(role: Role, token: &DeviceToken) -> Self {
        Self {
            token: token.token.clone(),
            role,
            scopes: token.scopes.clone(),
            issued_at: token.rotated_at.unwrap_or(token.created_at),
        }
    }
}

/// Why a device's token did not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TokenRefusal {
    /// The device is not paired.
    NotPaired,
    /// It has no token for this role.
    Missing,
    /// The token was taken back.
    Revoked,
    /// It is another token.
    Mismatch,
    /// The token allows less than was asked.
    TooWeak,
}

/// Checks a token that a device showed.
pub(super) fn check_token(
    device: Option<&PairedDevice>,
    role: Role,
    scopes: &ScopeSet,
    shown: &str,
) -> Result<(), TokenRefusal> {
    let device = device.ok_or(TokenRefusal::NotPaired)?;
    let token = device.tokens.get(&role).ok_or(TokenRefusal::Missing)?;
    if token.revoked_at.is_some() {
        return Err(TokenRefusal::Revoked);
    }
    if !same_secret(shown, token.token.reveal()) {
        return Err(TokenRefusal::Mismatch);
    }
    if token.scopes.covers_all(scopes) { Ok(()) } else { Err(TokenRefusal::TooWeak) }
}

/// A new token in the place of `previous`.
pub(super) fn mint(
    previous: Option<&DeviceToken>,
    scopes: ScopeSet,
    now: UnixMillis,
) -> Result<DeviceToken, StoreError> {
    Ok(DeviceToken {
        token: random_token()?,
        scopes,
        created_at: previous.map_or(now, |token| token.created_at),
        rotated_at: previous.map(|_| now),
        revoked_at: None,
        last_used_at: previous.and_then(|token| token.last_used_at),
    })
}

fn random_token() -> Result<Secret<String>, StoreError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes)
        .map_err(|error| StoreError::Failed { action: "make a random token", source: Box::new(error) })?;
    Ok(Secret::new(URL_SAFE_NO_PAD.encode(bytes)))
}
