//! Decides what a client without a device may do.
//!
//! Pure. The owner's shared secret stands in for a device, except for the Control UI, which must prove one unless the
//! owner said otherwise; everything else needs a device.

use openclaw_config::ControlUiSettings;
use openclaw_types::Role;

use crate::auth::{AuthFailure, AuthMethod, Locality};
use crate::handshake::applicant::ClientKind;

/// A client that proved no device.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deviceless<'a> {
    /// What kind of program it is.
    pub(crate) kind: ClientKind,
    /// The role it wants.
    pub(crate) role: Role,
    /// Where it sits.
    pub(crate) locality: Locality,
    /// Whether it sent a shared secret at all.
    pub(crate) secret: SecretSent,
    /// What came of that secret, or of what stood in for it.
    pub(crate) shared: Result<&'a AuthMethod, &'a AuthFailure>,
}

/// Whether a shared secret was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SecretSent {
    /// It was, right or wrong.
    Yes,
    /// It was not.
    No,
}

/// Why a client without a device is not let in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DeviceMissing {
    /// The Control UI has to prove a device.
    ControlUi,
    /// It tried a secret, and that failed.
    Unauthorized(AuthFailure),
    /// Only a device could be let in.
    Required,
}

/// Lets in who needs no device.
///
/// # Errors
/// Says what is missing.
pub(crate) fn allow_without_device(
    page: &ControlUiSettings,
    caller: Deviceless<'_>,
) -> Result<(), DeviceMissing> {
    let is_owner = caller.role == Role::Operator && caller.shared.is_ok_and(AuthMethod::is_owner);
    if caller.kind == ClientKind::ControlUi {
        let vouched = is_owner && matches!(caller.shared, Ok(AuthMethod::TrustedProxy { .. }));
        let tolerated = page.allow_insecure_auth && caller.locality == Locality::Local;
        if !vouched && !page.disable_device_auth && !tolerated {
            return Err(DeviceMissing::ControlUi);
        }
    }
    if is_owner {
        return Ok(());
    }
    match (caller.secret, caller.shared) {
        (SecretSent::Yes, Err(failure)) => Err(DeviceMissing::Unauthorized(failure.clone())),
        _ => Err(DeviceMissing::Required),
    }
}
