//! Searches the decoders for inputs that break a promise, with coverage guidance, for a fixed time.
//!
//! The engine is libFuzzer, built on the stable toolchain: `fuzz/instrument.sh` puts counters into the code that is
//! searched, everything else comes from the builds of the tests. What a search learns stays below the target folder;
//! `--keep` writes the smallest set of inputs that reaches the same code into `fuzz/corpus`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail, ensure};
use clap::Args;

use crate::bench::target_folder;
use crate::shell::{cargo_command, command, root, run, step};

/// Inputs longer than this are not tried; recorded answers are a few thousand bytes.
const MAX_INPUT: usize = 8192;
/// Inputs that are kept are shorter, so that the corpus stays small.
const MAX_KEPT: u64 = 384;

#[derive(Args)]
pub(crate) struct Options {
    /// How long each target is searched.
    #[arg(long, default_value_t = 8)]
    seconds: u32,
    /// Writes what was learnt into the corpus of the checkout.
    #[arg(long)]
    keep: bool,
    /// The targets, for example `ollama`; all of them when none is named.
    targets: Vec<String>,
}

impl Options {
    /// A short search of everything, as CI does it.
    pub(crate) fn short() -> Self {
        Self { seconds: 8, keep: false, targets: Vec::new() }
    }
}

pub(crate) fn run_fuzz(options: &Options) -> anyhow::Result<()> {
    step("building the fuzz targets");
    let mut build = cargo_command(&["build", "--locked", "-p", "fuzz", "--features", "libfuzzer", "-j1"]);
    run(build.env("RUSTC_WORKSPACE_WRAPPER", root().join("fuzz/instrument.sh")))?;
    let search = Search { target_folder: target_folder()?, seconds: options.seconds };
    let known = targets()?;
    for name in &options.targets {
        ensure!(known.contains(name), "there is no target {name}; there are {}", known.join(", "));
    }
    let chosen = if options.targets.is_empty() { &known } else { &options.targets };
    step(&format!("searching {} targets for {} s each", chosen.len(), options.seconds));
    let mut failures = Vec::new();
    for name in chosen {
        let outcome = search.run(name);
        eprintln!(
            "   {} {name}: {}",
            if outcome.is_ok() { "ok  " } else { "FAIL" },
            outcome.as_deref().unwrap_or("see below")
        );
        failures.extend(outcome.err().map(|error| format!("{name}: {error:#}")));
    }
    ensure!(failures.is_empty(), "{}", failures.join("\n\n"));
    if options.keep {
        step("keeping the smallest set of inputs");
        chosen.iter().try_for_each(|name| search.keep(name))?;
    }
    Ok(())
}

/// The targets are the folders of the corpus; a test of the fuzz crate holds the two together.
fn targets() -> anyhow::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(root().join("fuzz/corpus")).context("the corpus is missing")? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

struct Search {
    target_folder: PathBuf,
    seconds: u32,
}

impl Search {
    /// Searches one target and says how far it came.
    fn run(&self, name: &str) -> anyhow::Result<String> {
        let (learnt, found) = (self.folder("corpus", name)?, self.folder("artifacts", name)?);
        let mut search = self.engine(name);
        search
            .arg(format!("-max_total_time={}", self.seconds))
            .arg(format!("-max_len={MAX_INPUT}"))
            .args(["-timeout=10", "-rss_limit_mb=1024", "-print_final_stats=1"])
            .arg(format!("-dict={}", root().join("fuzz/words.dict").display()))
            .arg(format!("-artifact_prefix={}/", found.display()))
            .arg(&learnt)
            .args(self.seeds(name));
        let output = search.output().with_context(|| format!("{search:?} could not be started"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            let tail: Vec<&str> = text.lines().rev().take(40).collect();
            let tail: Vec<&str> = tail.into_iter().rev().collect();
            bail!(
                "a promise was broken; the input is in {}. Put it into fuzz/corpus/{name} with the fix.\n{}",
                found.display(),
                tail.join("\n")
            );
        }
        summary(&text).context("libFuzzer did not say how far it came")
    }

    /// Replaces what searches left in the corpus by the smallest set of short inputs that reaches what the recorded
    /// answers do not. Inputs that a person named stay.
    fn keep(&self, name: &str) -> anyhow::Result<()> {
        let kept = root().join("fuzz/corpus").join(name);
        let fresh = self.folder("kept", name)?;
        std::fs::remove_dir_all(&fresh)?;
        std::fs::create_dir_all(&fresh)?;
        for recorded in self.seeds(name).iter().filter(|folder| **folder != kept) {
            copy(recorded, &fresh, |_, _| true)?;
        }
        let mut merge = self.engine(name);
        merge.args(["-set_cover_merge=1", "-verbosity=0"]).arg(format!("-max_len={MAX_INPUT}"));
        run(merge.arg(&fresh).arg(&kept).arg(self.folder("corpus", name)?))?;
        for entry in std::fs::read_dir(&kept)? {
            let entry = entry?;
            if is_found(&entry.file_name().to_string_lossy()) {
                std::fs::remove_file(entry.path())?;
            }
        }
        copy(&fresh, &kept, |name, length| is_found(name) && length <= MAX_KEPT)
    }

    fn engine(&self, name: &str) -> Command {
        let mut engine = command(self.target_folder.join("debug/fuzz"));
        engine.env("FUZZ_TARGET", name);
        engine
    }

    /// What a search starts from: the kept corpus and the recorded answers.
    fn seeds(&self, name: &str) -> Vec<PathBuf> {
        let recorded = root().join("crates/providers/src/apis").join(name.replace('-', "_")).join("fixtures");
        [root().join("fuzz/corpus").join(name), recorded]
            .into_iter()
            .filter(|folder| folder.is_dir())
            .collect()
    }

    fn folder(&self, kind: &str, name: &str) -> anyhow::Result<PathBuf> {
        let folder: &Path = &self.target_folder.join("fuzz").join(kind).join(name);
        std::fs::create_dir_all(folder)?;
        Ok(folder.to_owned())
    }
}

/// Whether a search gave an input its name, which is then a hash.
fn is_found(name: &str) -> bool {
    name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Copies the files of a folder that fit, by name and length.
fn copy(from: &Path, to: &Path, fits: impl Fn(&str, u64) -> bool) -> anyhow::Result<()> {
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        if fits(&entry.file_name().to_string_lossy(), entry.metadata()?.len()) {
            std::fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
    }
    Ok(())
}

/// How many inputs were tried and how much code they reached.
fn summary(text: &str) -> Option<String> {
    let tried = text.lines().find_map(|line| line.strip_prefix("stat::number_of_executed_units:"))?.trim();
    let reached = text.lines().rev().find_map(|line| line.split_once(" cov: ")?.1.split(' ').next())?;
    Some(format!("{tried} inputs, {reached} places reached"))
}
