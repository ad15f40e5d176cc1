//! How a command ends: the exit codes, in one place, and the last words on standard error.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | done |
//! | 1 | it failed, or what was checked is not in order |
//! | 2 | the command line cannot be understood, or asks for something this build does not do |

use std::io::ErrorKind;
use std::process::ExitCode;

use crate::print;

/// The same table for `--help`.
pub(crate) const HELP: &str =
    "Exit codes: 0 done, 1 failed or not in order, 2 the command line was not understood.";

/// How a command ended when no error stopped it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done.
    Done,
    /// What was looked at is not in order; the command has said so itself.
    NotInOrder,
}

/// The command line asks for something that cannot be.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Misuse(pub(crate) String);

/// Builds the error for a command line that cannot be served.
pub(crate) fn misuse(text: impl Into<String>) -> anyhow::Error {
    Misuse(text.into()).into()
}

/// Prints what stopped the command, if anything did, and gives the exit code.
pub(crate) fn finish(result: anyhow::Result<Exit>) -> ExitCode {
    match result {
        Ok(Exit::Done) => ExitCode::SUCCESS,
        Ok(Exit::NotInOrder) => ExitCode::from(1),
        // Whoever reads us has seen enough, as `head` does.
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            print::failure(&error);
            ExitCode::from(if error.is::<Misuse>() { 2 } else { 1 })
        }
    }
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
