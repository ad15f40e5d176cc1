//! A server under measurement: started, waited for by what it prints, read through `/proc`, killed at the end.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail, ensure};

/// A running server.
pub(crate) struct Server {
    child: Child,
    /// The port it said it listens on.
    pub(crate) port: u16,
}

impl Server {
    /// Starts a program and waits until it prints a line with `listening on …:<port>`.
    pub(crate) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let output = child.stderr.take().context("no output to read")?;
        let mut lines = BufReader::new(output).lines();
        let mut seen = Vec::new();
        while let Some(line) = lines.next().transpose()? {
            if let Some(port) = port_in(&line) {
                std::thread::spawn(move || lines.for_each(drop));
                return Ok(Self { child, port });
            }
            seen.push(line);
        }
        bail!("the server ended before it listened:\n{}", seen.join("\n"))
    }

    /// Asks it to end, and waits for that.
    pub(crate) fn end(mut self) -> anyhow::Result<()> {
        let asked = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status()?;
        ensure!(asked.success(), "the server could not be asked to end");
        self.child.wait()?;
        Ok(())
    }

    /// Time on the processor of all its threads so far, in microseconds.
    pub(crate) fn cpu_micros(&self) -> anyhow::Result<f64> {
        bench::cpu_micros_of(self.child.id())
    }

    /// Resident memory in megabytes.
    pub(crate) fn resident_megabytes(&self) -> anyhow::Result<f64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
        let kilobytes: f64 = line.split_whitespace().nth(1).context("no number")?.parse()?;
        Ok(kilobytes / 1024.0)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if self.child.kill().is_ok() {
            drop(self.child.wait());
        }
    }
}

/// The port in a line such as `listening on ws://127.0.0.1:18789, …`: the first number behind a colon.
fn port_in(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("listening on ")?;
    rest.split(':')
        .skip(1)
        .find_map(|part| part.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok())
}

/// Runs a command often and gives its processor time per run in milliseconds, as the system counted it.
pub(crate) fn repeated(binary: &Path, arguments: &[&str], times: u32) -> anyhow::Result<f64> {
    let before = children_ticks()?;
    for _ in 0..times {
        let status =
            Command::new(binary).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status()?;
        if !status.success() {
            bail!("{} {} failed", binary.display(), arguments.join(" "));
        }
    }
    let ticks = children_ticks()? - before;
    Ok(ticks as f64 * 10.0 / f64::from(times))
}

/// Processor time of ended children in ticks of 10 ms.
fn children_ticks() -> anyhow::Result<u64> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, after_name) = stat.rsplit_once(") ").context("unknown form of /proc/self/stat")?;
    let fields: Vec<&str> = after_name.split(' ').collect();
    let field = |index: usize| fields.get(index).and_then(|text| text.parse::<u64>().ok()).unwrap_or(0);
    Ok(field(13) + field(14))
}
