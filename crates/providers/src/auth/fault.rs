//! The words in which a credential that cannot be used is explained. Each says what to do next; none holds a secret.

use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_ports::stores::StoreError;
use openclaw_types::{AuthProfileId, ProviderId};

use super::oauth::Denied;
use super::vendors::SignInVendors;

/// Only a person can help: they have to sign in again.
pub(super) fn sign_in_again(provider: &ProviderId, why: &str) -> ModelFault {
    let vendors = SignInVendors::known();
    let way = match vendors.get(provider).and_then(|vendor| vendor.way.as_ref()) {
        Some(_) => "login",
        // What such a vendor gives out is made elsewhere, and entered here.
        None => "add",
    };
    auth(format!("{why}; sign in again: openclaw models auth {way} --provider {provider}"))
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

/// Something on this machine is in the way. Says nothing about the credential, nor about the vendor.
pub(super) fn local(message: impl Into<String>) -> ModelFault {
    ModelFault::new(FaultReason::Unknown, message)
}

/// The store did not answer.
pub(super) fn store(error: &StoreError) -> ModelFault {
    local(format!("the stored credentials cannot be used: {error}"))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_sent_to_a_login_only_where_there_is_one() {
        let advice = ["openai-codex", "anthropic", "nobody-knows"]
            .map(|name| sign_in_again(&ProviderId::new(name).unwrap(), "it ended").message);
        assert_eq!(
            advice,
            [
                "it ended; sign in again: openclaw models auth login --provider openai-codex",
                "it ended; sign in again: openclaw models auth add --provider anthropic",
                "it ended; sign in again: openclaw models auth add --provider nobody-knows",
            ]
        );
    }
}
