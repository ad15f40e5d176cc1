//! Decides whether a client holds the key of the device it claims to be.
//!
//! Pure. Four things must fit: the id is the hash of the key, the signature is fresh, the nonce is the one of this
//! socket's challenge, and the signature is the key's. A signature without a nonce can be replayed, so it is taken
//! only from programs on this machine; clients released before 2026.2.26 still send that.

use std::time::Duration;

use openclaw_protocol::{DetailCode, DeviceProof};
use openclaw_types::{DeviceId, UnixMillis};

use crate::auth::{Locality, Program};
use crate::handshake::applicant::Applicant;
use crate::handshake::signature::{DeviceKey, SignatureForm, SignedFields};

/// How far the client's clock may be off.
const SKEW: Duration = Duration::from_secs(120);

/// What a proof is judged against.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Witness<'a> {
    /// The nonce of this socket's challenge.
    pub(crate) nonce: &'a str,
    /// The time.
    pub(crate) now: UnixMillis,
    /// Where the client sits.
    pub(crate) locality: Locality,
    /// What kind of program it is.
    pub(crate) program: Program,
}

/// A device that holds its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProvenDevice {
    /// Names it.
    pub(crate) id: DeviceId,
    /// Its key, base64url without padding.
    pub(crate) public_key: String,
}

/// Why a proof was not accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IdentityFault {
    /// The id is not the hash of the key.
    IdMismatch,
    /// The signature is too old or from the future.
    Stale,
    /// There is no nonce.
    NonceMissing,
    /// The nonce is another socket's.
    NonceMismatch,
    /// The signature is not the key's.
    BadSignature,
    /// The key is no Ed25519 key.
    BadKey,
}

impl IdentityFault {
    /// The message for the client.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::IdMismatch => "device identity mismatch",
            Self::Stale => "device signature expired",
            Self::NonceMissing => "device nonce required",
            Self::NonceMismatch => "device nonce mismatch",
            Self::BadSignature => "device signature invalid",
            Self::BadKey => "device public key invalid",
        }
    }

    /// The reason in the error's details.
    pub(crate) fn reason(self) -> &'static str {
        match self {
            Self::IdMismatch => "device-id-mismatch",
            Self::Stale => "device-signature-stale",
            Self::NonceMissing => "device-nonce-missing",
            Self::NonceMismatch => "device-nonce-mismatch",
            Self::BadSignature => "device-signature",
            Self::BadKey => "device-public-key",
        }
    }

    /// The code in the error's details for clients of protocol 4.
    pub(crate) fn specific_code(self) -> DetailCode {
        match self {
            Self::IdMismatch => DetailCode::DeviceAuthDeviceIdMismatch,
            Self::Stale => DetailCode::DeviceAuthSignatureExpired,
            Self::NonceMissing => DetailCode::DeviceAuthNonceRequired,
            Self::NonceMismatch => DetailCode::DeviceAuthNonceMismatch,
            Self::BadSignature => DetailCode::DeviceAuthSignatureInvalid,
            Self::BadKey => DetailCode::DeviceAuthPublicKeyInvalid,
        }
    }
}

/// Checks a device's proof.
///
/// # Errors
/// Says what does not fit.
pub(crate) fn prove_device(
    applicant: &Applicant,
    proof: &DeviceProof,
    witness: Witness<'_>,
) -> Result<ProvenDevice, IdentityFault> {
    let key = DeviceKey::parse(proof.public_key.as_str()).ok_or(IdentityFault::BadKey)?;
    if key.device_id() != proof.id.as_str() {
        return Err(IdentityFault::IdMismatch);
    }
    let id = DeviceId::new(proof.id.as_str()).map_err(|_not_an_id| IdentityFault::IdMismatch)?;
    let signed_at = proof.signed_at.get();
    let skew = witness.now.0.saturating_sub(signed_at).unsigned_abs();
    if u128::from(skew) > SKEW.as_millis() {
        return Err(IdentityFault::Stale);
    }
    let nonce = proof.nonce.as_ref().map(|nonce| nonce.as_str().trim()).filter(|nonce| !nonce.is_empty());
    let forms = accepted_forms(nonce, witness)?;
    let verifier = key.verifier().ok_or(IdentityFault::BadKey)?;
    let fields = SignedFields {
        device_id: proof.id.as_str(),
        client_id: applicant.client.id.as_str(),
        client_mode: applicant.client.mode.as_str(),
        role: applicant.role,
        scopes: &applicant.asked,
        signed_at,
        token: applicant.credentials.signed_token(),
        nonce: nonce.unwrap_or_default(),
        platform: Some(applicant.client.platform.as_str()),
        device_family: applicant.client.device_family.as_ref().map(|family| family.as_str()),
    };
    let signature = proof.signature.as_str();
    if !forms.iter().any(|form| verifier.accepts(&fields.text(*form), signature)) {
        return Err(IdentityFault::BadSignature);
    }
    Ok(ProvenDevice { id, public_key: key.to_base64url() })
}

/// Which generations of the signed text are accepted with this nonce.
fn accepted_forms(
    nonce: Option<&str>,
    witness: Witness<'_>,
) -> Result<&'static [SignatureForm], IdentityFault> {
    match nonce {
        Some(nonce) if nonce == witness.nonce => Ok(&[SignatureForm::V3, SignatureForm::V2]),
        Some(_) => Err(IdentityFault::NonceMismatch),
        None if witness.locality == Locality::Local && witness.program == Program::Native => {
            Ok(&[SignatureForm::V1])
        }
        None => Err(IdentityFault::NonceMissing),
    }
}
