//! Calls that are no model calls.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use openclaw_ports::model::{FaultReason, ModelFault, ServerReach};
use openclaw_types::Secret;
use serde_json::json;

use super::server::{Server, Step, refuse};
use super::{soon, steered, transport};
use crate::transport::{CallMethod, JsonBody, JsonCall, TransportLimits};

fn call(url: String, method: CallMethod, body: JsonBody) -> JsonCall {
    let deadline = Duration::from_secs(10);
    JsonCall { method, url, headers: BTreeMap::new(), body, reach: ServerReach::Anywhere, deadline }
}

#[tokio::test]
async fn any_status_is_an_answer() {
    let server = Server::start(vec![refuse(404, "x-one: a\r\nx-one: b\r\n", "nothing here")]).await;
    let answer = soon(transport(&[]).json(call(server.url("/models"), CallMethod::Get, JsonBody::None)))
        .await
        .unwrap();
    assert_eq!((answer.status, answer.is_success(), answer.body), (404, false, Bytes::from("nothing here")));
    assert_eq!(answer.headers["x-one"], "a, b");
    let request = server.requests()[0].clone();
    assert!(
        request.starts_with("GET /models HTTP/1.1\r\n") && request.contains("accept: application/json"),
        "{request}"
    );
}

#[tokio::test]
async fn bodies_are_sent_as_what_they_are() {
    let server = Server::start(vec![refuse(200, "", "{}")]).await;
    let transport = transport(&[]);
    let fields = vec![
        ("grant_type".to_owned(), Secret::new("refresh token".to_owned())),
        ("code".to_owned(), Secret::new("a/b+c=ü".to_owned())),
    ];
    soon(transport.json(call(server.url("/"), CallMethod::Post, JsonBody::Form(fields)))).await.unwrap();
    soon(transport.json(call(server.url("/"), CallMethod::Post, JsonBody::Json(json!({"a": 1})))))
        .await
        .unwrap();
    let [form, json] = &server.requests()[..] else { panic!("two requests") };
    assert!(form.contains("content-type: application/x-www-form-urlencoded\r\n"), "{form}");
    assert!(form.ends_with("\r\n\r\ngrant_type=refresh%20token&code=a%2Fb%2Bc%3D%C3%BC"), "{form}");
    assert!(
        json.contains("content-type: application/json\r\n") && json.ends_with("\r\n\r\n{\"a\":1}"),
        "{json}"
    );
}

#[tokio::test]
async fn a_large_answer_and_a_broken_one_are_faults_and_nothing_is_repeated() {
    let server = Server::start(vec![refuse(200, "", &"x".repeat(101)), vec![Step::Close]]).await;
    let (_clock, transport) = steered(TransportLimits { side_bytes: 100, ..TransportLimits::default() });
    let fault =
        soon(transport.json(call(server.url("/"), CallMethod::Get, JsonBody::None))).await.unwrap_err();
    assert_eq!(
        fault,
        ModelFault::new(FaultReason::TooLarge, "the answer of 127.0.0.1 is larger than the gateway accepts")
    );
    let fault =
        soon(transport.json(call(server.url("/"), CallMethod::Post, JsonBody::None))).await.unwrap_err();
    assert_eq!((fault.reason, server.requests().len()), (FaultReason::Network, 2));
}

#[tokio::test]
async fn a_call_that_takes_too_long_ends_in_a_timeout_and_closes_its_socket() {
    let server = Server::start(vec![vec![Step::UntilClosed]]).await;
    let (clock, transport) = steered(TransportLimits::default());
    let asking = transport.json(call(server.url("/"), CallMethod::Get, JsonBody::None));
    let (answer, ()) = soon(async {
        tokio::join!(asking, async {
            server.until_requests(1).await;
            clock.advance(Duration::from_secs(10)).await;
        })
    })
    .await;
    let message = "127.0.0.1 did not answer in time; try again later";
    assert_eq!(answer, Err(ModelFault::new(FaultReason::Timeout, message)));
    soon(server.until_closed(1)).await;
}

#[tokio::test]
async fn the_way_to_lenders_leads_nowhere_else() {
    let server = Server::start(vec![refuse(200, "", "{}")]).await;
    let transport = transport(&[]);
    for url in [server.url("/"), "http://169.254.169.254/latest/".to_owned()] {
        let fault = soon(transport.lender(call(url, CallMethod::Get, JsonBody::None))).await.unwrap_err();
        assert_eq!(fault.reason, FaultReason::Format);
        assert!(fault.message.contains("where ECS and EKS lend keys"), "{fault}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn side_calls_are_guarded_too() {
    let server = Server::start(vec![refuse(200, "", "{}")]).await;
    let call = JsonCall {
        reach: ServerReach::Public,
        ..call(format!("https://{}/", server.address()), CallMethod::Get, JsonBody::None)
    };
    let fault = soon(transport(&[]).json(call)).await.unwrap_err();
    assert_eq!((fault.reason, server.connections()), (FaultReason::Format, 0));
}
