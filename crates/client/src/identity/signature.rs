//! The text a device signs to prove that it holds its key, in the versions gateways accept.
//!
//! Pure: building the text is all that happens here. `key_file` signs it.

use openclaw_types::{DeviceId, Role, UnixMillis};

/// Which fields are signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SignatureVersion {
    /// Without platform and device family; for gateways before the spring of 2026.
    V2,
    /// With platform and device family.
    #[default]
    V3,
}

/// What the signature covers. Every field is taken from the `connect` request it goes with.
#[derive(Debug, Clone, Copy)]
pub struct SignedFields<'a> {
    /// The device that signs.
    pub device_id: &'a DeviceId,
    /// `client.id` of the request.
    pub client_id: &'a str,
    /// `client.mode` of the request.
    pub client_mode: &'a str,
    /// The role that is asked for.
    pub role: Role,
    /// The scopes that are asked for, in the order they are sent.
    pub scopes: &'a [&'a str],
    /// When it is signed.
    pub signed_at: UnixMillis,
    /// `auth.token`, else `auth.deviceToken`, else empty. Never a password.
    pub token: &'a str,
    /// What the gateway's challenge said.
    pub nonce: &'a str,
    /// `client.platform`.
    pub platform: &'a str,
    /// `client.deviceFamily`, empty when absent.
    pub device_family: &'a str,
}

impl SignedFields<'_> {
    /// The text to sign.
    #[must_use]
    pub fn text(&self, version: SignatureVersion) -> String {
        let mut fields = vec![
            match version {
                SignatureVersion::V2 => "v2".to_owned(),
                SignatureVersion::V3 => "v3".to_owned(),
            },
            self.device_id.as_str().to_owned(),
            self.client_id.to_owned(),
            self.client_mode.to_owned(),
            self.role.as_str().to_owned(),
            self.scopes.join(","),
            self.signed_at.0.to_string(),
            self.token.to_owned(),
            self.nonce.to_owned(),
        ];
        if version == SignatureVersion::V3 {
            fields.push(plain(self.platform));
            fields.push(plain(self.device_family));
        }
        fields.join("|")
    }
}

/// Gateways compare these without regard to case or surrounding space.
fn plain(text: &str) -> String {
    text.trim().to_ascii_lowercase()
}
