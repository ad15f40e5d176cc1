//! What a message costs on its way through the spine: a platform in memory in, a scripted model, the same platform out.
//!
//! Over the SQLite stores in a folder of their own, without a gateway and without a network. Latency is what the spine
//! adds: the model answers at once. Called by `cargo xtask bench`.

mod world;

use anyhow::Context as _;
use bench::{Row, cpu_micros_of};
use openclaw_testkit::CountingAllocator;

use crate::world::World;

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator::new();

/// Messages that are answered one after the other.
const ALONE: usize = 300;
/// Messages of many people at once.
const TOGETHER: usize = 2_000;
/// People who write at once.
const PEOPLE: usize = 32;
/// Conversations that are known while memory is looked at.
const KNOWN: usize = 10_000;

fn main() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let rows = runtime.block_on(measure())?;
    bench::report(&rows, std::env::args().nth(1).as_deref())
}

async fn measure() -> anyhow::Result<Vec<Row>> {
    let home = tempfile::tempdir()?;
    let world = World::open(home.path()).await?;
    let mut rows = alone(&world).await?;
    rows.extend(together(&world).await?);
    rows.extend(known(&world).await?);
    world.close();
    Ok(rows)
}

/// One message at a time: from its arrival to the moment its answer is sent.
async fn alone(world: &World) -> anyhow::Result<Vec<Row>> {
    world.exchange("warm", 20, 1).await?;
    let mut spans = Vec::with_capacity(ALONE);
    let before = cpu_micros_of(std::process::id())?;
    for number in 0..ALONE {
        let began = world.elapsed();
        world.exchange(&format!("alone-{number}"), 1, 1).await?;
        spans.push((world.elapsed() - began).as_secs_f64() * 1000.0);
    }
    let cpu = (cpu_micros_of(std::process::id())? - before) / 1000.0 / ALONE as f64;
    spans.sort_by(f64::total_cmp);
    let at = |part: usize| spans.get(ALONE * part / 100).copied().context("nothing was measured");
    Ok(vec![
        Row::new("a message through the spine, added latency, median", at(50)?, "ms", "5"),
        Row::new("a message through the spine, added latency, 99 of 100", at(99)?, "ms", ""),
        Row::new("a message through the spine, CPU", cpu, "ms", ""),
    ])
}

/// Many people at once.
async fn together(world: &World) -> anyhow::Result<Vec<Row>> {
    let began = world.elapsed();
    world.exchange("together", TOGETHER, PEOPLE).await?;
    let rate = TOGETHER as f64 / (world.elapsed() - began).as_secs_f64();
    Ok(vec![Row::new("messages through the spine, 32 people at once", rate, "/s", "")])
}

/// Memory that conversations take which were answered once and rest.
async fn known(world: &World) -> anyhow::Result<Vec<Row>> {
    let before = CountingAllocator::start_peak();
    world.exchange("known", KNOWN, KNOWN).await?;
    world.forget_sent();
    let taken = CountingAllocator::start_peak().saturating_sub(before) as f64;
    Ok(vec![
        Row::new("memory of 10,000 known conversations", taken / 1024.0 / 1024.0, "MB", ""),
        Row::new("memory of one known conversation", taken / KNOWN as f64 / 1024.0, "KB", ""),
    ])
}
