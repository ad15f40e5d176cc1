//! The `openclaw` command: reads the command line, runs one command, says how it went.
//!
//! What a command does lives in `commands`; printing happens only in `print`.

mod agents;
mod arguments;
mod call;
mod commands;
mod context;
mod exit;
mod print;
mod service;
mod target;

#[cfg(test)]
mod tests;

fn main() -> std::process::ExitCode {
    exit::finish(commands::run(arguments::read()))
}
