//! Exports the shapes of protocol and configuration: JSON Schema for tools, TypeScript for the web page.
//!
//! The Rust types are the source; the files in `schemas/` are generated and committed, so that a change of the wire
//! shows in review. `cargo xtask check` fails when they are out of step.

mod typescript;

use std::path::PathBuf;

use anyhow::{Context, bail};
use clap::Args;
use serde_json::Value;

use crate::shell::root;

#[derive(Args)]
pub(crate) struct Options {
    /// Writes nothing; fails when a file is out of step.
    #[arg(long)]
    verify: bool,
}

impl Options {
    pub(crate) fn verifying() -> Self {
        Self { verify: true }
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<()> {
    let protocol = openclaw_protocol::schemas();
    let config = openclaw_config::GeneratedSchema::make();
    let files = [
        ("protocol.json", pretty(&protocol)?),
        ("protocol.ts", typescript::render(&protocol)),
        ("config.json", pretty(&config.whole)?),
        ("config-checked.json", by_type(&config.checked)),
    ];
    let mut stale = Vec::new();
    for (name, text) in files {
        let path = folder().join(name);
        let current = std::fs::read_to_string(&path).unwrap_or_default();
        if current == text {
            continue;
        }
        if options.verify {
            stale.push(name);
        } else {
            std::fs::create_dir_all(folder())?;
            std::fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
            eprintln!("   wrote schemas/{name}");
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    bail!("schemas/ is out of step ({}); run `cargo xtask schema` and commit the result", stale.join(", "))
}

fn folder() -> PathBuf {
    root().join("schemas")
}

/// A schema with a line for each of its types: small, since the program carries it, and still fit for review.
fn by_type(schema: &Value) -> String {
    let line = |(name, value): (&String, &Value)| format!("{name:?}: {value}");
    let fields = schema.as_object().into_iter().flatten().map(|field| match field {
        (name, Value::Object(types)) if name == "definitions" => {
            let types: Vec<String> = types.iter().map(line).collect();
            format!("{name:?}: {{\n{}\n}}", types.join(",\n"))
        }
        other => line(other),
    });
    format!("{{\n{}\n}}\n", fields.collect::<Vec<_>>().join(",\n"))
}

fn pretty(value: &Value) -> anyhow::Result<String> {
    Ok(serde_json::to_string_pretty(value)? + "\n")
}
