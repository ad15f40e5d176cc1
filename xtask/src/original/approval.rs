//! A command that needs a person, approved or denied with the original's command line.
//!
//! That command line shows no questions by itself; a listener beside it tells which question came.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use anyhow::{Context, ensure};
use serde_json::{Value, json};

use super::cli::ended;
use super::{Step, World};
use crate::ours::TOKEN;
use crate::shell::root;

const QUESTION: &str = "Please ask before you run it";

pub(super) const STEPS: &[Step] = &[
    Step { name: "exec.approval.resolve: an approved command runs", run: approves },
    Step { name: "exec.approval.resolve: a denied command does not run", run: denies },
    Step { name: "exec.approval.request: another program's question is answered", run: answers_another },
];

fn approves(world: &World) -> anyhow::Result<String> {
    decided(world, "allow-once", "The command ran after a person was asked.")
}

fn denies(world: &World) -> anyhow::Result<String> {
    decided(world, "deny", "The person does not want that.")
}

fn decided(world: &World, decision: &str, wanted: &str) -> anyhow::Result<String> {
    let mut listener = Listener::start(world)?;
    let asking = world.cli.begin(&["agent", "--agent", "main", "--message", QUESTION])?;
    let question = listener.next()?;
    let command = &question["request"]["command"];
    ensure!(command == "printf 'asked %s' first", "{question:#}");
    resolve(world, &question["id"], decision)?;
    let text = ended(asking)?;
    ensure!(text.trim().ends_with(wanted), "printed:\n{text}");
    Ok(format!("{command}: {}", text.trim()))
}

fn answers_another(world: &World) -> anyhow::Result<String> {
    let mut listener = Listener::start(world)?;
    let params = json!({"id": "asked-by-hand", "command": "rm -r build", "timeoutMs": 60_000}).to_string();
    let arguments =
        ["gateway", "call", "exec.approval.request", "--params", &params, "--json", "--timeout", "60000"];
    let asking = world.cli.begin(&arguments)?;
    let question = listener.next()?;
    ensure!(
        question["id"] == "asked-by-hand" && question["request"]["command"] == "rm -r build",
        "{question:#}"
    );
    resolve(world, &question["id"], "allow-once")?;
    let text = ended(asking)?;
    ensure!(text.contains("\"decision\": \"allow-once\""), "printed:\n{text}");
    Ok("allow-once".to_owned())
}

fn resolve(world: &World, id: &Value, decision: &str) -> anyhow::Result<()> {
    let answer = world.cli.call("exec.approval.resolve", &json!({"id": id, "decision": decision}))?;
    ensure!(answer == json!({"ok": true}), "{answer:#}");
    Ok(())
}

/// Hears which questions come. Ends with this value.
struct Listener {
    program: Child,
    lines: std::io::Lines<BufReader<std::process::ChildStdout>>,
}

impl Listener {
    /// Starts it and waits until it hears.
    fn start(world: &World) -> anyhow::Result<Self> {
        let mut node = world.cli.node();
        node.arg(root().join("xtask/original/approval-requests.mjs"))
            .env("GATEWAY_ADDRESS", format!("ws://127.0.0.1:{}", world.ours.port()?))
            .env("GATEWAY_TOKEN", TOKEN);
        let mut program = node.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let output = program.stdout.take().context("the listener has no output")?;
        let mut listener = Self { program, lines: BufReader::new(output).lines() };
        let first = listener.next()?;
        ensure!(first == json!({"listening": true}), "the listener said {first}");
        Ok(listener)
    }

    fn next(&mut self) -> anyhow::Result<Value> {
        let line = self.lines.next().context("the listener ended before a question came")??;
        serde_json::from_str(&line).with_context(|| format!("the listener said {line}"))
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        if self.program.kill().is_ok() {
            drop(self.program.wait());
        }
    }
}
