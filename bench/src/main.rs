//! Measures the gateway: start, size, round trips and chat turns, beside a bare axum WebSocket echo server in the same run.
//!
//! Called by `cargo xtask bench` with the path of a release binary. Prints a table, and JSON when asked. Numbers of
//! one machine mean little; the ratios within one run do.

mod echo;
mod gateway;
mod process;
mod rounds;
mod turns;

use std::path::PathBuf;

use anyhow::{Context, bail};

use crate::turns::Length;

fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let usage =
        "usage: bench <path of openclaw> [json file] [--long | --turns=<n> | --pages=<n>] | bench echo";
    let first = arguments.next().context(usage)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    if first == "echo" {
        return runtime.block_on(echo::serve());
    }
    let binary = PathBuf::from(first);
    if !binary.is_file() {
        bail!("{} is not a file; build it with `cargo build --release`", binary.display());
    }
    let (options, files): (Vec<String>, Vec<String>) = arguments.partition(|one| one.starts_with("--"));
    if let [only] = &options[..]
        && let Some((what, number)) = only.split_once('=')
    {
        let rows = match what {
            "--turns" => runtime.block_on(turns::only(&binary, number.parse()?))?,
            "--pages" => runtime.block_on(turns::only_pages(&binary, number.parse()?))?,
            _ => bail!(usage),
        };
        return bench::report(&rows, files.first().map(String::as_str));
    }
    let length = match options.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => Length::Short,
        ["--long"] => Length::Whole,
        _ => bail!(usage),
    };
    let mut rows = runtime.block_on(gateway::measure(&binary))?;
    rows.extend(runtime.block_on(turns::measure(&binary, length))?);
    bench::report(&rows, files.first().map(String::as_str))
}
