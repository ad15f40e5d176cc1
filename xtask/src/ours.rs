//! Our gateway with a scripted model behind it, running for clients that others wrote.
//!
//! The model is the server of the test kit; its rules are a file beside the clients' scripts. What it is asked is kept
//! in a file, so that a step can look at what a client's wish became.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;
use serde_json::{Value, json};

use crate::bench::target_folder;
use crate::running::{Running, Says};
use crate::shell::{cargo, root, step};

/// The secret that clients of such a gateway know.
pub(crate) const TOKEN: &str = "clients-of-others-token";

/// A gateway. It and its model end with this value.
pub(crate) struct Ours {
    gateway: Running,
    _model: Running,
    program: PathBuf,
    requests: PathBuf,
    home: PathBuf,
}

impl Ours {
    /// Builds both programs.
    pub(crate) fn build() -> anyhow::Result<()> {
        step("building our gateway and the scripted model");
        cargo(&["build", "--locked", "-p", "openclaw"])?;
        cargo(&["build", "--locked", "-p", "openclaw-testkit", "--example", "scripted_model"])
    }

    /// Starts both in a new home. `rules` is a file below `xtask`; `more` is added to the configuration.
    pub(crate) fn start(home: &Path, rules: &str, more: &Value) -> anyhow::Result<Self> {
        if home.exists() {
            std::fs::remove_dir_all(home)?;
        }
        let state = home.join(".openclaw");
        std::fs::create_dir_all(state.join("workspace"))?;
        let requests = home.join("requests.jsonl");
        let programs = target_folder()?.join("debug");
        let mut model = Command::new(programs.join("examples/scripted_model"));
        let model = Running::start(model.arg(root().join("xtask").join(rules)).arg(&requests), Says::Output)?;
        let mut config = configuration(&model.address);
        merge(&mut config, more);
        std::fs::write(state.join("openclaw.json"), format!("{config:#}"))?;
        let program = programs.join("openclaw");
        let mut gateway = Command::new(&program);
        // No model server of this machine is found by accident.
        gateway.args(["gateway", "--port", "0"]).env("OLLAMA_HOST", "127.0.0.1:1");
        gateway.env("HOME", home).env("TMPDIR", home);
        let gateway = Running::start(&mut gateway, Says::Errors)?;
        Ok(Self { gateway, _model: model, program, requests, home: home.to_owned() })
    }

    /// The port, which serves HTTP and WebSocket alike.
    pub(crate) fn port(&self) -> anyhow::Result<u16> {
        let address = &self.gateway.address;
        let port = address.rsplit_once(':').and_then(|(_, port)| port.trim_end_matches('/').parse().ok());
        port.with_context(|| format!("no port in {address}"))
    }

    /// Our own command line in the gateway's home.
    pub(crate) fn command_line(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.env("HOME", &self.home).env("TMPDIR", &self.home);
        command
    }

    /// The folder in which the agent works.
    pub(crate) fn workspace(&self) -> PathBuf {
        self.home.join(".openclaw/workspace")
    }

    /// The file with every request to the model so far, a line each.
    pub(crate) fn requests(&self) -> &Path {
        &self.requests
    }
}

fn configuration(model: &str) -> Value {
    let known = |id: &str| {
        json!({
            "id": id, "name": id, "contextWindow": 200_000, "maxTokens": 8_000,
            "reasoning": true, "input": ["text", "image"],
        })
    };
    json!({
        "gateway": { "mode": "local", "auth": { "token": TOKEN } },
        "agents": { "defaults": { "model": "scripted/small" } },
        "models": { "providers": { "scripted": {
            "baseUrl": format!("{model}/v1"),
            "api": "openai-completions",
            "apiKey": "key-of-the-scripted-model",
            "models": [known("small"), known("other")],
        } } },
    })
}

fn merge(into: &mut Value, more: &Value) {
    match (into, more) {
        (Value::Object(into), Value::Object(more)) => {
            for (name, value) in more {
                merge(into.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, more) => *into = more.clone(),
    }
}

#[cfg(test)]
mod tests;
