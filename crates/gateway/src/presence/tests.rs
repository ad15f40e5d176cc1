//! The list of who is present, over time.

use std::time::Duration;

use openclaw_types::{DeviceId, Role, Scope, ScopeSet};
use serde_json::{Value, json};

use super::*;
use crate::auth::{AuthMethod, Locality};

const START: UnixMillis = UnixMillis(1_000_000);

fn after_secs(seconds: u64) -> UnixMillis {
    START.plus(Duration::from_secs(seconds))
}

fn board() -> PresenceBoard {
    let facts = GatewayFacts {
        host: "Box".to_owned(),
        ip: Some("192.0.2.1".to_owned()),
        version: "1.0".to_owned(),
        platform: "linux 6.1".to_owned(),
        device_family: "Linux".to_owned(),
        model_identifier: Some("x64".to_owned()),
    };
    PresenceBoard::new(facts, START)
}

fn operator(device: Option<&str>) -> Principal {
    Principal {
        role: Role::Operator,
        scopes: ScopeSet::from_iter([Scope::Read]),
        device: device.map(|id| DeviceId::new(id).unwrap()),
        method: AuthMethod::Token,
        client_ip: Some("203.0.113.7".parse().unwrap()),
        locality: Locality::Remote,
    }
}

fn client(mode: &str, instance: Option<&str>) -> ClientInfo {
    let mut client = json!({"id": "test", "version": "2.0", "platform": "linux", "mode": mode});
    if let Some(instance) = instance {
        client["instanceId"] = json!(instance);
    }
    serde_json::from_value(client).unwrap()
}

fn connection(name: &str) -> ConnectionId {
    ConnectionId::new(name).unwrap()
}

fn event(more: Value) -> SystemEventParams {
    serde_json::from_value(more).unwrap()
}

fn others(board: &mut PresenceBoard, now: UnixMillis) -> Vec<Value> {
    board.list(now).into_iter().skip(1).map(|entry| serde_json::to_value(entry).unwrap()).collect()
}

#[test]
fn the_gateway_is_always_there_and_always_fresh() {
    let mut board = board();
    let listed: Vec<_> = board.list(after_secs(4000)).into_iter().map(|entry| json!(entry)).collect();
    let expected = json!({
        "host": "Box", "ip": "192.0.2.1", "version": "1.0", "platform": "linux 6.1", "deviceFamily": "Linux",
        "modelIdentifier": "x64", "mode": "gateway", "reason": "self",
        "text": "Gateway: Box (192.0.2.1) · app 1.0 · mode gateway · reason self", "ts": after_secs(4000),
    });
    assert_eq!(listed, [expected]);
    assert_eq!(board.version(), 1);
}

#[test]
fn a_client_is_shown_when_it_connects_and_marked_when_it_leaves() {
    let mut board = board();
    let key =
        board.connected(&operator(Some("D1")), &client("ui", Some("tab")), &connection("c1"), START).unwrap();
    let mut expected = json!({
        "host": "test", "ip": "203.0.113.7", "version": "2.0", "platform": "linux", "mode": "ui",
        "reason": "connect", "text": "Node: test · mode ui", "ts": START, "deviceId": "D1", "instanceId": "D1",
        "roles": ["operator"], "scopes": ["operator.read"],
    });
    assert_eq!((others(&mut board, START), board.version()), (vec![expected.clone()], 2));
    board.disconnected(&key, after_secs(9));
    expected["reason"] = json!("disconnect");
    expected["ts"] = json!(after_secs(9));
    assert_eq!((others(&mut board, after_secs(9)), board.version()), (vec![expected], 3));
}

#[test]
fn the_command_line_is_not_tracked() {
    let mut board = board();
    assert_eq!(board.connected(&operator(None), &client("cli", None), &connection("c1"), START), None);
    assert_eq!((others(&mut board, START), board.version()), (vec![], 1));
}

#[test]
fn a_client_is_known_by_device_else_instance_else_connection() {
    let mut board = board();
    let mut connect = |device, instance, name: &str| {
        board.connected(&operator(device), &client("ui", instance), &connection(name), START).unwrap()
    };
    assert_eq!(connect(Some("D1"), Some("i1"), "c1"), connect(Some("d1"), None, "c2"));
    assert_eq!(connect(None, Some("I2"), "c3"), connect(None, Some("i2 "), "c4"));
    assert_ne!(connect(None, None, "c5"), connect(None, None, "c6"));
    assert_eq!(others(&mut board, START).len(), 4);
}

