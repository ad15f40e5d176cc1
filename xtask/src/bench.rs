//! Builds the release binary and measures it.

use clap::Args;

use crate::shell::{cargo, command, root, run, step};

#[derive(Args)]
pub(crate) struct Options {
    /// Also writes the numbers as JSON into this file.
    #[arg(long)]
    json: Option<String>,
}

pub(crate) fn run_bench(options: &Options) -> anyhow::Result<()> {
    step("release build");
    cargo(&["build", "--release", "--locked", "-p", "openclaw", "-p", "bench"])?;
    step("measuring");
    let folder = target_folder()?.join("release");
    let mut measure = command(folder.join("bench"));
    measure.arg(folder.join("openclaw")).args(&options.json);
    run(&mut measure)
}

/// Where cargo puts what it builds.
pub(crate) fn target_folder() -> anyhow::Result<std::path::PathBuf> {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().current_dir(root()).exec()?;
    Ok(metadata.target_directory.into_std_path_buf())
}
