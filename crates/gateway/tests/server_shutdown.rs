//! Stopping and restarting.

mod support;

use std::sync::Arc;

use openclaw_gateway::ShutdownKind;
use serde_json::json;
use support::{Client, Frame, Secrets, TestGateway};

#[tokio::test]
async fn clients_are_told_and_sent_home_when_the_gateway_restarts() {
    let gateway = TestGateway::new().await;
    let mut client = gateway.admin().await;
    let mut stranger = Client::open(gateway.address()).await;
    stranger.event("connect.challenge").await;
    let stopping = gateway.stop(ShutdownKind::Restarting);
    let (told, ()) = tokio::join!(
        async {
            let event = client.event("shutdown").await;
            let closed = client.closed().await;
            drop(client);
            let stranger_closed = stranger.closed().await;
            drop(stranger);
            (event["payload"].clone(), closed, stranger_closed)
        },
        stopping
    );
    let home = (1012, "service restart".to_owned());
    assert_eq!(
        told,
        (json!({"reason": "gateway restarting", "restartExpectedMs": 1500}), home.clone(), home)
    );
    assert!(tokio::net::TcpStream::connect(gateway.address()).await.is_err());
}

#[tokio::test]
async fn a_gateway_that_stops_for_good_says_so() {
    let gateway = TestGateway::new().await;
    let mut client = gateway.admin().await;
    let (event, ()) = tokio::join!(
        async {
            let event = client.event("shutdown").await;
            client.closed().await;
            drop(client);
            event
        },
        gateway.stop(ShutdownKind::Stopping)
    );
    assert_eq!(event["payload"], json!({"reason": "gateway stopping", "restartExpectedMs": null}));
    assert!(event["seq"].is_u64());
}

#[tokio::test]
async fn running_requests_may_end_before_the_gateway_does() {
    let gateway = Arc::new(TestGateway::new().await);
    let mut client = gateway.admin().await;
    gateway.host.secrets.send_replace(Secrets::Held);
    client.request("secrets.reload", &json!({})).await;
    client.ok("health", json!({})).await;
    let (audited, ()) = tokio::join!(
        async {
            client.closed().await;
            drop(client);
            assert!(gateway.audited().await.is_empty());
            gateway.host.secrets.send_replace(Secrets::Ready);
        },
        gateway.stop(ShutdownKind::Stopping)
    );
    let () = audited;
    assert_eq!(gateway.audited().await, ["secrets.reload"]);
}

#[tokio::test]
async fn cancelling_the_tasks_of_the_process_ends_all_connections() {
    let gateway = TestGateway::new().await;
    let mut client = gateway.admin().await;
    gateway.tasks.cancel();
    assert_eq!(client.closed().await, (1012, "service restart".to_owned()));
    assert_eq!(client.next().await, Frame::End);
}
