//! The signed text of each generation, and the forms of keys that are read.

use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::EncodePublicKey as _;
use ed25519_dalek::pkcs8::spki::der::pem::LineEnding;
use openclaw_types::Role;

use super::TestDevice;
use crate::handshake::signature::{DeviceKey, SignatureForm, SignedFields};

fn fields(scopes: &[String]) -> SignedFields<'_> {
    SignedFields {
        device_id: "dev",
        client_id: "cli",
        client_mode: "cli",
        role: Role::Operator,
        scopes,
        signed_at: 1_700_000_000_000,
        token: "tok",
        nonce: "n-1",
        platform: Some("  Linux X86_64 "),
        device_family: None,
    }
}

#[test]
fn each_generation_signs_its_own_text() {
    let scopes = ["operator.write".to_owned(), "operator.admin".to_owned()];
    let check = |form, expected: &str| assert_eq!(fields(&scopes).text(form), expected);
    check(SignatureForm::V1, "v1|dev|cli|cli|operator|operator.write,operator.admin|1700000000000|tok");
    check(SignatureForm::V2, "v2|dev|cli|cli|operator|operator.write,operator.admin|1700000000000|tok|n-1");
    check(
        SignatureForm::V3,
        "v3|dev|cli|cli|operator|operator.write,operator.admin|1700000000000|tok|n-1|linux x86_64|",
    );
}

#[test]
fn a_text_without_scopes_or_token_keeps_its_empty_places() {
    let bare = SignedFields { token: "", role: Role::Node, device_family: Some("iPhone"), ..fields(&[]) };
    assert_eq!(bare.text(SignatureForm::V3), "v3|dev|cli|cli|node||1700000000000||n-1|linux x86_64|iphone");
}

#[test]
fn a_key_is_the_same_in_base64url_base64_and_pem() {
    let device = TestDevice::numbered(7);
    let url = device.public_key();
    let standard = format!("{}=", url.replace('-', "+").replace('_', "/"));
    let pem = SigningKey::from_bytes(&[7; 32]).verifying_key().to_public_key_pem(LineEnding::LF).unwrap();
    for text in [url.clone(), standard, pem] {
        let key = DeviceKey::parse(&text).unwrap();
        assert_eq!((key.device_id(), key.to_base64url()), (device.id(), url.clone()), "{text}");
    }
    for text in ["", "***", "-----BEGIN PUBLIC KEY-----\nnonsense\n-----END PUBLIC KEY-----"] {
        assert_eq!(DeviceKey::parse(text), None, "{text}");
    }
}

#[test]
fn only_the_right_key_and_text_fit_a_signature() {
    let (device, other) = (TestDevice::numbered(1), TestDevice::numbered(2));
    let verifier = DeviceKey::parse(&device.public_key()).unwrap().verifier().unwrap();
    let signature = device.sign("hello");
    let padded = format!("{}==", signature.replace('-', "+").replace('_', "/"));
    let check = |text: &str, signature: &str, fits: bool| assert_eq!(verifier.accepts(text, signature), fits);
    check("hello", &signature, true);
    check("hello", &padded, true);
    check("hello!", &signature, false);
    check("hello", &other.sign("hello"), false);
    check("hello", "", false);
    check("hello", "AAAA", false);
    check("hello", "%%%", false);
}
