//! The transport on real sockets, with time steered where a deadline is the point.

mod deadlines;
mod egress;
mod exchange;
mod many;
mod proxy;
mod repetition;
mod retry;
mod secrets;
pub(crate) mod server;
mod side_call;

use std::sync::Arc;
use std::time::Duration;

use futures_util::StreamExt;
use openclaw_config::Environment;
use openclaw_ports::model::{
    ApiName, ModelEvent, ModelFault, ModelLine, ModelRoute, ModelStream, ServerReach,
};
use openclaw_ports::{Clock, SystemClock};
use openclaw_testkit::SimClock;
use openclaw_types::ProviderId;

use super::{Transport, TransportLimits};
use crate::apis::samples;

/// A transport on a steered clock, without proxies.
fn steered(limits: TransportLimits) -> (Arc<SimClock>, Transport) {
    let clock = Arc::new(SimClock::new());
    let transport = Transport::new(clock.clone(), &environment(&[]), limits);
    (clock, transport)
}

/// A transport on a steered clock, with these variables.
fn steered_behind(variables: &[(&str, &str)]) -> (Arc<SimClock>, Transport) {
    let clock = Arc::new(SimClock::new());
    let transport = Transport::new(clock.clone(), &environment(variables), TransportLimits::default());
    (clock, transport)
}

/// A transport on the machine's clock.
fn transport(variables: &[(&str, &str)]) -> Transport {
    Transport::new(Arc::new(SystemClock::new()), &environment(variables), TransportLimits::default())
}

fn environment(variables: &[(&str, &str)]) -> Environment {
    Environment::fake(variables.iter().copied(), "/home/test")
}

/// A route to a compatible server that a person configured.
fn route(base_url: &str) -> ModelRoute {
    ModelRoute {
        provider: ProviderId::new("test").unwrap(),
        api: ApiName::OpenaiCompletions,
        target: samples::target("model", base_url),
        aws: None,
        reach: ServerReach::Anywhere,
    }
}

/// The stream of a short greeting.
fn greet(transport: &Transport, route: ModelRoute) -> ModelStream {
    transport.open(Arc::new(samples::request(vec![samples::hello()])), route)
}

/// All events of a stream, which must end exactly once.
async fn all(stream: ModelStream) -> Vec<ModelEvent> {
    let events: Vec<ModelEvent> = stream.collect().await;
    let ends: Vec<usize> = (0..events.len()).filter(|at| events[*at].is_end()).collect();
    assert_eq!(ends, [events.len() - 1], "one end, at the end: {events:?}");
    events
}

/// The fault a stream ends in.
async fn fault_of(stream: ModelStream) -> ModelFault {
    match all(stream).await.pop() {
        Some(ModelEvent::Failed(fault)) => fault,
        other => panic!("the stream ended in {other:?}"),
    }
}

/// The words of an answer that must be whole.
fn words(events: &[ModelEvent]) -> String {
    assert!(matches!(events.last(), Some(ModelEvent::Done(_))), "no whole answer: {events:?}");
    let deltas = events.iter().filter_map(|event| match event {
        ModelEvent::Text { delta, .. } => Some(delta.as_str()),
        _ => None,
    });
    deltas.collect()
}

/// Runs work while time passes, a little at a time so that sockets keep up.
async fn while_time_passes<T>(clock: &SimClock, work: impl Future<Output = T>) -> T {
    tokio::pin!(work);
    loop {
        // Advancing may be cut off: time then merely stands a little earlier.
        tokio::select! {
            biased;
            done = &mut work => return done,
            () = clock.advance(Duration::from_millis(50)) => {}
        }
    }
}

/// Fails a test that would hang.
pub(crate) async fn soon<T>(work: impl Future<Output = T>) -> T {
    let clock: &dyn Clock = &SystemClock::new();
    openclaw_ports::Deadline::after(clock, Duration::from_secs(30))
        .bound(clock, work)
        .await
        .expect("it hangs")
}
