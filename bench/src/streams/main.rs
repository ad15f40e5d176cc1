//! What a thousand streams of models at once take: memory, events that get lost, and how soon a drop frees a socket.
//!
//! Against a scripted model server in the same process, through the transport that the gateway uses. Memory is
//! counted by the allocator and holds the server's side too. Called by `cargo xtask bench`.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail};
use bench::Row;
use futures_util::StreamExt;
use futures_util::future::{join_all, try_join_all};
use openclaw_config::Environment;
use openclaw_ports::SystemClock;
use openclaw_ports::model::{ApiName, ModelEvent, ModelLine, ModelRequest, ModelStream};
use openclaw_providers::{Gate, Script, Scripts, Transport, TransportLimits};
use openclaw_testkit::{CountingAllocator, ScriptedModelServer};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

const STREAMS: usize = 1_000;
const PIECES: usize = 50;
const API: ApiName = ApiName::OpenaiCompletions;

fn main() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let mut rows = Vec::new();
    runtime.block_on(whole(&mut rows))?;
    runtime.block_on(dropped(&mut rows))?;
    bench::report(&rows, std::env::args().nth(1).as_deref())
}

/// A thousand streams that all began, wait together, and then say the rest.
#[expect(clippy::cast_precision_loss, reason = "numbers for people")]
async fn whole(rows: &mut Vec<Row>) -> anyhow::Result<()> {
    let gate = Gate::new();
    let script = Script::new().in_pieces_of(1).say("s").hold(&gate).say("x".repeat(PIECES));
    let server = ScriptedModelServer::start(Scripts::new().otherwise(script)).await;
    let transport = transport();
    // The first call builds the client.
    drop(begin(&transport, &server).await?);
    server.until_open_streams(0).await;
    let before = CountingAllocator::start_peak();
    let streams = try_join_all((0..STREAMS).map(|_| begin(&transport, &server))).await?;
    let held = CountingAllocator::start_peak().saturating_sub(before);
    gate.open();
    let counts = join_all(streams.into_iter().map(said)).await;
    let lost: usize = counts.iter().map(|count| PIECES.abs_diff(*count)).sum();
    let each = held as f64 / 1024.0 / STREAMS as f64;
    rows.push(Row::new("1000 streams, memory each, server included", each, "kB", "96"));
    rows.push(Row::new("1000 streams, events lost", lost as f64, "", "0"));
    Ok(())
}

/// A thousand open streams that are dropped one after the other, each timed until the server sees it.
async fn dropped(rows: &mut Vec<Row>) -> anyhow::Result<()> {
    let script = Script::new().say("s").stall();
    let server = ScriptedModelServer::start(Scripts::new().otherwise(script)).await;
    let transport = transport();
    let mut streams = try_join_all((0..STREAMS).map(|_| begin(&transport, &server))).await?;
    let mut waits = Vec::new();
    while let Some(stream) = streams.pop() {
        #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
        let started = Instant::now();
        drop(stream);
        server.until_open_connections(streams.len()).await;
        waits.push(started.elapsed().as_secs_f64() * 1000.0);
    }
    waits.sort_by(f64::total_cmp);
    let late = waits.get(STREAMS * 99 / 100).context("nothing was measured")?;
    rows.push(Row::new("drop of a stream to its closed socket, p99", *late, "ms", "100"));
    Ok(())
}

/// A stream that was read up to its first words.
async fn begin(transport: &Transport, server: &ScriptedModelServer) -> anyhow::Result<ModelStream> {
    let mut events = transport.open(Arc::new(ModelRequest::asking("hello")), server.route(API, "gpt-4.1"));
    while let Some(event) = events.next().await {
        match event {
            ModelEvent::Text { .. } => return Ok(events),
            ModelEvent::Failed(fault) => bail!("a stream failed: {fault}"),
            _ => {}
        }
    }
    bail!("a stream ended before it began")
}

/// How many words came until the good end of a stream; none where it ended otherwise.
async fn said(mut events: ModelStream) -> usize {
    let mut count = 0;
    while let Some(event) = events.next().await {
        match event {
            ModelEvent::Text { .. } => count += 1,
            ModelEvent::Done(_) => return count,
            _ => {}
        }
    }
    0
}

fn transport() -> Transport {
    let nothing: [(&str, &str); 0] = [];
    let environment = Environment::fake(nothing, "/");
    Transport::new(Arc::new(SystemClock::new()), &environment, TransportLimits::default())
}
