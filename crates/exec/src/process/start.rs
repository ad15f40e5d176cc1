//! Starts a command: in a group of its own, with a listed environment, on one pipe for both outputs or on a terminal.
//!
//! A child gets its own group, so that it can be ended with everything it started, and none of our file handles.
//! Whether it may run was decided before; `watch` follows it. The table calls this.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;
use tokio::process::Child;

use super::signal::{Family, MARK};

/// What is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Launch {
    /// A text for the shell.
    Shell(String),
    /// A program with its words; the first is the name it is called by.
    Words(PathBuf, Vec<String>),
}

/// How a command gets its input and output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Wiring {
    /// No input.
    NoInput,
    /// Input can be written.
    OpenInput,
    /// A terminal.
    Terminal,
}

/// What a child is started with.
pub(super) struct Setting<'a> {
    pub(super) launch: &'a Launch,
    pub(super) workdir: &'a PathBuf,
    pub(super) variables: &'a BTreeMap<String, String>,
    pub(super) wiring: Wiring,
}

/// A child that runs.
pub(super) struct Started {
    pub(super) child: Child,
    pub(super) reader: Box<dyn AsyncRead + Send + Unpin>,
    pub(super) input: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    pub(super) family: Family,
}

const ROWS: u16 = 40;
const COLUMNS: u16 = 120;

/// Starts it. The text of the error says what to do.
pub(super) fn start(setting: &Setting<'_>) -> Result<Started, String> {
    let mark = uuid::Uuid::new_v4().to_string();
    match setting.wiring {
        Wiring::Terminal => on_terminal(setting, mark),
        Wiring::NoInput | Wiring::OpenInput => on_pipes(setting, mark),
    }
}

fn on_pipes(setting: &Setting<'_>, mark: String) -> Result<Started, String> {
    let failed = |error: std::io::Error| format!("the command could not be started: {error}");
    let (reader, writer) = std::io::pipe().map_err(failed)?;
    let errors = writer.try_clone().map_err(failed)?;
    let (program, words, name) = parts(setting.launch);
    let mut command = tokio::process::Command::new(program);
    if let Some(name) = name {
        command.arg0(name);
    }
    command
        .args(words)
        .env_clear()
        .envs(setting.variables)
        .env(MARK, &mark)
        .current_dir(setting.workdir)
        .process_group(0)
        .stdin(if setting.wiring == Wiring::OpenInput { Stdio::piped() } else { Stdio::null() })
        .stdout(writer)
        .stderr(errors)
        .kill_on_drop(true);
    let mut child = command.spawn().map_err(failed)?;
    // The command holds our ends of the pipe; they have to go for the end of the output to be seen.
    drop(command);
    let reader = pipe::Receiver::from_owned_fd(reader.into()).map_err(failed)?;
    let input = child.stdin.take().map(|input| Box::new(input) as Box<dyn AsyncWrite + Send + Unpin>);
    Ok(Started { family: Family::new(child.id(), mark), child, reader: Box::new(reader), input })
}

fn on_terminal(setting: &Setting<'_>, mark: String) -> Result<Started, String> {
    let failed = |error: pty_process::Error| {
        format!("no terminal could be opened for the command: {error}. Run it without pty")
    };
    let (terminal, side) = pty_process::open().map_err(failed)?;
    terminal.resize(pty_process::Size::new(ROWS, COLUMNS)).map_err(failed)?;
    let (program, words, name) = parts(setting.launch);
    let mut command = pty_process::Command::new(program)
        .args(words)
        .env_clear()
        .env("TERM", "xterm-256color")
        .envs(setting.variables)
        .env(MARK, &mark)
        .current_dir(setting.workdir)
        .kill_on_drop(true);
    if let Some(name) = name {
        command = command.arg0(name);
    }
    let child = command.spawn(side).map_err(failed)?;
    let (reader, writer) = terminal.into_split();
    Ok(Started {
        family: Family::new(child.id(), mark),
        child,
        reader: Box::new(reader),
        input: Some(Box::new(writer)),
    })
}

fn parts(launch: &Launch) -> (PathBuf, Vec<String>, Option<String>) {
    match launch {
        Launch::Shell(text) => {
            (PathBuf::from("/bin/sh"), ["-c", "--", text].map(str::to_owned).to_vec(), None)
        }
        Launch::Words(program, words) => {
            (program.clone(), words.iter().skip(1).cloned().collect(), words.first().cloned())
        }
    }
}
