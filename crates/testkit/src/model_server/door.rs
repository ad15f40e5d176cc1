//! Who is let in: everybody, unless a test asks for keys or signatures.

use std::collections::{BTreeMap, BTreeSet};

use openclaw_ports::model::FaultReason;
use openclaw_providers::Rejection;

use super::wire::Speech;

/// What is asked of callers.
#[derive(Debug, Clone, Default)]
pub(super) struct Door {
    /// The keys that are taken; every one when empty.
    pub(super) keys: BTreeSet<String>,
    /// Whether calls to Bedrock must be signed.
    pub(super) signatures: Signatures,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Signatures {
    #[default]
    Optional,
    Required,
}

impl Door {
    /// The rejection for a caller that is not let in.
    pub(super) fn check(
        &self,
        speech: Speech,
        path: &str,
        headers: &BTreeMap<String, String>,
    ) -> Option<Rejection> {
        if speech == Speech::Bedrock && self.signatures == Signatures::Required && !is_signed(headers) {
            let words = "Missing Authentication Token";
            return Some(Rejection { status: Some(403), ..Rejection::new(FaultReason::Auth).saying(words) });
        }
        let signed = speech == Speech::Bedrock && is_signed(headers);
        let known = self.keys.is_empty()
            || signed
            || key_of(path, headers).is_some_and(|key| self.keys.contains(key));
        (!known).then(|| Rejection::new(FaultReason::Auth))
    }
}

fn key_of<'a>(path: &'a str, headers: &'a BTreeMap<String, String>) -> Option<&'a str> {
    let header = |name: &str| headers.get(name).map(String::as_str);
    header("x-api-key")
        .or_else(|| header("x-goog-api-key"))
        .or_else(|| header("api-key"))
        .or_else(|| header("authorization")?.strip_prefix("Bearer "))
        .or_else(|| path.split(['?', '&']).find_map(|pair| pair.strip_prefix("key=")))
}

/// Whether a call carries a signature that is well-formed: the right algorithm and scope, the date it signs, the
/// headers it must cover, and 64 digits. Whether they are the right digits is tested against the vendor's examples.
fn is_signed(headers: &BTreeMap<String, String>) -> bool {
    let header = |name: &str| headers.get(name).map(String::as_str).unwrap_or_default();
    let Some(proof) = header("authorization").strip_prefix("AWS4-HMAC-SHA256 ") else { return false };
    let field = |name: &str| proof.split(", ").find_map(|field| field.strip_prefix(name)).unwrap_or_default();
    let date = header("x-amz-date");
    let scope: Vec<&str> = field("Credential=").split('/').collect();
    let [key, day, region, "bedrock", "aws4_request"] = scope[..] else { return false };
    let covered: BTreeSet<&str> = field("SignedHeaders=").split(';').collect();
    let signature = field("Signature=");
    !key.is_empty()
        && !region.is_empty()
        && date.len() == 16
        && date.starts_with(day)
        && ["host", "x-amz-date"].iter().all(|name| covered.contains(name))
        && covered.iter().all(|name| *name == "host" || headers.contains_key(*name))
        && signature.len() == 64
        && signature.bytes().all(|digit| digit.is_ascii_hexdigit())
}
