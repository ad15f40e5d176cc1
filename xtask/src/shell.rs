//! Running other programs and saying what is being done.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map(Path::to_owned).unwrap_or_default()
}

/// Says which step begins.
pub(crate) fn step(text: &str) {
    eprintln!("\n== {text}");
}

/// A command that runs in the root of the workspace.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    command
}

/// Runs cargo with these arguments and fails when it fails.
pub(crate) fn cargo(arguments: &[&str]) -> anyhow::Result<()> {
    run(&mut cargo_command(arguments))
}

/// Cargo with these arguments, not started yet.
pub(crate) fn cargo_command(arguments: &[&str]) -> Command {
    let mut cargo = command(env!("CARGO"));
    cargo.args(arguments);
    cargo
}

/// Runs a command and fails when it fails.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<()> {
    eprintln!("   {command:?}");
    let status = command.status().with_context(|| format!("{command:?} could not be started"))?;
    if !status.success() {
        bail!("{command:?} ended with {status}");
    }
    Ok(())
}

/// Whether a program can be started at all.
pub(crate) fn exists(program: &str, argument: &str) -> bool {
    Command::new(program).arg(argument).output().is_ok_and(|output| output.status.success())
}
