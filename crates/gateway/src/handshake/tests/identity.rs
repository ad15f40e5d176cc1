//! The table of device proofs.

use openclaw_protocol::Dialect;
use openclaw_types::{DeviceId, UnixMillis};
use serde_json::{Value, json};

use super::{NONCE, TestDevice, connect, params};
use crate::auth::{Locality, Program};
use crate::handshake::applicant::Applicant;
use crate::handshake::identity::{IdentityFault, ProvenDevice, Witness, prove_device};
use crate::handshake::signature::SignatureForm;

const NOW: i64 = 1_800_000_000_000;
const REMOTE: Witness<'static> =
    Witness { nonce: NONCE, now: UnixMillis(NOW), locality: Locality::Remote, program: Program::Native };
const LOCAL: Witness<'static> = Witness { locality: Locality::Local, ..REMOTE };

fn device() -> TestDevice {
    TestDevice::numbered(1)
}

fn signed(form: SignatureForm, at: i64) -> Value {
    let plain = connect(&json!({
        "client": {"platform": "Linux", "deviceFamily": "Mac"},
        "scopes": ["operator.read", "future.scope"],
        "auth": {"token": "t"},
    }));
    device().signed(&plain, form, NONCE, at)
}

fn check(connect: &Value, witness: Witness<'_>, expected: Result<(), IdentityFault>) {
    let params = params(connect);
    let proof = params.device.clone().unwrap();
    let applicant = Applicant::read(Dialect::V3, params).unwrap();
    let proven =
        ProvenDevice { id: DeviceId::new(device().id()).unwrap(), public_key: device().public_key() };
    assert_eq!(prove_device(&applicant, &proof, witness), expected.map(|()| proven), "{connect}");
}

fn with(mut connect: Value, pointer: &str, value: Value) -> Value {
    *connect.pointer_mut(pointer).unwrap() = value;
    connect
}

#[test]
fn both_forms_with_a_nonce_prove_a_device_from_anywhere() {
    for form in [SignatureForm::V2, SignatureForm::V3] {
        check(&signed(form, NOW), REMOTE, Ok(()));
        check(&signed(form, NOW), LOCAL, Ok(()));
    }
}

#[test]
fn the_form_without_a_nonce_is_taken_from_local_programs_only() {
    let old = signed(SignatureForm::V1, NOW);
    check(&old, LOCAL, Ok(()));
    check(&old, REMOTE, Err(IdentityFault::NonceMissing));
    check(&old, Witness { program: Program::Browser, ..LOCAL }, Err(IdentityFault::NonceMissing));
    check(&with(old, "/client/mode", json!("cli")), LOCAL, Err(IdentityFault::BadSignature));
}

#[test]
fn a_newer_signature_does_not_pass_with_its_nonce_cut_off() {
    let mut cut = signed(SignatureForm::V2, NOW);
    cut["device"].as_object_mut().unwrap().remove("nonce");
    check(&cut, LOCAL, Err(IdentityFault::BadSignature));
    check(&cut, REMOTE, Err(IdentityFault::NonceMissing));
    check(
        &with(signed(SignatureForm::V2, NOW), "/device/nonce", json!("  ")),
        REMOTE,
        Err(IdentityFault::NonceMissing),
    );
}

#[test]
fn the_signature_must_be_fresh_in_both_directions() {
    for (at, expected) in [
        (NOW - 120_000, Ok(())),
        (NOW + 120_000, Ok(())),
        (NOW - 120_001, Err(IdentityFault::Stale)),
        (NOW + 120_001, Err(IdentityFault::Stale)),
        (0, Err(IdentityFault::Stale)),
    ] {
        check(&signed(SignatureForm::V3, at), REMOTE, expected);
    }
}

#[test]
fn the_nonce_must_be_the_one_of_this_socket() {
    let other = device().signed(&connect(&json!({})), SignatureForm::V3, "another", NOW);
    check(&other, REMOTE, Err(IdentityFault::NonceMismatch));
}

#[test]
fn the_id_must_be_the_hash_of_the_key() {
    let connect = signed(SignatureForm::V3, NOW);
    check(&with(connect.clone(), "/device/id", json!("00")), REMOTE, Err(IdentityFault::IdMismatch));
    let other = TestDevice::numbered(2).public_key();
    check(&with(connect.clone(), "/device/publicKey", json!(other)), REMOTE, Err(IdentityFault::IdMismatch));
    check(&with(connect, "/device/publicKey", json!("***")), REMOTE, Err(IdentityFault::BadKey));
}

#[test]
fn a_key_of_another_kind_is_no_device_key() {
    let mut connect = signed(SignatureForm::V3, NOW);
    connect["device"]["publicKey"] = json!("AAAA");
    connect["device"]["id"] = json!("709e80c88487a2411e1ee4dfb9f22a861492d20c4765150c0c794abd70f8147c");
    check(&connect, REMOTE, Err(IdentityFault::BadKey));
}

#[test]
fn everything_that_was_signed_must_be_what_was_sent() {
    let connect = signed(SignatureForm::V3, NOW);
    for (pointer, value) in [
        ("/client/id", json!("cli")),
        ("/client/mode", json!("cli")),
        ("/client/platform", json!("darwin")),
        ("/client/deviceFamily", json!("iPhone")),
        ("/scopes", json!(["operator.admin"])),
        ("/scopes", json!(["operator.read"])),
        ("/auth/token", json!("other")),
        ("/device/signedAt", json!(NOW - 1)),
        ("/device/signature", json!(device().sign("something else"))),
    ] {
        check(&with(connect.clone(), pointer, value), REMOTE, Err(IdentityFault::BadSignature));
    }
    check(&with(connect, "/client/platform", json!(" LINUX ")), REMOTE, Ok(()));
}
