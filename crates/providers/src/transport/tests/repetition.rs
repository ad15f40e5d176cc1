//! What is tried again, on the wire.

use std::time::Duration;

use openclaw_ports::Clock;
use openclaw_ports::model::FaultReason;

use super::server::{Server, Step, refuse, say, stream, words};
use super::{all, fault_of, greet, route, soon, steered, while_time_passes};
use crate::transport::TransportLimits;

#[tokio::test]
async fn a_broken_server_is_asked_again_until_it_answers() {
    let server = Server::start(vec![refuse(503, "", "busy"), refuse(502, "", ""), say("at last")]).await;
    let (clock, transport) = steered(TransportLimits::default());
    let events = while_time_passes(&clock, all(greet(&transport, route(&server.url("/v1"))))).await;
    assert_eq!((super::words(&events).as_str(), server.requests().len()), ("at last", 3));
    let requests = server.requests();
    let bodies: Vec<&str> =
        requests.iter().map(|request| request.split_once("\r\n\r\n").unwrap().1).collect();
    assert!(bodies.iter().all(|body| *body == bodies[0]));
}

#[tokio::test]
async fn a_server_that_stays_broken_is_left_after_two_repetitions() {
    let server = Server::start(vec![refuse(500, "", "broken")]).await;
    let (clock, transport) = steered(TransportLimits::default());
    let fault = while_time_passes(&clock, fault_of(greet(&transport, route(&server.url("/v1"))))).await;
    assert_eq!(
        (fault.reason, fault.status, server.requests().len()),
        (FaultReason::Overloaded, Some(500), 3)
    );
}

#[tokio::test]
async fn a_short_wait_that_the_server_asks_for_is_kept() {
    let server = Server::start(vec![refuse(429, "retry-after: 2\r\n", "slow down"), say("thanks")]).await;
    let (clock, transport) = steered(TransportLimits::default());
    let events = while_time_passes(&clock, all(greet(&transport, route(&server.url("/v1"))))).await;
    assert_eq!(super::words(&events), "thanks");
    assert!(clock.elapsed() >= Duration::from_secs(2), "{:?}", clock.elapsed());
}

#[tokio::test]
async fn a_long_wait_goes_up_untouched() {
    let server = Server::start(vec![refuse(429, "retry-after: 60\r\n", "slow down"), say("never")]).await;
    let (_clock, transport) = steered(TransportLimits::default());
    let fault = soon(fault_of(greet(&transport, route(&server.url("/v1"))))).await;
    assert_eq!((fault.reason, fault.retry_after), (FaultReason::RateLimit, Some(Duration::from_secs(60))));
    assert_eq!(server.requests().len(), 1);
}

#[tokio::test]
async fn what_repetition_cannot_help_is_sent_once() {
    for status in [400, 401, 402, 403, 404, 413, 422, 429, 501] {
        let server = Server::start(vec![refuse(status, "", ""), say("never")]).await;
        let (_clock, transport) = steered(TransportLimits::default());
        let fault = soon(fault_of(greet(&transport, route(&server.url("/v1"))))).await;
        assert_eq!((fault.status, server.requests().len()), (Some(status), 1));
    }
}

#[tokio::test]
async fn an_overload_told_as_the_first_event_is_repeated() {
    let overload = "data: {\"error\":{\"code\":\"server_is_overloaded\",\"message\":\"busy\"}}\n\n";
    let server =
        Server::start(vec![stream(vec![Step::Send(overload.to_owned()), Step::Close]), say("now")]).await;
    let (clock, transport) = steered(TransportLimits::default());
    let events = while_time_passes(&clock, all(greet(&transport, route(&server.url("/v1"))))).await;
    assert_eq!((super::words(&events).as_str(), server.requests().len()), ("now", 2));
}

#[tokio::test]
async fn nothing_is_repeated_once_something_was_handed_on() {
    let cut = stream(vec![Step::Send(words("half")), Step::Close]);
    let server = Server::start(vec![cut, say("never")]).await;
    let (_clock, transport) = steered(TransportLimits::default());
    let fault = soon(fault_of(greet(&transport, route(&server.url("/v1"))))).await;
    assert_eq!((fault.reason, server.requests().len()), (FaultReason::Truncated, 1));
}

/// What a server does to a call, what the call ends in, and how often it was sent.
struct Break {
    name: &'static str,
    script: Vec<Step>,
    reason: FaultReason,
    status: Option<u16>,
    sent: usize,
}

#[tokio::test]
async fn what_broke_after_the_request_went_out_is_not_sent_again() {
    use FaultReason::{Overloaded, Truncated};
    let half_a_head = vec![Step::Send("HTTP/1.1 200 OK\r\ncontent-".to_owned()), Step::Close];
    let comment = vec![Step::Send(": wait\n\n".to_owned()), Step::Close];
    let row = |name, script, reason, status, sent| Break { name, script, reason, status, sent };
    let table = [
        row("closed without a word", vec![Step::Close], Truncated, None, 1),
        row("closed in the head", half_a_head, Truncated, None, 1),
        row("closed after the head", stream(vec![Step::Close]), Truncated, None, 1),
        row("closed before the first event", stream(comment), Truncated, None, 1),
        row("closed in the answer", stream(vec![Step::Send(words("half")), Step::Close]), Truncated, None, 1),
        row("turned away", refuse(503, "", "busy"), Overloaded, Some(503), 3),
    ];
    for Break { name, script, reason, status, sent } in table {
        let server = Server::start(vec![script]).await;
        let (clock, transport) = steered(TransportLimits::default());
        let fault = while_time_passes(&clock, fault_of(greet(&transport, route(&server.url("/v1"))))).await;
        assert_eq!((fault.reason, fault.status, server.requests().len()), (reason, status, sent), "{name}");
    }
}

#[tokio::test]
async fn a_connection_that_fails_before_anything_is_sent_is_made_again() {
    // Encryption does not come about: each connection is closed at once.
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let base = format!("https://{}/v1", listener.local_addr().unwrap());
    let (clock, transport) = steered(TransportLimits::default());
    let closing = async {
        let mut connections = 0;
        loop {
            drop(listener.accept().await.unwrap());
            connections += 1;
            if connections == 3 {
                std::future::pending::<()>().await;
            }
        }
    };
    let call = while_time_passes(&clock, fault_of(greet(&transport, route(&base))));
    let fault = tokio::select! {
        fault = call => fault,
        () = closing => unreachable!("it waits forever"),
    };
    assert_eq!((fault.reason, fault.status), (FaultReason::Network, None));
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_network_fault() {
    let server = Server::start(vec![say("never")]).await;
    let base = server.url("/v1");
    drop(server);
    let (clock, transport) = steered(TransportLimits::default());
    // The port is free once the task of the server is gone.
    tokio::task::yield_now().await;
    let fault = while_time_passes(&clock, fault_of(greet(&transport, route(&base)))).await;
    let message =
        "127.0.0.1 could not be connected to; check that it runs and can be reached (Connection refused";
    assert_eq!((fault.reason, fault.status), (FaultReason::Network, None));
    assert!(fault.message.starts_with(message), "{fault}");
}
