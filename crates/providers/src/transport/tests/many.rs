//! A thousand streams in one process.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::join_all;
use openclaw_ports::model::ModelEvent;

use super::server::{END, Server, Step, stream, words};
use super::{all, greet, route, soon, transport};

const STREAMS: usize = 1_000;
const PIECES: usize = 20;

#[tokio::test]
async fn a_thousand_streams_at_once_lose_no_event() {
    let pieces: String = (0..PIECES).map(|piece| words(&format!("{piece} "))).collect();
    let script = stream(vec![Step::Send(words("start ")), Step::Gate, Step::Send(pieces + END), Step::Close]);
    let server = Server::start(vec![script]).await;
    let transport = transport(&[]);
    let before = resident_kilobytes();
    let mut open = Vec::new();
    for _ in 0..STREAMS {
        let mut events = greet(&transport, route(&server.url("/v1")));
        open.push(async move {
            let mut seen = Vec::new();
            while !matches!(seen.last(), Some(ModelEvent::Text { .. })) {
                seen.push(events.next().await.unwrap());
            }
            (seen, events)
        });
    }
    // Every stream has begun, and none can have ended.
    let begun = soon(join_all(open)).await;
    assert_eq!(server.connections(), STREAMS);
    println!("{STREAMS} open streams: {} kB more resident, server included", resident_kilobytes() - before);
    server.open_gate();
    let ends = begun.into_iter().map(|(mut seen, events)| async move {
        seen.extend(all(events).await);
        seen
    });
    let expected: String =
        std::iter::once("start ".to_owned()).chain((0..PIECES).map(|piece| format!("{piece} "))).collect();
    for events in soon(join_all(ends)).await {
        assert_eq!(super::words(&events), expected);
    }
}

#[tokio::test]
async fn a_thousand_dropped_streams_free_their_sockets() {
    let server = Server::start(vec![stream(vec![Step::Send(words("start")), Step::UntilClosed])]).await;
    let transport = Arc::new(transport(&[]));
    let open = (0..STREAMS).map(|_| {
        let mut events = greet(&transport, route(&server.url("/v1")));
        async move {
            events.next().await.unwrap();
            events
        }
    });
    let open = soon(join_all(open)).await;
    drop(open);
    soon(server.until_closed(STREAMS)).await;
}

/// What the process holds in memory.
fn resident_kilobytes() -> i64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
}
