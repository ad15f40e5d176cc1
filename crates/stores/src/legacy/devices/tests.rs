//! The form of the original's device files. Moving whole files is tested in `tests/legacy_devices.rs`.

use openclaw_ports::stores::{DeviceRecords, DeviceToken, PairedDevice, PendingDevice};
use openclaw_testkit::conformance::devices::{device_id, request_id};
use openclaw_types::{Role, Scope, ScopeSet, Secret, UnixMillis};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::fields::EntryProblem;
use super::{DeviceImportFinding, parse_devices, print};

/// A device as the original (2026.2.26) writes it.
fn original_paired() -> Value {
    json!({
        "d1": {
            "deviceId": "d1",
            "publicKey": "cHVibGlj",
            "platform": "linux",
            "clientId": "cli",
            "clientMode": "cli",
            "role": "operator",
            "roles": ["operator"],
            "scopes": ["operator.write", "operator.read", "operator.admin"],
            "approvedScopes": ["operator.write", "operator.read"],
            "tokens": {
                "operator": {
                    "token": "t0p-s3cret",
                    "role": "operator",
                    "scopes": ["operator.read"],
                    "createdAtMs": 5,
                    "lastUsedAtMs": 9
                }
            },
            "createdAtMs": 3,
            "approvedAtMs": 4,
            "futureField": {"kept": [1, 2]}
        }
    })
}

fn original_device() -> PairedDevice {
    let token = DeviceToken {
        token: Secret::new("t0p-s3cret".to_owned()),
        scopes: ScopeSet::from_iter([Scope::Read]),
        created_at: UnixMillis(5),
        rotated_at: None,
        revoked_at: None,
        last_used_at: Some(UnixMillis(9)),
    };
    PairedDevice {
        device_id: device_id("d1"),
        public_key: "cHVibGlj".to_owned(),
        display_name: None,
        platform: Some("linux".to_owned()),
        device_family: None,
        client_id: Some("cli".to_owned()),
        client_mode: Some("cli".to_owned()),
        role: Role::Operator,
        roles: vec![Role::Operator],
        approved_scopes: ScopeSet::from_iter([Scope::Read, Scope::Write]),
        remote_ip: None,
        tokens: [(Role::Operator, token)].into(),
        created_at: UnixMillis(3),
        approved_at: UnixMillis(4),
    }
}

fn bytes(value: &Value) -> Vec<u8> {
    value.to_string().into_bytes()
}

/// The findings of a `paired.json` with one entry.
fn findings_of(entry: Value) -> (usize, Vec<EntryProblem>) {
    let parsed = parse_devices(&bytes(&json!({"d1": entry})), b"{}");
    (parsed.records.paired.len(), parsed.findings.into_iter().map(|finding| finding.problem).collect())
}

/// The original's entry with one field set to something else.
fn original_but(field: &str, value: Value) -> Value {
    let mut entry = original_paired()["d1"].clone();
    entry[field] = value;
    entry
}

#[test]
fn a_device_of_the_original_is_read_whole() {
    let parsed = parse_devices(&bytes(&original_paired()), b"{}");
    assert_eq!(parsed.records.paired, [original_device()]);
    assert_eq!(parsed.findings, []);
}

#[test]
fn a_request_of_an_early_version_is_read() {
    let early = json!({"r1": {
        "requestId": "r1", "deviceId": "d1", "publicKey": "k", "role": "node", "scopes": [], "ts": 7
    }});
    let expected = PendingDevice {
        request_id: request_id("r1"),
        device_id: device_id("d1"),
        public_key: "k".to_owned(),
        display_name: None,
        platform: None,
        device_family: None,
        client_id: None,
        client_mode: None,
        role: Some(Role::Node),
        roles: vec![Role::Node],
        scopes: ScopeSet::none(),
        remote_ip: None,
        silent: false,
        is_repair: false,
        requested_at: UnixMillis(7),
    };
    assert_eq!(parse_devices(b"{}", &bytes(&early)).records.pending, [expected]);
}

#[test]
fn a_device_of_an_early_version_gets_its_role_from_its_token() {
    let early = json!({
        "deviceId": "d1", "publicKey": "k", "createdAtMs": 1, "approvedAtMs": 2,
        "tokens": {"node": {"token": "t", "role": "node", "scopes": [], "createdAtMs": 1}}
    });
    let parsed = parse_devices(&bytes(&json!({"d1": early})), b"{}");
    let device = &parsed.records.paired[0];
    assert_eq!((device.role, &device.roles), (Role::Node, &vec![Role::Node]));
}

#[test]
fn what_makes_an_identity_doubtful_drops_the_entry() {
    let cases = [
        (json!("text"), EntryProblem::WrongKind { field: "the entry", expected: "an object" }),
        (original_but("deviceId", json!("d2")), EntryProblem::Misfiled),
        (
            original_but("deviceId", json!(1)),
            EntryProblem::WrongKind { field: "deviceId", expected: "a text" },
        ),
        (original_but("publicKey", json!(null)), EntryProblem::Missing { field: "publicKey" }),
        (original_but("createdAtMs", json!("1")), {
            EntryProblem::WrongKind { field: "createdAtMs", expected: "a time in milliseconds" }
        }),
        (original_but("approvedScopes", json!([1])), {
            EntryProblem::WrongKind { field: "approvedScopes", expected: "a list of texts" }
        }),
        (json!({"deviceId": "d1", "publicKey": "k", "createdAtMs": 1, "approvedAtMs": 1}), {
            EntryProblem::Missing { field: "role" }
        }),
    ];
    for (entry, problem) in cases {
        assert_eq!(findings_of(entry.clone()), (0, vec![problem]), "{entry}");
    }
}

