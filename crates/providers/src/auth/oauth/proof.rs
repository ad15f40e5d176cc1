//! The proof that who redeems a code is who asked for it (PKCE with S256, RFC 7636), and other unguessable texts.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use openclaw_ports::model::{FaultReason, ModelFault};
use openclaw_types::Secret;
use sha2::{Digest, Sha256};

/// A secret text and what may be shown of it beforehand.
#[derive(Debug)]
pub(crate) struct Proof {
    /// Shown when the code is redeemed.
    pub(crate) verifier: Secret<String>,
    /// Its SHA-256, shown when the code is asked for.
    pub(crate) challenge: String,
}

impl Proof {
    /// A new proof.
    pub(crate) fn new() -> Result<Self, ModelFault> {
        Ok(Self::of(random_text(32)?))
    }

    /// The proof of a text.
    pub(crate) fn of(verifier: String) -> Self {
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
        Self { verifier: Secret::new(verifier), challenge }
    }
}

/// A text made of so many random bytes, safe in addresses.
pub(crate) fn random_text(bytes: usize) -> Result<String, ModelFault> {
    let mut chance = zeroize::Zeroizing::new(vec![0; bytes]);
    getrandom::fill(&mut chance).map_err(|error| {
        ModelFault::new(FaultReason::Unknown, format!("the system gives no random numbers: {error}"))
    })?;
    Ok(URL_SAFE_NO_PAD.encode(&*chance))
}
