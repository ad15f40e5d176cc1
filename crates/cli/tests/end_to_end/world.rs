//! A home of its own for each test, the real binary, and gateways that are stopped when the test ends.
//!
//! Waiting is reading: a gateway is up when its line "listening on" has been read, within a deadline.

use std::fs;
use std::io::{BufRead, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Generous: the machine may be busy.
const DEADLINE: Duration = Duration::from_secs(60);

pub(crate) mod signal {
    pub(crate) use rustix::process::Signal;
    pub(crate) const KILL: Signal = Signal::KILL;
    pub(crate) const TERM: Signal = Signal::TERM;
}

pub(crate) struct World {
    home: tempfile::TempDir,
}

/// What a command did.
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Outcome {
    /// The output of a command that succeeded.
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, Some(0), "stdout: {}\nstderr: {}", self.stdout, self.stderr);
        self.stdout
    }

    pub(crate) fn ok_json(self) -> Value {
        serde_json::from_str(&self.ok()).expect("the output is JSON")
    }
}

impl World {
    pub(crate) fn new() -> Self {
        let world = Self { home: tempfile::tempdir().unwrap() };
        fs::create_dir(world.path("")).unwrap();
        world.set_mode("", 0o700);
        world
    }

    pub(crate) fn home(&self) -> &Path {
        self.home.path()
    }

    /// A path in the state directory.
    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        let root = self.home.path().join(".openclaw");
        if inside.is_empty() { root } else { root.join(inside) }
    }

    pub(crate) fn read(&self, inside: &str) -> String {
        fs::read_to_string(self.path(inside)).unwrap()
    }

    pub(crate) fn read_json(&self, inside: &str) -> Value {
        serde_json::from_str(&self.read(inside)).unwrap()
    }

    pub(crate) fn write(&self, inside: &str, text: &str) {
        fs::write(self.path(inside), text).unwrap();
        self.set_mode(inside, 0o600);
    }

    /// Writes a program.
    pub(crate) fn write_tool(&self, path: &Path, text: &str) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).unwrap();
    }

    pub(crate) fn mode(&self, inside: &str) -> u32 {
        fs::metadata(self.path(inside)).unwrap().permissions().mode() & 0o777
    }

    pub(crate) fn set_mode(&self, inside: &str, mode: u32) {
        fs::set_permissions(self.path(inside), fs::Permissions::from_mode(mode)).unwrap();
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        self.run_with(arguments, &[])
    }

    pub(crate) fn run_with(&self, arguments: &[&str], variables: &[(&str, &str)]) -> Outcome {
        let mut command = self.command(arguments);
        command.envs(variables.iter().copied());
        let output = command.output().unwrap();
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Runs a command with this text piped in.
    pub(crate) fn run_fed(&self, arguments: &[&str], text: &str) -> Outcome {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// Starts a gateway on a port of the system's choice and waits until it listens.
    pub(crate) fn start_gateway(&self, arguments: &[&str]) -> Gateway {
        let all: Vec<&str> =
            ["gateway", "--port", "0"].into_iter().chain(arguments.iter().copied()).collect();
        let mut child = self.command(&all).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let lines = lines_of(BufReader::new(child.stderr.take().unwrap()));
        let port = listening_port(&lines);
        Gateway { child: Mutex::new(child), port, lines: Mutex::new(lines) }
    }

    /// Starts a command that goes on, and gives its lines as they come.
    pub(crate) fn start(&self, arguments: &[&str]) -> Ongoing {
        let mut child = self.command(arguments).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let lines = lines_of(BufReader::new(child.stdout.take().unwrap()));
        Ongoing { child, lines }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_openclaw"));
        command
            .args(arguments)
            .env_clear()
            .env("HOME", self.home())
            .env("TMPDIR", self.home())
            .env("PATH", "/usr/bin:/bin")
            .env("NO_COLOR", "1")
            .stdin(Stdio::null());
        command
    }
}

/// Reads until a gateway says where it listens.
fn listening_port(lines: &Receiver<String>) -> u16 {
    let mut seen = String::new();
    loop {
        let Ok(line) = lines.recv_timeout(DEADLINE) else { panic!("the gateway did not start:\n{seen}") };
        seen.push_str(&line);
        seen.push('\n');
        if let Some((_, rest)) = line.split_once("listening on ") {
            return port_in(rest);
        }
    }
}

/// The lines of a stream, read on a thread of their own so that reading can have a deadline.
fn lines_of(stream: impl BufRead + Send + 'static) -> Receiver<String> {
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in stream.lines().map_while(Result::ok) {
            // The stream is read to its end even when nobody listens, so that the gateway never blocks on it.
            drop(send.send(line));
        }
    });
    lines
}

fn port_in(text: &str) -> u16 {
    let address = text.split([',', ' ']).next().unwrap();
    let digits = address.rsplit(':').next().unwrap().trim_end_matches('/');
    digits.parse().unwrap_or_else(|_| panic!("no port in {text:?}"))
}

/// A command that goes on; killed when dropped.
pub(crate) struct Ongoing {
    child: Child,
    lines: Receiver<String>,
}

impl Ongoing {
    /// Waits for the next line.
    pub(crate) fn line(&self) -> String {
        self.lines.recv_timeout(DEADLINE).expect("another line comes in time")
    }
}

impl Drop for Ongoing {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// A running gateway; killed when dropped.
pub(crate) struct Gateway {
    child: Mutex<Child>,
    port: u16,
    lines: Mutex<Receiver<String>>,
}

impl Gateway {
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.lock().unwrap().id()
    }

    pub(crate) fn send(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.pid()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Waits until it listens again, after a restart, and gives the new port.
    pub(crate) fn listens_again(&self) -> u16 {
        listening_port(&self.lines.lock().unwrap())
    }

    /// Asks it to stop and gives its exit code.
    pub(crate) fn stop(&self) -> Option<i32> {
        self.send(signal::TERM);
        self.exit_code()
    }

    /// Waits until it has ended; `None` when a signal ended it.
    pub(crate) fn exit_code(&self) -> Option<i32> {
        let status = self.child.lock().unwrap().wait().unwrap();
        assert!(status.code().is_some() || status.signal().is_some());
        status.code()
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        let mut child = self.child.lock().unwrap();
        if matches!(child.try_wait(), Ok(None)) {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

pub(crate) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}
