//! Project chores, one file each: everything that is done to the code rather than by it.
//!
//! `check` and `test` are what CI runs; a person runs the same commands. Chores print for people and exit with 1 when
//! something is wrong.

mod bench;
mod check;
mod deny;
mod fuzz;
mod leftovers;
mod original;
mod ours;
mod peers;
mod prove;
mod running;
mod schema;
mod setup;
mod shell;
mod test;
mod tidy;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Project chores")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Subcommand)]
enum Chore {
    /// Formatting, lints, tidy, schema drift, licences: what must hold for every commit.
    Check,
    /// The layer table, sizes, names and documents.
    Tidy,
    /// Writes the JSON Schema and TypeScript types of protocol and configuration.
    Schema(schema::Options),
    /// Licences, sources and banned crates.
    Deny,
    /// Installs what the tests need, then runs every test.
    Test(test::Options),
    /// Runs the tests with servers and SDKs that others wrote, and nothing else.
    Peers,
    /// Searches the decoders for inputs that break a promise.
    Fuzz(fuzz::Options),
    /// Runs a proof that is too long for CI.
    Prove(prove::Options),
    /// Measures start, size and speed, and prints a table.
    Bench(bench::Options),
}

fn main() -> ExitCode {
    match run(Arguments::parse().chore) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n{}", error.chain().map(ToString::to_string).collect::<Vec<_>>().join(": "));
            ExitCode::FAILURE
        }
    }
}

fn run(chore: Chore) -> anyhow::Result<()> {
    match chore {
        Chore::Check => check::run(),
        Chore::Tidy => tidy::run(),
        Chore::Schema(options) => schema::run(&options),
        Chore::Deny => deny::run(),
        Chore::Test(options) => test::run_tests(&options),
        Chore::Peers => peers::run_peers(peers::Peers::Required),
        Chore::Fuzz(options) => fuzz::run_fuzz(&options),
        Chore::Prove(options) => prove::run_proof(&options),
        Chore::Bench(options) => bench::run_bench(&options),
    }
}
