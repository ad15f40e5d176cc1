//! The device's key, the text it signs, and whether the signature fits.
//!
//! Pure. Three generations of the text exist; which of them is accepted when is decided in `identity`.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, URL_SAFE_NO_PAD};
use ed25519_dalek::pkcs8::DecodePublicKey as _;
use ed25519_dalek::{Signature, VerifyingKey};
use openclaw_types::Role;
use sha2::{Digest as _, Sha256};

/// Clients differ in alphabet and padding, so both are taken as they come.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_padding_mode(DecodePaddingMode::Indifferent)
        .with_decode_allow_trailing_bits(true),
);

/// The raw public key a device showed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeviceKey(Vec<u8>);

impl DeviceKey {
    /// Reads base64url, base64 or PEM. `None` when it is none of them.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        if text.contains("BEGIN") {
            let key = VerifyingKey::from_public_key_pem(text.trim()).ok()?;
            return Some(Self(key.as_bytes().to_vec()));
        }
        decode(text).filter(|bytes| !bytes.is_empty()).map(Self)
    }

    /// The device id that belongs to the key: the hex SHA-256 of its bytes.
    pub(crate) fn device_id(&self) -> String {
        hex::encode(Sha256::digest(&self.0))
    }

    /// The key as it is stored: base64url without padding.
    pub(crate) fn to_base64url(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.0)
    }

    /// The key as a point that signatures can be checked against. `None` when it is no Ed25519 key.
    pub(crate) fn verifier(&self) -> Option<Verifier> {
        let bytes: &[u8; 32] = self.0.as_slice().try_into().ok()?;
        VerifyingKey::from_bytes(bytes).ok().map(Verifier)
    }
}

/// A key that can check signatures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Verifier(VerifyingKey);

impl Verifier {
    /// Whether `signature`, in base64url or base64, is this key's over `text`.
    pub(crate) fn accepts(&self, text: &str, signature: &str) -> bool {
        let Some(signature) = decode(signature).and_then(|bytes| Signature::from_slice(&bytes).ok()) else {
            return false;
        };
        self.0.verify_strict(text.as_bytes(), &signature).is_ok()
    }
}

/// The generations of the signed text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SignatureForm {
    /// Without a nonce: clients until February 2026, on the gateway's own machine.
    V1,
    /// With the nonce of the challenge.
    V2,
    /// With the nonce, platform and device family.
    V3,
}

/// Everything that goes into the signed text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignedFields<'a> {
    pub(crate) device_id: &'a str,
    pub(crate) client_id: &'a str,
    pub(crate) client_mode: &'a str,
    pub(crate) role: Role,
    pub(crate) scopes: &'a [String],
    pub(crate) signed_at: i64,
    pub(crate) token: &'a str,
    pub(crate) nonce: &'a str,
    pub(crate) platform: Option<&'a str>,
    pub(crate) device_family: Option<&'a str>,
}

impl SignedFields<'_> {
    /// The text a client of that generation signs.
    pub(crate) fn text(&self, form: SignatureForm) -> String {
        let scopes = self.scopes.join(",");
        let signed_at = self.signed_at.to_string();
        let platform = pinned_form(self.platform);
        let family = pinned_form(self.device_family);
        let mark = match form {
            SignatureForm::V1 => "v1",
            SignatureForm::V2 => "v2",
            SignatureForm::V3 => "v3",
        };
        let mut fields = vec![
            mark,
            self.device_id,
            self.client_id,
            self.client_mode,
            self.role.as_str(),
            &scopes,
            &signed_at,
            self.token,
        ];
        if form != SignatureForm::V1 {
            fields.push(self.nonce);
        }
        if form == SignatureForm::V3 {
            fields.extend([platform.as_str(), family.as_str()]);
        }
        fields.join("|")
    }
}

/// Platform or family as it is signed and compared: trimmed, ASCII letters in lower case, empty when absent.
pub(crate) fn pinned_form(text: Option<&str>) -> String {
    text.map(|text| text.trim().to_ascii_lowercase()).unwrap_or_default()
}

fn decode(text: &str) -> Option<Vec<u8>> {
    let standard: String = text
        .trim()
        .chars()
        .map(|letter| match letter {
            '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    LENIENT.decode(standard).ok()
}
