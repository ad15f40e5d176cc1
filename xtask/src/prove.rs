//! Proofs that take longer than CI has time for. CI runs a small sample of each with the other tests.

use clap::{Args, ValueEnum};

use crate::shell::{cargo, step};

#[derive(Args)]
pub(crate) struct Options {
    /// What to prove.
    proof: Proof,
}

#[derive(Clone, Copy, ValueEnum)]
enum Proof {
    /// Fifty first starts on 75 MB of the original's sessions, each with a client that asks at once, lose no message.
    FirstStart,
}

impl Proof {
    /// The test, and how often it runs, each time in a process of its own.
    fn test(self) -> (&'static str, &'static str, usize) {
        match self {
            Self::FirstStart => ("openclaw-app", "a_client_that_comes_before_a_large_import_ends", 50),
        }
    }
}

pub(crate) fn run_proof(options: &Options) -> anyhow::Result<()> {
    let (package, test, times) = options.proof.test();
    for time in 1..=times {
        step(&format!("{test}: {time} of {times}"));
        cargo(&["nextest", "run", "--release", "--locked", "-p", package, "--run-ignored", "all", test])?;
    }
    Ok(())
}
