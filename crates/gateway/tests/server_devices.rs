//! Letting devices in and putting them out, over real sockets.
#![expect(clippy::unwrap_used, reason = "a test fails loudly, at the line that is wrong")]

mod support;

use serde_json::{Value, json};
use support::{Client, Device, TestGateway, connect_params};

/// Asks to be paired from another machine; gives the id of the request that waits.
async fn ask(gateway: &TestGateway, device: &Device, scopes: &[&str]) -> String {
    let mut client = Client::open_with(gateway.address(), &[("x-forwarded-for", "203.0.113.7")]).await;
    let challenge = client.event("connect.challenge").await;
    let mut params = connect_params(scopes);
    device.sign(&mut params, challenge["payload"]["nonce"].as_str().unwrap(), gateway.clock.now().0);
    let id = client.request("connect", &params).await;
    let response = client.response(&id).await;
    assert_eq!(response["error"]["details"]["code"], "PAIRING_REQUIRED", "{response}");
    response["error"]["details"]["requestId"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_waiting_device_is_approved_and_listed() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    let device = Device::new(3);
    let request = ask(&gateway, &device, &["operator.read"]).await;
    let pending = admin.ok("device.pair.list", json!({})).await["pending"][0].clone();
    assert_eq!((&pending["requestId"], &pending["deviceId"]), (&json!(request), &json!(device.id())));
    let approved = admin.ok("device.pair.approve", json!({"requestId": request})).await;
    assert_eq!(approved["requestId"], request.as_str());
    assert_eq!(approved["device"]["scopes"], json!(["operator.read"]));
    assert!(approved["device"]["tokens"][0].get("token").is_none());
    let event = admin.event("device.pair.resolved").await["payload"].clone();
    assert_eq!((&event["decision"], &event["deviceId"]), (&json!("approved"), &json!(device.id())));
    let list = admin.ok("device.pair.list", json!({})).await;
    assert_eq!((list["pending"].as_array().unwrap().len(), list["paired"].as_array().unwrap().len()), (0, 1));
    let again = admin.error("device.pair.approve", json!({"requestId": request})).await;
    assert_eq!(again["message"], "unknown requestId");
}

#[tokio::test]
async fn a_waiting_device_is_rejected() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    let device = Device::new(3);
    let request = ask(&gateway, &device, &[]).await;
    let rejected = admin.ok("device.pair.reject", json!({"requestId": request})).await;
    assert_eq!(rejected, json!({"requestId": request, "deviceId": device.id()}));
    assert_eq!(admin.event("device.pair.resolved").await["payload"]["decision"], "rejected");
}

#[tokio::test]
async fn a_removed_device_is_put_out_at_once() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    let device = Device::new(4);
    let (mut inside, hello) = gateway.device(&device, connect_params(&["operator.read"])).await;
    assert_eq!(hello["ok"], true, "{hello}");
    let removed = admin.ok("device.pair.remove", json!({"deviceId": device.id()})).await;
    assert_eq!(removed, json!({"deviceId": device.id()}));
    assert_eq!(inside.closed().await, (1008, "device removed".to_owned()));
    assert_eq!(
        admin.error("device.pair.remove", json!({"deviceId": device.id()})).await["message"],
        "unknown deviceId"
    );
}

#[tokio::test]
async fn a_device_that_removes_itself_gets_its_answer_first() {
    let gateway = TestGateway::new().await;
    let device = Device::new(5);
    let (mut inside, _) = gateway.device(&device, connect_params(&["operator.pairing"])).await;
    let removed = inside.ok("device.pair.remove", json!({"deviceId": device.id()})).await;
    assert_eq!(removed, json!({"deviceId": device.id()}));
    assert_eq!(inside.closed().await, (1008, "device removed".to_owned()));
}

#[tokio::test]
async fn tokens_are_rotated_and_revoked() {
    let gateway = TestGateway::new().await;
    let mut admin = gateway.admin().await;
    let device = Device::new(6);
    let (mut inside, hello) = gateway.device(&device, connect_params(&["operator.read"])).await;
    let old = hello["payload"]["auth"]["deviceToken"].clone();
    assert!(old.is_string(), "{hello}");
    let rotated = admin.ok("device.token.rotate", json!({"deviceId": device.id(), "role": "operator"})).await;
    assert_eq!((&rotated["role"], &rotated["scopes"]), (&json!("operator"), &json!(["operator.read"])));
    assert!(rotated["token"].is_string() && rotated["token"] != old && rotated["rotatedAtMs"].is_i64());
    let with_token = |token: &Value| {
        let mut params = connect_params(&["operator.read"]);
        params["auth"] = json!({"token": token});
        params
    };
    let (_, fresh) = gateway.device(&device, with_token(&rotated["token"])).await;
    assert_eq!(fresh["ok"], true, "{fresh}");
    let revoked = admin.ok("device.token.revoke", json!({"deviceId": device.id(), "role": "operator"})).await;
    assert_eq!((&revoked["deviceId"], &revoked["role"]), (&json!(device.id()), &json!("operator")));
    assert_eq!(inside.closed().await, (1008, "device token revoked".to_owned()));
    let (_, refused) = gateway.device(&device, with_token(&rotated["token"])).await;
    assert_eq!(refused["ok"], false, "{refused}");
    let wider = json!({"deviceId": device.id(), "role": "operator", "scopes": ["operator.admin"]});
    assert_eq!(admin.error("device.token.rotate", wider).await["code"], "INVALID_REQUEST");
    let unknown = admin.error("device.token.rotate", json!({"deviceId": "x", "role": "pilot"})).await;
    assert_eq!(unknown["message"], "unknown deviceId/role");
}

#[tokio::test]
async fn nobody_approves_more_than_they_have() {
    let gateway = TestGateway::new().await;
    let request = ask(&gateway, &Device::new(8), &["operator.admin"]).await;
    let mut clerk = gateway.operator(&["operator.pairing"]).await;
    let error = clerk.error("device.pair.approve", json!({"requestId": request})).await;
    assert_eq!(error["message"], "missing scope: operator.admin");
}
