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

/// A test that is one run of a proof.
struct ProofTest {
    package: &'static str,
    binary: &'static str,
    name: &'static str,
    /// How often it runs, each time in a process of its own.
    times: usize,
}

impl Proof {
    fn test(self) -> ProofTest {
        match self {
            Self::FirstStart => ProofTest {
                package: "openclaw-app",
                binary: "lifecycle",
                name: "a_client_that_comes_before_a_large_import_ends",
                times: 50,
            },
        }
    }
}

pub(crate) fn run_proof(options: &Options) -> anyhow::Result<()> {
    let ProofTest { package, binary, name, times } = options.proof.test();
    for time in 1..=times {
        step(&format!("{name}: {time} of {times}"));
        let test = ["-p", package, "--test", binary, "--run-ignored", "all", name];
        cargo(&[&["nextest", "run", "--release", "--locked"], test.as_slice()].concat())?;
    }
    Ok(())
}
