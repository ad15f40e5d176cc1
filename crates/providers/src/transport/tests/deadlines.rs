//! Each deadline, on a steered clock.

use std::time::Duration;

use futures_util::StreamExt;
use openclaw_ports::model::{FaultReason, ModelEvent, ModelFault};

use super::server::{Server, Step, stream, words};
use super::{fault_of, greet, route, soon, steered};
use crate::transport::TransportLimits;

const SECOND: Duration = Duration::from_secs(1);

fn timeout(message: &str) -> ModelFault {
    ModelFault::new(FaultReason::Timeout, message)
}

#[tokio::test]
async fn a_connection_that_does_not_come_about_in_time_is_a_network_fault() {
    // A server that takes the connection and never answers the greeting of encryption.
    let server = Server::start(vec![vec![Step::UntilClosed]]).await;
    let (clock, transport) = steered(TransportLimits { retries: 0, ..TransportLimits::default() });
    let base = format!("https://{}/v1", server.address());
    let call = fault_of(greet(&transport, route(&base)));
    let (fault, ()) = soon(async {
        tokio::join!(call, async {
            server.until_connections(1).await;
            clock.advance(15 * SECOND).await;
        })
    })
    .await;
    let message = "127.0.0.1 could not be connected to in time; check the network or the proxy";
    // Nothing was sent, so nothing can have been charged.
    assert_eq!(fault, ModelFault::new(FaultReason::Network, message));
}

#[tokio::test]
async fn a_server_that_never_answers_ends_in_a_timeout() {
    let server = Server::start(vec![vec![Step::UntilClosed]]).await;
    let (clock, transport) = steered(TransportLimits::default());
    let call = fault_of(greet(&transport, route(&server.url("/v1"))));
    let (fault, ()) = soon(async {
        tokio::join!(call, async {
            server.until_requests(1).await;
            clock.advance(120 * SECOND).await;
        })
    })
    .await;
    assert_eq!(fault, timeout("127.0.0.1 did not answer in time"));
    soon(server.until_closed(1)).await;
}

#[tokio::test]
async fn a_server_that_sends_only_a_head_ends_in_a_timeout() {
    let server = Server::start(vec![stream(vec![Step::UntilClosed])]).await;
    let (clock, transport) = steered(TransportLimits::default());
    let call = fault_of(greet(&transport, route(&server.url("/v1"))));
    let (fault, ()) = soon(async {
        tokio::join!(call, async {
            server.until_requests(1).await;
            // Lets the head arrive before time runs out.
            clock.advance(SECOND).await;
            clock.advance(119 * SECOND).await;
        })
    })
    .await;
    assert_eq!(fault, timeout("the server took the request and sent nothing in time"));
}

#[tokio::test]
async fn a_server_that_stops_midway_ends_in_a_timeout() {
    let server = Server::start(vec![stream(vec![Step::Send(words("one")), Step::UntilClosed])]).await;
    let (clock, transport) = steered(TransportLimits::default());
    let mut events = greet(&transport, route(&server.url("/v1")));
    until_words(&mut events).await;
    let (event, ()) = soon(async { tokio::join!(events.next(), clock.advance(120 * SECOND)) }).await;
    assert_eq!(event, Some(ModelEvent::Failed(timeout("the server stopped in the middle of the answer"))));
    assert_eq!(events.next().await, None);
    soon(server.until_closed(1)).await;
}

#[tokio::test]
async fn an_answer_that_goes_on_too_long_ends_in_a_timeout() {
    let server = Server::start(vec![stream(vec![Step::Send(words("one")), Step::UntilClosed])]).await;
    let (clock, transport) = steered(TransportLimits { total: 10 * SECOND, ..TransportLimits::default() });
    let mut events = greet(&transport, route(&server.url("/v1")));
    until_words(&mut events).await;
    let (event, ()) = soon(async { tokio::join!(events.next(), clock.advance(10 * SECOND)) }).await;
    assert_eq!(
        event,
        Some(ModelEvent::Failed(timeout("the answer took longer than the gateway waits in all")))
    );
}

#[tokio::test]
async fn a_reader_that_takes_its_time_is_no_idle_server() {
    let body = format!("{}{}", words("one "), words("two"));
    let server = Server::start(vec![stream(vec![
        Step::Send(body),
        Step::Gate,
        Step::Send(words(", three")),
        Step::UntilClosed,
    ])])
    .await;
    let (clock, transport) = steered(TransportLimits::default());
    let mut events = greet(&transport, route(&server.url("/v1")));
    // What came together is told together.
    assert_eq!(until_words(&mut events).await, "one two");
    clock.advance(600 * SECOND).await;
    server.open_gate();
    assert_eq!(until_words(&mut events).await, ", three");
}

/// Reads on to the next words.
async fn until_words(events: &mut openclaw_ports::model::ModelStream) -> String {
    soon(async {
        loop {
            match events.next().await.unwrap() {
                ModelEvent::Text { delta, .. } => return delta,
                event => assert!(!event.is_end(), "{event:?}"),
            }
        }
    })
    .await
}
