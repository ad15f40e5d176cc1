//! Every test, after installing what they need.

use clap::Args;

use crate::shell::{cargo, step};
use crate::{original, setup};

#[derive(Args)]
pub(crate) struct Options {
    /// Also connects the original clients (installed from npm into a scratch folder) to our gateway.
    #[arg(long)]
    original: bool,
    /// Handed on to the test runner, for example `-p openclaw-gateway`.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    rest: Vec<String>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    setup::for_tests()?;
    step("tests");
    let mut arguments = vec!["nextest", "run", "--locked"];
    if options.rest.is_empty() {
        arguments.push("--workspace");
    }
    arguments.extend(options.rest.iter().map(String::as_str));
    cargo(&arguments)?;
    if options.original {
        original::run_original()?;
    }
    Ok(())
}
