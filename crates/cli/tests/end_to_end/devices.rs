//! Devices on other machines ask, wait, are approved or turned away, with the real gateway and the real command.

use serde_json::json;

use crate::remote::RemoteDevice;
use crate::world::World;

const TOKEN: &str = "a-token-that-is-long-enough";

fn world() -> World {
    let world = World::new();
    world.write("openclaw.json", &format!("{{ gateway: {{ auth: {{ token: '{TOKEN}' }} }} }}"));
    world
}

#[test]
fn a_device_of_another_machine_waits_is_shown_with_what_it_wants_and_is_approved() {
    let world = world();
    let gateway = world.start_gateway(&[]);
    let device = RemoteDevice::new();
    let scopes = ["operator.read", "operator.write"];
    let refused = device.connect(gateway.port(), TOKEN, &scopes);
    assert_eq!(refused["error"]["message"], json!("pairing required"), "{refused}");
    let request = refused["error"]["details"]["requestId"].as_str().unwrap();
    let list = world.run(&["devices", "list"]).ok();
    for part in [
        "Waiting for approval (1)\n",
        request,
        device.id(),
        "gateway-client (backend)",
        "operator.read, operator.write",
    ] {
        assert!(list.contains(part), "{part} is missing:\n{list}");
    }
    let approved = world.run(&["devices", "approve", request]).ok();
    assert_eq!(approved, format!("Approved {} ({request})\n", device.id()));
    let welcomed = device.connect(gateway.port(), TOKEN, &scopes);
    assert_eq!(welcomed["payload"]["type"], json!("hello-ok"), "{welcomed}");
    let own = welcomed["payload"]["auth"]["deviceToken"].as_str().expect("an approved device gets a token");
    let alone = device.connect(gateway.port(), own, &scopes);
    assert_eq!(alone["payload"]["type"], json!("hello-ok"), "{alone}");
    let rotated = world.run(&["devices", "rotate", "--device", device.id(), "--role", "operator"]).ok_json();
    let fresh = rotated["token"].as_str().expect("the new token is shown");
    let old = device.connect(gateway.port(), own, &scopes);
    assert_eq!(old["ok"], json!(false), "{old}");
    let new = device.connect(gateway.port(), fresh, &scopes);
    assert_eq!(new["payload"]["type"], json!("hello-ok"), "{new}");
    assert_eq!(gateway.stop(), Some(0));
}

#[test]
fn even_a_device_that_wants_everything_can_be_approved_without_naming_its_request() {
    let world = world();
    let gateway = world.start_gateway(&[]);
    let device = RemoteDevice::new();
    let refused = device.connect(gateway.port(), TOKEN, &["operator.admin"]);
    assert_eq!(refused["error"]["details"]["code"], json!("PAIRING_REQUIRED"), "{refused}");
    let approved = world.run(&["devices", "approve", "--json"]).ok_json();
    assert_eq!(approved["device"]["deviceId"], json!(device.id()));
    let welcomed = device.connect(gateway.port(), TOKEN, &["operator.admin"]);
    assert_eq!(welcomed["payload"]["type"], json!("hello-ok"), "{welcomed}");
}

#[test]
fn a_device_that_is_turned_away_stays_out() {
    let world = world();
    let gateway = world.start_gateway(&[]);
    let device = RemoteDevice::new();
    let refused = device.connect(gateway.port(), TOKEN, &["operator.read"]);
    let request = refused["error"]["details"]["requestId"].as_str().unwrap();
    let rejected = world.run(&["devices", "reject", request]).ok();
    assert_eq!(rejected, format!("Rejected {}\n", device.id()));
    let list = world.run(&["devices", "list", "--json"]).ok_json();
    assert_eq!(list["pending"], json!([]));
    let again = world.run(&["devices", "approve", request, "--json"]);
    let told: serde_json::Value = serde_json::from_str(&again.stdout).unwrap();
    assert_eq!(
        (again.code, told),
        (Some(1), json!({ "ok": false, "error": "unknown requestId (INVALID_REQUEST)" }))
    );
    let still = device.connect(gateway.port(), TOKEN, &["operator.read"]);
    assert_eq!(still["error"]["message"], json!("pairing required"), "{still}");
}
