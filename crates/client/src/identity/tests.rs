//! Identity files: the shared format, repair, privacy.
//!
//! The one key that stands here is the published example of RFC 8410; all others are made by the tests.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use openclaw_testkit::{SimClock, TempHome};
use openclaw_types::{Role, Scope, Secret, UnixMillis};
use serde_json::{Value, json};

use super::{DeviceIdentity, DeviceTokens, SignatureVersion, SignedFields};

/// The example key of RFC 8410, section 10.3, in the file format other OpenClaw programs write.
const RFC_8410_PRIVATE: &str = "-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEINTuctv5E1hK1bbY8fdp+K06/nwoy/HU++CXqI9EdVhC\n-----END PRIVATE KEY-----\n";
const RFC_8410_PUBLIC: &str = "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\n-----END PUBLIC KEY-----\n";
const RFC_8410_DEVICE_ID: &str = "a3f1ce4e2be2b4ae67b1ae01ab9de74ea72e4a80d1e9d9b7c4ac2c7b2d0e6c7a";

fn write_identity(folder: &Path, device_id: &str) {
    fs::create_dir_all(folder).unwrap();
    let document = json!({
        "version": 1, "deviceId": device_id, "publicKeyPem": RFC_8410_PUBLIC, "privateKeyPem": RFC_8410_PRIVATE,
        "createdAtMs": 1_700_000_000_000_i64, "note": "kept",
    });
    fs::write(folder.join("device.json"), document.to_string()).unwrap();
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn a_new_identity_is_private_and_found_again() {
    let home = TempHome::new();
    let folder = home.path("identity");
    let clock = SimClock::starting_at(UnixMillis(1_000));
    let made = DeviceIdentity::load_or_create(&folder, &clock).unwrap();
    let found = DeviceIdentity::load_or_create(&folder, &clock).unwrap();
    assert_eq!(made.device_id(), found.device_id());
    assert_eq!(made.public_key(), found.public_key());
    assert_eq!((mode(&folder), mode(&folder.join("device.json"))), (0o700, 0o600));
    let document = read_json(&folder.join("device.json"));
    let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
    assert_eq!(keys, ["version", "deviceId", "publicKeyPem", "privateKeyPem", "createdAtMs"]);
    assert_eq!(document["createdAtMs"], 1_000);
    let private = document["privateKeyPem"].as_str().unwrap();
    // Programs built on OpenSSL want version 1 of PKCS #8, which starts like this for every Ed25519 key.
    assert!(
        private.starts_with("-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEI"),
        "an unusual key document"
    );
    assert!(private.ends_with("\n-----END PRIVATE KEY-----\n"));
}

#[test]
fn an_identity_of_another_program_is_used_and_a_wrong_name_in_it_is_corrected() {
    let home = TempHome::new();
    let folder = home.path("identity");
    write_identity(&folder, RFC_8410_DEVICE_ID);
    let identity = DeviceIdentity::load_or_create(&folder, &SimClock::new()).unwrap();
    assert_eq!(identity.public_key(), "Gb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE");
    let document = read_json(&folder.join("device.json"));
    assert_eq!(document["deviceId"], identity.device_id().as_str());
    assert_eq!((&document["note"], &document["privateKeyPem"]), (&json!("kept"), &json!(RFC_8410_PRIVATE)));
}

#[test]
fn an_identity_that_cannot_be_read_is_put_aside_not_lost() {
    let home = TempHome::new();
    let folder = home.path("identity");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("device.json"), "{ half a file").unwrap();
    DeviceIdentity::load_or_create(&folder, &SimClock::starting_at(UnixMillis(77))).unwrap();
    assert_eq!(fs::read_to_string(folder.join("device.json.unreadable-77")).unwrap(), "{ half a file");
    assert_eq!(read_json(&folder.join("device.json"))["version"], 1);
}

#[test]
fn an_identity_says_nothing_of_its_key_when_printed() {
    let home = TempHome::new();
    let folder = home.path("identity");
    write_identity(&folder, RFC_8410_DEVICE_ID);
    let identity = DeviceIdentity::load_or_create(&folder, &SimClock::new()).unwrap();
    let id = identity.device_id();
    assert_eq!(format!("{identity:?}"), format!("DeviceIdentity {{ device_id: {id:?}, .. }}"));
}

#[test]
fn tokens_are_kept_for_each_role_and_forgotten_one_by_one() {
    let home = TempHome::new();
    let folder = home.path("identity");
    let identity = DeviceIdentity::generate().unwrap();
    let tokens = DeviceTokens::new(&folder, identity.device_id().clone());
    let clock = SimClock::starting_at(UnixMillis(5));
    let scopes = [Scope::Write, Scope::Admin].into_iter().collect();
    tokens.put(Role::Operator, &Secret::new("one".to_owned()), &scopes, &clock).unwrap();
    tokens.put(Role::Node, &Secret::new("two".to_owned()), &[].into_iter().collect(), &clock).unwrap();
    assert_eq!(mode(&folder.join("device-auth.json")), 0o600);
    assert_eq!(
        read_json(&folder.join("device-auth.json")),
        json!({
            "version": 1,
            "deviceId": identity.device_id().as_str(),
            "tokens": {
                "operator": { "token": "one", "role": "operator", "scopes": ["operator.admin", "operator.write"], "updatedAtMs": 5 },
                "node": { "token": "two", "role": "node", "scopes": [], "updatedAtMs": 5 },
            },
        })
    );
    assert!(tokens.forget(Role::Operator).unwrap());
    assert!(!tokens.forget(Role::Operator).unwrap());
    assert_eq!(tokens.get(Role::Operator).unwrap(), None);
    assert_eq!(tokens.get(Role::Node).unwrap().unwrap().token.reveal(), "two");
}

#[test]
fn tokens_of_another_device_are_not_shown() {
    let home = TempHome::new();
    let folder = home.path("identity");
    let (ours, theirs) = (DeviceIdentity::generate().unwrap(), DeviceIdentity::generate().unwrap());
    let clock = SimClock::new();
    DeviceTokens::new(&folder, theirs.device_id().clone())
        .put(Role::Operator, &Secret::new("theirs".to_owned()), &[].into_iter().collect(), &clock)
        .unwrap();
    assert_eq!(DeviceTokens::new(&folder, ours.device_id().clone()).get(Role::Operator).unwrap(), None);
}

#[test]
fn the_signed_text_joins_the_fields_in_the_order_of_each_version() {
    let identity = DeviceIdentity::generate().unwrap();
    let fields = SignedFields {
        device_id: identity.device_id(),
        client_id: "cli",
        client_mode: "probe",
        role: Role::Operator,
        scopes: &["operator.write", "operator.admin"],
        signed_at: UnixMillis(42),
        token: "secret",
        nonce: "n-1",
        platform: " Linux ",
        device_family: "",
    };
    let id = identity.device_id();
    let start = format!("{id}|cli|probe|operator|operator.write,operator.admin|42|secret|n-1");
    assert_eq!(fields.text(SignatureVersion::V2), format!("v2|{start}"));
    assert_eq!(fields.text(SignatureVersion::V3), format!("v3|{start}|linux|"));
}
