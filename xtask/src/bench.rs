//! Builds release binaries and measures them.

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use clap::Args;

use crate::shell::{cargo, command, root, run, step};

#[derive(Args)]
pub(crate) struct Options {
    /// Also writes the numbers as JSON into this file.
    #[arg(long)]
    json: Option<String>,
    /// Measures the decoders of the model protocols alone; the gateway is not built.
    #[arg(long)]
    decoders: bool,
    /// Makes the 10,000 turns that the budget of memory names, which takes minutes, instead of 2,000.
    #[arg(long)]
    long: bool,
}

pub(crate) fn run_bench(options: &Options) -> anyhow::Result<()> {
    step("release build");
    let mut build = vec!["build", "--release", "--locked", "-p", "bench"];
    if !options.decoders {
        build.extend(["-p", "openclaw"]);
    }
    cargo(&build)?;
    let folder = target_folder()?.join("release");
    let mut rows = Vec::new();
    if !options.decoders {
        step("measuring the gateway");
        let mut program = command(folder.join("bench"));
        program.arg(folder.join("openclaw"));
        if options.long {
            program.arg("--long");
        }
        rows.extend(measured(&mut program, &folder)?);
    }
    step("measuring the decoders");
    rows.extend(measured(&mut command(folder.join("bench-decoders")), &folder)?);
    if !options.decoders {
        step("measuring long conversations");
        rows.extend(measured(&mut command(folder.join("bench-sessions")), &folder)?);
        step("measuring streams of models");
        rows.extend(measured(&mut command(folder.join("bench-streams")), &folder)?);
        step("measuring messages through the spine");
        rows.extend(measured(&mut command(folder.join("bench-spine")), &folder)?);
    }
    if let Some(path) = &options.json {
        let text = serde_json::to_string_pretty(&rows)?;
        std::fs::write(path, text).with_context(|| format!("{path} cannot be written"))?;
    }
    Ok(())
}

/// Runs a measuring program, which prints its table, and gives its numbers.
fn measured(program: &mut Command, folder: &Path) -> anyhow::Result<Vec<serde_json::Value>> {
    let file = folder.join("bench.json");
    run(program.arg(&file))?;
    Ok(serde_json::from_slice(&std::fs::read(file)?)?)
}

/// Where cargo puts what it builds.
pub(crate) fn target_folder() -> anyhow::Result<std::path::PathBuf> {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().current_dir(root()).exec()?;
    Ok(metadata.target_directory.into_std_path_buf())
}
