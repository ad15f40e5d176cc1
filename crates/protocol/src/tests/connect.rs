//! Who is let to speak, and how strictly a connect is read.

use serde_json::value::to_raw_value;
use serde_json::{Value, json};

use crate::{ClientId, ConnectParams, Dialect, ErrorShape, ProtocolMismatch, negotiate};

fn decode(params: &Value) -> Result<ConnectParams, ErrorShape> {
    ConnectParams::decode(Some(&to_raw_value(params).unwrap()))
}

fn connect(min: i64, max: i64) -> Value {
    json!({
        "minProtocol": min,
        "maxProtocol": max,
        "client": {"id": "cli", "version": "2026.2.26", "platform": "linux", "mode": "cli"},
    })
}

fn message(params: &Value) -> String {
    decode(params).map(|_| String::new()).unwrap_or_else(|error| error.message)
}

#[test]
fn the_newest_common_protocol_is_chosen() {
    let cases = [
        ((3, 3), Ok(Dialect::V3)),
        ((4, 4), Ok(Dialect::V4)),
        ((3, 4), Ok(Dialect::V4)),
        ((1, 3), Ok(Dialect::V3)),
        ((1, 99), Ok(Dialect::V4)),
        ((4, 9), Ok(Dialect::V4)),
        ((1, 2), Err(ProtocolMismatch { min: 1, max: 2 })),
        ((5, 6), Err(ProtocolMismatch { min: 5, max: 6 })),
        ((4, 3), Err(ProtocolMismatch { min: 4, max: 3 })),
    ];
    for ((min, max), expected) in cases {
        assert_eq!(negotiate(min, max), expected, "{min}..{max}");
    }
}

#[test]
fn a_mismatch_names_the_nearest_protocol() {
    let expected =
        |min, max| negotiate(min, max).unwrap_err().to_error().details.unwrap()["expectedProtocol"].clone();
    assert_eq!((expected(1, 2), expected(5, 6)), (json!(3), json!(4)));
    assert_eq!(
        serde_json::to_value(negotiate(5, 6).unwrap_err().to_error()).unwrap(),
        json!({
            "code": "INVALID_REQUEST",
            "message": "protocol mismatch",
            "details": {
                "code": "PROTOCOL_MISMATCH",
                "clientMinProtocol": 5,
                "clientMaxProtocol": 6,
                "expectedProtocol": 4,
                "minimumProbeProtocol": 3,
            },
        })
    );
}

#[test]
fn a_client_of_protocol_3_is_held_to_its_closed_schema() {
    let mut params = connect(3, 3);
    assert_eq!(decode(&params).unwrap().client.id, ClientId::Cli);
    params["client"]["buildId"] = json!("b1");
    params["extra"] = json!(1);
    assert_eq!(
        message(&params),
        "invalid connect params: at /client: unexpected property 'buildId'; at root: unexpected property 'extra'"
    );
}

#[test]
fn an_unknown_client_is_refused_at_its_place() {
    let mut params = connect(3, 3);
    params["client"]["id"] = json!("openclaw-tui");
    assert!(message(&params).starts_with("invalid connect params: at /client/id: "), "{}", message(&params));
    params["maxProtocol"] = json!(4);
    assert_eq!(decode(&params).unwrap().client.id, ClientId::Tui);
}

#[test]
fn a_client_that_reaches_protocol_4_may_send_what_newer_releases_add() {
    let mut params = connect(4, 4);
    params["client"]["buildId"] = json!("b1");
    params["client"]["someday"] = json!("new");
    params["auth"] = json!({"token": "t", "bootstrapToken": "b", "someday": 1});
    params["modelCatalog"] = json!({"agentId": "main"});
    let decoded = decode(&params).unwrap();
    assert_eq!(decoded.dialect(), Ok(Dialect::V4));
    assert_eq!(decoded.auth.unwrap().bootstrap_token.unwrap().reveal(), "b");
}

#[test]
fn a_device_without_a_nonce_is_left_to_the_handshake() {
    let mut params = connect(3, 3);
    params["device"] = json!({"id": "d", "publicKey": "k", "signature": "s", "signedAt": 1});
    assert_eq!(decode(&params).unwrap().device.unwrap().nonce, None);
    params["device"]["nonce"] = json!("");
    assert!(message(&params).starts_with("invalid connect params: at /device/nonce: "));
}

#[test]
fn secrets_of_a_connect_do_not_show_in_debug() {
    let mut params = connect(3, 3);
    params["auth"] = json!({"token": "hunter2", "password": "hunter3"});
    let shown = format!("{:?}", decode(&params).unwrap());
    assert!(!shown.contains("hunter"), "{shown}");
}
