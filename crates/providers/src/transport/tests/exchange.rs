//! One call and its answer: reuse, headers, sizes, redirects, cancellation.

use futures_util::StreamExt;
use openclaw_ports::model::{ApiName, AwsKeys, FaultReason, ModelEvent, ModelFault, ModelRoute, ServerReach};
use openclaw_types::Secret;

use super::server::{END, Server, Step, refuse, say, stream, words};
use super::{all, fault_of, greet, route, soon, steered, transport};
use crate::apis::samples;
use crate::transport::TransportLimits;

#[tokio::test]
async fn an_answer_comes_whole_and_its_connection_is_used_again() {
    let server = Server::start(vec![say("hello")]).await;
    let transport = transport(&[]);
    for _ in 0..5 {
        let events = soon(all(greet(&transport, route(&server.url("/v1"))))).await;
        assert_eq!(super::words(&events), "hello");
    }
    assert_eq!((server.requests().len(), server.connections()), (5, 1));
}

#[tokio::test]
async fn a_chunked_stream_gives_its_connection_back_too() {
    let body = format!("{}{END}", words("hi"));
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    let text = format!("{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let server = Server::start(vec![vec![Step::Send(text)]]).await;
    let transport = transport(&[]);
    for _ in 0..3 {
        assert_eq!(super::words(&soon(all(greet(&transport, route(&server.url("/v1"))))).await), "hi");
    }
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn events_come_before_the_answer_is_whole() {
    let server = Server::start(vec![stream(vec![
        Step::Send(words("one")),
        Step::Gate,
        Step::Send(END.to_owned()),
        Step::Close,
    ])])
    .await;
    let mut events = greet(&transport(&[]), route(&server.url("/v1")));
    soon(async {
        while !matches!(events.next().await, Some(ModelEvent::Text { delta, .. }) if delta == "one") {}
    })
    .await;
    server.open_gate();
    let rest: Vec<ModelEvent> = soon(events.collect()).await;
    assert!(matches!(rest.last(), Some(ModelEvent::Done(_))), "{rest:?}");
}

#[tokio::test]
async fn headers_of_the_target_are_sent_and_our_name_too() {
    let server = Server::start(vec![say("hi")]).await;
    let mut target = samples::target("model", &server.url("/v1"));
    target.headers.insert("X-Team".to_owned(), Secret::new("blue".to_owned()));
    target.credential = samples::credential("key-1");
    soon(all(greet(&transport(&[]), ModelRoute { target, ..route("") }))).await;
    let head = server.requests()[0].to_ascii_lowercase();
    for line in
        ["x-team: blue", "authorization: bearer key-1", "accept-encoding: identity", "user-agent: openclaw/"]
    {
        assert!(head.contains(line), "{line} in {head}");
    }
}

#[tokio::test]
async fn headers_that_cannot_be_sent_are_named_without_their_value() {
    for (name, value, message) in [
        (
            "x-bad",
            "line\nbreak",
            "the header \"x-bad\" has a value that cannot be sent; correct the provider's headers",
        ),
        (
            "host",
            "elsewhere",
            "the header \"host\" is set by the gateway itself; correct the provider's headers",
        ),
        ("a b", "x", "the header \"ab\" has no valid name; correct the provider's headers"),
    ] {
        let mut target = samples::target("model", "http://127.0.0.1:1/v1");
        target.headers.insert(name.to_owned(), Secret::new(value.to_owned()));
        let fault = soon(fault_of(greet(&transport(&[]), ModelRoute { target, ..route("") }))).await;
        assert_eq!(fault, ModelFault::new(FaultReason::Format, message));
    }
}

#[tokio::test]
async fn calls_to_aws_are_signed_with_the_clock() {
    let server = Server::start(vec![refuse(400, "", r#"{"message":"no"}"#)]).await;
    let (_clock, transport) = steered(TransportLimits::default());
    let keys = AwsKeys {
        access_key_id: "AKIDEXAMPLE".to_owned(),
        secret_access_key: Secret::new("secret".to_owned()),
        session_token: Some(Secret::new("lent".to_owned())),
        region: "eu-west-1".to_owned(),
    };
    let api = ApiName::BedrockConverseStream;
    let route = ModelRoute { api, aws: Some(keys), ..route(&server.url("")) };
    soon(fault_of(greet(&transport, route))).await;
    let head = server.requests()[0].clone();
    assert!(head.contains("x-amz-date: 20260101T000000Z"), "{head}");
    assert!(head.contains("x-amz-security-token: lent"), "{head}");
    let scope = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20260101/eu-west-1/bedrock/aws4_request";
    assert!(head.contains(scope), "{head}");
}

#[tokio::test]
async fn a_dropped_stream_closes_its_socket_at_once() {
    let server = Server::start(vec![stream(vec![Step::Send(words("one")), Step::UntilClosed])]).await;
    let transport = transport(&[]);
    let mut events = greet(&transport, route(&server.url("/v1")));
    soon(events.next()).await.unwrap();
    drop(events);
    soon(server.until_closed(1)).await;
}

#[tokio::test]
async fn a_stream_dropped_before_the_answer_closes_its_socket_too() {
    let server = Server::start(vec![vec![Step::UntilClosed]]).await;
    let mut events = greet(&transport(&[]), route(&server.url("/v1")));
    tokio::select! {
        event = events.next() => panic!("{event:?}"),
        () = server.until_requests(1) => {}
    }
    drop(events);
    soon(server.until_closed(1)).await;
}

#[tokio::test]
async fn nothing_is_sent_before_the_stream_is_polled() {
    let server = Server::start(vec![say("hi")]).await;
    drop(greet(&transport(&[]), route(&server.url("/v1"))));
    tokio::task::yield_now().await;
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn answers_and_requests_that_are_too_large_are_refused() {
    let server =
        Server::start(vec![stream(vec![Step::Send(words(&"a".repeat(5_000))), Step::UntilClosed])]).await;
    let limits = TransportLimits { response_bytes: 4_000, ..TransportLimits::default() };
    let (_clock, transport) = steered(limits);
    let fault = soon(fault_of(greet(&transport, route(&server.url("/v1"))))).await;
    assert_eq!(
        fault,
        ModelFault::new(FaultReason::TooLarge, "the answer is larger than the gateway accepts")
    );
    soon(server.until_closed(1)).await;

    let (_clock, transport) = steered(TransportLimits { request_bytes: 10, ..TransportLimits::default() });
    let fault = soon(fault_of(greet(&transport, route(&server.url("/v1"))))).await;
    assert_eq!((fault.reason, server.requests().len()), (FaultReason::TooLarge, 1));
}

#[tokio::test]
async fn an_explanation_without_end_is_read_as_far_as_we_take() {
    let head = "HTTP/1.1 400 Bad\r\ncontent-length: 100000000\r\n\r\n";
    let server =
        Server::start(vec![vec![Step::Send(format!("{head}{}", "x".repeat(200_000))), Step::UntilClosed]])
            .await;
    let fault = soon(fault_of(greet(&transport(&[]), route(&server.url("/v1"))))).await;
    assert_eq!((fault.reason, fault.status), (FaultReason::Format, Some(400)));
    soon(server.until_closed(1)).await;
}

#[tokio::test]
async fn a_redirect_to_another_server_is_not_followed() {
    let inside = Server::start(vec![say("secrets of the house")]).await;
    for location in
        [inside.url("/v1"), "http://169.254.169.254/latest".to_owned(), "http://10.0.0.1/".to_owned()]
    {
        for status in [301, 302, 303, 307, 308] {
            let server = Server::start(vec![refuse(status, &format!("location: {location}\r\n"), "")]).await;
            let fault = soon(fault_of(greet(&transport(&[]), route(&server.url("/v1"))))).await;
            assert_eq!((fault.reason, fault.status), (FaultReason::Format, Some(status)));
        }
    }
    assert_eq!(inside.connections(), 0);
}

#[tokio::test]
async fn a_redirect_on_the_same_server_is_followed_when_the_call_stays_the_same() {
    let server =
        Server::start(vec![refuse(307, "location: /v2/chat/completions\r\n", ""), say("there")]).await;
    let events = soon(all(greet(&transport(&[]), route(&server.url("/v1"))))).await;
    assert_eq!(super::words(&events), "there");
    assert!(server.requests()[1].starts_with("POST /v2/chat/completions "));

    let round = Server::start(vec![refuse(308, "location: /v1/chat/completions\r\n", "")]).await;
    let fault = soon(fault_of(greet(&transport(&[]), route(&round.url("/v1"))))).await;
    assert_eq!((fault.status, round.requests().len()), (Some(308), 4));
}

#[tokio::test]
async fn a_vendor_on_the_public_internet_is_not_called_in_the_house() {
    let server = Server::start(vec![say("hi")]).await;
    for base in
        [server.url("/v1"), format!("https://{}/v1", server.address()), "https://localhost/v1".to_owned()]
    {
        let route = ModelRoute { reach: ServerReach::Public, ..route(&base) };
        let fault = soon(fault_of(greet(&transport(&[]), route))).await;
        assert_eq!(fault.reason, FaultReason::Format, "{base}");
        assert!(fault.message.contains("models.providers"), "{fault}");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn an_address_that_is_none_is_a_fault() {
    for base in ["", "nonsense", "ftp://example.com", "https://:1", "unix:/tmp/x"] {
        let fault = soon(fault_of(greet(&transport(&[]), route(base)))).await;
        assert_eq!(fault.reason, FaultReason::Format, "{base}");
    }
}
