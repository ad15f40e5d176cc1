//! What a thousand open streams hold in memory, counted by the allocator, and that a drop gives all of it back.
//!
//! A program of its own: the counts are of the whole process. The server is a few lines here, so that hardly
//! anything but the transport is counted.
#![expect(clippy::expect_used, reason = "a test fails loudly, at the line that is wrong")]

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::future::join_all;
use openclaw_config::Environment;
use openclaw_ports::model::{
    ApiName, Compatibility, ModelEvent, ModelLine, ModelRequest, ModelRoute, ModelStream, ModelTarget,
    ServerReach,
};
use openclaw_ports::{SystemClock, TaskScope};
use openclaw_providers::{Transport, TransportLimits};
use openclaw_testkit::CountingAllocator;
use openclaw_types::{ProviderId, Secret};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

const STREAMS: usize = 1_000;
/// The most that one open stream may hold, the server's side of it included.
const BYTES_EACH: usize = 64 * 1024;
/// What may be left of one that was dropped: room that tables keep.
const LEFT_EACH: usize = 1024;

const ANSWER: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n\
    data: {\"id\":\"a\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"start\"}}]}\n\n";

#[tokio::test]
async fn a_thousand_open_streams_stay_within_a_bound_and_give_everything_back() {
    let scope = TaskScope::root("server");
    let open = watch::Sender::new(0_usize);
    let address = serve(&scope, &open).await;
    let nothing: [(&str, &str); 0] = [];
    let transport = Transport::new(
        Arc::new(SystemClock::new()),
        &Environment::fake(nothing, "/"),
        TransportLimits::default(),
    );
    // The first call builds the client and reads certificates.
    begin(&transport, &address, 1).await;
    until_open(&open, 0).await;

    let before = CountingAllocator::start_peak();
    let streams = begin(&transport, &address, STREAMS).await;
    until_open(&open, STREAMS).await;
    let held = CountingAllocator::start_peak().saturating_sub(before) / STREAMS;
    drop(streams);
    until_open(&open, 0).await;
    // The client's own tasks end once they see their connections closed.
    for _ in 0..STREAMS {
        tokio::task::yield_now().await;
    }
    let left = CountingAllocator::start_peak().saturating_sub(before) / STREAMS;
    assert!(held > 0 && held <= BYTES_EACH, "an open stream holds {held} bytes, {BYTES_EACH} are allowed");
    assert!(left <= LEFT_EACH, "{left} bytes are left of each stream, {LEFT_EACH} are allowed");
    scope.cancel();
}

/// Opens streams and reads each up to its first words.
async fn begin(transport: &Transport, address: &str, count: usize) -> Vec<ModelStream> {
    let request = Arc::new(ModelRequest::asking("hello"));
    let opening = (0..count).map(|_| {
        let mut events = transport.open(request.clone(), route(address));
        async move {
            while let Some(event) = events.next().await {
                match event {
                    ModelEvent::Text { delta, .. } => {
                        assert_eq!(delta, "start");
                        break;
                    }
                    event => assert!(!event.is_end(), "{event:?}"),
                }
            }
            events
        }
    });
    join_all(opening).await
}

async fn until_open(open: &watch::Sender<usize>, count: usize) {
    open.subscribe().wait_for(|open| *open == count).await.expect("the sender is here");
}

/// Answers every call with the beginning of a stream, and counts the connections that are open.
async fn serve(scope: &TaskScope, open: &watch::Sender<usize>) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("loopback has a free port");
    let address = listener.local_addr().expect("a listener has an address").to_string();
    let (inner, open) = (scope.clone(), open.clone());
    scope.start_cancellable("accept", async move {
        while let Ok((socket, _)) = listener.accept().await {
            open.send_modify(|open| *open += 1);
            let open = open.clone();
            inner.start_cancellable("connection", async move {
                answer(socket).await;
                open.send_modify(|open| *open -= 1);
            });
        }
    });
    address
}

/// The request comes in one piece or a few; whatever comes after its head does not matter.
async fn answer(mut socket: TcpStream) {
    let mut told = false;
    let mut buffer = [0; 512];
    while socket.read(&mut buffer).await.is_ok_and(|read| read > 0) {
        if !told {
            told = true;
            if socket.write_all(ANSWER.as_bytes()).await.is_err() {
                return;
            }
        }
    }
}

fn route(address: &str) -> ModelRoute {
    ModelRoute {
        provider: ProviderId::new("many").expect("a fixed name is a name"),
        api: ApiName::OpenaiCompletions,
        target: ModelTarget {
            model: "m".to_owned(),
            base_url: format!("http://{address}/v1"),
            credential: Some(Secret::new("many-key".to_owned())),
            headers: std::collections::BTreeMap::new(),
            max_output_tokens: 1_000,
            context_window: 10_000,
            reasoning: false,
            sees_images: false,
            compatibility: Compatibility::default(),
        },
        aws: None,
        reach: ServerReach::Anywhere,
    }
}