#[test]
fn beacons_and_connections_of_one_instance_are_one_entry() {
    let mut board = board();
    let beacon = event(json!({"text": "here", "instanceId": "i1", "tags": ["a"]}));
    board.beacon(&beacon, START);
    board.connected(&operator(Some("d1")), &client("ui", Some("i1")), &connection("c1"), after_secs(1));
    board.beacon(&beacon, after_secs(2));
    let listed = others(&mut board, after_secs(2));
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(
        (&listed[0]["deviceId"], &listed[0]["instanceId"], &listed[0]["text"], &listed[0]["tags"]),
        (&json!("d1"), &json!("d1"), &json!("here"), &json!(["a"]))
    );
}

#[test]
fn roles_and_scopes_add_up() {
    let mut board = board();
    board.connected(&operator(Some("d1")), &client("ui", None), &connection("c1"), START);
    let node = Principal { role: Role::Node, scopes: ScopeSet::none(), ..operator(Some("d1")) };
    board.connected(&node, &client("node", None), &connection("c2"), START);
    let listed = others(&mut board, START);
    assert_eq!(
        (&listed[0]["roles"], &listed[0]["scopes"], &listed[0]["mode"]),
        (&json!(["operator", "node"]), &json!(["operator.read"]), &json!("node"))
    );
}

#[test]
fn entries_expire_after_five_minutes_without_an_update() {
    let mut board = board();
    board.connected(&operator(Some("d1")), &client("ui", None), &connection("c1"), START);
    board.connected(&operator(Some("d2")), &client("ui", None), &connection("c2"), after_secs(10));
    assert_eq!(others(&mut board, after_secs(300)).len(), 2);
    let left = others(&mut board, after_secs(301));
    assert_eq!(left.iter().map(|entry| &entry["deviceId"]).collect::<Vec<_>>(), [&json!("d2")]);
}

#[test]
fn the_newest_two_hundred_are_kept_newest_first() {
    let mut board = board();
    for number in 0..250_u64 {
        let device = format!("d{number}");
        let now = UnixMillis(START.0 + i64::try_from(number).unwrap());
        board.connected(&operator(Some(&device)), &client("ui", None), &connection("c"), now);
    }
    let listed = board.list(UnixMillis(START.0 + 250));
    let names: Vec<_> = listed.iter().map(|entry| entry.device_id.clone().unwrap_or_default()).collect();
    let mut expected = vec![String::new()];
    expected.extend((51..250).rev().map(|number| format!("d{number}")));
    assert_eq!(names, expected);
}

#[test]
fn a_beacon_in_words_fills_the_fields() {
    let mut board = board();
    let text =
        "Node: Studio (10.0.0.5) · app 2026.2.1 · last input 12s ago · mode local · reason periodic · again";
    board.beacon(&event(json!({"text": text})), START);
    let expected = json!({
        "host": "Studio", "ip": "10.0.0.5", "version": "2026.2.1", "lastInputSeconds": 12, "mode": "local",
        "reason": "periodic · again", "text": text, "ts": START,
    });
    assert_eq!((others(&mut board, START), board.version()), (vec![expected], 2));
}

#[test]
fn fields_win_over_words_and_what_is_not_said_stays() {
    let mut board = board();
    let text = "Node: studio (10.0.0.5) · app 1 · last input 12s ago · mode local · reason periodic";
    board.beacon(&event(json!({"text": text, "platform": "macos"})), START);
    board.beacon(
        &event(json!({"text": text, "host": "Studio", "lastInputSeconds": 3.7, "roles": ["node"]})),
        START,
    );
    let listed = others(&mut board, START);
    assert_eq!(listed.len(), 1);
    assert_eq!(
        (&listed[0]["host"], &listed[0]["platform"], &listed[0]["lastInputSeconds"], &listed[0]["roles"]),
        (&json!("Studio"), &json!("macos"), &json!(3), &json!(["node"]))
    );
}

#[test]
fn texts_that_are_no_beacons_are_kept_as_they_are() {
    let mut board = board();
    for text in ["hello", "Node:", "Node: a (b) · app 1", "Node: é", "· · · · ·"] {
        board.beacon(&event(json!({"text": text})), START);
    }
    let texts: Vec<_> = others(&mut board, START).into_iter().map(|entry| entry["text"].clone()).collect();
    assert_eq!(texts.len(), 5);
    assert!(texts.contains(&json!("Node: a (b) · app 1")));
}
