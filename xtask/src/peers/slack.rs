//! Slack as others wrote it: the simulator of the package `emulate`, with Slack's official client as the other side.
//!
//! Our account answers there over signed HTTP events (`crates/channels/tests/peer_slack.rs`); the person it talks to is
//! the official client, in `xtask/peers/slack.mjs`. Socket Mode and streams, which the simulator has not, are tested
//! against the fake of the test kit, which has to satisfy the official clients too (`xtask/peers/slack-socket.mjs`).

use std::path::Path;
use std::process::Command;

use anyhow::ensure;

use crate::bench::target_folder;
use crate::running::{Running, Says};
use crate::shell::{cargo_command, command, exists, root, run, step};

const PACKAGES: &str = r#"{ "private": true, "dependencies": { "emulate": "0.12.2", "@emulators/core": "0.6.1", "@slack/web-api": "8.2.0", "@slack/socket-mode": "3.1.0" } }"#;

/// Starts the simulator, where it can be installed.
pub(super) fn start(folder: &Path, left_out: &mut Vec<String>) -> Option<Running> {
    step("a server that others wrote: emulate's Slack, with the official client");
    match try_start(&folder.join("slack")) {
        Ok(running) => Some(running),
        Err(error) => {
            left_out.push(format!("emulate's Slack: {error:#}"));
            None
        }
    }
}

/// Runs our account against it, and the official clients against our fake.
pub(super) fn test(folder: &Path, running: &Running) -> anyhow::Result<()> {
    step("Slack's official clients against our fake");
    run(&mut cargo_command(&["build", "--locked", "-p", "openclaw-testkit", "--example", "slack_fake"]))?;
    let program = target_folder()?.join("debug/examples/slack_fake");
    let fake = Running::start(&mut Command::new(program), Says::Output)?;
    let mut clients = command("node");
    clients
        .arg(root().join("xtask/peers/slack-socket.mjs"))
        .env("PEER_FOLDER", folder.join("slack"))
        .env("FAKE_ROOT", &fake.address);
    run(&mut clients)?;
    step("our Slack account with the official client as the other side");
    let mut tests = cargo_command(&["nextest", "run", "--locked", "-p", "openclaw-channels"]);
    tests.args(["--profile", "peers", "--test", "peer_slack"]).env("OPENCLAW_PEER_SLACK", &running.address);
    run(&mut tests)
}

fn try_start(folder: &Path) -> anyhow::Result<Running> {
    let packages = folder.join("package.json");
    let complete = folder.join("node_modules/emulate/package.json").is_file()
        && folder.join("node_modules/@slack/web-api/package.json").is_file()
        && folder.join("node_modules/@slack/socket-mode/package.json").is_file();
    if !complete || std::fs::read_to_string(&packages)? != PACKAGES {
        ensure!(exists("npm", "--version"), "npm is not installed");
        std::fs::create_dir_all(folder)?;
        std::fs::write(packages, PACKAGES)?;
        let mut install = command("npm");
        run(install.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(folder))?;
    }
    let mut server = command("node");
    server.arg(root().join("xtask/peers/slack.mjs")).env("PEER_FOLDER", folder);
    Running::start(&mut server, Says::Output)
}
