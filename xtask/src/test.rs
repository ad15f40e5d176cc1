//! Every test, after installing what they need.

use clap::Args;

use crate::bench::target_folder;
use crate::leftovers::Leftovers;
use crate::peers::{self, Peers};
use crate::shell::{cargo_command, run, step};
use crate::{fuzz, original, setup};

#[derive(Args)]
pub(crate) struct Options {
    /// Also connects the original clients (installed from npm into a scratch folder) to our gateway.
    #[arg(long)]
    original: bool,
    /// Fails when a server that others wrote cannot be installed, instead of leaving its tests out.
    #[arg(long, conflicts_with = "no_peers")]
    peers: bool,
    /// Leaves out the tests against servers that others wrote; nothing is downloaded for them.
    #[arg(long)]
    no_peers: bool,
    /// Leaves out the short search of the decoders.
    #[arg(long)]
    no_fuzz: bool,
    /// Handed on to the test runner, for example `-p openclaw-gateway`; only these tests run then.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

pub(crate) fn run_tests(options: &Options) -> anyhow::Result<()> {
    setup::for_tests()?;
    let everything = options.rest.is_empty();
    if everything {
        run_watched()?;
    } else {
        step("tests");
        run(cargo_command(&["nextest", "run", "--locked"]).args(&options.rest))?;
    }
    if options.peers || (everything && !options.no_peers) {
        peers::run_peers(if options.peers { Peers::Required } else { Peers::Wanted })?;
    }
    if everything && !options.no_fuzz {
        fuzz::run_fuzz(&fuzz::Options::short())?;
    }
    if options.original {
        original::run_original()?;
    }
    Ok(())
}

/// All tests, and then a look at everything they left behind.
fn run_watched() -> anyhow::Result<()> {
    step("building the tests");
    let all = ["nextest", "run", "--locked", "--workspace"];
    run(cargo_command(&all).arg("--no-run"))?;
    // The tests of the search itself leak on purpose, so they are not watched.
    step("tests of these chores");
    run(cargo_command(&all).args(["-E", "package(xtask)"]))?;
    let target_folder = target_folder()?;
    let watch = Leftovers::watch(&target_folder)?;
    step("tests");
    let mut tests = cargo_command(&all);
    tests.args(["-E", "not package(xtask)"]);
    if let Some(watch) = &watch {
        watch.apply(&mut tests);
    }
    run(&mut tests)?;
    match watch {
        Some(watch) => watch.check(&[target_folder.join("nextest/default/junit.xml")]),
        None => Ok(()),
    }
}
