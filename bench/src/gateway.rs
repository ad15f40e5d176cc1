//! The measurements themselves, one after the other, on an otherwise idle machine.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::Context;
use bench::Row;

use crate::process::{Server, repeated};
use crate::rounds::{self, Socket};

const TOKEN: &str = "bench-token-bench-token";
const CALLS_ALONE: u32 = 20_000;
const CALLS_EACH_OF_MANY: u32 = 2_000;
const MANY: usize = 32;

pub(crate) async fn measure(binary: &Path) -> anyhow::Result<Vec<Row>> {
    let home = tempfile::tempdir()?;
    let mut rows = Vec::new();
    rows.push(Row::new("--version, CPU", repeated(binary, &["--version"], 100)?, "ms", "4"));
    start_up(binary, home.path(), &mut rows).await?;
    let gateway = start(binary, home.path())?;
    drop(rounds::gateway(gateway.port, TOKEN).await?);
    pause(Duration::from_secs(3)).await;
    rows.push(Row::new("idle resident memory", gateway.resident_megabytes()?, "MB", "20"));
    let echo = Server::start(Command::new(std::env::current_exe()?).arg("echo"))?;
    for (name, connections, each) in
        [("1 connection", 1, CALLS_ALONE), ("32 connections", MANY, CALLS_EACH_OF_MANY)]
    {
        let ours = series(&gateway, connections, each, Kind::Gateway).await?;
        let bare = series(&echo, connections, each, Kind::Echo).await?;
        rows.push(Row::new(format!("health, {name}"), ours.0, "calls/s", ""));
        rows.push(Row::new(format!("bare echo, {name}"), bare.0, "calls/s", ""));
        rows.push(Row::new(format!("echo ÷ health, {name}"), bare.0 / ours.0, "×", "1.5"));
        rows.push(Row::new(format!("CPU per health call, {name}"), ours.1, "µs", "15"));
        rows.push(Row::new(format!("CPU per bare echo, {name}"), bare.1, "µs", ""));
    }
    rows.push(Row::new("resident memory after the calls", gateway.resident_megabytes()?, "MB", ""));
    Ok(rows)
}

fn start(binary: &Path, home: &Path) -> anyhow::Result<Server> {
    let mut command = Command::new(binary);
    command.args(["gateway", "--port", "0", "--token", TOKEN]).env("HOME", home);
    command.env("OPENCLAW_STATE_DIR", home.join(".openclaw")).env_remove("OPENCLAW_CONFIG_PATH");
    Server::start(&mut command)
}

/// Spawn to `hello-ok`, several times on a warm state directory; the median counts.
async fn start_up(binary: &Path, home: &Path, rows: &mut Vec<Row>) -> anyhow::Result<()> {
    let (mut wall, mut cpu) = (Vec::new(), Vec::new());
    for _ in 0..9 {
        #[expect(clippy::disallowed_methods, reason = "a benchmark reads the clock")]
        let started = Instant::now();
        let server = start(binary, home)?;
        let socket = rounds::gateway(server.port, TOKEN).await?;
        wall.push(started.elapsed().as_secs_f64() * 1000.0);
        cpu.push(server.cpu_micros()? / 1000.0);
        drop(socket);
    }
    rows.push(Row::new("spawn to hello-ok, wall", median(wall)?, "ms", "60"));
    rows.push(Row::new("spawn to hello-ok, CPU", median(cpu)?, "ms", "20"));
    Ok(())
}

#[derive(Clone, Copy)]
enum Kind {
    Gateway,
    Echo,
}

/// Calls per second and processor time per call in microseconds.
async fn series(server: &Server, connections: usize, each: u32, kind: Kind) -> anyhow::Result<(f64, f64)> {
    let mut sockets: Vec<Socket> = Vec::new();
    for _ in 0..connections {
        sockets.push(match kind {
            Kind::Gateway => rounds::gateway(server.port, TOKEN).await?,
            Kind::Echo => rounds::plain(server.port).await?,
        });
    }
    pause(Duration::from_millis(300)).await;
    let before = server.cpu_micros()?;
    let series = rounds::run(sockets, each).await?;
    let cpu = server.cpu_micros()? - before;
    Ok((series.per_second, cpu / f64::from(series.calls)))
}

fn median(mut values: Vec<f64>) -> anyhow::Result<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().context("nothing was measured")
}

#[expect(clippy::disallowed_methods, reason = "a benchmark waits for a server to settle")]
async fn pause(span: Duration) {
    tokio::time::sleep(span).await;
}
