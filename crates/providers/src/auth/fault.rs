//! The words in which a credential that cannot be used is explained. Each says what to do next; none holds a secret.

use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_ports::stores::StoreError;
use openclaw_types::{AuthProfileId, ProviderId};

use super::oauth::Denied;

/// Only a person can help: they have to sign in again.
pub(super) fn sign_in_again(provider: &ProviderId, why: &str) -> ModelFault {
    auth(format!("{why}; sign in again: openclaw models auth login --provider {provider}"))
}

/// The credential was there a moment ago.
pub(super) fn gone(profile: &AuthProfileId) -> ModelFault {
    auth(format!("the credential {profile} is gone; see which there are: openclaw models status"))
}

/// The credential holds nothing.
pub(super) fn empty(profile: &AuthProfileId) -> ModelFault {
    auth(format!("the credential {profile} is empty; enter it again"))
}

/// The credential is unusable, in words.
pub(super) fn auth(message: impl Into<String>) -> ModelFault {
    ModelFault::new(FaultReason::Auth, message)
}

/// The store did not answer.
pub(super) fn store(error: &StoreError) -> ModelFault {
    ModelFault::new(FaultReason::Unknown, format!("the stored credentials cannot be used: {error}"))
}

/// A renewal that was denied.
pub(super) fn denied(provider: &ProviderId, denied: &Denied) -> ModelFault {
    match denied {
        Denied::InvalidGrant | Denied::ByPerson | Denied::CodeExpired => {
            sign_in_again(provider, "the sign-in has ended and cannot be renewed")
        }
        Denied::RateLimit | Denied::SlowDown | Denied::Pending => ModelFault::new(
            FaultReason::RateLimit,
            format!("{provider} does not renew the sign-in right now; try again in a while"),
        ),
        Denied::Overloaded => ModelFault::new(
            FaultReason::Overloaded,
            format!("{provider} could not renew the sign-in; try again in a while"),
        ),
        Denied::Other(code) => sign_in_again(provider, &format!("renewing the sign-in was refused ({code})")),
        Denied::Malformed => ModelFault::new(
            FaultReason::Malformed,
            format!("{provider} answered the renewal of the sign-in with something else than tokens"),
        ),
    }
}