#[test]
fn what_only_narrows_rights_is_left_out_and_reported() {
    let cases = [
        (original_but("approvedScopes", json!(["operator.read", "operator.fly"])), {
            EntryProblem::UnknownScope("operator.fly".to_owned())
        }),
        (original_but("roles", json!(["operator", "king"])), EntryProblem::UnknownRole("king".to_owned())),
        (
            original_but("tokens", json!({"operator": {"token": 5}})),
            EntryProblem::Token {
                role: "operator".to_owned(),
                problem: Box::new(EntryProblem::WrongKind { field: "token", expected: "a text" }),
            },
        ),
    ];
    for (entry, problem) in cases {
        assert_eq!(findings_of(entry.clone()), (1, vec![problem]), "{entry}");
    }
}

#[test]
fn a_broken_file_is_a_finding_and_does_not_hide_the_other_file() {
    let parsed = parse_devices(b"{\n  \"d1\": {", &bytes(&json!({"r1": 5})));
    let expected = [
        DeviceImportFinding {
            file: "paired.json",
            entry: String::new(),
            problem: EntryProblem::NotJson { line: 2, column: 9 },
        },
        DeviceImportFinding {
            file: "pending.json",
            entry: "r1".to_owned(),
            problem: EntryProblem::WrongKind { field: "the entry", expected: "an object" },
        },
    ];
    assert_eq!(parsed.findings, expected);
}

fn any_scopes() -> impl Strategy<Value = ScopeSet> {
    proptest::sample::subsequence(Scope::ALL.to_vec(), 0..=Scope::ALL.len()).prop_map(ScopeSet::from_iter)
}

fn any_roles() -> impl Strategy<Value = Vec<Role>> {
    proptest::sample::subsequence(vec![Role::Node, Role::Operator], 0..=2)
}

fn any_moment() -> impl Strategy<Value = UnixMillis> {
    (0..i64::MAX).prop_map(UnixMillis)
}

fn any_token() -> impl Strategy<Value = DeviceToken> {
    let moments = (any_moment(), [(); 3].map(|()| proptest::option::of(any_moment())));
    (".{1,40}", any_scopes(), moments).prop_map(|(token, scopes, (created_at, [rotated, revoked, used]))| {
        DeviceToken {
            token: Secret::new(token),
            scopes,
            created_at,
            rotated_at: rotated,
            revoked_at: revoked,
            last_used_at: used,
        }
    })
}

prop_compose! {
    fn any_paired()(
        id in "[a-z0-9]{1,8}",
        public_key in ".{1,20}",
        texts in [(); 6].map(|()| proptest::option::of(".{0,12}")),
        role in prop_oneof![Just(Role::Operator), Just(Role::Node)],
        roles in any_roles(),
        approved_scopes in any_scopes(),
        operator in proptest::option::of(any_token()),
        node in proptest::option::of(any_token()),
        created_at in any_moment(),
        approved_at in any_moment(),
    ) -> PairedDevice {
        let [display_name, platform, device_family, client_id, client_mode, remote_ip] = texts;
        let tokens = [(Role::Operator, operator), (Role::Node, node)];
        let tokens = tokens.into_iter().filter_map(|(role, token)| token.map(|token| (role, token))).collect();
        PairedDevice {
            device_id: device_id(&id), public_key, display_name, platform, device_family, client_id, client_mode,
            role, roles, approved_scopes, remote_ip, tokens, created_at, approved_at,
        }
    }
}

prop_compose! {
    fn any_pending()(
        id in "[a-z0-9]{1,8}",
        device in "[a-z0-9]{1,8}",
        public_key in ".{1,20}",
        texts in [(); 6].map(|()| proptest::option::of(".{0,12}")),
        role in proptest::option::of(prop_oneof![Just(Role::Operator), Just(Role::Node)]),
        roles in any_roles(),
        scopes in any_scopes(),
        silent in any::<bool>(),
        is_repair in any::<bool>(),
        requested_at in any_moment(),
    ) -> PendingDevice {
        let [display_name, platform, device_family, client_id, client_mode, remote_ip] = texts;
        PendingDevice {
            request_id: request_id(&id), device_id: device_id(&device), public_key, display_name, platform,
            device_family, client_id, client_mode, role, roles, scopes, remote_ip, silent, is_repair, requested_at,
        }
    }
}

proptest! {
    #[test]
    fn every_device_and_request_reads_back_as_it_was_written(device in any_paired(), request in any_pending()) {
        let devices = Value::Object(print::paired(std::slice::from_ref(&device), &Map::new()));
        let requests = Value::Object(print::pending(std::slice::from_ref(&request), &Map::new()));
        let parsed = parse_devices(&bytes(&devices), &bytes(&requests));
        prop_assert_eq!(parsed.findings, vec![]);
        prop_assert_eq!(parsed.records, DeviceRecords { pending: vec![request], paired: vec![device] });
    }

    #[test]
    fn junk_is_never_read_as_a_device(paired in proptest::collection::vec(any::<u8>(), 0..200), pending in ".{0,200}") {
        prop_assert_eq!(parse_devices(&paired, pending.as_bytes()).records, DeviceRecords::default());
    }
}
