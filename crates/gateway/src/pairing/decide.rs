//! Decides whether a device that proved its key is already admitted for what it asks.
//!
//! Pure. The order matters: a device whose platform changed must not gain a scope in passing.

use openclaw_ports::stores::PairedDevice;

use super::DeviceClaim;
use crate::handshake::pinned_form;

/// Whether a person has to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PairingNeed {
    /// The device is admitted for all of it.
    Known,
    /// Somebody, or the local rule, has to approve first.
    Needs(PairingReason),
}

/// Why approval is needed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PairingReason {
    /// The device is unknown, or known with another key.
    NotPaired,
    /// It wants a role it was not admitted in.
    RoleUpgrade,
    /// It wants more scopes than were approved.
    ScopeUpgrade,
    /// Its platform or family is not the one it was admitted with.
    MetadataUpgrade,
}

impl PairingReason {
    /// The reason as it stands on the wire.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::NotPaired => "not-paired",
            Self::RoleUpgrade => "role-upgrade",
            Self::ScopeUpgrade => "scope-upgrade",
            Self::MetadataUpgrade => "metadata-upgrade",
        }
    }
}

/// Whether the caller may be approved without asking a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AutoApproval {
    /// It sits on this machine and is no foreign web page.
    Local,
    /// A person decides.
    Never,
}

impl AutoApproval {
    /// Whether a request for this reason is approved silently.
    pub(crate) fn approves(self, reason: PairingReason) -> bool {
        self == Self::Local && matches!(reason, PairingReason::NotPaired | PairingReason::ScopeUpgrade)
    }
}

/// Compares what a device asks with what it was admitted for.
pub(crate) fn decide(paired: Option<&PairedDevice>, claim: &DeviceClaim) -> PairingNeed {
    let Some(paired) = paired.filter(|paired| paired.public_key == claim.public_key) else {
        return PairingNeed::Needs(PairingReason::NotPaired);
    };
    if has_changed(paired.platform.as_deref(), claim.platform.as_deref())
        || has_changed(paired.device_family.as_deref(), claim.device_family.as_deref())
    {
        return PairingNeed::Needs(PairingReason::MetadataUpgrade);
    }
    if !paired.roles.contains(&claim.role) {
        return PairingNeed::Needs(PairingReason::RoleUpgrade);
    }
    if !paired.approved_scopes.covers_all(&claim.scopes) {
        return PairingNeed::Needs(PairingReason::ScopeUpgrade);
    }
    PairingNeed::Known
}

/// Only what was pinned can change: a device admitted without a platform may tell it later.
fn has_changed(pinned: Option<&str>, claimed: Option<&str>) -> bool {
    let pinned = pinned_form(pinned);
    !pinned.is_empty() && pinned != pinned_form(claimed)
}
